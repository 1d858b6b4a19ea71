//! A turn as the store keeps it. Without texts, everything in it comes from tables of this program
//! and from the schemas of tools, but for the name of the model: no value can slip in.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolmend::{Call, Mended, Origin, Outcome, Owner, Reason, Refused, Tool};
use toolmend_store::{CallRecord, Fate, FaultRecord, Name, RepairRecord, Texts, TurnRecord};

use crate::exchange::{Asked, Context, Heard, Told};

/// What stands for a key that the schema does not name: it may be data.
const UNNAMED: &str = "…";
/// Longer numbers may be data and no places in a list.
const INDEX_LEN: usize = 5;
/// Finish reasons that are kept; any other one is a word of the server's choosing.
const FINISHES: [&str; 12] = [
    "stop",
    "length",
    "tool_calls",
    "function_call",
    "content_filter",
    "incomplete",
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "refusal",
    "pause_turn",
];

/// Makes a record of a turn; its texts are kept up to so many bytes.
pub(crate) fn record(told: &Told<'_>, text_bytes_max: usize) -> TurnRecord {
    let mended = told.mended;
    let calls = mended.calls.iter().enumerate().map(|(at, call)| delivered(told, at, call));
    let refused =
        mended.refused.iter().enumerate().map(|(at, refused)| withheld(told, at, refused));
    let known = |word: &str| FINISHES.into_iter().find(|known| *known == word).unwrap_or("other");
    TurnRecord {
        at_ms: now_ms(),
        model: told.model.to_owned().into(),
        api: told.api.into(),
        finish: told.finish.map(|word| known(word).into()),
        is_broken: told.is_broken,
        took_ms: i64::try_from(told.took.as_millis()).unwrap_or(i64::MAX),
        spent_us: i64::try_from(told.spent.as_micros()).unwrap_or(i64::MAX),
        asks: i64::from(told.asks),
        label: told.label.map(|label| label.as_str().into()),
        calls: calls.chain(refused).collect(),
        texts: told.heard.map(|heard| {
            let capture = Capture::of(told, heard);
            Texts::new(text_bytes_max, move || capture.texts())
        }),
    }
}

fn delivered(told: &Told<'_>, at: usize, call: &Call) -> CallRecord {
    let (tool, changes) = (tool(told, &call.name), &told.mended.report.repairs);
    let repairs = changes.iter().filter(|change| change.call == at).map(|change| RepairRecord {
        rule: change.rule.into(),
        path: named_path(&change.path, tool).into(),
        trust: change.trust.as_str().into(),
    });
    CallRecord {
        tool: tool.map(|tool| tool.name().to_owned().into()),
        fate: match call.outcome {
            Outcome::Untouched => Fate::Untouched,
            Outcome::Mended => Fate::Mended,
        },
        reason: None,
        channel: call.origin.as_str().into(),
        dialect: dialect(call.origin),
        is_lossy: call.is_lossy,
        repairs: repairs.collect(),
        faults: faults(told.mended, Owner::Call(at)),
    }
}

fn withheld(told: &Told<'_>, at: usize, refused: &Refused) -> CallRecord {
    let known = refused.tool.as_deref().or(refused.name.as_deref());
    let tool = known.and_then(|name| tool(told, name));
    CallRecord {
        tool: tool.map(|tool| tool.name().to_owned().into()),
        fate: match (refused.reason, refused.is_call()) {
            (Reason::Storm, _) => Fate::Suppressed,
            (_, true) => Fate::Refused,
            (_, false) => Fate::Left,
        },
        reason: Some(refused.reason.id().into()),
        channel: refused.origin.as_str().into(),
        dialect: dialect(refused.origin),
        is_lossy: false,
        repairs: Vec::new(),
        faults: faults(told.mended, Owner::Refused(at)),
    }
}

/// The tool of exactly this name: what a model writes as a name may be anything.
fn tool<'t>(told: &Told<'t>, name: &str) -> Option<&'t Tool> {
    told.tools.iter().find(|tool| tool.name() == name)
}

fn dialect(origin: Origin) -> Option<Name> {
    match origin {
        Origin::Found { dialect, .. } => Some(dialect.into()),
        Origin::Declared { .. } => None,
    }
}

/// The path with only those keys that the schema names.
fn named_path(path: &str, tool: Option<&Tool>) -> String {
    let is_known = |part: &str| {
        let key = part.replace("~1", "/").replace("~0", "~");
        part.is_empty()
            || part.len() < INDEX_LEN && part.bytes().all(|byte| byte.is_ascii_digit())
            || tool.is_some_and(|tool| tool.keys().contains(&key))
    };
    let parts = path.split('/').map(|part| if is_known(part) { part } else { UNNAMED });
    parts.collect::<Vec<_>>().join("/")
}

fn faults(mended: &Mended, owner: Owner) -> Vec<FaultRecord> {
    let own = mended.report.faults.iter().filter(|flaw| flaw.owner == owner);
    own.map(|flaw| FaultRecord {
        code: flaw.code.id().into(),
        start: flaw.span.start,
        end: flaw.span.end,
    })
    .collect()
}

/// What is needed to put the texts of a turn together.
struct Capture {
    context: Arc<Context>,
    heard: Heard,
    asked: Vec<Asked>,
    kept: usize,
    mended: Mended,
    finish: Option<String>,
    at_ms: i64,
}

impl Capture {
    fn of(told: &Told<'_>, heard: &Heard) -> Self {
        Self {
            context: Arc::clone(told.context),
            heard: heard.clone(),
            asked: told.asked.to_vec(),
            kept: told.kept,
            mended: told.mended.clone(),
            finish: told.finish.map(str::to_owned),
            at_ms: now_ms(),
        }
    }

    /// The turn as a line of `toolmend fix --jsonl`, and what was delivered of it.
    fn texts(&self) -> String {
        let mut texts = Members::default();
        texts.put_json("in", &self.line());
        texts.put("out", &self.delivered());
        if !self.asked.is_empty() {
            texts.put("asks", &self.asked.iter().map(asked_value).collect::<Value>());
        }
        texts.close()
    }

    fn line(&self) -> String {
        let (context, heard) = (&self.context, &self.heard);
        let mut line = Members::default();
        line.put("id", &json!(format!("{}-{}", context.model, self.at_ms)));
        line.put("model", &json!(context.model));
        line.put_all("tools", context.tools().iter().map(Tool::source));
        if !context.may_call {
            line.put("tool_choice", &json!("none"));
        }
        if let Some(messages) = checked(context.messages()) {
            line.put_json("messages", &messages);
        }
        line.put("reasoning", &text_or_null(&heard.reasoning));
        line.put("content", &text_or_null(&heard.content));
        line.put("tool_calls", &calls_value(heard));
        line.put("finish_reason", &json!(self.finish));
        line.close()
    }

    fn delivered(&self) -> Value {
        let mended = &self.mended;
        json!({
            "content": mended.content.as_deref().unwrap_or(&self.heard.content),
            "tool_calls": mended.calls.iter().map(call_value).collect::<Vec<_>>(),
            "kept": self.kept,
            "refused": mended.refused.iter().map(refused_value).collect::<Vec<_>>(),
            "notes": mended.report.notes,
        })
    }
}

/// An object that is written member by member, so that no tree is made of what is text already.
#[derive(Default)]
struct Members(String);

impl Members {
    fn name(&mut self, name: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0 += "\"";
        self.0 += name;
        self.0 += "\":";
    }

    fn put_json(&mut self, name: &str, json: &str) {
        self.name(name);
        self.0 += json;
    }

    fn put(&mut self, name: &str, value: &Value) {
        // A value is always JSON.
        self.put_json(name, &serde_json::to_string(value).unwrap_or_default());
    }

    fn put_all<'v>(&mut self, name: &str, values: impl Iterator<Item = &'v Value>) {
        let values: Vec<&Value> = values.collect();
        self.put_json(name, &serde_json::to_string(&values).unwrap_or_default());
    }

    fn close(self) -> String {
        self.0 + "}"
    }
}

/// Messages as JSON that can be read again; nothing where they cannot. They are long, and mostly right
/// as they are: only an escape may be half a pair.
fn checked(messages: &str) -> Option<Cow<'_, str>> {
    if messages.contains(r"\u") {
        let read: Value = serde_json::from_str(messages).ok()?;
        return Some(Cow::Owned(read.to_string()));
    }
    serde_json::from_str::<&RawValue>(messages).ok().map(|read| Cow::Borrowed(read.get()))
}

fn text_or_null(text: &str) -> Value {
    if text.is_empty() { Value::Null } else { json!(text) }
}

fn calls_value(heard: &Heard) -> Value {
    let call = |(id, name, arguments): &(String, String, String)| {
        let id = Some(id).filter(|id| !id.is_empty());
        json!({"id": id, "name": name, "arguments": arguments})
    };
    heard.calls.iter().map(call).collect()
}

/// What the model was asked, and what it said to that.
fn asked_value(asked: &Asked) -> Value {
    let mut value = asked.ask.to_value();
    let came = asked.came.as_ref().map(|came| {
        json!({"reasoning": text_or_null(&came.reasoning), "content": text_or_null(&came.content),
            "tool_calls": calls_value(came)})
    });
    if let Some(value) = value.as_object_mut() {
        value.insert("came".to_owned(), json!(came));
    }
    value
}

fn call_value(call: &Call) -> Value {
    json!({
        "id": call.id, "name": call.name, "arguments": call.arguments,
        "outcome": call.outcome.as_str(), "lossy": call.is_lossy, "channel": call.origin.as_str(),
        "index": place(call.origin),
    })
}

fn refused_value(refused: &Refused) -> Value {
    json!({
        "name": refused.name, "channel": refused.origin.as_str(), "reason": refused.reason.id(),
        "message": refused.message, "raw": refused.raw, "advice": refused.advice,
        "index": place(refused.origin),
    })
}

/// Which of the calls that the server made out it is.
fn place(origin: Origin) -> Option<usize> {
    match origin {
        Origin::Declared { index, .. } => Some(index),
        Origin::Found { .. } => None,
    }
}

/// The time, in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolmend::Tool;

    use super::{checked, named_path};

    #[test]
    fn messages_are_kept_if_they_can_be_read_again() {
        assert_eq!(checked(r#" [{"a": "\n"}] "#).as_deref(), Some(r#"[{"a": "\n"}]"#));
        assert_eq!(checked(r#"["\u00e9"]"#).as_deref(), Some(r#"["é"]"#));
        assert_eq!(checked(r#"["\ud83d"]"#), None);
        assert_eq!(checked("[1"), None);
    }

    #[test]
    fn keys_that_no_schema_names_stay_out_of_paths() {
        let tool = Tool::read(&json!({"name": "t", "parameters": {"type": "object",
            "properties": {"where": {"type": "array", "items": {"type": "object",
                "properties": {"a/b": {}}}}}}}))
        .unwrap();
        assert_eq!(named_path("/where/0/a~1b", Some(&tool)), "/where/0/a~1b");
        assert_eq!(named_path("/where/0/canary", Some(&tool)), "/where/0/…");
        assert_eq!(named_path("", Some(&tool)), "");
        assert_eq!(named_path("/where", None), "/…");
    }
}
