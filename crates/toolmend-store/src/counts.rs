//! Counts that are kept beside the rows they count, in buckets of time: by kind, in three widths. The
//! writer adds to them in the transaction that writes the rows, and whoever removes rows takes from
//! them, so that they are never other than what the rows would tell.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::engine::{Cell, Engine, Target, Type, atomically};
use crate::{StoreError, times};

const MINUTE: i64 = 60_000;

/// The widths of buckets, in milliseconds; each is a multiple of the one before.
const WIDTHS: [i64; 3] = [NARROWEST, 30 * MINUTE, WIDEST];
pub(crate) const NARROWEST: i64 = MINUTE;
pub(crate) const WIDEST: i64 = 720 * MINUTE;

/// The slices that a question may ask for. Buckets fit into each.
const SLICES: [i64; 12] = [
    MINUTE,
    2 * MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    15 * MINUTE,
    30 * MINUTE,
    60 * MINUTE,
    180 * MINUTE,
    360 * MINUTE,
    WIDEST,
    2 * WIDEST,
    14 * WIDEST,
];

/// The smallest slice that is no smaller than what is wanted.
pub(crate) fn slice(wanted_ms: i64) -> i64 {
    SLICES.into_iter().find(|slice| *slice >= wanted_ms).unwrap_or(14 * WIDEST)
}

/// Where the bucket begins that holds a time.
pub(crate) fn floor(at: i64, width: i64) -> i64 {
    at.div_euclid(width) * width
}

fn ceil(at: i64, width: i64) -> i64 {
    at.checked_add(width - 1).map_or(i64::MAX, |above| floor(above, width))
}

/// The narrowest buckets that a stretch of time touches.
pub(crate) fn around(at: &Range<i64>) -> Range<i64> {
    floor(at.start, NARROWEST)..at.end
}

const COUNTS: Target = Target {
    table: "toolmend_counts",
    columns: &[("width", Type::Int), ("at", Type::Int), ("kind", Type::Int), ("count", Type::Int)],
    tail: "ON CONFLICT (width, at, kind)
           DO UPDATE SET count = toolmend_counts.count + excluded.count",
};

/// What is to be added to counts: how many of a kind in one of the narrowest buckets.
#[derive(Debug, Default)]
pub(crate) struct Added(BTreeMap<(i64, i64), i64>);

impl Added {
    /// One more of a kind.
    pub(crate) fn add(&mut self, kind: i64, at: i64) {
        *self.0.entry((floor(at, NARROWEST), kind)).or_default() += 1;
    }

    /// Adds all of it to buckets of every width, inside of a transaction that has the lock.
    pub(crate) fn write(self, engine: &mut dyn Engine) -> Result<(), StoreError> {
        let mut rows: BTreeMap<(i64, i64, i64), i64> = BTreeMap::new();
        for ((at, kind), count) in self.0 {
            for width in WIDTHS {
                *rows.entry((width, floor(at, width), kind)).or_default() += count;
            }
        }
        let cells = rows
            .into_iter()
            .flat_map(|((width, at, kind), count)| [width, at, kind, count].map(Cell::from));
        engine.insert(&COUNTS, &cells.collect::<Vec<_>>())
    }
}

/// Takes what turns and their calls were counted as, inside of a transaction. Both are conditions on the
/// table of calls.
pub(crate) fn take(
    engine: &mut dyn Engine,
    of_turns: &str,
    of_calls: &str,
) -> Result<(), StoreError> {
    engine.lock()?;
    for (kind, condition) in [("kind", of_calls), ("turn_kind", of_turns)] {
        for width in WIDTHS {
            engine.batch(&format!(
                "UPDATE toolmend_counts SET count = toolmend_counts.count - gone.count
                 FROM (SELECT at / {width} * {width} AS at, {kind} AS kind, COUNT(*) AS count
                       FROM toolmend_calls WHERE {condition} AND {kind} IS NOT NULL
                       GROUP BY 1, 2) AS gone
                 WHERE toolmend_counts.width = {width} AND toolmend_counts.at = gone.at
                 AND toolmend_counts.kind = gone.kind"
            ))?;
        }
    }
    engine.batch("DELETE FROM toolmend_counts WHERE count <= 0")
}

/// Forgets what was before a time, and kinds that nothing is of any more. Turns without calls are
/// counted and have no rows, so nobody else takes them. A kind that a writer has looked up stays until
/// it is counted.
pub(crate) fn forget(engine: &mut dyn Engine, before: i64) -> Result<(), StoreError> {
    atomically(engine, |engine| {
        engine.lock()?;
        engine.batch(&format!("DELETE FROM toolmend_counts WHERE at + width <= {before}"))?;
        times::forget(engine, before)?;
        engine
            .batch("DELETE FROM toolmend_kinds WHERE id NOT IN (SELECT kind FROM toolmend_counts)")
    })
}

/// A stretch of time, and the buckets that say what was in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    /// The width of the buckets; `None` where rows have to be looked at.
    pub(crate) width: Option<i64>,
    pub(crate) at: Range<i64>,
}

/// The stretches that make up a time, for slices of this size: wide buckets in the middle, narrower
/// ones at both ends, and rows where even those are too wide.
pub(crate) fn stretches(since: Option<i64>, until: Option<i64>, slice_ms: i64) -> Vec<Stretch> {
    let (mut start, mut end) = (since.unwrap_or(0), until.unwrap_or(i64::MAX));
    let mut found = Vec::new();
    let mut add = |width: Option<i64>, at: Range<i64>| {
        if at.start < at.end {
            found.push(Stretch { width, at });
        }
    };
    let mut finer = None;
    for width in WIDTHS.into_iter().filter(|width| slice_ms % width == 0) {
        let (inner_start, inner_end) = (ceil(start, width), end_floor(end, width));
        if inner_start >= inner_end {
            break;
        }
        add(finer, start..inner_start);
        add(finer, inner_end..end);
        (start, end) = (inner_start, inner_end);
        finer = Some(width);
    }
    add(finer, start..end);
    found
}

fn end_floor(end: i64, width: i64) -> i64 {
    if end == i64::MAX { end } else { floor(end, width) }
}

#[cfg(test)]
mod tests {
    use super::{MINUTE, Stretch, WIDEST, slice, stretches};

    #[test]
    fn stretches_are_wide_in_the_middle() {
        let stretch = |width, at| Stretch { width, at };
        assert_eq!(stretches(None, None, WIDEST), [stretch(Some(WIDEST), 0..i64::MAX)]);
        assert_eq!(stretches(None, None, MINUTE), [stretch(Some(MINUTE), 0..i64::MAX)]);
        let since = WIDEST - 45 * MINUTE - 1;
        assert_eq!(
            stretches(Some(since), Some(3 * WIDEST + 5), 2 * WIDEST),
            [
                stretch(None, since..since + 1),
                stretch(None, 3 * WIDEST..3 * WIDEST + 5),
                stretch(Some(MINUTE), since + 1..WIDEST - 30 * MINUTE),
                stretch(Some(30 * MINUTE), WIDEST - 30 * MINUTE..WIDEST),
                stretch(Some(WIDEST), WIDEST..3 * WIDEST),
            ]
        );
        assert_eq!(stretches(Some(5), Some(9), MINUTE), [stretch(None, 5..9)]);
        assert_eq!(stretches(Some(9), Some(5), MINUTE), []);
    }

    #[test]
    fn slices_hold_whole_buckets() {
        assert_eq!(slice(0), MINUTE);
        assert_eq!(slice(24 * MINUTE), 30 * MINUTE);
        assert_eq!(slice(i64::MAX), 14 * WIDEST);
    }
}
