//! What came of a repair.

use serde_json::Value;
use toolmend_json::Trust;

use crate::catalog::Rule;
use crate::mismatch::Mismatch;

/// Arguments after validation and repair.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Repaired {
    /// The arguments: repaired as a whole, or as they came.
    pub arguments: Value,
    /// What was changed. Empty where the arguments were right, and where they could not be repaired.
    pub repairs: Vec<Repair>,
    /// What the schema or the hints refuse. Empty if the arguments are right now.
    pub mismatches: Vec<Mismatch>,
    /// What the model should be told about values that it did not choose.
    pub notes: Vec<String>,
}

impl Repaired {
    /// Whether the arguments can be delivered.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.mismatches.is_empty()
    }

    /// The least sure of the repairs; `None` where nothing was changed.
    #[must_use]
    pub fn trust(&self) -> Option<Trust> {
        self.repairs.iter().map(|repair| repair.trust).max()
    }
}

/// One change that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Repair {
    /// The id of the rule that made it.
    pub rule: &'static str,
    /// Where, as a JSON Pointer into the arguments after all repairs. A member that was dropped is
    /// named where it stood.
    pub path: String,
    /// How sure it is.
    pub trust: Trust,
}

impl Repair {
    /// A repair that was made outside of this crate by a rule of the catalogue. It is never surer
    /// than its rule.
    ///
    /// ```
    /// use toolmend_schema::{Repair, Rule, Trust};
    ///
    /// let repair = Repair::new(Rule::POSITIONAL_ARGUMENTS, "/path", Trust::Exact);
    /// assert_eq!(repair.to_string(), "positional-arguments /path likely");
    /// ```
    #[must_use]
    pub fn new(rule: &Rule, path: impl Into<String>, trust: Trust) -> Self {
        Self { rule: rule.id, path: path.into(), trust: rule.trust.max(trust) }
    }
}

/// What a reading costs: first the guesses, then what is likely, then other spellings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cost {
    guess: u32,
    likely: u32,
    exact: u32,
}

impl Cost {
    pub(crate) fn of(trust: Trust) -> Self {
        let mut cost = Self::default();
        match trust {
            Trust::Exact => cost.exact = 1,
            Trust::Likely => cost.likely = 1,
            Trust::Guess => cost.guess = 1,
        }
        cost
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            guess: self.guess + other.guess,
            likely: self.likely + other.likely,
            exact: self.exact + other.exact,
        }
    }
}
