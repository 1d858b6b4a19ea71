//! Keeps a store within its limits: what is old goes, and what is oldest where there is too much.

use crate::engine::{Cell, Engine, atomically};
use crate::{StoreError, counts, request, times};

/// So many turns go at a time, so that nobody waits long for the lock.
const PORTION: i64 = 2000;
/// A store that was too large is brought to this share of its limit, so that it is not at it again
/// with the next turn.
const TARGET_PERCENT: i64 = 90;

const MS_PER_DAY: i64 = 24 * 60 * 60 * 1000;

/// The limits of a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) bytes_max: u64,
    pub(crate) days_max: u32,
}

/// What was removed.
#[derive(Debug, Default)]
pub(crate) struct Gone {
    pub(crate) turns: u64,
    /// Rows of texts, by their ids.
    pub(crate) texts: Vec<i64>,
}

impl Gone {
    /// Adds what else was; gives whether that was anything.
    fn add(&mut self, other: Self) -> bool {
        self.turns += other.turns;
        self.texts.extend(other.texts);
        other.turns > 0
    }
}

/// Removes what is over the limits.
pub(crate) fn prune(
    engine: &mut dyn Engine,
    limits: Limits,
    now_ms: i64,
) -> Result<Gone, StoreError> {
    let mut gone = Gone::default();
    let mut oldest = now_ms.saturating_sub(i64::from(limits.days_max) * MS_PER_DAY);
    while let Some(is_old) = times::condition(engine, &(0..oldest))?
        && gone.add(remove(engine, &format!("AND {is_old} AND at < $1"), &[oldest.into()])?)
    {}
    let bytes_max = i64::try_from(limits.bytes_max).unwrap_or(i64::MAX);
    if engine.bytes()? > bytes_max {
        let target = bytes_max / 100 * TARGET_PERCENT;
        while engine.bytes()? > target && gone.add(remove(engine, "", &[])?) {}
        oldest = times::earliest(engine)?.max(oldest);
    }
    counts::forget(engine, oldest)?;
    Ok(gone)
}

/// Removes the oldest turns of those that are meant, a portion of them. A turn has the id of its first
/// call.
pub(crate) fn remove(
    engine: &mut dyn Engine,
    condition: &str,
    cells: &[Cell<'_>],
) -> Result<Gone, StoreError> {
    let sql = format!(
        "SELECT id FROM toolmend_calls WHERE turn_kind IS NOT NULL {condition}
         ORDER BY id LIMIT {PORTION}"
    );
    atomically(engine, |engine| {
        // Who else removes would take away what was just seen.
        engine.lock()?;
        let meant = engine.rows(&sql, cells)?;
        let ids: Vec<i64> = meant.into_iter().map(|mut row| row.int()).collect();
        if ids.is_empty() {
            return Ok(Gone::default());
        }
        let meant = Among::of(engine, &ids)?;
        let (turns, of_calls) = (meant.condition("id"), meant.calls(engine)?);
        counts::take(engine, &turns, &of_calls)?;
        engine.batch(&format!("DELETE FROM toolmend_calls WHERE {of_calls}"))?;
        Ok(Gone { turns: ids.len() as u64, texts: request::remove(engine, &turns)? })
    })
}

/// Turns that are meant, by their ids.
struct Among {
    first: i64,
    last: i64,
    /// All of them; nothing where no other turn is between the first and the last.
    list: Option<String>,
}

impl Among {
    /// Takes ids in their order.
    fn of(engine: &mut dyn Engine, ids: &[i64]) -> Result<Self, StoreError> {
        let first = ids.first().copied().unwrap_or_default();
        let last = ids.last().copied().unwrap_or_default();
        let sql = "SELECT COUNT(*) FROM toolmend_calls WHERE turn_kind IS NOT NULL AND id >= $1 AND id <= $2";
        let between = engine.rows(sql, &[first.into(), last.into()])?.into_iter().next();
        let between = between.map_or(0, |mut row| row.int());
        let has_others = usize::try_from(between) != Ok(ids.len());
        let spelt = || ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        Ok(Self { first, last, list: has_others.then(spelt) })
    }

    /// The condition that a column is one of them. Ids are numbers, so they can stand in a statement.
    fn condition(&self, column: &str) -> String {
        match &self.list {
            Some(list) => format!("{column} IN ({list})"),
            None => format!("{column} >= {} AND {column} <= {}", self.first, self.last),
        }
    }

    /// The condition for their calls. A turn has the id of its first call and its other calls follow, so
    /// the next turn tells where to stop looking.
    fn calls(&self, engine: &mut dyn Engine) -> Result<String, StoreError> {
        let next = "SELECT MIN(id) FROM toolmend_calls WHERE turn_kind IS NOT NULL AND id > $1";
        let next = engine.rows(next, &[self.last.into()])?.into_iter().next();
        let next = next.map_or(0, |mut row| row.int());
        let before = if next > 0 { format!("AND id < {next}") } else { String::new() };
        Ok(format!("id >= {} {before} AND {}", self.first, self.condition("turn")))
    }
}
