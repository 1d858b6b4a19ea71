//! What was done to the calls of one reply, and who is told.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use toolmend::{Counters, Mended, Outcome};

/// Whoever wants to know of each turn: the model, and what was done.
pub type Observer = Arc<dyn Fn(&str, &Mended) + Send + Sync>;

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
    model: String,
    tally: Mutex<Tally>,
    counters: Arc<Counters>,
    observer: Option<Observer>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Recorder").field("model", &self.model).finish_non_exhaustive()
    }
}

impl Recorder {
    pub(crate) fn new(model: &str, counters: Arc<Counters>, observer: Option<Observer>) -> Self {
        Self { model: model.to_owned(), tally: Mutex::default(), counters, observer }
    }

    /// Takes note of a turn.
    pub(crate) fn take(&self, turn: &Mended) {
        let is_mended = |call: &&toolmend::Call| call.outcome == Outcome::Mended;
        let mut tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.mended += turn.calls.iter().filter(is_mended).count();
        tally.refused += turn.refused.iter().filter(|refused| !refused.origin.is_text()).count();
        drop(tally);
        self.counters.record(&self.model, turn);
        turn.emit(&self.model);
        if let Some(observer) = &self.observer {
            observer(&self.model, turn);
        }
    }

    pub(crate) fn tally(&self) -> Tally {
        *self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
