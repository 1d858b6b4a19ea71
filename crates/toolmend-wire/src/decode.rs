//! Streams into deltas that are of no API.

use crate::api::Api;
use crate::channel::Channel;
use crate::mender::{Closing, Next, Verdict, WireCall};
use crate::relay::{Judge, Options, Stream, stream};
use crate::rule::StreamRule;
use crate::turn::{Delta, End, TurnState};

/// Reads a stream, and tells what each choice says.
///
/// ```
/// use toolmend_wire::{Api, Channel, Decoder, Delta};
///
/// let mut decoder = Decoder::new(Api::Ollama);
/// let mut deltas = Vec::new();
/// decoder.push(b"{\"message\":{\"content\":\"Hi\"},\"done\":false}\n", &mut deltas);
/// assert_eq!(deltas, [(0, Delta::Text(Channel::Content, "Hi".to_owned()))]);
/// ```
pub struct Decoder {
    stream: Box<dyn Stream + Send>,
}

impl std::fmt::Debug for Decoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decoder").finish_non_exhaustive()
    }
}

impl Decoder {
    /// A decoder for streams of an API.
    #[must_use]
    pub fn new(api: Api) -> Self {
        Self { stream: stream(api, Options::default()) }
    }

    /// Takes bytes, and appends what they say, each with the number of its choice.
    pub fn push(&mut self, bytes: &[u8], deltas: &mut Vec<(usize, Delta)>) {
        self.stream.push(bytes, &mut Recorder { deltas }, &mut Vec::new());
    }

    /// The stream ended.
    pub fn finish(&mut self, deltas: &mut Vec<(usize, Delta)>) {
        self.stream.finish(&mut Recorder { deltas }, &mut Vec::new());
    }

    /// The defects that were found so far, each with how often.
    #[must_use]
    pub fn rules(&self) -> &[(StreamRule, usize)] {
        self.stream.rules()
    }
}

/// Decides nothing, and writes down what is said.
struct Recorder<'d> {
    deltas: &'d mut Vec<(usize, Delta)>,
}

impl Judge for Recorder<'_> {
    fn heard(&mut self, turn: usize, delta: &Delta) {
        if !matches!(delta, Delta::CallEnd(_)) {
            self.deltas.push((turn, delta.clone()));
        }
    }

    fn text(&mut self, _: usize, channel: Channel, _: &str, state: &mut TurnState) {
        state.text_mut(channel).keep_all();
    }

    fn call(&mut self, turn: usize, number: usize, call: &WireCall) -> Verdict {
        self.deltas.push((turn, Delta::Call(number, call.clone())));
        Verdict::Keep
    }

    fn finish(&mut self, _: usize, _: &End, _: &mut Closing<'_>) -> Next {
        Next::Done
    }
}
