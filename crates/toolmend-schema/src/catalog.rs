//! Every rule of repair, in the order in which they propose. The documents, the counters and the
//! settings are made from this list.
//!
//! Order decides only among readings that are equally few, equally trusted and the same: a tie
//! between different values refuses. Where two rules could answer one value differently, the later
//! one holds itself back and says so in its file.

use std::fmt;

use toolmend_json::Trust;

use crate::rules;
use crate::site::{KeyEdit, Offer, Site};

/// One kind of repair.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Rule {
    /// The stable id that reports, counters and settings use.
    pub id: &'static str,
    /// The least that it costs: one repair can be less sure, never surer.
    pub trust: Trust,
    /// One sentence that tells what it does.
    pub what: &'static str,
    /// Arguments before and after.
    pub example: (&'static str, &'static str),
    pub(crate) propose: Propose,
    /// The rule's file: its head is the rule's document.
    #[doc(hidden)]
    pub source: &'static str,
}

/// Where a rule works.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Propose {
    /// On a value that its schema refuses.
    Value(fn(&Site<'_>) -> Option<Offer>),
    /// On the names in an object that its schema refuses.
    Keys(fn(&Site<'_>) -> Option<KeyEdit>),
    /// Before validation: by hints, by the way in which a tool was shown, by how a body was read.
    Before,
}

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule")
            .field("id", &self.id)
            .field("trust", &self.trust)
            .finish_non_exhaustive()
    }
}

impl Rule {
    /// Every rule, in order.
    pub const ALL: &'static [&'static Self] = rules::ALL;

    /// The rule of this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::ALL.iter().copied().find(|rule| rule.id == id)
    }
}
