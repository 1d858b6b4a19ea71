//! Ollama's `/api/chat`, streamed: one JSON object on each line.

use crate::api::{Api, Framing};
use crate::channel::{Channel, Stretch};
use crate::draft::{Draft, at};
use crate::frame::{Body, Frame};
use crate::json::{Json, quote};
use crate::mender::{Verdict, WireCall};
use crate::protocol::{Entry, Envelope, Event, Protocol, Sink, Told, Wait};
use crate::relay::write_added;
use crate::rule::StreamRule;
use crate::turn::{CallState, Delta, Reason, Turns};

pub(crate) const TEXT_FIELDS: [(&str, Channel); 2] =
    [("thinking", Channel::Reasoning), ("content", Channel::Content)];

/// What a line is made from if none came.
const BARE: &str = r#"{"model":"","created_at":"1970-01-01T00:00:00Z","message":{},"done":false}"#;

/// A stream of lines.
#[derive(Debug, Default)]
pub(crate) struct Ollama {
    /// A line that came, from which made ones take their other fields.
    template: Option<String>,
}

/// What was found in a line.
#[derive(Debug, Default)]
pub(crate) struct Tag {
    texts: Vec<(&'static str, Channel, Stretch)>,
    /// The calls of the entries of `tool_calls`, in order.
    calls: Vec<usize>,
    is_end: bool,
}

impl Ollama {
    fn read_message(
        message: Json<'_>,
        entry: &mut Entry<Tag>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        for (field, channel) in TEXT_FIELDS {
            if let Some(text) = message.word(field) {
                let stretch = turns.arrive(0, channel, &text);
                entry.tag.texts.push((field, channel, stretch));
                entry.waits.push(Wait::Text(0, channel, stretch));
                told.delta(0, Delta::Text(channel, text));
            }
        }
        for json in message.given("tool_calls").into_iter().flat_map(Json::items) {
            let call = turns.open(0).calls.len();
            let state = read_call(json, told);
            told.delta(0, Delta::CallStart(call));
            told.delta(0, Delta::CallArguments(call, state.arguments.clone()));
            told.delta(0, Delta::CallEnd(call));
            turns.open(0).calls.push(state);
            entry.tag.calls.push(call);
            entry.waits.push(Wait::Call(0, call));
        }
    }

    /// A line with the fields of those that came, and this message.
    fn line(&self, message: &str) -> String {
        let mut draft = Draft::new(self.template.as_deref().unwrap_or(BARE));
        draft.set(at!["message"], message);
        draft.into_text()
    }

    fn write_line(line: &str, sink: &mut Sink<'_>) {
        sink.out.extend_from_slice(line.as_bytes());
        sink.out.push(b'\n');
    }

    fn patch_line(draft: &mut Draft, tag: &Tag, turns: &mut Turns) -> bool {
        let mut is_emptied = false;
        for (field, channel, stretch) in &tag.texts {
            let path = at!["message", *field];
            let text = draft.get(path).and_then(Json::text).unwrap_or_default();
            if let Some(text) = turns.changed(0, *channel, *stretch, &text) {
                is_emptied |= text.is_empty();
                draft.set_text(path, &text);
            }
        }
        let mut kept = 0;
        for call in &tag.calls {
            let verdict = turns.call(0, *call).and_then(|call| call.verdict.clone());
            match verdict {
                Some(Verdict::Drop) => {
                    draft.remove(at!["message", "tool_calls", kept]);
                    continue;
                }
                Some(Verdict::Change(call)) => change_call(draft, kept, &call),
                _ => mend_call(draft, kept),
            }
            kept += 1;
        }
        if kept == 0 && !tag.calls.is_empty() {
            draft.remove(at!["message", "tool_calls"]);
            is_emptied = true;
        }
        is_emptied
    }

    /// Writes what was added to the turn: before its last line, or in it if that line speaks too.
    fn patch_end(&mut self, draft: &mut Draft, tag: &Tag, turns: &mut Turns, sink: &mut Sink<'_>) {
        let Some(closed) = turns.get(0).and_then(|turn| turn.closed()) else { return };
        if let Some(reason) = &closed.reason {
            let text = reason_text(reason);
            draft.set_text(at!["done_reason"], text);
        }
        if tag.texts.is_empty() && tag.calls.is_empty() {
            return write_added(self, 0, turns, sink);
        }
        for (channel, text) in &closed.texts {
            let field = field_of(*channel);
            let before = draft.get(at!["message", field]).and_then(Json::text).unwrap_or_default();
            draft.set_text(at!["message", field], &(before + text));
        }
        for call in &closed.calls {
            let list = at!["message", "tool_calls"];
            if draft.get(list).is_none_or(|list| !list.is_array()) {
                draft.set(list, "[]");
            }
            draft.push(list, &call_json(call));
        }
    }
}

impl Protocol for Ollama {
    type Tag = Tag;

    const FRAMING: Framing = Framing::Lines;
    const ID_PREFIX: Option<&'static str> = None;

    fn seed(&self) -> &'static str {
        ""
    }

    fn read(&mut self, frame: Frame, data: &str, turns: &mut Turns, told: &mut Told<Tag>) {
        let Some(json) = Json::read_object(data) else { return told.broken(&frame) };
        let mut entry = Entry::new(Some(frame), Tag::default());
        if let Some(error) = json.given("error").filter(|error| !error.is_falsy()) {
            told.hold(entry);
            told.events.push(Event::Failed(crate::error::message(error)));
            return;
        }
        turns.open(0);
        let is_end = json.get("done").is_some_and(Json::is_true);
        if self.template.is_none() && !is_end {
            self.template = Some(data.to_owned());
        }
        if let Some(message) = json.given("message") {
            Self::read_message(message, &mut entry, turns, told);
        }
        if is_end {
            entry.tag.is_end = true;
            entry.waits.push(Wait::Turn(0));
            let reason = json.word("done_reason").unwrap_or_default();
            told.delta(0, Delta::Usage);
            told.delta(0, Delta::Finish(reason_of(&reason, turns)));
            told.events.push(Event::Done);
        }
        told.hold(entry);
    }

    fn plain(&self) -> Tag {
        Tag::default()
    }

    fn read_end(&mut self, _: &mut Turns, told: &mut Told<Tag>) {
        told.events.push(Event::Cut(StreamRule::StreamCut));
    }

    fn write(&mut self, entry: Entry<Tag>, turns: &mut Turns, sink: &mut Sink<'_>) {
        let Some(frame) = entry.frame else { return };
        let Body::Data(data) = &frame.body else {
            if frame.body == Body::Nothing {
                return sink.note(StreamRule::BlankLine);
            }
            return sink.out.extend_from_slice(&frame.raw);
        };
        let mut draft = Draft::new(data);
        let is_emptied = Self::patch_line(&mut draft, &entry.tag, turns);
        if entry.tag.is_end {
            self.patch_end(&mut draft, &entry.tag, turns, sink);
        } else if is_emptied && is_void(&draft) {
            return;
        }
        match (draft.is_changed(), frame.is_closed) {
            (true, _) => Self::write_line(draft.text(), sink),
            (false, true) => sink.out.extend_from_slice(&frame.raw),
            (false, false) => {
                sink.out.extend_from_slice(&frame.raw);
                sink.out.push(b'\n');
            }
        }
    }

    fn write_start(&mut self, envelope: &Envelope, _: &mut Sink<'_>) {
        let mut draft = Draft::new(BARE);
        draft.set_text(at!["model"], &envelope.model);
        draft.set_text(at!["created_at"], &envelope.created);
        self.template = Some(draft.into_text());
    }

    fn write_text(&mut self, _: usize, channel: Channel, text: &str, sink: &mut Sink<'_>) {
        let text = quote(text);
        let message = match channel {
            Channel::Content => format!(r#"{{"role":"assistant","content":{text}}}"#),
            Channel::Reasoning => {
                format!(r#"{{"role":"assistant","content":"","thinking":{text}}}"#)
            }
        };
        Self::write_line(&self.line(&message), sink);
    }

    fn write_call(&mut self, _: usize, call: &WireCall, _: &mut Turns, sink: &mut Sink<'_>) {
        let call = call_json(call);
        let message = format!(r#"{{"role":"assistant","content":"","tool_calls":[{call}]}}"#);
        Self::write_line(&self.line(&message), sink);
    }

    fn write_finish(&mut self, _: usize, reason: &Reason, _: &Turns, sink: &mut Sink<'_>) {
        let line = self.line(r#"{"role":"assistant","content":""}"#);
        let mut draft = Draft::new(&line);
        draft.set(at!["done"], "true");
        draft.set_text(at!["done_reason"], reason_text(reason));
        Self::write_line(draft.text(), sink);
    }

    fn write_done(&mut self, _: &mut Sink<'_>) {}

    fn write_error(&mut self, message: &str, sink: &mut Sink<'_>) {
        Self::write_line(&crate::error::body(Api::Ollama, message), sink);
    }
}

fn read_call(json: Json<'_>, told: &mut Told<Tag>) -> CallState {
    let function = json.given("function");
    let value = function.and_then(|function| function.given("arguments"));
    let text = value.and_then(Json::text);
    if text.as_deref().is_some_and(is_object) {
        told.note(StreamRule::ArgumentsNotObject);
    }
    let raw = value.map(|value| value.raw().to_owned()).unwrap_or_default();
    CallState {
        id: json.word("id"),
        name: function.and_then(|function| function.word("name")).unwrap_or_default(),
        arguments: text.unwrap_or(raw),
        ..CallState::default()
    }
}

fn is_object(text: &str) -> bool {
    Json::read_object(text).is_some()
}

/// Writes arguments as an object where they came as its text.
fn mend_call(draft: &mut Draft, item: usize) {
    let path = at!["message", "tool_calls", item, "function", "arguments"];
    let text = draft.get(path).and_then(Json::text);
    if let Some(text) = text.filter(|text| is_object(text)) {
        draft.set(path, &one_line(&text));
    }
}

fn change_call(draft: &mut Draft, item: usize, call: &WireCall) {
    let own = at!["message", "tool_calls", item];
    if draft.get(own).is_some_and(|own| own.word("id").unwrap_or_default() != call.id) {
        draft.set_text(at!["message", "tool_calls", item, "id"], &call.id);
    }
    draft.set_text(at!["message", "tool_calls", item, "function", "name"], &call.name);
    let arguments = at!["message", "tool_calls", item, "function", "arguments"];
    draft.set(arguments, &arguments_json(&call.arguments));
}

pub(crate) fn call_json(call: &WireCall) -> String {
    let WireCall { id, name, arguments } = call;
    let id = if id.is_empty() { String::new() } else { format!(r#""id":{},"#, quote(id)) };
    let (name, arguments) = (quote(name), arguments_json(arguments));
    format!(r#"{{{id}"function":{{"name":{name},"arguments":{arguments}}}}}"#)
}

/// Arguments as the object that they are; text that is none stays text.
fn arguments_json(arguments: &str) -> String {
    if is_object(arguments) { one_line(arguments) } else { quote(arguments) }
}

/// Valid JSON has line breaks only between its tokens.
fn one_line(json: &str) -> String {
    json.trim().replace(['\n', '\r'], " ")
}

fn field_of(channel: Channel) -> &'static str {
    match channel {
        Channel::Reasoning => "thinking",
        Channel::Content => "content",
    }
}

fn reason_of(text: &str, turns: &mut Turns) -> Reason {
    match text {
        "stop" | "" if !turns.open(0).calls.is_empty() => Reason::Calls,
        "stop" | "" => Reason::Stop,
        "length" => Reason::Length,
        other => Reason::Other(other.to_owned()),
    }
}

/// Ollama says `stop` for calls as well.
pub(crate) fn reason_text(reason: &Reason) -> &str {
    match reason {
        Reason::Stop | Reason::Calls | Reason::Filter => "stop",
        Reason::Length => "length",
        Reason::Other(text) => text,
    }
}

/// Whether a line that lost something says nothing any more.
fn is_void(draft: &Draft) -> bool {
    let said = ["content", "thinking", "tool_calls", "images"];
    said.iter().all(|field| {
        let value = draft.get(at!["message", *field]);
        value.is_none_or(|value| value.is_falsy() || value.raw() == "[]")
    })
}
