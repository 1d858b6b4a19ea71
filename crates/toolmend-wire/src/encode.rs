//! Turns into streams that the strictest clients accept.

use crate::api::Api;
use crate::channel::Channel;
use crate::chat::Chat;
use crate::mender::WireCall;
use crate::messages::Messages;
use crate::ollama::Ollama;
use crate::protocol::{Envelope, Protocol, Sink};
use crate::relay::LegacyCalls;
use crate::responses::Responses;
use crate::turn::{Reason, Turns};

/// Writes a stream of one turn that no server sent: each piece as events of its API.
///
/// ```
/// use toolmend_wire::{Api, Channel, Encoder, Envelope, Reason};
///
/// let mut encoder = Encoder::new(Api::Ollama);
/// encoder.start(&Envelope { model: "m".to_owned(), ..Envelope::default() });
/// encoder.text(Channel::Content, "Hi");
/// encoder.finish(&Reason::Stop);
/// let lines = String::from_utf8(encoder.take()).unwrap();
/// assert_eq!(lines.lines().count(), 2);
/// assert!(lines.ends_with("\"done\":true,\"done_reason\":\"stop\"}\n"));
/// ```
pub struct Encoder {
    writer: Box<dyn Writer + Send>,
    turns: Turns,
    out: Vec<u8>,
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").finish_non_exhaustive()
    }
}

impl Encoder {
    /// An encoder for streams of an API.
    #[must_use]
    pub fn new(api: Api) -> Self {
        let writer: Box<dyn Writer + Send> = match api {
            Api::Chat => Box::new(Chat::new(LegacyCalls::Keep)),
            Api::Responses => Box::new(Responses::default()),
            Api::Messages => Box::new(Messages::default()),
            Api::Ollama => Box::new(Ollama::default()),
        };
        Self { writer, turns: Turns::default(), out: Vec::new() }
    }

    /// Begins the stream.
    pub fn start(&mut self, envelope: &Envelope) {
        self.with(|writer, _, sink| writer.start(envelope, sink));
    }

    /// Writes text.
    pub fn text(&mut self, channel: Channel, text: &str) {
        self.with(|writer, _, sink| writer.text(channel, text, sink));
    }

    /// Writes a call.
    pub fn call(&mut self, call: &WireCall) {
        self.with(|writer, turns, sink| writer.call(call, turns, sink));
    }

    /// Ends the turn and the stream.
    pub fn finish(&mut self, reason: &Reason) {
        self.with(|writer, turns, sink| writer.finish(reason, turns, sink));
    }

    /// Ends the stream with an error.
    pub fn error(&mut self, message: &str) {
        self.with(|writer, _, sink| writer.error(message, sink));
    }

    /// The bytes that were written since they were last taken.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }

    fn with(&mut self, write: impl FnOnce(&mut dyn Writer, &mut Turns, &mut Sink<'_>)) {
        let mut sink = Sink { out: &mut self.out, rules: &mut Vec::new() };
        write(self.writer.as_mut(), &mut self.turns, &mut sink);
    }
}

/// What every protocol can write.
trait Writer {
    fn start(&mut self, envelope: &Envelope, sink: &mut Sink<'_>);
    fn text(&mut self, channel: Channel, text: &str, sink: &mut Sink<'_>);
    fn call(&mut self, call: &WireCall, turns: &mut Turns, sink: &mut Sink<'_>);
    fn finish(&mut self, reason: &Reason, turns: &Turns, sink: &mut Sink<'_>);
    fn error(&mut self, message: &str, sink: &mut Sink<'_>);
}

impl<P: Protocol> Writer for P {
    fn start(&mut self, envelope: &Envelope, sink: &mut Sink<'_>) {
        self.write_start(envelope, sink);
    }

    fn text(&mut self, channel: Channel, text: &str, sink: &mut Sink<'_>) {
        self.write_text(0, channel, text, sink);
    }

    fn call(&mut self, call: &WireCall, turns: &mut Turns, sink: &mut Sink<'_>) {
        self.write_call(0, call, turns, sink);
    }

    fn finish(&mut self, reason: &Reason, turns: &Turns, sink: &mut Sink<'_>) {
        self.write_finish(0, reason, turns, sink);
        self.write_done(sink);
    }

    fn error(&mut self, message: &str, sink: &mut Sink<'_>) {
        self.write_error(message, sink);
    }
}
