//! The texts of a turn, as a line of `toolmend fix --jsonl` and what was delivered of it.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use toolmend::{Call, Mended, Origin, Refused};
use toolmend_store::Body;

use super::json::Json;
use crate::exchange::{Asked, Heard, Told};

/// What is written of a turn beside what it said, roughly. What it said comes a second time, as it was
/// delivered.
const ROOM: usize = 512;

/// The texts of a turn. What may be long and is there already is not copied while the client waits.
#[derive(Debug)]
pub(super) struct Capture {
    tools: Arc<str>,
    messages: Arc<str>,
    /// All but these.
    written: String,
    /// Where the messages stand in it.
    messages_at: usize,
}

impl Capture {
    pub(super) fn of(told: &Told<'_>, heard: &Heard, at_ms: i64) -> Self {
        let context = told.context;
        let mut json = Json::with_room(ROOM + 2 * heard.len());
        json.open_in("in");
        json.text_in("id", &format!("{}-{at_ms}", context.model));
        json.text_in("model", &context.model);
        if !context.may_call {
            json.text_in("tool_choice", "none");
        }
        let messages_at = json.len();
        json.heard(heard);
        json.optional_in("finish_reason", told.finish);
        json.close();
        delivered(&mut json, told, heard);
        if !told.asked.is_empty() {
            json.list_in("asks", told.asked, asked);
        }
        let (tools, messages) = (context.tools_written(), context.messages());
        Self { tools, messages, written: json.finish(), messages_at }
    }

    pub(super) fn body(&self) -> Body {
        let (before, after) = self.written.split_at(self.messages_at);
        let own = match checked(&self.messages) {
            Some(messages) => [before, ",\"messages\":", &messages, after].concat(),
            None => self.written.clone(),
        };
        Body { own, tools: Some(Arc::clone(&self.tools)) }
    }
}

/// Messages as they can be read again; nothing where they cannot. They are long, and were read before:
/// only an escape may be half a pair.
fn checked(messages: &str) -> Option<Cow<'_, str>> {
    if messages.contains(r"\u") {
        let read: Value = serde_json::from_str(messages).ok()?;
        return Some(Cow::Owned(read.to_string()));
    }
    Some(Cow::Borrowed(messages))
}

fn delivered(json: &mut Json, told: &Told<'_>, heard: &Heard) {
    let Mended { content, calls, refused, report, .. } = told.mended;
    json.open_in("out");
    json.text_in("content", content.as_deref().unwrap_or(&heard.content));
    json.list_in("tool_calls", calls, call);
    json.number_in("kept", Some(told.kept));
    json.list_in("refused", refused, withheld);
    json.list_in("notes", &report.notes, |json, note| json.text(note));
    json.close();
}

fn call(json: &mut Json, call: &Call) {
    json.open();
    json.text_in("id", &call.id);
    json.text_in("name", &call.name);
    json.text_in("arguments", &call.arguments);
    json.text_in("outcome", call.outcome.as_str());
    json.flag_in("lossy", call.is_lossy);
    json.text_in("channel", call.origin.as_str());
    json.number_in("index", place(call.origin));
    json.close();
}

fn withheld(json: &mut Json, refused: &Refused) {
    json.open();
    json.optional_in("name", refused.name.as_deref());
    json.text_in("channel", refused.origin.as_str());
    json.text_in("reason", refused.reason.id());
    json.text_in("message", &refused.message);
    json.text_in("raw", &refused.raw);
    json.text_in("advice", &refused.advice);
    json.number_in("index", place(refused.origin));
    json.close();
}

/// What the model was asked, and what it said to that.
fn asked(json: &mut Json, asked: &Asked) {
    json.open();
    for (name, value) in asked.ask.to_value().as_object().into_iter().flatten() {
        json.json_in(name, &value.to_string());
    }
    match &asked.came {
        Some(came) => {
            json.open_in("came");
            json.heard(came);
            json.close();
        }
        None => json.optional_in("came", None),
    }
    json.close();
}

/// Which of the calls that the server made out it is.
fn place(origin: Origin) -> Option<usize> {
    match origin {
        Origin::Declared { index, .. } => Some(index),
        Origin::Found { .. } => None,
    }
}

impl Json {
    /// What a model said.
    fn heard(&mut self, heard: &Heard) {
        self.optional_in("reasoning", Some(&*heard.reasoning).filter(|text| !text.is_empty()));
        self.optional_in("content", Some(&*heard.content).filter(|text| !text.is_empty()));
        self.list_in("tool_calls", &heard.calls, |json, (id, name, arguments)| {
            json.open();
            json.optional_in("id", Some(&**id).filter(|id| !id.is_empty()));
            json.text_in("name", name);
            json.text_in("arguments", arguments);
            json.close();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::checked;

    #[test]
    fn messages_are_kept_if_they_can_be_read_again() {
        assert_eq!(checked(r#"[{"a": "\n"}]"#).as_deref(), Some(r#"[{"a": "\n"}]"#));
        assert_eq!(checked(r#"["\u00e9"]"#).as_deref(), Some(r#"["é"]"#));
        assert_eq!(checked(r#"["\ud83d"]"#), None);
    }
}
