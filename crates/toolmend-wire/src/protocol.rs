//! What each API must be able to do for a stream of it to be relayed.

use crate::api::Framing;
use crate::channel::{Channel, Stretch};
use crate::draft::Draft;
use crate::frame::{Frame, one_line};
use crate::mender::WireCall;
use crate::rule::StreamRule;
use crate::turn::{Delta, Reason, Turns};

/// One API, as a reader of frames and a writer of the same frames, mended.
///
/// Reading only takes note; whatever is changed is changed in [`Protocol::write`], once all that a
/// frame waits for is decided. What needs no change is written as the bytes that came.
pub(crate) trait Protocol {
    /// What reading found in a frame, for writing it.
    type Tag;

    const FRAMING: Framing;
    /// What made ids start with; `None` where calls need none.
    const ID_PREFIX: Option<&'static str>;

    /// What ids are made from: the id of the response.
    fn seed(&self) -> &str;

    /// Reads a frame that carries data.
    fn read(&mut self, frame: Frame, data: &str, turns: &mut Turns, told: &mut Told<Self::Tag>);

    /// A frame came that is no text: says what holds all the same.
    fn read_broken(&mut self, _turns: &mut Turns, _told: &mut Told<Self::Tag>) {}

    /// What a frame without data is.
    fn plain(&self) -> Self::Tag;

    /// The stream ended: says what follows from that.
    fn read_end(&mut self, turns: &mut Turns, told: &mut Told<Self::Tag>);

    /// Writes an entry all of whose waits are over.
    fn write(&mut self, entry: Entry<Self::Tag>, turns: &mut Turns, sink: &mut Sink<'_>);

    /// Writes the beginning of a stream that no frame brought.
    fn write_start(&mut self, envelope: &Envelope, sink: &mut Sink<'_>);

    /// Makes a stream whose own end does not come ready for one that is made: it must have begun, and
    /// what is open is closed.
    fn close_open(&mut self, _turns: &mut Turns, _sink: &mut Sink<'_>) {}

    /// Writes text that no frame brought.
    fn write_text(&mut self, turn: usize, channel: Channel, text: &str, sink: &mut Sink<'_>);

    /// Writes a call that no frame brought.
    fn write_call(&mut self, turn: usize, call: &WireCall, turns: &mut Turns, sink: &mut Sink<'_>);

    /// Writes the end of a turn that no frame brought.
    fn write_finish(&mut self, turn: usize, reason: &Reason, turns: &Turns, sink: &mut Sink<'_>);

    /// Writes the end of a stream that no frame brought.
    fn write_done(&mut self, sink: &mut Sink<'_>);

    /// Writes an error; nothing follows.
    fn write_error(&mut self, message: &str, sink: &mut Sink<'_>);
}

/// What a made stream says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The id of the response.
    pub id: String,
    /// The model that answers.
    pub model: String,
    /// When the response was created, in seconds since 1970; Ollama's as a text.
    pub created: String,
}

/// A frame on its way out, or something made that stands in its place.
#[derive(Debug)]
pub(crate) struct Entry<T> {
    pub(crate) frame: Option<Frame>,
    pub(crate) tag: T,
    pub(crate) waits: Vec<Wait>,
}

impl<T> Entry<T> {
    /// An entry that need not wait.
    pub(crate) fn new(frame: Option<Frame>, tag: T) -> Self {
        Self { frame, tag, waits: Vec::new() }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.frame.as_ref().map_or(0, |frame| frame.raw.len())
    }
}

/// What must be decided before an entry can be written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wait {
    Text(usize, Channel, Stretch),
    Call(usize, usize),
    Turn(usize),
}

/// What reading a frame told.
#[derive(Debug)]
pub(crate) struct Told<T> {
    /// The entries to hold, each at the end of the queue, or behind the last one of its group.
    pub(crate) entries: Vec<(Place, Entry<T>)>,
    pub(crate) events: Vec<Event>,
    pub(crate) rules: Vec<StreamRule>,
}

/// Where an entry goes in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Last,
    /// Behind the last entry that waits for this call; else last.
    WithCall(usize, usize),
}

/// What happened.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    Delta(usize, Delta),
    /// The stream cannot be read on, or ended too early.
    Cut(StreamRule),
    /// The upstream tells of an error, in a frame that is the last entry told.
    Failed(String),
    /// Nothing of what follows matters.
    Done,
}

impl<T> Told<T> {
    pub(crate) fn new() -> Self {
        Self { entries: Vec::new(), events: Vec::new(), rules: Vec::new() }
    }

    pub(crate) fn hold(&mut self, entry: Entry<T>) {
        self.entries.push((Place::Last, entry));
    }

    pub(crate) fn note(&mut self, rule: StreamRule) {
        self.rules.push(rule);
    }

    pub(crate) fn delta(&mut self, turn: usize, delta: Delta) {
        self.events.push(Event::Delta(turn, delta));
    }

    /// The frame cannot be read: the stream is cut off in it, or broken.
    pub(crate) fn broken(&mut self, frame: &Frame) {
        let rule = match frame.is_closed {
            true => StreamRule::DataBroken,
            false => StreamRule::StreamCut,
        };
        self.events.push(Event::Cut(rule));
    }
}

/// Where bytes and notes go.
#[derive(Debug)]
pub(crate) struct Sink<'s> {
    pub(crate) out: &'s mut Vec<u8>,
    pub(crate) rules: &'s mut Vec<StreamRule>,
}

impl Sink<'_> {
    pub(crate) fn note(&mut self, rule: StreamRule) {
        self.rules.push(rule);
    }

    /// Makes a change by a rule, which is noted if anything changes.
    pub(crate) fn mend(
        &mut self,
        draft: &mut Draft,
        rule: StreamRule,
        change: impl FnOnce(&mut Draft),
    ) {
        let before = draft.edits();
        change(draft);
        if draft.edits() > before {
            self.note(rule);
        }
    }

    /// Writes a made event that has no name.
    pub(crate) fn data(&mut self, data: &str) {
        let data = one_line(data);
        self.out.extend_from_slice(format!("data: {data}\n\n").as_bytes());
    }

    /// Writes a made event.
    pub(crate) fn event(&mut self, event: &str, data: &str) {
        let data = one_line(data);
        self.out.extend_from_slice(format!("event: {event}\ndata: {data}\n\n").as_bytes());
    }
}
