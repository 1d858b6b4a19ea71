//! Anthropic Messages, streamed.

mod made;
mod read;
mod write;

use crate::api::{Api, Framing};
use crate::channel::{Channel, Stretch};
use crate::frame::{Body, Frame};
use crate::mender::WireCall;
use crate::protocol::{Entry, Envelope, Event, Protocol, Sink, Told};
use crate::rule::StreamRule;
use crate::turn::{Reason, Turns};

/// A stream of named events.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    seed: String,
    has_start: bool,
    has_reason: bool,
    /// Tokens that `message_start` counted: for an end that is made.
    output_tokens: u64,
    blocks: Vec<Block>,
    writer: Writer,
}

/// What was written so far.
#[derive(Debug, Default)]
struct Writer {
    is_started: bool,
    /// The index of the block that is open.
    open: Option<usize>,
    /// What that block was made for, if it was made.
    made: Option<Channel>,
    blocks: usize,
    stash: Option<Stash>,
}

/// The start of a block of text, until some of its text leaves: a block without text is refused when
/// it comes back in the next request.
#[derive(Debug)]
struct Stash {
    start: Vec<u8>,
    /// What came in between.
    others: Vec<u8>,
}

/// One block of content.
#[derive(Debug)]
struct Block {
    /// Its `index` as it came.
    index: Option<u64>,
    kind: Kind,
    is_closed: bool,
    /// Its `index` as it leaves.
    written: Option<usize>,
    /// Whether text was taken out of it.
    is_emptied: bool,
    /// Whether a piece of its arguments was written.
    has_arguments: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text(Channel),
    Call(usize),
    Other,
}

/// What was found in a frame.
#[derive(Debug)]
pub(crate) enum Tag {
    /// Passes, whatever it is.
    Plain,
    /// Does not leave.
    Gone,
    Start,
    BlockStart(usize),
    BlockDelta(usize, Option<(Channel, Stretch)>),
    BlockStop(usize),
    Finish,
    End,
    Made(Made),
}

/// An event that did not come.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Made {
    Start,
    BlockStart(usize),
    BlockStop(usize),
    Finish,
}

impl Protocol for Messages {
    type Tag = Tag;

    const FRAMING: Framing = Framing::Events;
    const ID_PREFIX: Option<&'static str> = Some(Api::Messages.id_prefix());

    fn seed(&self) -> &str {
        &self.seed
    }

    fn read(&mut self, frame: Frame, data: &str, turns: &mut Turns, told: &mut Told<Tag>) {
        self.read_frame(frame, data, turns, told);
    }

    fn plain(&self) -> Tag {
        Tag::Plain
    }

    fn read_end(&mut self, turns: &mut Turns, told: &mut Told<Tag>) {
        if !self.has_reason {
            turns.open(0);
            told.events.push(Event::Cut(StreamRule::StreamCut));
            return;
        }
        told.note(StreamRule::StopMissing);
        let mut raw = Vec::new();
        self.write_done(&mut Sink { out: &mut raw, rules: &mut Vec::new() });
        let end = Frame { raw, event: None, body: Body::Nothing, is_closed: true };
        told.hold(Entry::new(Some(end), Tag::Plain));
    }

    fn write(&mut self, entry: Entry<Tag>, turns: &mut Turns, sink: &mut Sink<'_>) {
        self.write_entry(entry, turns, sink);
    }

    fn write_start(&mut self, envelope: &Envelope, sink: &mut Sink<'_>) {
        self.make_start(envelope, sink);
    }

    fn write_text(&mut self, _: usize, channel: Channel, text: &str, sink: &mut Sink<'_>) {
        self.make_text(channel, text, sink);
    }

    fn write_call(&mut self, _: usize, call: &WireCall, turns: &mut Turns, sink: &mut Sink<'_>) {
        turns.open(0).calls_written += 1;
        self.make_call(call, sink);
    }

    fn write_finish(&mut self, _: usize, reason: &Reason, _: &Turns, sink: &mut Sink<'_>) {
        self.make_finish(reason, sink);
    }

    fn write_done(&mut self, sink: &mut Sink<'_>) {
        sink.event("message_stop", r#"{"type":"message_stop"}"#);
    }

    fn write_error(&mut self, message: &str, sink: &mut Sink<'_>) {
        self.writer.flush(sink);
        sink.event("error", &crate::error::body(Api::Messages, message));
    }
}

pub(crate) fn reason_of(text: &str) -> Reason {
    match text {
        "end_turn" => Reason::Stop,
        "tool_use" => Reason::Calls,
        "max_tokens" => Reason::Length,
        "refusal" => Reason::Filter,
        other => Reason::Other(other.to_owned()),
    }
}

pub(crate) fn reason_text(reason: &Reason) -> &str {
    match reason {
        Reason::Stop => "end_turn",
        Reason::Calls => "tool_use",
        Reason::Length => "max_tokens",
        Reason::Filter => "refusal",
        Reason::Other(text) => text,
    }
}
