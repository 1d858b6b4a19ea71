//! What is thought of a call, alone and beside others.

use std::ops::Range;

use crate::refusal::Reason;
use crate::search::{Channel, Meant};

/// What is thought of one call.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It is meant, as far as it alone can tell.
    Call {
        meant: Meant,
        is_marked: bool,
        is_thought: bool,
        /// The fence that goes with it.
        around: Option<Range<usize>>,
    },
    /// It is written like a call, and is none.
    Refused { name: String, reason: Reason, message: String },
    /// It is ordinary text.
    Text,
}

impl Verdict {
    /// Whether it is a call that stands in the answer itself.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self, Self::Call { is_thought: false, .. })
    }

    /// Whether words around it say that it is not made.
    pub(crate) fn is_taken_back(&self) -> bool {
        matches!(self, Self::Refused { reason: Reason::Warned, .. })
    }

    /// A call that is none after all.
    pub(crate) fn refuse(&mut self, reason: Reason, message: &str) {
        if let Self::Call { meant, .. } = self {
            let name = std::mem::take(&mut meant.name);
            *self = Self::Refused { name, reason, message: message.to_owned() };
        }
    }

    /// Makes it what is left of it beside the other calls of the turn.
    pub(crate) fn set_beside(&mut self, channel: Channel, others: Others) {
        match self {
            Self::Call { meant, is_thought: true, .. } if others != Others::None => {
                let name = std::mem::take(&mut meant.name);
                let message = "the turn has another call".to_owned();
                *self = Self::Refused { name, reason: Reason::InReasoning, message };
            }
            Self::Call { meant, is_marked: false, .. } if others == Others::Declared => {
                let name = std::mem::take(&mut meant.name);
                let message = "the turn declares calls".to_owned();
                *self = Self::Refused { name, reason: Reason::BesideCalls, message };
            }
            // Thinking is never edited: the call is made, the text stays.
            Self::Call { around, .. } if channel == Channel::Reasoning => *around = None,
            _ => {}
        }
    }
}

/// The other calls of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    None,
    /// Some stand in the text.
    Found,
    /// Some are declared.
    Declared,
}
