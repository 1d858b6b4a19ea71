//! Which calls are meant.

use crate::StoreError;
use crate::counts::WIDEST;
use crate::engine::{Cell, Engine};
use crate::kind::{self, CallKind, Kind, TurnKind};
use crate::record::Fate;

/// Which calls are meant. What is not said leaves all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// No older than this, in milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Older than this.
    pub until_ms: Option<i64>,
    /// Of this model.
    pub model: Option<String>,
    /// Of this tool.
    pub tool: Option<String>,
    /// With this outcome.
    pub fate: Option<Fate>,
    /// Written in this dialect.
    pub dialect: Option<String>,
    /// That this rule repaired.
    pub rule: Option<String>,
    /// Refused for this reason.
    pub reason: Option<String>,
    /// Of this API.
    pub api: Option<String>,
    /// Only those whose texts are kept.
    pub has_text: bool,
}

impl Filter {
    /// Whether all kinds are meant.
    fn is_any_kind(&self) -> bool {
        let Self { since_ms, until_ms, .. } = *self;
        *self == Self { since_ms, until_ms, ..Self::default() }
    }

    /// Whether calls of this kind are meant.
    pub(super) fn fits(&self, kind: &CallKind) -> bool {
        let is = |wanted: &Option<String>, own: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| Some(wanted) == own)
        };
        is(&self.model, Some(&kind.model))
            && is(&self.api, Some(&kind.api))
            && is(&self.tool, kind.tool.as_deref())
            && is(&self.dialect, kind.dialect.as_deref())
            && is(&self.reason, kind.reason.as_deref())
            && self.fate.is_none_or(|fate| fate.as_str() == kind.outcome)
            && self.rule.as_ref().is_none_or(|rule| kind.rules.iter().any(|own| own == rule))
            && (!self.has_text || kind.has_text)
    }

    /// Whether turns of this kind are meant: they are told apart by time, model and API only.
    pub(super) fn fits_turn(&self, kind: &TurnKind) -> bool {
        self.model.as_ref().is_none_or(|model| *model == kind.model)
            && self.api.as_ref().is_none_or(|api| *api == kind.api)
    }
}

/// So many calls are found by an index and sorted. More are so frequent that some are soon met when
/// calls are looked through from the end.
const RARE_MAX: i64 = 2000;

/// The calls that a filter means, as a condition on their table.
#[derive(Debug, Default)]
pub(super) struct Meant {
    parts: Vec<String>,
    cells: Vec<Cell<'static>>,
    way: Way,
}

/// Which way a database is to go. It is told by sums: they are in no index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Way {
    /// Look through all calls, from the end.
    #[default]
    Back,
    /// Find the few of these kinds.
    Kind,
    /// Find the few of that time.
    Time,
}

impl Meant {
    /// `None` where no call can fit.
    pub(super) fn of(filter: &Filter, engine: &mut dyn Engine) -> Result<Option<Self>, StoreError> {
        let mut meant = Self::default();
        let kinds = match filter.is_any_kind() {
            true => None,
            false => {
                let fits = |kind: &Kind| matches!(kind, Kind::Call(call) if filter.fits(call));
                let kinds = kind::all(engine)?.into_iter().filter(|(_, kind)| fits(kind));
                let mut ids: Vec<i64> = kinds.map(|(id, _)| id).collect();
                if ids.is_empty() {
                    return Ok(None);
                }
                ids.sort_unstable();
                // Ids are numbers, so they can stand in the statement.
                Some(ids.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
            }
        };
        let times = [(filter.since_ms, ">="), (filter.until_ms, "<")];
        if kinds.is_some() || times.iter().any(|(at, _)| at.is_some()) {
            let (of_kinds, of_time) = about(engine, kinds.as_deref(), filter)?;
            meant.way = match (of_kinds, of_time) {
                (0, _) | (_, 0) => return Ok(None),
                (_, ..=RARE_MAX) => Way::Time,
                (..=RARE_MAX, _) => Way::Kind,
                _ => Way::Back,
            };
        }
        if let Some(kinds) = kinds {
            let column = if meant.way == Way::Kind { "kind" } else { "kind + 0" };
            meant.parts.push(format!("toolmend_calls.{column} IN ({kinds})"));
        }
        let column = if meant.way == Way::Time { "at" } else { "at + 0" };
        for (at, is) in times {
            if let Some(at) = at {
                meant.and(at.into(), |cell| format!("toolmend_calls.{column} {is} {cell}"));
            }
        }
        Ok(Some(meant))
    }

    /// A cell of the statement; its parts use cells in the order in which they were made.
    pub(super) fn cell(&mut self, cell: Cell<'static>) -> String {
        self.cells.push(cell);
        format!("${}", self.cells.len())
    }

    /// Asks for one thing more.
    pub(super) fn and(&mut self, cell: Cell<'static>, part: impl FnOnce(String) -> String) {
        let cell = self.cell(cell);
        self.parts.push(part(cell));
    }

    pub(super) fn cells(&self) -> &[Cell<'static>] {
        &self.cells
    }

    pub(super) fn condition(&self) -> String {
        match self.parts.is_empty() {
            true => String::new(),
            false => format!("WHERE {}", self.parts.join(" AND ")),
        }
    }

    /// What to sort by, so that the database goes that way.
    pub(super) fn order(&self) -> &'static str {
        if self.way == Way::Back { "toolmend_calls.id" } else { "toolmend_calls.id + 0" }
    }
}

/// How many calls are of these kinds, and how many of any kind are of about that time.
fn about(
    engine: &mut dyn Engine,
    kinds: Option<&str>,
    filter: &Filter,
) -> Result<(i64, i64), StoreError> {
    let of_kinds = kinds.map_or("TRUE".to_owned(), |kinds| format!("kind IN ({kinds})"));
    // Whole buckets: those that begin before the time may reach into it.
    let since = filter.since_ms.unwrap_or(0).saturating_sub(WIDEST);
    let until = filter.until_ms.unwrap_or(i64::MAX);
    let of_time = format!("at > {since} AND at < {until}");
    let sql = format!(
        "SELECT CAST(SUM(CASE WHEN {of_kinds} THEN count ELSE 0 END) AS BIGINT),
         CAST(SUM(CASE WHEN {of_time} THEN count ELSE 0 END) AS BIGINT)
         FROM toolmend_counts WHERE width = {WIDEST}"
    );
    let row = engine.rows(&sql, &[])?.into_iter().next();
    Ok(row.map_or((0, 0), |mut row| (row.int(), row.int())))
}
