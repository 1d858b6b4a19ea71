//! The tables, how they came to be, and how a turn gets into them.

use serde_json::json;

use crate::counts::Added;
use crate::engine::{Engine, atomically};
use crate::kind::{Kind, Kinds};
use crate::read::{Filter, Reader};
use crate::record::{CallRecord, Name, TurnRecord};
use crate::store::Committed;
use crate::{Redactor, StoreError};

/// What was made of nothing, step by step. A step that was released never changes. `{id}` is how an
/// engine declares a column that numbers its rows, `{packed}` how one says that a table is stored in
/// the order of its key.
const MIGRATIONS: &[Step] =
    &[Step { sql: CALLS, fill: None }, Step { sql: COUNTS, fill: Some(count_all) }];

/// One step: statements, and what statements cannot do.
struct Step {
    sql: &'static str,
    fill: Option<Fill>,
}

type Fill = fn(&mut dyn Engine) -> Result<(), StoreError>;

const CALLS: &str = "
CREATE TABLE toolmend_turns (
  id {id}, at BIGINT NOT NULL, model TEXT NOT NULL, api TEXT NOT NULL, finish TEXT,
  is_broken BIGINT NOT NULL, took_ms BIGINT NOT NULL, spent_us BIGINT NOT NULL,
  asks BIGINT NOT NULL, label TEXT, bytes BIGINT NOT NULL);
CREATE TABLE toolmend_calls (
  id {id}, turn BIGINT NOT NULL, at BIGINT NOT NULL, model TEXT NOT NULL, api TEXT NOT NULL,
  tool TEXT, outcome TEXT NOT NULL, reason TEXT, channel TEXT NOT NULL, dialect TEXT,
  is_lossy BIGINT NOT NULL, has_text BIGINT NOT NULL, faults TEXT);
CREATE TABLE toolmend_repairs (
  call BIGINT NOT NULL, turn BIGINT NOT NULL, at BIGINT NOT NULL, model TEXT NOT NULL,
  rule TEXT NOT NULL, path TEXT NOT NULL, trust TEXT NOT NULL);
CREATE TABLE toolmend_texts (turn BIGINT PRIMARY KEY, body TEXT NOT NULL);
CREATE INDEX toolmend_turns_at ON toolmend_turns (at);
CREATE INDEX toolmend_calls_turn ON toolmend_calls (turn);
CREATE INDEX toolmend_calls_seen ON toolmend_calls (at, model, outcome);
CREATE INDEX toolmend_calls_outcome ON toolmend_calls (outcome, id);
CREATE INDEX toolmend_calls_model ON toolmend_calls (model, id);
CREATE INDEX toolmend_repairs_call ON toolmend_repairs (call);
CREATE INDEX toolmend_repairs_turn ON toolmend_repairs (turn);
CREATE INDEX toolmend_repairs_rule ON toolmend_repairs (rule, call);
CREATE INDEX toolmend_repairs_seen ON toolmend_repairs (at, rule);
";

/// Counts answer what these indexes were for.
const COUNTS: &str = "
CREATE TABLE toolmend_kinds (id {id}, word TEXT NOT NULL UNIQUE);
CREATE TABLE toolmend_counts (
  width BIGINT NOT NULL, at BIGINT NOT NULL, kind BIGINT NOT NULL REFERENCES toolmend_kinds (id),
  count BIGINT NOT NULL, PRIMARY KEY (width, at, kind)) {packed};
ALTER TABLE toolmend_turns ADD COLUMN kind BIGINT NOT NULL DEFAULT 0;
ALTER TABLE toolmend_calls ADD COLUMN kind BIGINT NOT NULL DEFAULT 0;
DROP INDEX toolmend_calls_seen;
DROP INDEX toolmend_calls_outcome;
DROP INDEX toolmend_calls_model;
DROP INDEX toolmend_repairs_rule;
DROP INDEX toolmend_repairs_seen;
CREATE INDEX toolmend_calls_at ON toolmend_calls (at, kind);
CREATE INDEX toolmend_calls_kind ON toolmend_calls (kind, id);
";

/// What rows take beside their texts, roughly: indexes included.
const TURN_BYTES: usize = 120;
const CALL_BYTES: usize = 320;
const REPAIR_BYTES: usize = 260;

/// Names and paths are kept up to this length, in characters. The word of a kind is made of a few
/// names, and PostgreSQL's indexes take some 2,700 bytes.
const NAME_MAX: usize = 120;

/// So many rows are counted at a time.
const PORTION: usize = 5000;

/// Brings the tables to where this version wants them.
pub(crate) fn migrate(engine: &mut dyn Engine) -> Result<(), StoreError> {
    atomically(engine, |engine| {
        engine.lock()?;
        let done = engine.version()?;
        if done > MIGRATIONS.len() {
            let message = "the store was written by a newer version of toolmend";
            return Err(StoreError::new(message));
        }
        for step in MIGRATIONS.iter().skip(done) {
            let sql = step.sql.replace("{id}", engine.id_column());
            engine.batch(&sql.replace("{packed}", engine.packed()))?;
            step.fill.map_or(Ok(()), |fill| fill(engine))?;
        }
        if done < MIGRATIONS.len() {
            engine.set_version(MIGRATIONS.len())?;
        }
        Ok(())
    })
}

/// Counts what was written before counts were kept.
fn count_all(engine: &mut dyn Engine) -> Result<(), StoreError> {
    let (mut kinds, mut added) = (Kinds::default(), Added::default());
    let mut last = 0;
    loop {
        let rows = Reader::new(engine).newer(&Filter::default(), last, PORTION)?;
        let Some(row) = rows.last() else { break };
        last = row.id;
        for row in &rows {
            let kind = kinds.id(engine, Kind::Call(row.kind()))?;
            let cells = [kind.into(), row.id.into()];
            engine.run("UPDATE toolmend_calls SET kind = $1 WHERE id = $2", &cells)?;
            added.add(kind, row.at_ms);
        }
    }
    last = 0;
    loop {
        let sql = format!(
            "SELECT id, at, model, api, is_broken, asks, label, spent_us FROM toolmend_turns
             WHERE id > $1 ORDER BY id LIMIT {PORTION}"
        );
        let rows = engine.rows(&sql, &[last.into()])?;
        if rows.is_empty() {
            return added.write(engine);
        }
        for mut row in rows {
            last = row.int();
            let turn = TurnRecord {
                at_ms: row.int(),
                model: row.name(),
                api: row.name(),
                is_broken: row.int() == 1,
                asks: row.int(),
                label: row.optional().map(Name::from),
                spent_us: row.int(),
                ..TurnRecord::default()
            };
            let kind = kinds.id(engine, Kind::Turn(turn.kind()))?;
            let cells = [kind.into(), last.into()];
            engine.run("UPDATE toolmend_turns SET kind = $1 WHERE id = $2", &cells)?;
            added.add(kind, turn.at_ms);
        }
    }
}

/// A turn as it is written: its names are cut and blanked, its texts put together.
struct Ready<'t> {
    turn: &'t TurnRecord,
    body: Option<String>,
    kind: i64,
    call_kinds: Vec<i64>,
}

/// Writes turns, all or none, and says what rows they have become. A turn without calls is counted,
/// and is no row.
pub(crate) fn write(
    engine: &mut dyn Engine,
    turns: &mut [TurnRecord],
    redactor: &Redactor,
    kinds: &mut Kinds,
) -> Result<Vec<Committed>, StoreError> {
    let ready = turns.iter_mut().map(|turn| ready(engine, turn, redactor, kinds));
    let ready: Vec<Ready<'_>> = ready.collect::<Result<_, _>>()?;
    let mut added = Added::default();
    for ready in &ready {
        for kind in std::iter::once(&ready.kind).chain(&ready.call_kinds) {
            added.add(*kind, ready.turn.at_ms);
        }
    }
    atomically(engine, |engine| {
        let with_calls = ready.iter().filter(|ready| !ready.turn.calls.is_empty());
        let committed = with_calls.map(|ready| write_turn(engine, ready));
        let committed = committed.collect::<Result<_, _>>()?;
        added.write(engine)?;
        Ok(committed)
    })
}

fn ready<'t>(
    engine: &mut dyn Engine,
    turn: &'t mut TurnRecord,
    redactor: &Redactor,
    kinds: &mut Kinds,
) -> Result<Ready<'t>, StoreError> {
    let body = turn.texts.as_ref().and_then(|texts| texts.body(redactor));
    turn.each_name(|name| {
        cut(name);
        redactor.name(name);
    });
    let kind = kinds.id(engine, Kind::Turn(turn.kind()))?;
    let call_kinds = turn.calls.iter().map(|call| {
        let kind = turn.call_kind(call, body.is_some());
        kinds.id(engine, Kind::Call(kind))
    });
    let call_kinds = call_kinds.collect::<Result<_, _>>()?;
    Ok(Ready { turn, body, kind, call_kinds })
}

fn write_turn(engine: &mut dyn Engine, ready: &Ready<'_>) -> Result<Committed, StoreError> {
    let Ready { turn, body, .. } = ready;
    let id = engine.insert(
        "INSERT INTO toolmend_turns
         (at, model, api, finish, is_broken, took_ms, spent_us, asks, label, bytes, kind)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        &[
            turn.at_ms.into(),
            turn.model.as_ref().into(),
            turn.api.as_ref().into(),
            turn.finish.as_deref().into(),
            turn.is_broken.into(),
            turn.took_ms.into(),
            turn.spent_us.into(),
            turn.asks.into(),
            turn.label.as_deref().into(),
            i64::try_from(size(turn, body.as_deref())).unwrap_or(i64::MAX).into(),
            ready.kind.into(),
        ],
    )?;
    if let Some(body) = body {
        let cells = [id.into(), body.as_str().into()];
        engine.run("INSERT INTO toolmend_texts (turn, body) VALUES ($1, $2)", &cells)?;
    }
    let calls = turn.calls.iter().zip(&ready.call_kinds);
    let calls = calls.map(|(call, kind)| write_call(engine, ready, id, (call, *kind)));
    Ok(Committed { turn: id, calls: calls.collect::<Result<_, _>>()? })
}

fn write_call(
    engine: &mut dyn Engine,
    Ready { turn, body, .. }: &Ready<'_>,
    turn_id: i64,
    (call, kind): (&CallRecord, i64),
) -> Result<i64, StoreError> {
    let faults = call.faults.iter().map(|fault| json!([fault.code, fault.start, fault.end]));
    let faults: Vec<serde_json::Value> = faults.collect();
    let faults = (!faults.is_empty()).then(|| json!(faults).to_string());
    let id = engine.insert(
        "INSERT INTO toolmend_calls (turn, at, model, api, tool, outcome, reason, channel, dialect,
         is_lossy, has_text, faults, kind)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        &[
            turn_id.into(),
            turn.at_ms.into(),
            turn.model.as_ref().into(),
            turn.api.as_ref().into(),
            call.tool.as_deref().into(),
            call.fate.as_str().into(),
            call.reason.as_deref().into(),
            call.channel.as_ref().into(),
            call.dialect.as_deref().into(),
            call.is_lossy.into(),
            body.is_some().into(),
            faults.as_deref().into(),
            kind.into(),
        ],
    )?;
    for repair in &call.repairs {
        engine.run(
            "INSERT INTO toolmend_repairs (call, turn, at, model, rule, path, trust)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            &[
                id.into(),
                turn_id.into(),
                turn.at_ms.into(),
                turn.model.as_ref().into(),
                repair.rule.as_ref().into(),
                repair.path.as_ref().into(),
                repair.trust.as_ref().into(),
            ],
        )?;
    }
    Ok(id)
}

fn cut(name: &mut Name) {
    if name.len() > NAME_MAX
        && let Some((at, _)) = name.char_indices().nth(NAME_MAX)
    {
        name.to_mut().truncate(at);
    }
}

fn size(turn: &TurnRecord, body: Option<&str>) -> usize {
    let repairs: usize = turn.calls.iter().map(|call| call.repairs.len()).sum();
    TURN_BYTES
        + CALL_BYTES * turn.calls.len()
        + REPAIR_BYTES * repairs
        + body.map_or(0, |body| body.len() + body.len() / 8)
}
