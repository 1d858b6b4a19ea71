//! Questions to a store.

mod calls;
mod filter;
mod overview;

pub use calls::{CallDetail, CallRow, Page};
pub use filter::Filter;
use filter::Meant;
pub use overview::{Overview, Share, Slice, Tallied};

use crate::StoreError;
use crate::engine::{Cell, Engine};
use crate::prune;

/// Answers questions.
pub struct Reader<'e> {
    engine: &'e mut dyn Engine,
}

impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Reader").finish_non_exhaustive()
    }
}

impl<'e> Reader<'e> {
    pub(crate) fn new(engine: &'e mut dyn Engine) -> Self {
        Self { engine }
    }

    /// Removes the turns of the calls that fit; gives how many went.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn remove(&mut self, filter: &Filter) -> Result<u64, StoreError> {
        let mut gone = 0;
        loop {
            let Some(meant) = Meant::of(filter, self.engine)? else { return Ok(gone) };
            let condition = meant.condition();
            let condition = format!("AND id IN (SELECT turn FROM toolmend_calls {condition})");
            let count = prune::remove(self.engine, &condition, meant.cells())?.turns;
            if count == 0 {
                return Ok(gone);
            }
            gone += count;
        }
    }

    /// Removes a turn by its id; gives whether it was there.
    ///
    /// # Errors
    ///
    /// The database cannot be written.
    pub fn remove_turn(&mut self, turn: i64) -> Result<bool, StoreError> {
        Ok(prune::remove(self.engine, "AND id = $1", &[Cell::Int(turn)])?.turns > 0)
    }
}
