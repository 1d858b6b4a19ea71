//! What was done to the calls of one reply, and who is told.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolmend::{Keep, Label, Mended, Outcome, ToolSet};
use toolmend_wire::{Api, Channel, WireCall};

use super::{Asked, Context};
use crate::sinks::Sinks;

/// Whoever wants to know of each turn.
pub type Observer = Arc<dyn Fn(&Told<'_>) + Send + Sync>;

/// A turn that is over.
#[derive(Clone, Copy, Debug)]
pub struct Told<'t> {
    /// The model, as the client names it.
    pub model: &'t str,
    /// The API that the client speaks.
    pub api: &'static str,
    /// The tools that were offered.
    pub tools: &'t ToolSet,
    pub(crate) context: &'t Arc<Context>,
    /// What was done.
    pub mended: &'t Mended,
    /// The finish reason of the server.
    pub finish: Option<&'t str>,
    /// Whether the reply broke off.
    pub is_broken: bool,
    /// How long the reply took.
    pub took: Duration,
    /// How long it was worked on.
    pub spent: Duration,
    /// How often the model was asked again.
    pub asks: u8,
    /// How the turn came to be what is delivered.
    pub label: Option<Label>,
    /// What the server said, where it was kept.
    pub heard: Option<&'t Heard>,
    /// What the model was asked then, where that was kept.
    pub(crate) asked: &'t [Asked],
    /// How many of the calls, from the first on, stood in what was said before the last ask.
    pub(crate) kept: usize,
}

/// What a server said, word by word. It is kept only where settings ask for texts.
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// The thinking.
    pub reasoning: String,
    /// The answer.
    pub content: String,
    /// The calls that the server made out: id, name, arguments.
    pub calls: Vec<(String, String, String)>,
}

impl Heard {
    pub(crate) fn text(&mut self, channel: Channel, text: &str) {
        match channel {
            Channel::Reasoning => self.reasoning.push_str(text),
            Channel::Content => self.content.push_str(text),
        }
    }

    /// How many bytes it is, roughly.
    pub(crate) fn len(&self) -> usize {
        let calls =
            self.calls.iter().map(|(id, name, arguments)| id.len() + name.len() + arguments.len());
        self.reasoning.len() + self.content.len() + calls.sum::<usize>()
    }

    pub(crate) fn calls<'c>(&mut self, calls: impl Iterator<Item = &'c WireCall>) {
        let parts = |call: &WireCall| (call.id.clone(), call.name.clone(), call.arguments.clone());
        self.calls = calls.map(parts).collect();
    }
}

/// How a turn ended, as whoever mends it knows it.
#[derive(Debug)]
pub(crate) struct TurnEnd<'t> {
    pub(crate) mended: &'t Mended,
    pub(crate) finish: Option<&'t str>,
    pub(crate) is_broken: bool,
    pub(crate) spent: Duration,
    pub(crate) asks: u8,
    pub(crate) label: Option<Label>,
    pub(crate) heard: Option<&'t Heard>,
    pub(crate) asked: &'t [Asked],
    pub(crate) kept: usize,
}

impl<'t> TurnEnd<'t> {
    /// Of a turn of which nothing else is known.
    pub(crate) fn of(mended: &'t Mended) -> Self {
        Self {
            mended,
            finish: None,
            is_broken: false,
            spent: Duration::ZERO,
            asks: 0,
            label: None,
            heard: None,
            asked: &[],
            kept: 0,
        }
    }
}

/// Counts of one reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    mended: usize,
    refused: usize,
}

impl Tally {
    /// The value of the header and of the comment that tell it.
    pub(crate) fn header(self) -> String {
        match self {
            Self { mended: 0, refused: 0 } => "untouched".to_owned(),
            Self { mended, refused: 0 } => format!("mended;n={mended}"),
            Self { mended: 0, refused } => format!("refused;n={refused}"),
            Self { mended, refused } => format!("mended;n={mended}, refused;n={refused}"),
        }
    }

    pub(crate) fn is_changed(self) -> bool {
        self.mended + self.refused > 0
    }
}

/// Where what is done to one reply is told.
pub(crate) struct Recorder {
    context: Arc<Context>,
    api: Api,
    started: Instant,
    tally: Mutex<Tally>,
    sinks: Arc<Sinks>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recorder").field("api", &self.api).finish_non_exhaustive()
    }
}

impl Recorder {
    pub(crate) fn new(context: Arc<Context>, api: Api, sinks: Arc<Sinks>) -> Self {
        Self { context, api, started: Instant::now(), tally: Mutex::default(), sinks }
    }

    /// An empty text to listen with, where someone wants to keep it.
    pub(crate) fn listen(&self) -> Option<Heard> {
        let wants = self.sinks.keep().has_texts() && !self.context.tools().is_empty();
        wants.then(Heard::default)
    }

    /// Takes note of a turn of which nothing else is known.
    pub(crate) fn take(&self, turn: &Mended) {
        self.tell(&TurnEnd::of(turn));
    }

    /// Takes note of a turn.
    pub(crate) fn tell(&self, end: &TurnEnd<'_>) {
        let is_mended = |call: &&toolmend::Call| call.outcome == Outcome::Mended;
        let turn = end.mended;
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.mended += turn.calls.iter().filter(is_mended).count();
        tally.refused += turn.refused.iter().filter(|refused| refused.is_call()).count();
        drop(tally);
        self.sinks.tell(&Told {
            model: &self.context.model,
            api: name(self.api),
            tools: self.context.tools(),
            context: &self.context,
            mended: turn,
            finish: end.finish,
            is_broken: end.is_broken,
            took: self.started.elapsed(),
            spent: end.spent,
            asks: end.asks,
            label: end.label,
            heard: end.heard.filter(|_| self.keeps(end)),
            asked: end.asked,
            kept: end.kept,
        });
    }

    /// Whether the texts of this turn are wanted.
    fn keeps(&self, end: &TurnEnd<'_>) -> bool {
        let turn = end.mended;
        let is_written = !turn.calls.is_empty() || !turn.refused.is_empty();
        match self.sinks.keep() {
            Keep::All => is_written,
            Keep::Failures => {
                turn.calls.iter().any(|call| call.outcome == Outcome::Mended)
                    || !turn.refused.is_empty()
                    || is_written && end.asks > 0
            }
            Keep::None | Keep::Reports => false,
        }
    }

    pub(crate) fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The word for an API.
fn name(api: Api) -> &'static str {
    match api {
        Api::Chat => "chat",
        Api::Responses => "responses",
        Api::Messages => "messages",
        Api::Ollama => "ollama",
    }
}
