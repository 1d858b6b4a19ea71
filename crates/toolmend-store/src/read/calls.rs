//! Calls, one after the other, and one of them in full.

use serde_json::Value;

use super::Reader;
use super::filter::{Filter, Meant};
use crate::StoreError;
use crate::engine::{Cell, Row};
use crate::kind::{CallKind, distinct};
use crate::record::{FaultRecord, Name, RepairRecord};

/// A call as a list shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallRow {
    /// Its id; later calls have larger ones.
    pub id: i64,
    /// The id of its turn.
    pub turn: i64,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// The model.
    pub model: String,
    /// The API.
    pub api: String,
    /// The tool, where it is one that was offered.
    pub tool: Option<String>,
    /// `untouched`, `mended`, `refused`, `suppressed`, `left`.
    pub outcome: String,
    /// Why it was not delivered.
    pub reason: Option<String>,
    /// Where it stood.
    pub channel: String,
    /// The dialect that it was written in.
    pub dialect: Option<String>,
    /// Whether something of it may be missing.
    pub is_lossy: bool,
    /// Whether its texts are kept.
    pub has_text: bool,
    /// The rules that repaired it, in order.
    pub rules: Vec<String>,
}

/// Some calls, the latest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The calls.
    pub rows: Vec<CallRow>,
    /// What to ask for next: calls before this id. `None` at the end.
    pub next: Option<i64>,
}

/// One call in full.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallDetail {
    /// What a list shows.
    pub call: CallRow,
    /// Which call of its turn it is, from 0.
    pub index: usize,
    /// What was done to it.
    pub repairs: Vec<RepairRecord>,
    /// What was wrong with its text.
    pub faults: Vec<FaultRecord>,
    /// The finish reason of the server.
    pub finish: Option<String>,
    /// Whether the reply broke off.
    pub is_broken: bool,
    /// How long the reply took, in milliseconds.
    pub took_ms: i64,
    /// How long it was worked on, in microseconds.
    pub spent_us: i64,
    /// How often the model was asked again.
    pub asks: i64,
    /// How the turn came to be what was delivered.
    pub label: Option<String>,
    /// The texts of its turn: `in` and `out`.
    pub texts: Option<Value>,
}

const COLUMNS: &str = "toolmend_calls.id, toolmend_calls.turn, toolmend_calls.at,
    toolmend_calls.model, toolmend_calls.api, toolmend_calls.tool, toolmend_calls.outcome,
    toolmend_calls.reason, toolmend_calls.channel, toolmend_calls.dialect,
    toolmend_calls.is_lossy, toolmend_calls.has_text";

impl CallRow {
    fn read(row: &mut Row) -> Self {
        Self {
            id: row.int(),
            turn: row.int(),
            at_ms: row.int(),
            model: row.text(),
            api: row.text(),
            tool: row.optional(),
            outcome: row.text(),
            reason: row.optional(),
            channel: row.text(),
            dialect: row.optional(),
            is_lossy: row.int() == 1,
            has_text: row.int() == 1,
            rules: Vec::new(),
        }
    }

    /// The kind that it is counted as.
    pub(crate) fn kind(&self) -> CallKind {
        CallKind {
            model: self.model.clone().into(),
            api: self.api.clone().into(),
            tool: self.tool.clone().map(Name::from),
            outcome: self.outcome.clone().into(),
            reason: self.reason.clone().map(Name::from),
            dialect: self.dialect.clone().map(Name::from),
            has_text: self.has_text,
            rules: distinct(self.rules.iter().map(|rule| rule.clone().into())),
        }
    }
}

impl Reader<'_> {
    /// Calls that fit, the latest first: at most `count` of those before the id `before`.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn calls(
        &mut self,
        filter: &Filter,
        before: Option<i64>,
        count: usize,
    ) -> Result<Page, StoreError> {
        let Some(mut meant) = Meant::of(filter, self.engine)? else {
            return Ok(Page::default());
        };
        if let Some(before) = before {
            meant.and(before.into(), |cell| format!("toolmend_calls.id < {cell}"));
        }
        // One more than is wanted tells whether there are more.
        let limit = count.saturating_add(1);
        let sql = format!(
            "SELECT {COLUMNS} FROM toolmend_calls {} ORDER BY {} DESC LIMIT {limit}",
            meant.condition(),
            meant.order()
        );
        let found = self.engine.rows(&sql, meant.cells())?;
        let mut rows: Vec<CallRow> =
            found.into_iter().map(|mut row| CallRow::read(&mut row)).collect();
        let has_more = rows.len() > count;
        rows.truncate(count);
        self.add_rules(&mut rows)?;
        let next = rows.last().map(|row| row.id).filter(|_| has_more);
        Ok(Page { rows, next })
    }

    /// Calls that fit, the earliest first: at most `count` of those behind the id `after`.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn newer(
        &mut self,
        filter: &Filter,
        after: i64,
        count: usize,
    ) -> Result<Vec<CallRow>, StoreError> {
        let Some(mut meant) = Meant::of(filter, self.engine)? else { return Ok(Vec::new()) };
        meant.and(after.into(), |cell| format!("toolmend_calls.id > {cell}"));
        let sql = format!(
            "SELECT {COLUMNS} FROM toolmend_calls {} ORDER BY toolmend_calls.id LIMIT {count}",
            meant.condition()
        );
        let found = self.engine.rows(&sql, meant.cells())?;
        let mut rows: Vec<CallRow> =
            found.into_iter().map(|mut row| CallRow::read(&mut row)).collect();
        rows.reverse();
        self.add_rules(&mut rows)?;
        rows.reverse();
        Ok(rows)
    }

    /// The id of the latest call; 0 where there is none.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn latest(&mut self) -> Result<i64, StoreError> {
        let rows = self.engine.rows("SELECT MAX(id) FROM toolmend_calls", &[])?;
        Ok(rows.into_iter().next().map_or(0, |mut row| row.int()))
    }

    fn add_rules(&mut self, rows: &mut [CallRow]) -> Result<(), StoreError> {
        let (Some(first), Some(last)) = (rows.last(), rows.first()) else { return Ok(()) };
        let (first, last) = (first.id, last.id);
        let wide = usize::try_from(last - first).unwrap_or(usize::MAX) > rows.len() * 4;
        let sql = match wide {
            // A filter leaves few of many: ask for those alone. Ids are numbers, so they can stand
            // in the statement.
            true => {
                let ids: Vec<String> = rows.iter().map(|row| row.id.to_string()).collect();
                format!("SELECT call, rule FROM toolmend_repairs WHERE call IN ({})", ids.join(","))
            }
            false => format!(
                "SELECT call, rule FROM toolmend_repairs WHERE call BETWEEN {first} AND {last}"
            ),
        };
        for mut found in self.engine.rows(&sql, &[])? {
            let (call, rule) = (found.int(), found.text());
            // The rows stand in descending order of their ids.
            if let Ok(at) = rows.binary_search_by(|row| call.cmp(&row.id))
                && let Some(row) = rows.get_mut(at)
            {
                row.rules.push(rule);
            }
        }
        Ok(())
    }

    /// One call in full; `None` where there is none with this id.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn call(&mut self, id: i64) -> Result<Option<CallDetail>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, toolmend_calls.faults, toolmend_turns.finish,
            toolmend_turns.is_broken, toolmend_turns.took_ms, toolmend_turns.spent_us,
            toolmend_turns.asks, toolmend_turns.label, toolmend_texts.body
            FROM toolmend_calls JOIN toolmend_turns ON toolmend_turns.id = toolmend_calls.turn
            LEFT JOIN toolmend_texts ON toolmend_texts.turn = toolmend_calls.turn
            WHERE toolmend_calls.id = $1"
        );
        let Some(mut row) = self.engine.rows(&sql, &[Cell::Int(id)])?.into_iter().next() else {
            return Ok(None);
        };
        let mut call = CallRow::read(&mut row);
        let mut detail = CallDetail {
            faults: faults(&row.text()),
            finish: row.optional(),
            is_broken: row.int() == 1,
            took_ms: row.int(),
            spent_us: row.int(),
            asks: row.int(),
            label: row.optional(),
            texts: row.optional().and_then(|body| serde_json::from_str(&body).ok()),
            ..CallDetail::default()
        };
        let sql = "SELECT rule, path, trust FROM toolmend_repairs WHERE call = $1";
        let repairs = self.engine.rows(sql, &[Cell::Int(id)])?;
        let repair =
            |mut row: Row| RepairRecord { rule: row.name(), path: row.name(), trust: row.name() };
        detail.repairs = repairs.into_iter().map(repair).collect();
        call.rules = detail.repairs.iter().map(|repair| repair.rule.clone().into_owned()).collect();
        let sql = "SELECT COUNT(*) FROM toolmend_calls WHERE turn = $1 AND id < $2";
        let before = self.engine.rows(sql, &[Cell::Int(call.turn), Cell::Int(id)])?;
        let before = before.into_iter().next().map_or(0, |mut row| row.int());
        detail.index = usize::try_from(before).unwrap_or(0);
        detail.call = call;
        Ok(Some(detail))
    }

    /// The texts of turns that fit, oldest first, with the ids of the turns; those behind the turn
    /// `after`, at most `count`.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn texts(
        &mut self,
        filter: &Filter,
        after: i64,
        count: usize,
    ) -> Result<Vec<(i64, Value)>, StoreError> {
        let Some(mut meant) = Meant::of(filter, self.engine)? else { return Ok(Vec::new()) };
        let condition = meant.condition();
        let after = meant.cell(after.into());
        let sql = format!(
            "SELECT toolmend_texts.turn, toolmend_texts.body FROM toolmend_texts
             WHERE toolmend_texts.turn IN (SELECT turn FROM toolmend_calls {condition})
             AND toolmend_texts.turn > {after} ORDER BY toolmend_texts.turn LIMIT {count}"
        );
        let rows = self.engine.rows(&sql, meant.cells())?.into_iter();
        let read = |mut row: Row| {
            let turn = row.int();
            Some((turn, serde_json::from_str(&row.text()).ok()?))
        };
        Ok(rows.filter_map(read).collect())
    }
}

/// Reads `[["trailing-comma", 3, 4], …]`.
fn faults(text: &str) -> Vec<FaultRecord> {
    let read: Vec<(String, usize, usize)> = serde_json::from_str(text).unwrap_or_default();
    read.into_iter()
        .map(|(code, start, end)| FaultRecord { code: code.into(), start, end })
        .collect()
}
