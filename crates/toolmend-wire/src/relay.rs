//! A stream on its way from a server to a client, with menders in the middle.

mod engine;
mod menders;

use crate::api::Api;
use crate::chat::Chat;
use crate::mender::{Mender, Untouched};
use crate::messages::Messages;
use crate::ollama::Ollama;
use crate::responses::Responses;

use crate::rule::StreamRule;
use crate::usage::Usage;
use engine::Engine;
pub(crate) use engine::Stream;
pub(crate) use engine::{settle_turn, write_added};
pub(crate) use menders::Judge;
use menders::Menders;

/// How a stream is relayed.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Frames over this size are not read: from there on the stream passes as it comes.
    pub frame_bytes_max: usize,
    /// If more than this is held, it is released as it came, and the rest passes as it comes.
    pub held_bytes_max: usize,
    /// What becomes of `function_call` in Chat Completions.
    pub legacy_calls: LegacyCalls,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            frame_bytes_max: 16 << 20,
            held_bytes_max: 32 << 20,
            legacy_calls: LegacyCalls::Convert,
        }
    }
}

/// What becomes of calls in the form that came before `tool_calls`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegacyCalls {
    /// They become tool calls.
    Convert,
    /// They stay: for requests that offer `functions`.
    Keep,
}

/// A stream of an API.
pub(crate) fn stream(api: Api, options: Options) -> Box<dyn Stream + Send> {
    match api {
        Api::Chat => Box::new(Engine::new(Chat::new(options.legacy_calls), options)),
        Api::Responses => Box::new(Engine::new(Responses::default(), options)),
        Api::Messages => Box::new(Engine::new(Messages::default(), options)),
        Api::Ollama => Box::new(Engine::new(Ollama::default(), options)),
    }
}

/// Reads a stream, lets a mender for each choice decide, and writes the stream. No IO and no clock:
/// bytes go in, bytes come out.
///
/// What no rule and no mender changes comes out as the bytes that went in. A frame is held while
/// something in it is undecided: text that its mender holds back, a call that is not whole, the end
/// of a turn. Everything behind it waits, so that order is kept.
pub struct Relay<M> {
    stream: Box<dyn Stream + Send>,
    menders: Menders<M>,
}

impl<M> std::fmt::Debug for Relay<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Relay").field("bytes_held", &self.bytes_held()).finish_non_exhaustive()
    }
}

impl<M: Mender> Relay<M> {
    /// A relay that gets a mender for each choice, in the order in which choices first speak.
    #[must_use]
    pub fn new(api: Api, options: Options, make: impl FnMut(usize) -> M + Send + 'static) -> Self {
        Self { stream: stream(api, options), menders: Menders::new(make) }
    }

    /// Takes bytes from the server, and appends to `out` what goes to the client.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.stream.push(bytes, &mut self.menders, out);
    }

    /// The server's stream ended.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.stream.finish(&mut self.menders, out);
    }

    /// Asks the menders again that wanted to wait, and those only.
    pub fn resume(&mut self, out: &mut Vec<u8>) {
        self.stream.resume(&mut self.menders, out);
    }
}

impl<M> Relay<M> {
    /// Whether a mender wants to wait at the end of its turn.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.stream.is_waiting()
    }

    /// The mender of a choice.
    pub fn mender_mut(&mut self, choice: usize) -> Option<&mut M> {
        self.menders.get_mut(choice)
    }

    /// How many bytes are held: for keeping a client awake.
    #[must_use]
    pub fn bytes_held(&self) -> usize {
        self.stream.bytes_held()
    }

    /// The tokens that the server told of in what is held.
    #[must_use]
    pub fn usage_held(&self) -> Usage {
        self.stream.usage_held()
    }

    /// The rules that fired so far, each with how often, in the order in which they first did.
    #[must_use]
    pub fn rules(&self) -> &[(StreamRule, usize)] {
        self.stream.rules()
    }
}

/// Mends the form of a stream and nothing else.
///
/// ```
/// use toolmend_wire::{Api, Normalizer};
///
/// let mut normalizer = Normalizer::new(Api::Ollama);
/// let mut out = Vec::new();
/// normalizer.push(b"\n{\"message\":{\"content\":\"Hi\"},\"done\":true}", &mut out);
/// normalizer.finish(&mut out);
/// assert_eq!(out, b"{\"message\":{\"content\":\"Hi\"},\"done\":true}\n");
/// let rules: Vec<_> = normalizer.rules().iter().map(|(rule, _)| rule.id()).collect();
/// assert_eq!(rules, ["blank-line", "frame-unclosed"]);
/// ```
#[derive(Debug)]
pub struct Normalizer {
    relay: Relay<Untouched>,
}

impl Normalizer {
    /// A normalizer with the options that are usual.
    #[must_use]
    pub fn new(api: Api) -> Self {
        Self::with_options(api, Options::default())
    }

    /// A normalizer with options of its own.
    #[must_use]
    pub fn with_options(api: Api, options: Options) -> Self {
        Self { relay: Relay::new(api, options, |_| Untouched) }
    }

    /// Takes bytes from the server, and appends to `out` what goes to the client.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.relay.push(bytes, out);
    }

    /// The server's stream ended.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.relay.finish(out);
    }

    /// The rules that fired so far, each with how often, in the order in which they first did.
    #[must_use]
    pub fn rules(&self) -> &[(StreamRule, usize)] {
        self.relay.rules()
    }
}
