//! Keeps a store within its limits: what is old goes, and what is oldest where there is too much.

use crate::engine::{Cell, Engine, atomically};
use crate::{StoreError, counts};

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

/// Removes what is over the limits; gives the number of turns that went.
pub(crate) fn prune(
    engine: &mut dyn Engine,
    limits: Limits,
    now_ms: i64,
) -> Result<u64, StoreError> {
    let mut gone = 0;
    let mut oldest = now_ms.saturating_sub(i64::from(limits.days_max) * MS_PER_DAY);
    loop {
        let count = remove(engine, "WHERE at < $1", &[oldest.into()])?;
        gone += count;
        if count == 0 {
            break;
        }
    }
    let bytes_max = i64::try_from(limits.bytes_max).unwrap_or(i64::MAX);
    if engine.bytes()? > bytes_max {
        let target = bytes_max / 100 * TARGET_PERCENT;
        while engine.bytes()? > target {
            let count = remove(engine, "", &[])?;
            gone += count;
            if count == 0 {
                break;
            }
        }
        let left = engine.rows("SELECT MIN(at) FROM toolmend_turns", &[])?;
        oldest = left.into_iter().next().map_or(0, |mut row| row.int()).max(oldest);
    }
    counts::forget(engine, oldest)?;
    Ok(gone)
}

/// Removes the oldest turns of those that are meant, a portion of them.
pub(crate) fn remove(
    engine: &mut dyn Engine,
    condition: &str,
    cells: &[Cell<'_>],
) -> Result<u64, StoreError> {
    let sql = format!("SELECT id FROM toolmend_turns {condition} ORDER BY id LIMIT {PORTION}");
    atomically(engine, |engine| {
        let meant = engine.rows(&sql, cells)?;
        let ids: Vec<String> = meant.into_iter().map(|mut row| row.int().to_string()).collect();
        if ids.is_empty() {
            return Ok(0);
        }
        let list = ids.join(",");
        counts::take(engine, &list)?;
        for table in ["toolmend_repairs", "toolmend_calls", "toolmend_texts"] {
            engine.batch(&format!("DELETE FROM {table} WHERE turn IN ({list})"))?;
        }
        engine.batch(&format!("DELETE FROM toolmend_turns WHERE id IN ({list})"))?;
        Ok(ids.len() as u64)
    })
}
