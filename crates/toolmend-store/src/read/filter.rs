//! Which calls are meant.

use crate::engine::Cell;
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
    /// The condition on a table of calls, and its cells; all of them stand in the order of their
    /// numbers.
    pub(crate) fn sql(&self, table: &str) -> (String, Vec<Cell>) {
        let mut made = Conditions::default();
        made.add(self.since_ms.map(Cell::Int), |at| format!("{table}.at >= {at}"));
        made.add(self.until_ms.map(Cell::Int), |at| format!("{table}.at < {at}"));
        let text = |text: &Option<String>| text.as_deref().map(Cell::from);
        let words = [
            (text(&self.model), "model"),
            (text(&self.tool), "tool"),
            (self.fate.map(|fate| Cell::from(fate.as_str())), "outcome"),
            (text(&self.dialect), "dialect"),
            (text(&self.reason), "reason"),
            (text(&self.api), "api"),
        ];
        for (cell, column) in words {
            made.add(cell, |at| format!("{table}.{column} = {at}"));
        }
        made.add(text(&self.rule), |at| {
            format!("{table}.id IN (SELECT call FROM toolmend_repairs WHERE rule = {at})")
        });
        if self.has_text {
            made.parts.push(format!("{table}.has_text = 1"));
        }
        made.finish()
    }
}

/// Conditions that are being gathered.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    parts: Vec<String>,
    cells: Vec<Cell>,
}

impl Conditions {
    fn add(&mut self, cell: Option<Cell>, part: impl FnOnce(String) -> String) {
        if let Some(cell) = cell {
            self.cells.push(cell);
            self.parts.push(part(format!("${}", self.cells.len())));
        }
    }

    fn finish(self) -> (String, Vec<Cell>) {
        let condition = match self.parts.is_empty() {
            true => String::new(),
            false => format!("WHERE {}", self.parts.join(" AND ")),
        };
        (condition, self.cells)
    }
}

/// A condition with one more part, whose cell is the next one.
pub(super) fn and(condition: &str, part: &str) -> String {
    match condition.is_empty() {
        true => format!("WHERE {part}"),
        false => format!("{condition} AND {part}"),
    }
}
