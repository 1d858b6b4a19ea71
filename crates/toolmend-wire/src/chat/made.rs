//! Chunks that no server sent.

use super::Chat;
use crate::draft::{Draft, at};
use crate::json::quote;
use crate::mender::WireCall;
use crate::protocol::Envelope;
use crate::turn::Reason;

/// What a chunk is made from if none came.
const BARE: &str = r#"{"id":"chatcmpl-toolmend","object":"chat.completion.chunk","created":0,"model":"","choices":[]}"#;
const BARE_CHOICE: &str = r#"{"index":0,"delta":{},"finish_reason":null}"#;

impl Chat {
    /// A chunk with the fields of those that came, and one choice that says this.
    pub(super) fn chunk(&self, turn: usize, delta: &str, finish: Option<&str>) -> String {
        let mut draft = Draft::new(self.template.as_deref().unwrap_or(BARE));
        let choice = draft.get(at!["choices", 0]).filter(|choice| choice.is_object());
        let mut choice = Draft::new(choice.map_or(BARE_CHOICE, crate::json::Json::raw));
        let key = self.choices.get(turn).map_or(0, |choice| choice.key);
        choice.set(at!["index"], &key.to_string());
        choice.set(at!["delta"], delta);
        choice.set(at!["finish_reason"], &finish.map_or("null".to_owned(), quote));
        // What belongs to the tokens of the chunk that is copied says nothing of this one.
        for field in ["logprobs", "token_ids"] {
            if choice.get(at![field]).is_some() {
                choice.set(at![field], "null");
            }
        }
        draft.set(at!["choices"], &format!("[{}]", choice.text()));
        draft.into_text()
    }
}

/// A chunk to copy, for a stream that no server sends.
pub(super) fn template(envelope: &Envelope) -> String {
    let mut draft = Draft::new(BARE);
    draft.set_text(at!["id"], &envelope.id);
    draft.set_text(at!["model"], &envelope.model);
    draft.set(at!["created"], &envelope.created.parse::<u64>().unwrap_or_default().to_string());
    draft.into_text()
}

pub(super) fn call_delta(call: &WireCall, index: usize) -> String {
    let mut call = Draft::new(&call_json(call));
    call.set(at!["index"], &index.to_string());
    format!(r#"{{"tool_calls":[{}]}}"#, call.text())
}

/// A call as whole replies have it.
pub(crate) fn call_json(call: &WireCall) -> String {
    let WireCall { id, name, arguments } = call;
    let (id, name, arguments) = (quote(id), quote(name), quote(arguments));
    format!(
        r#"{{"id":{id},"type":"function","function":{{"name":{name},"arguments":{arguments}}}}}"#
    )
}

pub(crate) fn reason_text(reason: &Reason) -> &str {
    match reason {
        Reason::Stop => "stop",
        Reason::Calls => "tool_calls",
        Reason::Length => "length",
        Reason::Filter => "content_filter",
        Reason::Other(text) => text,
    }
}

pub(crate) fn reason(text: &str) -> Reason {
    match text {
        "stop" => Reason::Stop,
        "tool_calls" | "function_call" => Reason::Calls,
        "length" => Reason::Length,
        "content_filter" => Reason::Filter,
        other => Reason::Other(other.to_owned()),
    }
}
