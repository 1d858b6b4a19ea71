//! The tables, and how they came to be.

mod pack;

use crate::StoreError;
use crate::engine::{Engine, atomically};

/// What was made of nothing, step by step. A step that was released never changes. `{id}` is how an
/// engine declares a column that numbers its rows, `{key}` one that holds the number of a row, `{packed}`
/// how one says that a table is stored in the order of its key.
const MIGRATIONS: &[Step] = &[
    Step { sql: CALLS, fill: None },
    Step { sql: COUNTS, fill: None },
    Step { sql: PACKED, fill: Some(pack::pack) },
    Step { sql: REQUESTS, fill: None },
    Step { sql: TEXTS, fill: None },
    Step { sql: TURNS, fill: None },
    Step { sql: MINUTES, fill: None },
];

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

/// What calls or turns have in common is in their kind, what was done to a call in its row, and tools
/// are kept once. A turn has the id of its first call and its other calls follow, so that its calls are
/// found without an index.
const PACKED: &str = "
DROP INDEX toolmend_turns_at;
DROP INDEX toolmend_calls_turn;
DROP INDEX toolmend_calls_at;
DROP INDEX toolmend_calls_kind;
ALTER TABLE toolmend_turns RENAME TO toolmend_old_turns;
ALTER TABLE toolmend_calls RENAME TO toolmend_old_calls;
ALTER TABLE toolmend_texts RENAME TO toolmend_old_texts;
CREATE TABLE toolmend_numbers (next BIGINT NOT NULL);
INSERT INTO toolmend_numbers VALUES (1);
CREATE TABLE toolmend_turns (
  id {key}, at BIGINT NOT NULL, kind BIGINT NOT NULL, finish TEXT, took_ms BIGINT NOT NULL,
  spent_us BIGINT NOT NULL, label TEXT, bytes BIGINT NOT NULL);
CREATE TABLE toolmend_calls (
  id {key}, turn BIGINT NOT NULL, at BIGINT NOT NULL, kind BIGINT NOT NULL,
  channel TEXT NOT NULL, is_lossy BIGINT NOT NULL, repairs TEXT, faults TEXT);
CREATE TABLE toolmend_tools (id {key}, body TEXT NOT NULL);
CREATE TABLE toolmend_texts (
  turn {key}, tools BIGINT REFERENCES toolmend_tools (id), body TEXT NOT NULL);
CREATE INDEX toolmend_calls_at ON toolmend_calls (at, kind);
CREATE INDEX toolmend_calls_kind ON toolmend_calls (kind, id);
CREATE INDEX toolmend_texts_tools ON toolmend_texts (tools);
";

/// Messages follow the tools that they were sent with, each part the one before. The messages of turns
/// that are there already stay in their texts.
const REQUESTS: &str = "
DROP INDEX toolmend_texts_tools;
ALTER TABLE toolmend_tools RENAME TO toolmend_requests;
ALTER TABLE toolmend_requests ADD COLUMN before BIGINT REFERENCES toolmend_requests (id);
ALTER TABLE toolmend_requests ADD COLUMN bytes BIGINT;
ALTER TABLE toolmend_texts RENAME COLUMN tools TO request;
CREATE INDEX toolmend_texts_request ON toolmend_texts (request);
CREATE INDEX toolmend_requests_before ON toolmend_requests (before);
";

/// The last part of what a turn was asked with stands in the row of its texts. Rows of requests get other
/// numbers, since turns may have theirs.
const TEXTS: &str = "
ALTER TABLE toolmend_texts RENAME TO toolmend_old_texts;
CREATE TABLE toolmend_texts (
  id {key}, before BIGINT REFERENCES toolmend_texts (id), part TEXT, own TEXT, bytes BIGINT NOT NULL);
INSERT INTO toolmend_texts
  SELECT id + next, before + next, body, NULL, COALESCE(bytes, LENGTH(body))
  FROM toolmend_requests CROSS JOIN toolmend_numbers ORDER BY id;
INSERT INTO toolmend_texts
  SELECT turn, request + next, NULL, body, 0 FROM toolmend_old_texts CROSS JOIN toolmend_numbers;
UPDATE toolmend_numbers
  SET next = next + (SELECT COALESCE(MAX(id) + 1, 0) FROM toolmend_requests);
DROP TABLE toolmend_old_texts;
DROP TABLE toolmend_requests;
CREATE INDEX toolmend_texts_before ON toolmend_texts (before);
";

/// What a turn has beside its calls stands with the first of them: most turns have one.
const TURNS: &str = "
ALTER TABLE toolmend_calls ADD COLUMN turn_kind BIGINT;
ALTER TABLE toolmend_calls ADD COLUMN finish TEXT;
ALTER TABLE toolmend_calls ADD COLUMN took_ms BIGINT;
ALTER TABLE toolmend_calls ADD COLUMN spent_us BIGINT;
ALTER TABLE toolmend_calls ADD COLUMN label TEXT;
ALTER TABLE toolmend_calls ADD COLUMN bytes BIGINT;
UPDATE toolmend_calls
  SET turn_kind = own.kind, finish = own.finish, took_ms = own.took_ms, spent_us = own.spent_us,
      label = own.label, bytes = own.bytes
  FROM toolmend_turns AS own WHERE own.id = toolmend_calls.id;
DROP TABLE toolmend_turns;
";

/// Numbers of calls tell their times well enough to find them. Where a call stood is in its kind from now
/// on; under another name, older builds that still run do not write calls that no minute has.
const MINUTES: &str = "
DROP INDEX toolmend_calls_at;
ALTER TABLE toolmend_calls RENAME COLUMN channel TO old_channel;
CREATE TABLE toolmend_minutes (at {key}, first BIGINT NOT NULL, last BIGINT NOT NULL);
INSERT INTO toolmend_minutes
  SELECT at / 60000 * 60000, MIN(id), MAX(id) FROM toolmend_calls GROUP BY 1;
";

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
            let sql = sql.replace("{key}", engine.key_column());
            engine.batch(&sql.replace("{packed}", engine.packed()))?;
            step.fill.map_or(Ok(()), |fill| fill(engine))?;
        }
        if done < MIGRATIONS.len() {
            engine.set_version(MIGRATIONS.len())?;
        }
        Ok(())
    })
}
