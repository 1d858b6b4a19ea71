//! Which calls a time has. Calls are numbered about in the order of their times, so that for each minute
//! its first and its last number tell where to look: an index would have an entry for every call.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::StoreError;
use crate::counts::{NARROWEST, around, floor};
use crate::engine::{Cell, Engine, Target, Type};

/// Later numbers are larger, and so the first one of a minute stays.
const MINUTES: Target = Target {
    table: "toolmend_minutes",
    columns: &[("at", Type::Int), ("first", Type::Int), ("last", Type::Int)],
    tail: "ON CONFLICT (at) DO UPDATE SET last = excluded.last",
};

/// What is to be said of minutes: the numbers of their calls.
#[derive(Debug, Default)]
pub(crate) struct Minutes(BTreeMap<i64, (i64, i64)>);

impl Minutes {
    /// Adds the calls of a turn, of which there is at least one. They come in their order.
    pub(crate) fn add(&mut self, at: i64, calls: &Range<i64>) {
        self.0.entry(floor(at, NARROWEST)).or_insert((calls.start, calls.start)).1 = calls.end - 1;
    }

    /// Writes all of it, inside of a transaction that has the lock.
    pub(crate) fn write(self, engine: &mut dyn Engine) -> Result<(), StoreError> {
        let rows = self.0.into_iter().flat_map(|(at, (first, last))| [at, first, last]);
        engine.insert(&MINUTES, &rows.map(Cell::from).collect::<Vec<_>>())
    }
}

/// The condition that a call is among those of a time. It allows others: those of the minutes at its ends,
/// and those of other times whose numbers are between. `None` where there is no call.
pub(crate) fn condition(
    engine: &mut dyn Engine,
    at: &Range<i64>,
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT MIN(first), MAX(last) FROM toolmend_minutes WHERE at >= $1 AND at < $2";
    let Range { start, end } = around(at);
    let found = engine.rows(sql, &[start.into(), end.into()])?.into_iter().next();
    let (first, last) = found.map_or((0, 0), |mut row| (row.int(), row.int()));
    let is = || format!("toolmend_calls.id >= {first} AND toolmend_calls.id <= {last}");
    Ok((last > 0).then(is))
}

/// The time of the earliest call, or somewhat before.
pub(crate) fn earliest(engine: &mut dyn Engine) -> Result<i64, StoreError> {
    let sql = "SELECT MIN(at) FROM toolmend_minutes
         WHERE last >= (SELECT MIN(id) FROM toolmend_calls)";
    let found = engine.rows(sql, &[])?.into_iter().next();
    Ok(found.map_or(0, |mut row| row.int()))
}

/// Forgets the minutes before a time of which there is no call any more. Another writer may have added one.
pub(crate) fn forget(engine: &mut dyn Engine, before: i64) -> Result<(), StoreError> {
    engine.batch(&format!(
        "DELETE FROM toolmend_minutes WHERE at + {NARROWEST} <= {before}
         AND NOT EXISTS (SELECT 1 FROM toolmend_calls AS own
                         WHERE own.id BETWEEN first AND last AND own.at < {before})"
    ))
}
