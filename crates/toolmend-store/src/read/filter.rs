//! Which calls are meant.

use toolmend::fits;

use crate::counts::WIDEST;
use crate::engine::{Cell, Engine};
use crate::kind::{self, CallKind, Kind, TurnKind};
use crate::record::Fate;
use crate::{StoreError, times};

/// Which calls are meant. What is not said leaves all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// No older than this, in milliseconds since 1970.
    pub since_ms: Option<i64>,
    /// Older than this.
    pub until_ms: Option<i64>,
    /// Of models of this name, in which `*` stands for anything, as in settings.
    pub model: Option<String>,
    /// Of tools of this name, in the same way.
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
        is_named(self.model.as_deref(), Some(&kind.model))
            && is(&self.api, Some(&kind.api))
            && is_named(self.tool.as_deref(), kind.tool.as_deref())
            && is(&self.dialect, kind.dialect.as_deref())
            && is(&self.reason, kind.reason.as_deref())
            && self.fate.is_none_or(|fate| fate.as_str() == kind.outcome)
            && self.rule.as_ref().is_none_or(|rule| kind.rules.iter().any(|own| own == rule))
            && (!self.has_text || kind.has_text)
    }

    /// Whether turns of this kind are meant: they are told apart by time, model and API only.
    pub(super) fn fits_turn(&self, kind: &TurnKind) -> bool {
        is_named(self.model.as_deref(), Some(&kind.model))
            && self.api.as_ref().is_none_or(|api| *api == kind.api)
    }
}

/// Whether a name fits the pattern that is wanted, if one is.
fn is_named(pattern: Option<&str>, name: Option<&str>) -> bool {
    pattern.is_none_or(|pattern| name.is_some_and(|name| fits(pattern, name)))
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
    /// Look through all calls of that time, from the end.
    #[default]
    Back,
    /// Find the few of these kinds.
    Kind,
}

impl Meant {
    /// `None` where no call can fit.
    pub(super) fn of(filter: &Filter, engine: &mut dyn Engine) -> Result<Option<Self>, StoreError> {
        let mut meant = Self::default();
        if !filter.is_any_kind() {
            let fits = |kind: &Kind| matches!(kind, Kind::Call(call) if filter.fits(call));
            let kinds = kind::all(engine)?.into_iter().filter(|(_, kind)| fits(kind));
            let mut ids: Vec<i64> = kinds.map(|(id, _)| id).collect();
            ids.sort_unstable();
            // Ids are numbers, so they can stand in the statement.
            let ids = ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
            let (way, column) = match count(engine, &ids)? {
                0 => return Ok(None),
                ..=RARE_MAX => (Way::Kind, "kind"),
                _ => (Way::Back, "kind + 0"),
            };
            meant.way = way;
            meant.parts.push(format!("toolmend_calls.{column} IN ({ids})"));
        }
        if filter.since_ms.is_some() || filter.until_ms.is_some() {
            let (since, until) =
                (filter.since_ms.unwrap_or(0), filter.until_ms.unwrap_or(i64::MAX));
            let at = since.max(0)..until.max(0);
            let Some(is_near) = times::condition(engine, &at)? else { return Ok(None) };
            if meant.way == Way::Back {
                meant.parts.push(is_near);
            }
            meant.and(at.start.into(), |cell| format!("toolmend_calls.at >= {cell}"));
            meant.and(at.end.into(), |cell| format!("toolmend_calls.at < {cell}"));
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

/// How many calls are of these kinds.
fn count(engine: &mut dyn Engine, kinds: &str) -> Result<i64, StoreError> {
    if kinds.is_empty() {
        return Ok(0);
    }
    let sql = format!(
        "SELECT CAST(SUM(count) AS BIGINT) FROM toolmend_counts
         WHERE width = {WIDEST} AND kind IN ({kinds})"
    );
    let row = engine.rows(&sql, &[])?.into_iter().next();
    Ok(row.map_or(0, |mut row| row.int()))
}
