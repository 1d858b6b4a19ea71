//! Counts: by model, over time, by rule, by dialect.

use std::collections::BTreeMap;

use super::Reader;
use super::filter::{Filter, and};
use crate::StoreError;
use crate::engine::Row;

/// Everything that the first page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// Calls by model and outcome.
    pub models: Vec<Share>,
    /// Calls by model and outcome in each slice of time.
    pub slices: Vec<Slice>,
    /// Repairs by rule.
    pub rules: Vec<Tallied>,
    /// Calls found in text by dialect.
    pub dialects: Vec<Tallied>,
    /// Calls that were not delivered, by reason.
    pub reasons: Vec<Tallied>,
    /// Calls by tool.
    pub tools: Vec<Tallied>,
    /// Turns.
    pub turns: i64,
    /// Turns that broke off.
    pub broken: i64,
    /// How often models were asked again.
    pub asks: i64,
    /// Turns for which a model was asked again.
    pub asked: i64,
    /// Those of them that came out well.
    pub helped: i64,
    /// The time that turns were worked on, in microseconds: that of half of them is below this.
    pub spent_us_half: i64,
    /// … and of all but one in a hundred.
    pub spent_us_most: i64,
}

/// Calls of a model with an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Share {
    /// The model.
    pub model: String,
    /// The outcome.
    pub outcome: String,
    /// How many.
    pub count: i64,
}

/// Calls in a slice of time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// When it starts, in milliseconds since 1970.
    pub at_ms: i64,
    /// The outcome.
    pub outcome: String,
    /// How many.
    pub count: i64,
}

/// How often something was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tallied {
    /// What.
    pub name: String,
    /// How often.
    pub count: i64,
}

/// Lists are cut here.
const TOP: usize = 50;
/// At most about so many turns are looked at to tell how long they take.
const SAMPLE_MAX: i64 = 10_000;

impl Reader<'_> {
    /// Counts the calls that fit, in slices of `slice_ms`.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn overview(&mut self, filter: &Filter, slice_ms: i64) -> Result<Overview, StoreError> {
        let (condition, cells) = filter.sql("toolmend_calls");
        let slice_ms = slice_ms.max(1000);
        // All calls are looked at once. Numbers of whole slices: both databases divide whole numbers
        // the same way.
        let sql = format!(
            "SELECT (at / {slice_ms}) * {slice_ms} AS slice, model, outcome, dialect, reason, tool,
             COUNT(*) FROM toolmend_calls {condition}
             GROUP BY slice, model, outcome, dialect, reason, tool"
        );
        let mut sums = Sums::default();
        for row in self.engine.rows(&sql, &cells)? {
            sums.add(row);
        }
        let mut overview = sums.finish();
        overview.rules = self.rules(filter)?;
        self.add_turns(filter, &mut overview)?;
        Ok(overview)
    }

    fn rules(&mut self, filter: &Filter) -> Result<Vec<Tallied>, StoreError> {
        // Where only the time is asked for, calls need not be looked at.
        let only_time = Filter {
            since_ms: filter.since_ms,
            until_ms: filter.until_ms,
            model: filter.model.clone(),
            ..Filter::default()
        };
        let (condition, cells) = match *filter == only_time {
            true => only_time.sql("toolmend_repairs"),
            false => {
                let (condition, cells) = filter.sql("toolmend_calls");
                let inner = format!("call IN (SELECT id FROM toolmend_calls {condition})");
                (format!("WHERE {inner}"), cells)
            }
        };
        let sql = format!(
            "SELECT rule, COUNT(*) AS count FROM toolmend_repairs {condition}
             GROUP BY rule ORDER BY count DESC, rule LIMIT {TOP}"
        );
        Ok(self.engine.rows(&sql, &cells)?.into_iter().map(tallied).collect())
    }

    /// Adds what is known of turns. They are told apart by time, model and API only.
    fn add_turns(&mut self, filter: &Filter, overview: &mut Overview) -> Result<(), StoreError> {
        let of_turns = Filter {
            since_ms: filter.since_ms,
            until_ms: filter.until_ms,
            model: filter.model.clone(),
            api: filter.api.clone(),
            ..Filter::default()
        };
        let (condition, cells) = of_turns.sql("toolmend_turns");
        let sql = format!(
            "SELECT COUNT(*), CAST(SUM(is_broken) AS BIGINT), CAST(SUM(asks) AS BIGINT),
             CAST(SUM(CASE WHEN asks > 0 THEN 1 ELSE 0 END) AS BIGINT),
             CAST(SUM(CASE WHEN asks > 0 AND label = 're-prompt' THEN 1 ELSE 0 END) AS BIGINT)
             FROM toolmend_turns {condition}"
        );
        let Some(mut row) = self.engine.rows(&sql, &cells)?.into_iter().next() else {
            return Ok(());
        };
        overview.turns = row.int();
        overview.broken = row.int();
        overview.asks = row.int();
        overview.asked = row.int();
        overview.helped = row.int();
        // Of many turns some are enough to tell how long they take.
        let step = overview.turns / SAMPLE_MAX + 1;
        let (condition, cells) = of_turns.sql("toolmend_turns");
        let condition = and(&condition, &format!("id % {step} = 0"));
        let sql = format!("SELECT spent_us FROM toolmend_turns {condition} ORDER BY spent_us");
        let spent = self.engine.rows(&sql, &cells)?;
        let spent: Vec<i64> = spent.into_iter().map(|mut row| row.int()).collect();
        let most = spent.len().saturating_sub(1 + spent.len() / 100);
        overview.spent_us_most = spent.get(most).copied().unwrap_or_default();
        overview.spent_us_half = spent.get(spent.len() / 2).copied().unwrap_or_default();
        Ok(())
    }
}

/// Counts that are being summed up.
#[derive(Debug, Default)]
struct Sums {
    models: BTreeMap<(String, String), i64>,
    slices: BTreeMap<(i64, String), i64>,
    dialects: BTreeMap<String, i64>,
    reasons: BTreeMap<String, i64>,
    tools: BTreeMap<String, i64>,
}

impl Sums {
    fn add(&mut self, mut row: Row) {
        let (at_ms, model, outcome) = (row.int(), row.text(), row.text());
        let names = [row.optional(), row.optional(), row.optional()];
        let count = row.int();
        *self.models.entry((model, outcome.clone())).or_default() += count;
        *self.slices.entry((at_ms, outcome)).or_default() += count;
        let lists = [&mut self.dialects, &mut self.reasons, &mut self.tools];
        for (list, name) in lists.into_iter().zip(names) {
            if let Some(name) = name {
                *list.entry(name).or_default() += count;
            }
        }
    }

    fn finish(self) -> Overview {
        let models = self.models.into_iter();
        let slices = self.slices.into_iter();
        Overview {
            models: models
                .map(|((model, outcome), count)| Share { model, outcome, count })
                .collect(),
            slices: slices
                .map(|((at_ms, outcome), count)| Slice { at_ms, outcome, count })
                .collect(),
            dialects: most(self.dialects),
            reasons: most(self.reasons),
            tools: most(self.tools),
            ..Overview::default()
        }
    }
}

/// The most frequent first.
fn most(counts: BTreeMap<String, i64>) -> Vec<Tallied> {
    let mut list: Vec<Tallied> =
        counts.into_iter().map(|(name, count)| Tallied { name, count }).collect();
    list.sort_by_key(|row| std::cmp::Reverse(row.count));
    list.truncate(TOP);
    list
}

fn tallied(mut row: Row) -> Tallied {
    Tallied { name: row.text(), count: row.int() }
}
