//! What to do when mending alone is not enough: told how a turn ended, it says what to deliver or
//! what to ask the model next. It does no IO, knows no clock, and is bounded.

mod ask;
mod drive;

use std::collections::BTreeMap;

use crate::mended::{Call, Mended, Origin, Refused};
use crate::refusal::Reason;
use crate::settings::{AskLimits, StormMode};

pub use ask::{Ask, Kind, Message, Prefix};
pub use drive::{Driver, recover};

/// How a turn came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The server said that it is over.
    Whole,
    /// The stream ended without saying so, or in the middle of something.
    Broken,
    /// The server says that it is over, and that nothing was said, though the model wrote something:
    /// servers lose calls so that they cannot read.
    Emptied,
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// Give the client this.
    Deliver(Box<Delivery>),
    /// Ask the model this, and tell what comes of it.
    Ask(Box<Ask>),
}

/// A turn as the client should have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// The turn. Its refused calls are withheld but for those that are passed on.
    pub turn: Mended,
    /// How many of its calls, from the first on, are those of turns before it.
    pub kept: usize,
    /// Calls that can be read and that nothing could mend: they go out as they came.
    pub passed: Vec<Refused>,
    /// Whether something was withheld that was cut or cannot be read: the turn ends with the API's
    /// sign for that.
    pub is_cut: bool,
    /// How it came about.
    pub label: Label,
}

/// How a turn came to be what is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// Nothing had to be done.
    Untouched,
    /// It was mended without asking.
    LocalSalvage,
    /// The model was asked again.
    RePrompt,
    /// Something could not be mended.
    GaveUp,
}

impl Label {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Untouched => "untouched",
            Self::LocalSalvage => "local-salvage",
            Self::RePrompt => "re-prompt",
            Self::GaveUp => "gave-up",
        }
    }
}

/// What the upstream can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Whether it goes on with a turn that it is given the start of.
    pub can_continue: bool,
}

/// The machine: one for each turn that a client waits for.
#[derive(Clone, Debug)]
pub struct Recovery {
    limits: AskLimits,
    abilities: Abilities,
    asks: u8,
    continuations: u8,
    refetches: u8,
    /// Whether the model was asked to go on after all refetches failed, and to reflect on a storm.
    has_proceeded: bool,
    has_reflected: bool,
    /// Whether a turn that came empty was fetched again.
    has_refilled: bool,
    /// What becomes of a call that is suppressed a second time.
    storms: StormMode,
    /// Corrections so far, by the name of the call.
    reprompts: BTreeMap<String, u8>,
    /// Calls of earlier turns that were right; they go out with the last one.
    kept: Vec<Call>,
}

impl Recovery {
    /// Starts on a turn that a client waits for.
    #[must_use]
    pub fn new(limits: AskLimits, abilities: Abilities) -> Self {
        Self {
            limits,
            abilities,
            asks: 0,
            continuations: 0,
            refetches: 0,
            has_proceeded: false,
            has_reflected: false,
            has_refilled: false,
            storms: StormMode::Suppress,
            reprompts: BTreeMap::new(),
            kept: Vec::new(),
        }
    }

    /// Says what becomes of a call that comes again after the model was asked about it: it goes out,
    /// unless storms are to be stopped.
    #[must_use]
    pub fn with_storms(self, mode: StormMode) -> Self {
        Self { storms: mode, ..self }
    }

    /// How often the model was asked again.
    #[must_use]
    pub fn asks(&self) -> u8 {
        self.asks
    }

    /// Takes what a turn came to, and says what to do.
    #[must_use]
    pub fn told(&mut self, ended: Ended, turn: Mended) -> Next {
        if self.asks < self.limits.asks_max()
            && let Some(ask) = self.ask(ended, &turn)
        {
            self.asks += 1;
            self.keep(&turn);
            return Next::Ask(Box::new(ask));
        }
        Next::Deliver(Box::new(self.deliver(ended, turn)))
    }

    /// What to deliver of a turn if nobody can be asked any more.
    #[must_use]
    pub fn give_up(&mut self, ended: Ended, turn: Mended) -> Delivery {
        self.deliver(ended, turn)
    }

    /// The ask that this turn wants, if one is left.
    fn ask(&mut self, ended: Ended, turn: &Mended) -> Option<Ask> {
        match ended {
            Ended::Broken => return self.refetch(),
            Ended::Emptied => return self.refill(),
            Ended::Whole => {}
        }
        let cut = turn.refused.iter().find(|refused| refused.reason == Reason::Cut);
        if let Some(cut) = cut.filter(|_| self.may_continue()) {
            self.continuations += 1;
            return Some(Ask::go_on(cut));
        }
        if !turn.suppressed.is_empty() && !self.has_reflected {
            self.has_reflected = true;
            return Some(Ask::reflect(turn));
        }
        self.correct(turn)
    }

    fn may_continue(&self) -> bool {
        self.abilities.can_continue && self.continuations < self.limits.max_continuations
    }

    fn refetch(&mut self) -> Option<Ask> {
        if self.refetches < self.limits.max_refetches {
            self.refetches += 1;
            return Some(Ask::refetch());
        }
        let is_first = !std::mem::replace(&mut self.has_proceeded, true);
        (is_first && self.limits.max_refetches > 0).then(Ask::proceed)
    }

    fn refill(&mut self) -> Option<Ask> {
        if self.refetches >= self.limits.max_refetches {
            return None;
        }
        self.refetches += 1;
        let is_first = !std::mem::replace(&mut self.has_refilled, true);
        is_first.then(Ask::refetch)
    }

    /// Asks for the calls that were refused, each as often as is allowed.
    fn correct(&mut self, turn: &Mended) -> Option<Ask> {
        let mut wrong: Vec<&Refused> = Vec::new();
        for refused in turn.refused.iter().filter(|refused| is_correctable(refused)) {
            let count = self.reprompts.entry(name(refused).to_owned()).or_default();
            if *count < self.limits.max_reprompts {
                *count += 1;
                wrong.push(refused);
            }
        }
        (!wrong.is_empty()).then(|| Ask::correct(turn, &wrong))
    }

    /// Calls that are right need not be made again.
    fn keep(&mut self, turn: &Mended) {
        for call in &turn.calls {
            if !self.is_kept(call) {
                self.kept.push(call.clone());
            }
        }
    }

    fn is_kept(&self, call: &Call) -> bool {
        self.kept.iter().any(|kept| is_same(kept, call))
    }

    fn deliver(&mut self, ended: Ended, mut turn: Mended) -> Delivery {
        // A call that is suppressed a second time goes out: the model was asked, and insists.
        let insists = self.has_reflected && self.storms != StormMode::Stop;
        let suppressed = std::mem::take(&mut turn.suppressed);
        if insists {
            turn.refused.retain(|refused| refused.reason != Reason::Storm);
            turn.calls.extend(suppressed.into_iter().map(|held| held.call));
        } else {
            turn.suppressed = suppressed;
        }
        let earlier = std::mem::take(&mut self.kept);
        let kept = earlier.len();
        turn.calls.retain(|call| !earlier.iter().any(|kept| is_same(kept, call)));
        turn.calls.splice(..0, earlier);
        let is_wrong =
            |refused: &&Refused| !refused.origin.is_text() && refused.reason != Reason::Storm;
        let declared = turn.refused.iter().filter(is_wrong);
        let (passed, held): (Vec<&Refused>, Vec<&Refused>) =
            declared.partition(|refused| is_passed_on(refused));
        let passed: Vec<Refused> = passed.into_iter().cloned().collect();
        let is_cut = ended == Ended::Broken || !held.is_empty();
        let label = match (is_cut || !passed.is_empty(), self.asks, turn.is_untouched()) {
            (true, ..) => Label::GaveUp,
            (false, 0, true) => Label::Untouched,
            (false, 0, false) => Label::LocalSalvage,
            (false, ..) => Label::RePrompt,
        };
        Delivery { turn, kept, passed, is_cut, label }
    }
}

/// Whether asking the model may help. What stands in text and is no call was not meant as one.
fn is_correctable(refused: &Refused) -> bool {
    let is_declared = matches!(refused.origin, Origin::Declared { .. });
    is_declared && !matches!(refused.reason, Reason::Denied | Reason::Storm)
}

/// Whether a call can be read, so that the client may make something of it.
fn is_passed_on(refused: &Refused) -> bool {
    matches!(refused.reason, Reason::Mismatch | Reason::UnknownTool)
        && serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&refused.raw).is_ok()
}

fn name(refused: &Refused) -> &str {
    refused.name.as_deref().unwrap_or_default()
}

/// Whether both are the same call: spacing and the order of keys do not make two of one.
fn is_same(one: &Call, other: &Call) -> bool {
    let value = |call: &Call| serde_json::from_str::<serde_json::Value>(&call.arguments).ok();
    let is_equal = || value(one).is_some_and(|own| Some(own) == value(other));
    one.name == other.name && (one.arguments == other.arguments || is_equal())
}
