//! What can be wrong with a history, and what is done about it: two tables for reports and documents.

use crate::Place;

/// One row per kind: its id and what it means.
macro_rules! kinds {
    ($(#[$doc:meta])* $type:ident: $($name:ident $id:literal $what:literal;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $type { $(#[doc = $what] $name,)* }

        impl $type {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The stable id that reports, counters and settings use.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Self::$name => $id),* }
            }

            /// What it means, in a sentence.
            #[must_use]
            pub const fn what(self) -> &'static str {
                match self { $(Self::$name => $what),* }
            }
        }
    };
}

kinds! {
    /// What is wrong with a history.
    Code:
    CallWithoutResult "call-without-result" "A call has no result, although the history goes on.";
    ResultWithoutCall "result-without-call" "A result belongs to no call.";
    DuplicateId "duplicate-id" "A call has the id of an earlier one.";
    MissingId "missing-id" "A call or a result has no id.";
    ResultBeforeCall "result-before-call" "A result stands before its call.";
    ResultApart "result-apart" "A result does not stand right behind the turn of its call.";
    ArgumentsBroken "arguments-broken" "The arguments of a call do not parse.";
    ArgumentsForm "arguments-form" "The arguments of a call do not have the form that the API takes.";
    EmptyTurn "empty-turn" "A turn of the assistant has neither text nor call.";
    MissingReasoning "missing-reasoning" "A turn of the assistant lacks the reasoning that the provider wants back.";
}

kinds! {
    /// How a history is healed.
    Rule:
    PlaceholderResult "placeholder-result" "A call without result gets one that says that none was recorded.";
    OrphanDropped "orphan-dropped" "A result that belongs to no call is left out.";
    ResultMoved "result-moved" "A result moves behind the turn of its call, in the order of the calls.";
    IdPaired "id-paired" "A call and its result, paired by position, get an id of their own.";
    ArgumentsMended "arguments-mended" "Broken arguments of a past call are mended or closed.";
    ArgumentsRewritten "arguments-rewritten" "Arguments are written in the form that the API takes.";
    ArgumentsKept "arguments-kept" "Arguments that cannot be read stay as a text inside of an object.";
    TurnDropped "turn-dropped" "A turn with neither text nor call is left out.";
    TurnFilled "turn-filled" "A turn with neither text nor call says so, where two messages of the user would meet without it.";
    ReasoningFilled "reasoning-filled" "Reasoning that the provider wants back is there, but empty.";
}

/// Something that is wrong with a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Finding {
    /// Where.
    pub place: Place,
    /// What.
    pub code: Code,
}

/// A change that healing made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edit {
    /// Where, in the history as it came.
    pub place: Place,
    /// By which rule.
    pub rule: Rule,
}

/// For a person: where, and what is wrong. Values stay out of it.
impl std::fmt::Display for Finding {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "message {}: {}", self.place, self.code.what())
    }
}
