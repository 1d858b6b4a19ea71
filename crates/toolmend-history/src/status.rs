//! How far the exchange has come that is going on.

use crate::chain::Chain;
use crate::{History, Message};

/// The calls since the user last spoke, and how many of them have results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// How many calls.
    pub calls: usize,
    /// How many of them have a result.
    pub results: usize,
}

impl Status {
    /// Whether each call has its result.
    #[must_use]
    pub const fn is_complete(self) -> bool {
        self.calls == self.results
    }
}

/// Counts the calls since the user last spoke. What was left open before that is no business of this
/// exchange.
#[must_use]
pub fn status(history: &History<'_>) -> Status {
    let chain = Chain::of(history);
    let since = history.messages().iter().rposition(Message::is_from_user).map_or(0, |at| at + 1);
    let first = chain.calls.partition_point(|call| call.message < since);
    let numbers = first..chain.calls.len();
    Status {
        calls: numbers.len(),
        results: numbers.filter(|number| chain.answer(*number).is_some()).count(),
    }
}
