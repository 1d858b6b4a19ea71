//! How often each rule fired.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use crate::catalog::Rule;
use crate::repair::{Repair, Repaired};
use crate::rules;

/// Counts what came of repairs. One for all threads.
#[derive(Debug, Default)]
pub struct Counters {
    by_rule: [AtomicU64; rules::ALL.len()],
    untouched: AtomicU64,
    mended: AtomicU64,
    invalid: AtomicU64,
}

/// The counts at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// Arguments that were right.
    pub untouched: u64,
    /// Arguments that were repaired.
    pub mended: u64,
    /// Arguments that could not be repaired.
    pub invalid: u64,
    /// The repairs of each rule, in the order of the catalogue.
    pub by_rule: Vec<(&'static str, u64)>,
}

impl Counters {
    /// Counts what came of one repair.
    pub fn record(&self, repaired: &Repaired) {
        let outcome = match (repaired.is_valid(), repaired.repairs.is_empty()) {
            (false, _) => &self.invalid,
            (true, true) => &self.untouched,
            (true, false) => &self.mended,
        };
        outcome.fetch_add(1, Ordering::Relaxed);
        self.record_repairs(&repaired.repairs);
    }

    /// Counts repairs that were made elsewhere by rules of the catalogue.
    pub fn record_repairs(&self, repairs: &[Repair]) {
        for repair in repairs {
            let index = Rule::ALL.iter().position(|rule| rule.id == repair.rule);
            if let Some(count) = index.and_then(|index| self.by_rule.get(index)) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The counts now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let rules = Rule::ALL.iter().zip(&self.by_rule);
        Snapshot {
            untouched: load(&self.untouched),
            mended: load(&self.mended),
            invalid: load(&self.invalid),
            by_rule: rules.map(|(rule, count)| (rule.id, load(count))).collect(),
        }
    }
}

impl Snapshot {
    /// The counts as JSON: a field per rule, with `_` for `-`, and the outcomes.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let rules = self.by_rule.iter().map(|(id, count)| (id.replace('-', "_"), (*count).into()));
        let outcomes =
            [("untouched", self.untouched), ("mended", self.mended), ("invalid", self.invalid)];
        let outcomes = outcomes.map(|(name, count)| (name.to_owned(), count.into()));
        Value::Object(rules.chain(outcomes).collect::<Map<_, _>>())
    }
}
