//! What was done to a turn: every change by name, for people and for programs.

use std::ops::Range;

use toolmend_json::{FaultCode, Trust};
use toolmend_schema::Repair;

/// What was done to a turn. A change that is not in here did not happen.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// Every change to a call.
    pub repairs: Vec<Change>,
    /// What was wrong with texts that were read.
    pub faults: Vec<Flaw>,
    /// How many calls were found in text.
    pub scavenged: usize,
    /// How many calls were cut and were closed.
    pub truncations_fixed: usize,
    /// How many calls were held back because they repeat themselves.
    pub storms_broken: usize,
    /// The same for a person.
    pub notes: Vec<String>,
}

/// One change to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The id of the rule that made it.
    pub rule: &'static str,
    /// Where, as a JSON Pointer into the delivered arguments.
    pub path: String,
    /// How sure it is.
    pub trust: Trust,
    /// The index of the delivered call.
    pub call: usize,
}

impl Change {
    /// A repair of the first call.
    pub(crate) fn of(repair: Repair) -> Self {
        Self { rule: repair.rule, path: repair.path, trust: repair.trust, call: 0 }
    }
}

/// One fault of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// What is wrong.
    pub code: FaultCode,
    /// Where, in bytes of the text that was read.
    pub span: Range<usize>,
    /// Whose text it was.
    pub owner: Owner,
}

/// Whose text a fault stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// That of a call that is delivered, by index.
    Call(usize),
    /// That of a call that is refused, by index.
    Refused(usize),
}
