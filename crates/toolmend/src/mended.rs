//! A turn on its way out.

use crate::refusal::Reason;
use crate::report::Report;
use crate::search::Channel;

/// A turn as the client should have it, and what was done to it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Mended {
    /// The answer without the calls that stood in it; `None` where it did not change.
    pub content: Option<String>,
    /// What is left of the answer behind the text that a session has let out.
    pub rest: String,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// The finish reason that goes with them; `None` where it did not change.
    pub finish: Option<&'static str>,
    /// What is not delivered, and why.
    pub refused: Vec<Refused>,
    /// Calls that are held back because they repeat themselves.
    pub suppressed: Vec<Suppressed>,
    /// What was done.
    pub report: Report,
}

impl Mended {
    /// Whether the turn leaves as it came.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.content.is_none()
            && self.finish.is_none()
            && self.refused.iter().all(|refused| refused.origin.is_text())
            && self.suppressed.is_empty()
            && self.calls.iter().all(|call| call.outcome == Outcome::Untouched)
    }
}

/// A call that is delivered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Call {
    /// Its id: its own, or one that was made.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments as JSON. What is untouched has the bytes that it came with.
    pub arguments: String,
    /// What was done to it.
    pub outcome: Outcome,
    /// Whether something of it may be missing.
    pub is_lossy: bool,
    /// Where it comes from.
    pub origin: Origin,
}

/// What was done to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing.
    Untouched,
    /// It was mended; the report says how.
    Mended,
}

impl Outcome {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Untouched => "untouched",
            Self::Mended => "mended",
        }
    }
}

/// Where a call comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The turn declares it: its index there, and which of the objects that stood in a row it is.
    Declared {
        /// The index among the calls of the turn.
        index: usize,
        /// Which of several objects in a row.
        part: usize,
    },
    /// It stood in text.
    Found {
        /// Which text.
        channel: Channel,
        /// The id of the dialect it was written in.
        dialect: &'static str,
    },
}

impl Origin {
    /// Whether the call stood in text.
    #[must_use]
    pub const fn is_text(self) -> bool {
        matches!(self, Self::Found { .. })
    }

    /// The word for the place.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Declared { .. } => "tool_calls",
            Self::Found { channel, .. } => channel.as_str(),
        }
    }
}

/// A call that is not delivered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Refused {
    /// Its id, where it has one.
    pub id: Option<String>,
    /// Its name as it was written, where it has one.
    pub name: Option<String>,
    /// Where it stood.
    pub origin: Origin,
    /// Why.
    pub reason: Reason,
    /// The same for a person.
    pub message: String,
    /// Its arguments, or the text it stood in, as they came.
    pub raw: String,
    /// The tool that it means, where that is known.
    pub tool: Option<String>,
    /// The same for the model: what is wrong and what to do. It has no values in it.
    pub advice: String,
}

impl Refused {
    /// Whether it is a call that is not delivered. Text that is only written like one is none, and
    /// stays where it is.
    #[must_use]
    pub fn is_call(&self) -> bool {
        self.reason == Reason::Storm || !self.origin.is_text()
    }
}

/// A call that is right and is held back all the same, because it repeats itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Suppressed {
    /// The call.
    pub call: Call,
    /// What the model is asked about it.
    pub reflection: String,
}
