//! Packs rows that were written when each told all of itself.

use std::collections::HashMap;

use crate::StoreError;
use crate::batch::list;
use crate::counts::Added;
use crate::engine::{Cell, Engine, Row, Target, Type};
use crate::kind::{self, CallKind, Kind, distinct};
use crate::record::{Name, TurnRecord};

/// So many turns are packed at a time.
const PORTION: usize = 2000;

/// Turns as they are kept after this step.
const TURNS: Target = Target {
    table: "toolmend_turns",
    columns: &[
        ("id", Type::Int),
        ("at", Type::Int),
        ("kind", Type::Int),
        ("finish", Type::Text),
        ("took_ms", Type::Int),
        ("spent_us", Type::Int),
        ("label", Type::Text),
        ("bytes", Type::Int),
    ],
    tail: "",
};

/// The same of calls.
const CALLS: Target = Target {
    table: "toolmend_calls",
    columns: &[
        ("id", Type::Int),
        ("turn", Type::Int),
        ("at", Type::Int),
        ("kind", Type::Int),
        ("channel", Type::Text),
        ("is_lossy", Type::Int),
        ("repairs", Type::Text),
        ("faults", Type::Text),
    ],
    tail: "",
};

/// The same of texts.
const TEXTS: Target = Target {
    table: "toolmend_texts",
    columns: &[("turn", Type::Int), ("tools", Type::Int), ("body", Type::Text)],
    tail: "",
};

/// A rule, where, and how sure.
type Repair = (String, String, String);

/// Packs all rows. Those that were written before counts were kept are counted.
pub(super) fn pack(engine: &mut dyn Engine) -> Result<(), StoreError> {
    let (mut last, mut next, mut added) = (0, 1, Added::default());
    loop {
        let sql = format!(
            "SELECT id, at, model, api, finish, is_broken, took_ms, spent_us, asks, label, bytes, kind
             FROM toolmend_old_turns WHERE id > $1 ORDER BY id LIMIT {PORTION}"
        );
        let turns = engine.rows(&sql, &[last.into()])?;
        let turns: Vec<OldTurn> = turns.into_iter().map(OldTurn::read).collect();
        let Some(until) = turns.last().map(|turn| turn.id) else { break };
        let mut packed = Packed { added, next, ..Packed::default() };
        let mut calls = calls(engine, last, until)?;
        let mut texts = texts(engine, last, until)?;
        for turn in turns {
            let calls = calls.remove(&turn.id).unwrap_or_default();
            let text = texts.remove(&turn.id);
            packed.add(engine, turn, calls, text)?;
        }
        engine.insert(&TURNS, &packed.turns)?;
        engine.insert(&CALLS, &packed.calls)?;
        engine.insert(&TEXTS, &packed.texts)?;
        (last, next, added) = (until, packed.next, packed.added);
    }
    added.write(engine)?;
    engine.run("UPDATE toolmend_numbers SET next = $1", &[next.into()])?;
    for table in ["turns", "calls", "texts"] {
        engine.batch(&format!("DROP TABLE toolmend_old_{table}"))?;
    }
    engine.batch("DROP TABLE toolmend_repairs")
}

/// A turn as it was kept. Its kind is 0 where it is not counted.
struct OldTurn {
    id: i64,
    turn: TurnRecord,
    bytes: i64,
    kind: i64,
}

impl OldTurn {
    fn read(mut row: Row) -> Self {
        Self {
            id: row.int(),
            turn: TurnRecord {
                at_ms: row.int(),
                model: row.name(),
                api: row.name(),
                finish: row.optional().map(Name::from),
                is_broken: row.int() == 1,
                took_ms: row.int(),
                spent_us: row.int(),
                asks: row.int(),
                label: row.optional().map(Name::from),
                ..TurnRecord::default()
            },
            bytes: row.int(),
            kind: row.int(),
        }
    }
}

/// A call as it was kept.
struct OldCall {
    id: i64,
    kind: CallKind,
    channel: String,
    is_lossy: bool,
    faults: Option<String>,
    kind_id: i64,
    repairs: Vec<Repair>,
}

/// The rows of a portion, cell behind cell.
#[derive(Default)]
struct Packed {
    turns: Vec<Cell<'static>>,
    calls: Vec<Cell<'static>>,
    texts: Vec<Cell<'static>>,
    added: Added,
    /// The next free number. Several writers may have numbered the calls of their turns in turn; then
    /// some get another number.
    next: i64,
}

impl Packed {
    fn add(
        &mut self,
        engine: &mut dyn Engine,
        OldTurn { turn, bytes, kind, .. }: OldTurn,
        calls: Vec<OldCall>,
        text: Option<String>,
    ) -> Result<(), StoreError> {
        let at_ms = turn.at_ms;
        let kind = self.count(engine, kind, at_ms, || Kind::Turn(turn.kind()))?;
        let Some(first) = calls.first() else { return Ok(()) };
        let id = self.next.max(first.id);
        self.next = id;
        for call in calls {
            let kind = self.count(engine, call.kind_id, at_ms, || Kind::Call(call.kind))?;
            self.calls.extend([
                self.next.into(),
                id.into(),
                at_ms.into(),
                kind.into(),
                Cell::Text(call.channel.into()),
                call.is_lossy.into(),
                list(&call.repairs, serde_json::to_string),
                call.faults.map_or(Cell::Null, |faults| Cell::Text(faults.into())),
            ]);
            self.next += 1;
        }
        let name = |name: Option<Name>| name.map_or(Cell::Null, Cell::Text);
        self.turns.extend([
            id.into(),
            at_ms.into(),
            kind.into(),
            name(turn.finish),
            turn.took_ms.into(),
            turn.spent_us.into(),
            name(turn.label),
            bytes.into(),
        ]);
        if let Some(text) = text {
            self.texts.extend([id.into(), Cell::Null, Cell::Text(text.into())]);
        }
        Ok(())
    }

    /// The kind that it is counted as; it is counted now where it is not yet.
    fn count(
        &mut self,
        engine: &mut dyn Engine,
        id: i64,
        at_ms: i64,
        kind: impl FnOnce() -> Kind,
    ) -> Result<i64, StoreError> {
        if id != 0 {
            return Ok(id);
        }
        let id = kind::id(engine, &kind())?;
        self.added.add(id, at_ms);
        Ok(id)
    }
}

/// The calls of turns behind one, up to another.
fn calls(
    engine: &mut dyn Engine,
    after: i64,
    until: i64,
) -> Result<HashMap<i64, Vec<OldCall>>, StoreError> {
    let range = [after.into(), until.into()];
    let sql = "SELECT call, rule, path, trust FROM toolmend_repairs WHERE turn > $1 AND turn <= $2";
    let mut repairs: HashMap<i64, Vec<Repair>> = HashMap::new();
    for mut row in engine.rows(sql, &range)? {
        let call = row.int();
        repairs.entry(call).or_default().push((row.text(), row.text(), row.text()));
    }
    let sql =
        "SELECT turn, id, model, api, tool, outcome, reason, channel, dialect, is_lossy, has_text,
               faults, kind FROM toolmend_old_calls WHERE turn > $1 AND turn <= $2 ORDER BY id";
    let mut calls: HashMap<i64, Vec<OldCall>> = HashMap::new();
    for mut row in engine.rows(sql, &range)? {
        let (turn, id) = (row.int(), row.int());
        let repairs = repairs.remove(&id).unwrap_or_default();
        calls.entry(turn).or_default().push(OldCall::read(id, repairs, &mut row));
    }
    Ok(calls)
}

impl OldCall {
    fn read(id: i64, repairs: Vec<Repair>, row: &mut Row) -> Self {
        let optional = |row: &mut Row| row.optional().map(Name::from);
        let mut kind = CallKind {
            model: row.name(),
            api: row.name(),
            tool: optional(row),
            outcome: row.name(),
            reason: optional(row),
            rules: distinct(repairs.iter().map(|(rule, ..)| rule.clone().into())),
            ..CallKind::default()
        };
        let channel = row.text();
        kind.dialect = optional(row);
        let is_lossy = row.int() == 1;
        kind.has_text = row.int() == 1;
        let faults = row.optional();
        Self { id, kind, channel, is_lossy, faults, kind_id: row.int(), repairs }
    }
}

/// The texts of turns behind one, up to another.
fn texts(
    engine: &mut dyn Engine,
    after: i64,
    until: i64,
) -> Result<HashMap<i64, String>, StoreError> {
    let sql = "SELECT turn, body FROM toolmend_old_texts WHERE turn > $1 AND turn <= $2";
    let rows = engine.rows(sql, &[after.into(), until.into()])?;
    Ok(rows.into_iter().map(|mut row| (row.int(), row.text())).collect())
}
