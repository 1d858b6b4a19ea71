//! What is to be changed, before anything is written.

use std::collections::{BTreeMap, BTreeSet};

use crate::Edit;
use crate::node::Splice;

/// All changes of one history.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) edits: Vec<Edit>,
    /// Values that are replaced or added inside of messages.
    pub(super) splices: Vec<Splice>,
    /// Messages that are left out.
    pub(super) dropped: BTreeSet<usize>,
    /// Results that leave their place, by number.
    pub(super) removed: BTreeSet<usize>,
    /// What comes right behind a message.
    pub(super) behind: BTreeMap<usize, Vec<Answer>>,
}

/// A result that gets a place behind the turn of its call.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// One of the history, by number.
    Moved(usize),
    /// A new one, as JSON.
    Made(String),
}

impl Plan {
    /// Takes a change, if it can be made: of an object that has no place for it there is nothing to
    /// report.
    pub(super) fn splice(&mut self, splice: Option<Splice>, edit: Edit) {
        if let Some(splice) = splice {
            self.splices.push(splice);
            self.edits.push(edit);
        }
    }
}
