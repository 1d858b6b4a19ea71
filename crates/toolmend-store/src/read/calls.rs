//! Calls, one after the other, and one of them in full.

use serde_json::Value;

use super::Reader;
use super::filter::{Filter, Meant};
use crate::engine::{Cell, Row};
use crate::kind::{CallKind, Kind};
use crate::record::{FaultRecord, Name, RepairRecord, Texts};
use crate::{StoreError, request};

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

/// All but what calls have in common is in their rows; that is in the word of their kind.
const COLUMNS: &str = "toolmend_calls.id, toolmend_calls.turn, toolmend_calls.at,
    toolmend_calls.old_channel, toolmend_calls.is_lossy, toolmend_calls.repairs,
    (SELECT word FROM toolmend_kinds WHERE toolmend_kinds.id = toolmend_calls.kind)";

impl CallRow {
    /// Reads a row, and what was done to the call.
    fn read(row: &mut Row) -> (Self, Vec<RepairRecord>) {
        let [id, turn, at_ms] = [row.int(), row.int(), row.int()];
        let (channel, is_lossy, repairs) = (row.text(), row.int() == 1, repairs(&row.text()));
        let kind = match Kind::read(&row.text()) {
            Some(Kind::Call(kind)) => kind,
            Some(Kind::Turn(_)) | None => CallKind::default(),
        };
        let own = Self {
            id,
            turn,
            at_ms,
            model: kind.model.into_owned(),
            api: kind.api.into_owned(),
            tool: kind.tool.map(Name::into_owned),
            outcome: kind.outcome.into_owned(),
            reason: kind.reason.map(Name::into_owned),
            channel: kind.channel.map_or(channel, Name::into_owned),
            dialect: kind.dialect.map(Name::into_owned),
            is_lossy,
            has_text: kind.has_text,
            rules: repairs.iter().map(|repair| repair.rule.clone().into_owned()).collect(),
        };
        (own, repairs)
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
            found.into_iter().map(|mut row| CallRow::read(&mut row).0).collect();
        let has_more = rows.len() > count;
        rows.truncate(count);
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
        Ok(found.into_iter().map(|mut row| CallRow::read(&mut row).0).collect())
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

    /// One call in full; `None` where there is none with this id.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn call(&mut self, id: i64) -> Result<Option<CallDetail>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS}, toolmend_calls.faults, first.finish, first.took_ms, first.spent_us,
            first.label, (SELECT word FROM toolmend_kinds WHERE toolmend_kinds.id = first.turn_kind),
            toolmend_texts.own, toolmend_texts.before, toolmend_texts.part
            FROM toolmend_calls JOIN toolmend_calls AS first ON first.id = toolmend_calls.turn
            LEFT JOIN toolmend_texts ON toolmend_texts.id = toolmend_calls.turn
            WHERE toolmend_calls.id = $1"
        );
        let Some(mut row) = self.engine.rows(&sql, &[Cell::Int(id)])?.into_iter().next() else {
            return Ok(None);
        };
        let (call, repairs) = CallRow::read(&mut row);
        let mut detail = CallDetail {
            // A turn has the id of its first call.
            index: usize::try_from(call.id - call.turn).unwrap_or(0),
            call,
            repairs,
            faults: faults(&row.text()),
            finish: row.optional(),
            took_ms: row.int(),
            spent_us: row.int(),
            label: row.optional(),
            ..CallDetail::default()
        };
        if let Some(Kind::Turn(kind)) = Kind::read(&row.text()) {
            (detail.is_broken, detail.asks) = (kind.is_broken, kind.asks);
            detail.finish = kind.finish.map(Name::into_owned).or(detail.finish);
            detail.label = kind.label.map(Name::into_owned).or(detail.label);
        }
        detail.texts = self.whole((&detail.call.model, detail.call.at_ms), &mut row)?;
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
            "SELECT first.id, first.at,
             (SELECT word FROM toolmend_kinds WHERE toolmend_kinds.id = first.turn_kind),
             toolmend_texts.own, toolmend_texts.before, toolmend_texts.part
             FROM toolmend_texts JOIN toolmend_calls AS first ON first.id = toolmend_texts.id
             WHERE first.id IN (SELECT turn FROM toolmend_calls {condition})
             AND first.id > {after} ORDER BY first.id LIMIT {count}"
        );
        let mut found = Vec::new();
        for mut row in self.engine.rows(&sql, meant.cells())? {
            let (turn, at_ms) = (row.int(), row.int());
            let model = match Kind::read(&row.text()) {
                Some(Kind::Turn(kind)) => kind.model,
                Some(Kind::Call(_)) | None => Name::default(),
            };
            found.extend(self.whole((&model, at_ms), &mut row)?.map(|texts| (turn, texts)));
        }
        Ok(found)
    }

    /// Reads the texts of a turn, whose model and time are known, and its request.
    fn whole(&mut self, of: (&str, i64), row: &mut Row) -> Result<Option<Value>, StoreError> {
        let (own, before, part) = (row.optional(), row.int(), row.optional());
        let Some(own) = own else { return Ok(None) };
        let mut parts = match before {
            0 => Vec::new(),
            last => request::parts(self.engine, last)?,
        };
        parts.extend(part);
        Ok(Texts::whole(&own, of, &parts))
    }
}

/// Reads `[["key-renamed", "/path", "likely"], …]`.
fn repairs(text: &str) -> Vec<RepairRecord> {
    let read: Vec<(String, String, String)> = serde_json::from_str(text).unwrap_or_default();
    let repair = |(rule, path, trust): (String, String, String)| RepairRecord {
        rule: rule.into(),
        path: path.into(),
        trust: trust.into(),
    };
    read.into_iter().map(repair).collect()
}

/// Reads `[["trailing-comma", 3, 4], …]`.
fn faults(text: &str) -> Vec<FaultRecord> {
    let read: Vec<(String, usize, usize)> = serde_json::from_str(text).unwrap_or_default();
    read.into_iter()
        .map(|(code, start, end)| FaultRecord { code: code.into(), start, end })
        .collect()
}
