//! The texts of a turn, as a line of `toolmend fix --jsonl` and what was delivered of it.

use toolmend::{Call, Mended, Origin, Outcome, Refused};
use toolmend_store::{Request, Texts};

use super::json::Json;
use crate::exchange::{Asked, Heard, Told};

/// What is written of a turn beside what it said, roughly. What it said comes a second time, as it was
/// delivered.
const ROOM: usize = 512;

/// The texts of a turn. What may be long and is there already is not copied; its model and time are
/// elsewhere.
pub(super) fn capture(told: &Told<'_>, heard: &Heard) -> Texts {
    let context = told.context;
    let mut json = Json::with_room(ROOM + 2 * heard.len());
    json.open_in("in");
    if !context.may_call {
        json.word_in("tool_choice", "none");
    }
    json.heard(heard);
    json.optional_in("finish_reason", told.finish);
    json.close();
    match is_as_it_came(told, heard) {
        true => json.json_in("out", "null"),
        false => delivered(&mut json, told, heard),
    }
    if !told.asked.is_empty() {
        json.list_in("asks", told.asked, asked);
    }
    let request = Request { tools: context.tools_written(), messages: Some(context.messages()) };
    Texts { own: json.finish(), request: Some(request) }
}

/// Whether what was delivered is what was heard, so that it need not be written twice.
fn is_as_it_came(told: &Told<'_>, heard: &Heard) -> bool {
    let Mended { content, calls, refused, report, .. } = told.mended;
    let is_same = |(at, (call, came)): (usize, (&Call, &(String, String, String)))| {
        let (id, name, arguments) = came;
        call.outcome == Outcome::Untouched
            && !call.is_lossy
            && call.origin == (Origin::Declared { index: at, part: 0 })
            && (&call.id, &call.name, &call.arguments) == (id, name, arguments)
    };
    content.is_none()
        && calls.len() == heard.calls.len()
        && calls.iter().zip(&heard.calls).enumerate().all(is_same)
        && refused.is_empty()
        && report.notes.is_empty()
        && told.asked.is_empty()
        && told.kept == 0
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
    json.word_in("outcome", call.outcome.as_str());
    json.flag_in("lossy", call.is_lossy);
    json.word_in("channel", call.origin.as_str());
    json.number_in("index", place(call.origin));
    json.close();
}

fn withheld(json: &mut Json, refused: &Refused) {
    json.open();
    json.optional_in("name", refused.name.as_deref());
    json.word_in("channel", refused.origin.as_str());
    json.word_in("reason", refused.reason.id());
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
        for (channel, text) in [("reasoning", &heard.reasoning), ("content", &heard.content)] {
            if !text.is_empty() {
                self.text_in(channel, text);
            }
        }
        self.list_in("tool_calls", &heard.calls, |json, (id, name, arguments)| {
            json.open();
            json.optional_in("id", Some(&**id).filter(|id| !id.is_empty()));
            json.text_in("name", name);
            json.text_in("arguments", arguments);
            json.close();
        });
    }
}
