//! What asking the model again starts from, and what comes of it.

use toolmend::{Abilities, Ask, AskLimits, Call, Delivery, Ended, Mended, Origin, Recovery};
use toolmend_wire::{Reason, Usage, WireCall};

use super::mender::wire;
use super::tally::Heard;

/// What the model is to be asked about a turn.
#[derive(Debug)]
pub(crate) struct Inquiry {
    pub(crate) recovery: Recovery,
    pub(crate) ask: Ask,
    pub(crate) ended: Ended,
    /// The turn, as far as it could be mended.
    pub(crate) first: Mended,
    /// The text of the turn, as it came.
    pub(crate) said: String,
}

/// What a turn came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The turn that the client listens to.
    pub(crate) first: Mended,
    /// Its text, as it came.
    pub(crate) said: String,
    pub(crate) delivery: Delivery,
    /// The turn that came of asking, where it is that one that is delivered.
    pub(crate) later: Option<Later>,
    /// The tokens that asking took.
    pub(crate) usage: Usage,
    /// How often the model was asked.
    pub(crate) asks: u8,
    /// What it was asked, where texts are kept.
    pub(crate) asked: Vec<Asked>,
}

/// One ask, and what the model said to it.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) ask: Ask,
    /// Nothing where what came was no help.
    pub(crate) came: Option<Heard>,
}

/// A turn that came of asking.
#[derive(Debug)]
pub(crate) struct Later {
    /// Its text, without calls that stood in it.
    pub(crate) content: String,
    pub(crate) reasoning: String,
    pub(crate) reason: Option<Reason>,
    /// Whether it takes the place of the first turn; else it comes behind that.
    pub(crate) supersedes: bool,
}

impl Later {
    /// Why it ended, for a turn without calls.
    pub(super) fn reason(&self) -> Reason {
        match &self.reason {
            Some(Reason::Calls) | None => Reason::Stop,
            Some(reason) => reason.clone(),
        }
    }
}

impl Outcome {
    /// Of a turn about which nobody is to be asked.
    pub(super) fn plain(first: Mended) -> Self {
        let delivery = unasked(first.clone());
        Self::of(first, delivery)
    }

    /// Of a turn that an error quotes: nothing of it came in any other way.
    pub(super) fn mined(turn: Mended) -> Self {
        let later = Later {
            content: String::new(),
            reasoning: String::new(),
            reason: None,
            supersedes: true,
        };
        Self { later: Some(later), ..Self::of(Mended::default(), unasked(turn)) }
    }

    /// Of a turn about which nobody was asked.
    pub(crate) fn of(first: Mended, delivery: Delivery) -> Self {
        Self {
            first,
            said: String::new(),
            delivery,
            later: None,
            usage: Usage::default(),
            asks: 0,
            asked: Vec::new(),
        }
    }

    /// The turn that the declared calls of the client's stream belong to.
    pub(super) fn own_turn(&self) -> &Mended {
        if self.later.is_some() { &self.first } else { &self.delivery.turn }
    }

    /// All calls that are delivered.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.delivery.turn.calls.iter()
    }

    pub(super) fn has_calls(&self) -> bool {
        self.calls().next().is_some() || self.later.is_some() && !self.delivery.passed.is_empty()
    }

    /// Whether something is withheld that was cut or cannot be read.
    pub(super) fn is_cut(&self) -> bool {
        self.delivery.is_cut
    }

    /// The calls that the client's own stream does not have.
    pub(super) fn added(&self) -> Vec<WireCall> {
        let is_streamed = |call: &Call| matches!(call.origin, Origin::Declared { part: 0, .. });
        let mut added: Vec<WireCall> = Vec::new();
        for (at, call) in self.calls().enumerate() {
            let is_first = match self.later {
                None => true,
                Some(_) => at < self.delivery.kept && self.first.calls.contains(call),
            };
            if !(is_first && is_streamed(call)) {
                added.push(wire(call));
            }
        }
        if self.later.is_some() {
            added.extend(self.delivery.passed.iter().map(|passed| WireCall {
                id: passed.id.clone().unwrap_or_default(),
                name: passed.name.clone().unwrap_or_default(),
                arguments: passed.raw.clone(),
            }));
        }
        added
    }

    /// What the client is told where nothing is left but calls that are held back as a storm.
    pub(super) fn stopped(&self) -> Option<String> {
        let turn = &self.delivery.turn;
        let held = turn.suppressed.first().filter(|_| !self.has_calls())?;
        let name = &held.call.name;
        Some(format!(
            "(toolmend: `{name}` came again and again with the same result, so it was not run.)"
        ))
    }
}

fn unasked(turn: Mended) -> Delivery {
    Recovery::new(AskLimits::default(), Abilities::default()).give_up(Ended::Whole, turn)
}
