//! `OpenAI` Responses, streamed.

mod items;
mod made;
mod read;
mod sent;
mod text;
mod write;

use crate::api::{Api, Framing};
use crate::channel::{Channel, Stretch};
use crate::frame::Frame;
use crate::mender::WireCall;
use crate::protocol::{Entry, Envelope, Event, Protocol, Sink, Told};
use crate::rule::StreamRule;
use crate::turn::{Reason, Turns};
use items::Item;

pub(crate) use made::{call_item, set_status};

/// A stream of named events about items of output.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    seed: String,
    /// The response as it was created: for an end that is made.
    created: Option<String>,
    items: Vec<Item>,
    writer: Writer,
}

/// What was written so far.
#[derive(Debug, Default)]
struct Writer {
    /// The number of the last event that was written.
    sequence: Option<u64>,
    /// The highest number that came.
    came: Option<u64>,
    /// How many items were announced.
    items: usize,
    /// The items that were closed, as they were written.
    done: Vec<String>,
    /// Whether a mender changed what the response holds.
    is_changed: bool,
    ids: usize,
    /// The item that is being made for text.
    made: Option<made::MadeText>,
}

/// What was found in a frame.
#[derive(Debug)]
pub(crate) struct Tag {
    item: Option<usize>,
    what: What,
}

#[derive(Debug)]
pub(crate) enum What {
    Other,
    /// Does not leave.
    Gone,
    Created,
    ItemAdded,
    ArgumentsDelta,
    ArgumentsDone,
    /// A piece of text, in the part of this number.
    TextDelta(usize, Channel, Stretch),
    /// The whole text of a part.
    TextDone(usize),
    /// A whole part.
    PartDone(usize),
    ItemDone,
    End(Reason),
    MadeItemAdded,
    /// Announces the first part.
    MadePartAdded,
    MadeArgumentsDelta,
    MadeArgumentsDone,
    MadeItemDone,
}

impl Tag {
    fn other() -> Self {
        Self { item: None, what: What::Other }
    }
}

impl Protocol for Responses {
    type Tag = Tag;

    const FRAMING: Framing = Framing::Events;
    const ID_PREFIX: Option<&'static str> = Some(Api::Responses.id_prefix());

    fn seed(&self) -> &str {
        &self.seed
    }

    fn read(&mut self, frame: Frame, data: &str, turns: &mut Turns, told: &mut Told<Tag>) {
        self.read_frame(frame, data, turns, told);
    }

    fn plain(&self) -> Tag {
        Tag::other()
    }

    fn read_end(&mut self, turns: &mut Turns, told: &mut Told<Tag>) {
        turns.open(0);
        told.events.push(Event::Cut(StreamRule::StreamCut));
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

    fn close_open(&mut self, turns: &mut Turns, sink: &mut Sink<'_>) {
        self.begin(sink);
        self.make_items_done(turns, sink);
    }

    fn write_finish(&mut self, _: usize, reason: &Reason, _: &Turns, sink: &mut Sink<'_>) {
        self.make_end(reason, sink);
    }

    fn write_done(&mut self, _: &mut Sink<'_>) {}

    fn write_error(&mut self, message: &str, sink: &mut Sink<'_>) {
        self.make_failure(message, sink);
    }
}
