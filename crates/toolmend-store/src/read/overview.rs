//! Counts: by model, over time, by rule, by dialect.

use super::Reader;
use super::filter::{Filter, and};
use crate::StoreError;
use crate::engine::{Cell, Row};

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

impl Reader<'_> {
    /// Counts the calls that fit, in slices of `slice_ms`.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn overview(&mut self, filter: &Filter, slice_ms: i64) -> Result<Overview, StoreError> {
        let (condition, cells) = filter.sql("toolmend_calls");
        let slice_ms = slice_ms.max(1000);
        let mut overview = Overview {
            models: self.models(&condition, &cells)?,
            slices: self.slices(&condition, &cells, slice_ms)?,
            rules: self.rules(filter)?,
            dialects: self.tallied("dialect", &condition, &cells)?,
            reasons: self.tallied("reason", &condition, &cells)?,
            tools: self.tallied("tool", &condition, &cells)?,
            ..Overview::default()
        };
        self.add_turns(filter, &mut overview)?;
        Ok(overview)
    }

    fn models(&mut self, condition: &str, cells: &[Cell]) -> Result<Vec<Share>, StoreError> {
        let sql = format!(
            "SELECT model, outcome, COUNT(*) FROM toolmend_calls {condition}
             GROUP BY model, outcome ORDER BY model, outcome"
        );
        let rows = self.engine.rows(&sql, cells)?.into_iter();
        let share =
            |mut row: Row| Share { model: row.text(), outcome: row.text(), count: row.int() };
        Ok(rows.map(share).collect())
    }

    fn slices(
        &mut self,
        condition: &str,
        cells: &[Cell],
        slice_ms: i64,
    ) -> Result<Vec<Slice>, StoreError> {
        // Numbers of whole slices: both databases divide whole numbers the same way.
        let sql = format!(
            "SELECT (at / {slice_ms}) * {slice_ms} AS slice, outcome, COUNT(*) FROM toolmend_calls
             {condition} GROUP BY slice, outcome ORDER BY slice, outcome"
        );
        let rows = self.engine.rows(&sql, cells)?.into_iter();
        let slice =
            |mut row: Row| Slice { at_ms: row.int(), outcome: row.text(), count: row.int() };
        Ok(rows.map(slice).collect())
    }

    fn tallied(
        &mut self,
        column: &str,
        condition: &str,
        cells: &[Cell],
    ) -> Result<Vec<Tallied>, StoreError> {
        let condition = and(condition, &format!("{column} IS NOT NULL"));
        let sql = format!(
            "SELECT {column}, COUNT(*) AS count FROM toolmend_calls {condition}
             GROUP BY {column} ORDER BY count DESC, {column} LIMIT {TOP}"
        );
        Ok(self.engine.rows(&sql, cells)?.into_iter().map(tallied).collect())
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
        if overview.turns > 0 {
            overview.spent_us_half = self.spent(&condition, &cells, overview.turns / 2)?;
            overview.spent_us_most =
                self.spent(&condition, &cells, overview.turns - 1 - overview.turns / 100)?;
        }
        Ok(())
    }

    /// The time of the turn that stands at this place when they are sorted by it.
    fn spent(&mut self, condition: &str, cells: &[Cell], at: i64) -> Result<i64, StoreError> {
        let sql = format!(
            "SELECT spent_us FROM toolmend_turns {condition} ORDER BY spent_us LIMIT 1 OFFSET {at}"
        );
        Ok(self.engine.rows(&sql, cells)?.into_iter().next().map_or(0, |mut row| row.int()))
    }
}

fn tallied(mut row: Row) -> Tallied {
    Tallied { name: row.text(), count: row.int() }
}
