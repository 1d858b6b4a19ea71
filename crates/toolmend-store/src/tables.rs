//! The tables, how they came to be, and how a turn gets into them.

use serde_json::json;

use crate::engine::{Cell, Engine, atomically};
use crate::record::{CallRecord, Texts, TurnRecord};
use crate::store::Committed;
use crate::{Redactor, StoreError};

/// What was made of nothing, step by step. A step that was released never changes; `{id}` is how an
/// engine declares a column that numbers its rows.
const MIGRATIONS: &[&str] = &["
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
"];

/// What rows take beside their texts, roughly: indexes included.
const TURN_BYTES: usize = 120;
const CALL_BYTES: usize = 320;
const REPAIR_BYTES: usize = 260;

/// Names are kept up to this length, in characters.
const NAME_MAX: usize = 200;

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
            let step = step.replace("{id}", engine.id_column());
            engine.batch(&step)?;
        }
        if done < MIGRATIONS.len() {
            engine.set_version(MIGRATIONS.len())?;
        }
        Ok(())
    })
}

/// Writes turns, all or none, and says what rows they have become.
pub(crate) fn write(
    engine: &mut dyn Engine,
    turns: &[TurnRecord],
    redactor: &Redactor,
) -> Result<Vec<Committed>, StoreError> {
    atomically(engine, |engine| {
        turns.iter().map(|turn| write_turn(engine, turn, redactor)).collect()
    })
}

fn write_turn(
    engine: &mut dyn Engine,
    turn: &TurnRecord,
    redactor: &Redactor,
) -> Result<Committed, StoreError> {
    let name = |text: &str| redactor.text(&cut(text));
    let optional = |text: &Option<String>| Cell::from(text.as_deref().map(name).as_deref());
    let (model, api) = (name(&turn.model), name(&turn.api));
    let body = turn.texts.as_ref().and_then(Texts::value).map(|mut texts| {
        redactor.value(&mut texts);
        texts.to_string()
    });
    let id = returned(engine.rows(
        "INSERT INTO toolmend_turns
         (at, model, api, finish, is_broken, took_ms, spent_us, asks, label, bytes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id",
        &[
            turn.at_ms.into(),
            model.as_str().into(),
            api.as_str().into(),
            optional(&turn.finish),
            turn.is_broken.into(),
            turn.took_ms.into(),
            turn.spent_us.into(),
            turn.asks.into(),
            optional(&turn.label),
            i64::try_from(size(turn, body.as_deref())).unwrap_or(i64::MAX).into(),
        ],
    )?);
    if let Some(body) = &body {
        let cells = [id.into(), body.as_str().into()];
        engine.run("INSERT INTO toolmend_texts (turn, body) VALUES ($1, $2)", &cells)?;
    }
    let mut calls = Vec::new();
    for call in &turn.calls {
        let row = CallPlace { turn, id, model: &model, api: &api, has_text: body.is_some() };
        calls.push(write_call(engine, &row, call, &name)?);
    }
    Ok(Committed { turn: id, calls })
}

/// What a call has from its turn.
struct CallPlace<'t> {
    turn: &'t TurnRecord,
    id: i64,
    model: &'t str,
    api: &'t str,
    has_text: bool,
}

fn write_call(
    engine: &mut dyn Engine,
    place: &CallPlace<'_>,
    call: &CallRecord,
    name: &impl Fn(&str) -> String,
) -> Result<i64, StoreError> {
    let optional = |text: &Option<String>| Cell::from(text.as_deref().map(name).as_deref());
    let faults = call.faults.iter().map(|fault| json!([fault.code, fault.start, fault.end]));
    let faults = serde_json::Value::Array(faults.collect()).to_string();
    let id = returned(engine.rows(
        "INSERT INTO toolmend_calls (turn, at, model, api, tool, outcome, reason, channel, dialect,
         is_lossy, has_text, faults)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id",
        &[
            place.id.into(),
            place.turn.at_ms.into(),
            place.model.into(),
            place.api.into(),
            optional(&call.tool),
            call.fate.as_str().into(),
            optional(&call.reason),
            name(&call.channel).as_str().into(),
            optional(&call.dialect),
            call.is_lossy.into(),
            place.has_text.into(),
            Some(faults.as_str()).filter(|_| !call.faults.is_empty()).into(),
        ],
    )?);
    for repair in &call.repairs {
        engine.run(
            "INSERT INTO toolmend_repairs (call, turn, at, model, rule, path, trust)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            &[
                id.into(),
                place.id.into(),
                place.turn.at_ms.into(),
                place.model.into(),
                name(&repair.rule).as_str().into(),
                name(&repair.path).as_str().into(),
                name(&repair.trust).as_str().into(),
            ],
        )?;
    }
    Ok(id)
}

fn returned(rows: Vec<crate::engine::Row>) -> i64 {
    rows.into_iter().next().map_or(0, |mut row| row.int())
}

fn cut(text: &str) -> String {
    text.chars().take(NAME_MAX).collect()
}

fn size(turn: &TurnRecord, body: Option<&str>) -> usize {
    let repairs: usize = turn.calls.iter().map(|call| call.repairs.len()).sum();
    TURN_BYTES
        + CALL_BYTES * turn.calls.len()
        + REPAIR_BYTES * repairs
        + body.map_or(0, |body| body.len() + body.len() / 8)
}
