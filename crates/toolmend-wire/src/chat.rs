//! `OpenAI` Chat Completions, streamed.

mod calls;
mod made;
mod read;
mod write;

use crate::api::{Api, Framing};
use crate::channel::{Channel, Stretch};
use crate::frame::Frame;
use crate::mender::WireCall;
use crate::protocol::{Entry, Envelope, Event, Protocol, Sink, Told};
use crate::relay::LegacyCalls;
use crate::rule::StreamRule;
use crate::turn::{Delta, Reason, Turns};

/// The text fields of a delta, in the order in which they are read. Servers write the thinking to
/// one of the first two.
pub(crate) const TEXT_FIELDS: [(&str, Channel); 3] = [
    ("reasoning_content", Channel::Reasoning),
    ("reasoning", Channel::Reasoning),
    ("content", Channel::Content),
];

pub(crate) use made::{call_json, reason as reason_of, reason_text};

/// A stream of chunks.
#[derive(Debug)]
pub(crate) struct Chat {
    legacy: LegacyCalls,
    choices: Vec<Choice>,
    /// A chunk that came, from which made ones take their other fields.
    template: Option<String>,
    seed: String,
}

/// One choice: the turn of the same number.
#[derive(Debug, Default)]
struct Choice {
    /// Its `index`.
    key: u64,
    has_spoken: bool,
    calls: Vec<CallPlace>,
    /// How many finish reasons came.
    finishes: usize,
    /// The finish reason that counts, unless the choice goes on.
    pending: Option<Pending>,
    /// The number of the one that counts.
    finish: Option<usize>,
    is_legacy: bool,
}

/// A finish reason that came.
#[derive(Debug)]
struct Pending {
    number: usize,
    /// None where it is empty.
    reason: Option<Reason>,
}

/// Where a call stands.
#[derive(Debug, Default)]
struct CallPlace {
    /// Its `index` as it came.
    index: Option<u64>,
    /// Whether a call before has the same.
    is_shared: bool,
    /// Its `index` as it leaves.
    written: Option<usize>,
    /// Whether its name did not stand whole in its first piece.
    is_name_split: bool,
}

/// What was found in a frame.
#[derive(Debug)]
pub(crate) enum Tag {
    Plain,
    Chunk(Vec<Part>),
}

/// What one choice says in a chunk.
#[derive(Debug)]
pub(crate) struct Part {
    turn: usize,
    /// Whether it has what it must have, and nothing but texts.
    is_plain: bool,
    names_role: bool,
    texts: Vec<(&'static str, Channel, Stretch)>,
    /// The calls of the entries of `tool_calls`, in order.
    calls: Vec<usize>,
    /// The call that came as `function_call`.
    legacy: Option<usize>,
    /// The number of the finish reason.
    finish: Option<usize>,
}

impl Chat {
    pub(crate) fn new(legacy: LegacyCalls) -> Self {
        Self { legacy, choices: Vec::new(), template: None, seed: String::new() }
    }

    /// Says that the finish reason of a choice counts.
    fn settle_finish(&mut self, turn: usize, turns: &mut Turns, told: &mut Told<Tag>) {
        let Some(choice) = self.choices.get_mut(turn) else { return };
        let Some(pending) = choice.pending.take() else { return };
        choice.finish = Some(pending.number);
        match pending.reason.or_else(|| derive(turn, turns, told)) {
            Some(reason) => finish(turn, reason, turns, told),
            None => told.events.push(Event::Cut(StreamRule::StreamCut)),
        }
    }

    fn is_finished(&self) -> bool {
        self.choices.iter().all(|choice| choice.finish.is_some())
    }
}

/// The reason that the calls of a turn tell; none if one of them is cut.
fn derive(turn: usize, turns: &mut Turns, told: &mut Told<Tag>) -> Option<Reason> {
    let state = turns.open(turn);
    told.note(StreamRule::FinishMissing);
    state.calls_are_whole().then(|| state.reason_of_calls())
}

/// Closes the calls of a turn, and the turn.
fn finish(turn: usize, reason: Reason, turns: &mut Turns, told: &mut Told<Tag>) {
    for call in 0..turns.open(turn).calls.len() {
        told.delta(turn, Delta::CallEnd(call));
    }
    told.delta(turn, Delta::Finish(reason));
}

impl Protocol for Chat {
    type Tag = Tag;

    const FRAMING: Framing = Framing::Events;
    const ID_PREFIX: Option<&'static str> = Some(Api::Chat.id_prefix());

    fn seed(&self) -> &str {
        &self.seed
    }

    fn read(&mut self, frame: Frame, data: &str, turns: &mut Turns, told: &mut Told<Tag>) {
        self.read_frame(frame, data, turns, told);
    }

    fn read_broken(&mut self, turns: &mut Turns, told: &mut Told<Tag>) {
        self.settle_told(turns, told);
    }

    fn plain(&self) -> Tag {
        Tag::Plain
    }

    fn read_end(&mut self, turns: &mut Turns, told: &mut Told<Tag>) {
        for turn in 0..self.choices.len() {
            self.settle_finish(turn, turns, told);
        }
        if self.choices.is_empty() || !self.is_finished() {
            told.events.push(Event::Cut(StreamRule::StreamCut));
            return;
        }
        told.note(StreamRule::DoneMissing);
        let mut raw = Vec::new();
        self.write_done(&mut Sink { out: &mut raw, rules: &mut Vec::new() });
        let body = crate::frame::Body::Nothing;
        let done = Frame { raw, event: None, body, is_closed: true };
        told.hold(Entry::new(Some(done), Tag::Plain));
    }

    fn write(&mut self, entry: Entry<Tag>, turns: &mut Turns, sink: &mut Sink<'_>) {
        self.write_entry(entry, turns, sink);
    }

    fn write_start(&mut self, envelope: &Envelope, sink: &mut Sink<'_>) {
        self.template = Some(made::template(envelope));
        sink.data(&self.chunk(0, r#"{"role":"assistant","content":null}"#, None));
    }

    fn close_open(&mut self, _: &mut Turns, sink: &mut Sink<'_>) {
        if self.template.is_none() {
            let id = "chatcmpl-toolmend".to_owned();
            self.write_start(&Envelope { id, ..Envelope::default() }, sink);
        }
    }

    fn write_text(&mut self, turn: usize, channel: Channel, text: &str, sink: &mut Sink<'_>) {
        let field = match channel {
            Channel::Reasoning => "reasoning_content",
            Channel::Content => "content",
        };
        let delta = format!("{{\"{field}\":{}}}", crate::json::quote(text));
        sink.data(&self.chunk(turn, &delta, None));
    }

    fn write_call(&mut self, turn: usize, call: &WireCall, turns: &mut Turns, sink: &mut Sink<'_>) {
        let state = turns.open(turn);
        let index = state.calls_written;
        state.calls_written += 1;
        let delta = made::call_delta(call, index);
        sink.data(&self.chunk(turn, &delta, None));
    }

    fn write_finish(&mut self, turn: usize, reason: &Reason, _: &Turns, sink: &mut Sink<'_>) {
        sink.data(&self.chunk(turn, "{}", Some(made::reason_text(reason))));
    }

    fn write_done(&mut self, sink: &mut Sink<'_>) {
        sink.data("[DONE]");
    }

    fn write_error(&mut self, message: &str, sink: &mut Sink<'_>) {
        sink.data(&crate::error::body(Api::Chat, message));
    }
}
