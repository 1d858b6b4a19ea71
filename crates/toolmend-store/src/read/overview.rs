//! Counts: by model, over time, by rule, by dialect.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::Reader;
use super::filter::Filter;
use crate::counts::{self, Stretch};
use crate::engine::Row;
use crate::kind::{self, CallKind, Kind, TurnKind};
use crate::{StoreError, times};

/// Everything that the first page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overview {
    /// Calls by model and outcome.
    pub models: Vec<Share>,
    /// Calls by outcome in each slice of time.
    pub slices: Vec<Slice>,
    /// How long a slice is, in milliseconds.
    pub slice_ms: i64,
    /// Calls that were repaired, by rule.
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
    /// Counts the calls that fit, in slices of at least `slice_ms`.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn overview(&mut self, filter: &Filter, slice_ms: i64) -> Result<Overview, StoreError> {
        let slice_ms = counts::slice(slice_ms);
        let mut kinds = kind::all(self.engine)?;
        kinds.retain(|_, kind| match kind {
            Kind::Call(call) => filter.fits(call),
            Kind::Turn(turn) => filter.fits_turn(turn),
        });
        let mut sums = Sums::new(&kinds);
        for Stretch { width, at } in counts::stretches(filter.since_ms, filter.until_ms, slice_ms) {
            match width {
                Some(width) => sums.add(self.buckets(width, &at, slice_ms)?, Of::Both),
                None => {
                    sums.add(self.rows(&at, slice_ms)?, Of::Both);
                    // Turns without calls have no rows: of turns the whole bucket counts.
                    let bucket = counts::around(&at);
                    sums.add(self.buckets(counts::NARROWEST, &bucket, slice_ms)?, Of::Turns);
                }
            }
        }
        Ok(sums.finish(slice_ms))
    }

    /// Slices, kinds and counts, from buckets.
    fn buckets(
        &mut self,
        width: i64,
        at: &Range<i64>,
        slice_ms: i64,
    ) -> Result<Vec<Row>, StoreError> {
        // Both databases divide whole numbers the same way. Buckets as wide as a slice need no sum.
        let (count, group) = match width == slice_ms {
            true => ("count", ""),
            false => ("CAST(SUM(count) AS BIGINT)", "GROUP BY 1, 2"),
        };
        let sql = format!(
            "SELECT at / {slice_ms} * {slice_ms}, kind, {count} FROM toolmend_counts
             WHERE width = {width} AND at >= $1 AND at < $2 {group}"
        );
        self.engine.rows(&sql, &[at.start.into(), at.end.into()])
    }

    /// The same, from the rows of calls.
    fn rows(&mut self, at: &Range<i64>, slice_ms: i64) -> Result<Vec<Row>, StoreError> {
        let Some(is_near) = times::condition(self.engine, at)? else { return Ok(Vec::new()) };
        let sql = format!(
            "SELECT at / {slice_ms} * {slice_ms}, kind, COUNT(*)
             FROM toolmend_calls WHERE {is_near} AND at >= $1 AND at < $2 GROUP BY 1, 2"
        );
        self.engine.rows(&sql, &[at.start.into(), at.end.into()])
    }
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Both,
    Turns,
}

/// Counts that are being summed up.
#[derive(Debug)]
struct Sums<'k> {
    /// The kinds that are meant.
    kinds: &'k BTreeMap<i64, Kind>,
    of_kinds: HashMap<i64, i64>,
    slices: BTreeMap<(i64, &'k str), i64>,
}

impl<'k> Sums<'k> {
    fn new(kinds: &'k BTreeMap<i64, Kind>) -> Self {
        Self { kinds, of_kinds: HashMap::new(), slices: BTreeMap::new() }
    }

    fn add(&mut self, rows: Vec<Row>, of: Of) {
        for mut row in rows {
            let (at_ms, id, count) = (row.int(), row.int(), row.int());
            match self.kinds.get(&id) {
                Some(Kind::Call(call)) if of == Of::Both => {
                    *self.slices.entry((at_ms, &call.outcome)).or_default() += count;
                }
                Some(Kind::Turn(_)) => {}
                Some(Kind::Call(_)) | None => continue,
            }
            *self.of_kinds.entry(id).or_default() += count;
        }
    }

    fn finish(self, slice_ms: i64) -> Overview {
        let slices = self.slices.into_iter();
        let slice = |((at_ms, outcome), count): ((i64, &str), i64)| Slice {
            at_ms,
            outcome: outcome.to_owned(),
            count,
        };
        let mut overview =
            Overview { slice_ms, slices: slices.map(slice).collect(), ..Overview::default() };
        let (mut lists, mut spent) = (Lists::default(), BTreeMap::new());
        for (id, kind) in self.kinds {
            let count = self.of_kinds.get(id).copied().unwrap_or_default();
            match kind {
                _ if count == 0 => {}
                Kind::Call(call) => lists.add(call, count),
                Kind::Turn(turn) => {
                    overview.add_turns(turn, count);
                    *spent.entry(turn.spent_us_below).or_default() += count;
                }
            }
        }
        overview.spent_us_half = below(&spent, overview.turns, 50);
        overview.spent_us_most = below(&spent, overview.turns, 99);
        lists.finish(overview)
    }
}

impl Overview {
    fn add_turns(&mut self, kind: &TurnKind, count: i64) {
        self.turns += count;
        self.broken += count * i64::from(kind.is_broken);
        self.asks += count * kind.asks;
        self.asked += count * i64::from(kind.asks > 0);
        self.helped += count * i64::from(kind.is_helped);
    }
}

/// Calls by what they have in common.
#[derive(Debug, Default)]
struct Lists<'k> {
    models: BTreeMap<(&'k str, &'k str), i64>,
    rules: BTreeMap<&'k str, i64>,
    dialects: BTreeMap<&'k str, i64>,
    reasons: BTreeMap<&'k str, i64>,
    tools: BTreeMap<&'k str, i64>,
}

impl<'k> Lists<'k> {
    fn add(&mut self, kind: &'k CallKind, count: i64) {
        *self.models.entry((&kind.model, &kind.outcome)).or_default() += count;
        let mut lists = [
            (&mut self.rules, kind.rules.as_slice()),
            (&mut self.dialects, kind.dialect.as_slice()),
            (&mut self.reasons, kind.reason.as_slice()),
            (&mut self.tools, kind.tool.as_slice()),
        ];
        for (list, names) in &mut lists {
            for name in *names {
                *list.entry(name).or_default() += count;
            }
        }
    }

    fn finish(self, overview: Overview) -> Overview {
        let share = |((model, outcome), count): ((&str, &str), i64)| Share {
            model: model.to_owned(),
            outcome: outcome.to_owned(),
            count,
        };
        Overview {
            models: self.models.into_iter().map(share).collect(),
            rules: most(self.rules),
            dialects: most(self.dialects),
            reasons: most(self.reasons),
            tools: most(self.tools),
            ..overview
        }
    }
}

/// The time that so many in a hundred stay below.
fn below(spent: &BTreeMap<i64, i64>, turns: i64, percent: i64) -> i64 {
    let mut seen = 0;
    let found = spent.iter().find(|(_, count)| {
        seen += **count;
        seen * 100 >= turns * percent
    });
    found.map_or(0, |(below, _)| *below)
}

/// The most frequent first.
fn most(counts: BTreeMap<&str, i64>) -> Vec<Tallied> {
    let tallied = |(name, count): (&str, i64)| Tallied { name: name.to_owned(), count };
    let mut list: Vec<Tallied> = counts.into_iter().map(tallied).collect();
    list.sort_by_key(|row| std::cmp::Reverse(row.count));
    list.truncate(TOP);
    list
}
