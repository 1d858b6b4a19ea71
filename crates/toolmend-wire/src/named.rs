//! Events that say twice what they are, by their name and in their data: those of Messages and of
//! Responses.

use crate::draft::{Draft, at};
use crate::frame::Frame;
use crate::json::Json;
use crate::protocol::Sink;
use crate::rule::StreamRule;

/// What an event is: its data says so, or else its name.
pub(crate) fn kind_of(json: Json<'_>, frame: &Frame) -> Option<String> {
    json.word("type").or_else(|| frame.event.clone()).or_else(|| {
        json.given("error").filter(|error| !error.is_falsy()).map(|_| "error".to_owned())
    })
}

/// The same, of data that may have changed.
pub(crate) fn kind_in(draft: &Draft, frame: &Frame) -> Option<String> {
    Json::read_object(draft.text()).and_then(|json| kind_of(json, frame))
}

/// Writes into the data what the event is. It is noted where the data or the name did not say it.
pub(crate) fn set_kind(draft: &mut Draft, kind: &str, frame: &Frame, sink: &mut Sink<'_>) {
    let before = draft.edits();
    draft.set_text(at!["type"], kind);
    if draft.edits() > before || frame.event.as_deref() != Some(kind) {
        sink.note(StreamRule::EventUnnamed);
    }
}

/// Writes an event, under its name if it came under another one or none.
pub(crate) fn write(frame: &Frame, draft: &Draft, kind: &str, sink: &mut Sink<'_>) {
    let is_named = frame.event.as_deref() == Some(kind);
    match draft.is_changed() || !is_named {
        true => frame.rewrite(draft.text(), (!is_named).then_some(kind), sink.out),
        false => frame.write_closed(sink.out),
    }
}
