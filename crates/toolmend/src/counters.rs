//! How often what was done: by model, tool, rule, dialect and reason.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::mended::{Mended, Origin, Outcome};
use crate::recovery::Kind;
use crate::refusal::Reason;

/// So many different things are counted; what comes later is counted as `other`, so that no client
/// can make the table grow.
const ROWS_MAX: usize = 4096;

/// What is counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// Calls by model and outcome: `untouched`, `mended`, `refused`, `suppressed`.
    Calls {
        /// The model.
        model: String,
        /// The outcome.
        outcome: &'static str,
    },
    /// Calls by tool and outcome; only tools that were offered are named.
    Tools {
        /// The tool.
        tool: String,
        /// The outcome.
        outcome: &'static str,
    },
    /// Repairs by rule.
    Repairs {
        /// The rule.
        rule: &'static str,
    },
    /// Calls found in text, by dialect.
    Found {
        /// The dialect.
        dialect: &'static str,
    },
    /// Calls that were refused, by reason.
    Refused {
        /// The reason.
        reason: &'static str,
    },
    /// Further requests to the model.
    Asks {
        /// The model.
        model: String,
        /// What they were for.
        kind: &'static str,
    },
    /// Cut calls that were closed.
    Closed,
    /// What the table had no room for.
    Other,
}

/// Counters that many threads share.
#[derive(Debug, Default)]
pub struct Counters {
    rows: Mutex<BTreeMap<Count, u64>>,
}

impl Counters {
    /// Counts a further request to a model.
    pub fn record_ask(&self, model: &str, kind: Kind) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut rows, Count::Asks { model: model.to_owned(), kind: kind.as_str() }, 1);
    }

    /// Counts what was done to a turn.
    pub fn record(&self, model: &str, turn: &Mended) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let mut add = |count: Count, by: usize| add(&mut rows, count, by);
        let calls = |outcome| Count::Calls { model: model.to_owned(), outcome };
        let tools = |tool: &str, outcome| Count::Tools { tool: tool.to_owned(), outcome };
        for call in &turn.calls {
            add(calls(call.outcome.as_str()), 1);
            add(tools(&call.name, call.outcome.as_str()), 1);
            if let (Origin::Found { dialect, .. }, Outcome::Mended) = (call.origin, call.outcome) {
                add(Count::Found { dialect }, 1);
            }
        }
        for change in &turn.report.repairs {
            add(Count::Repairs { rule: change.rule }, 1);
        }
        for refused in turn.refused.iter().filter(|refused| refused.is_call()) {
            let is_storm = refused.reason == Reason::Storm;
            let outcome = if is_storm { "suppressed" } else { "refused" };
            add(calls(outcome), 1);
            if let Some(tool) = &refused.tool {
                add(tools(tool, outcome), 1);
            }
            add(Count::Refused { reason: refused.reason.id() }, 1);
        }
        if turn.report.truncations_fixed > 0 {
            add(Count::Closed, turn.report.truncations_fixed);
        }
    }

    /// The counts as they are now.
    #[must_use]
    pub fn snapshot(&self) -> BTreeMap<Count, u64> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn add(rows: &mut BTreeMap<Count, u64>, count: Count, by: usize) {
    let is_room = rows.len() < ROWS_MAX || rows.contains_key(&count);
    let key = if is_room { count } else { Count::Other };
    *rows.entry(key).or_default() += by as u64;
}
