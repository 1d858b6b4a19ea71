//! Turns that are written together: each table gets its rows at once.

use std::borrow::Cow;

use crate::counts::Added;
use crate::engine::{Cell, Engine, Target, Type, atomically};
use crate::kind::{Key, Kind, Kinds};
use crate::record::{CallRecord, Texts, TurnRecord, cut};
use crate::request::{self, Asked, NewRows, Requests, TEXTS};
use crate::store::Committed;
use crate::times::Minutes;
use crate::{Redactor, StoreError};

/// So many turns are written together, and about so many bytes of texts.
const TURNS_MAX: usize = 1024;
const BYTES_MAX: usize = 8 << 20;

/// What rows take beside their texts, roughly: indexes included.
const TURN_BYTES: usize = 70;
const CALL_BYTES: usize = 130;
const REPAIR_BYTES: usize = 50;

const CALLS: Target = Target {
    table: "toolmend_calls",
    columns: &[
        ("id", Type::Int),
        ("turn", Type::Int),
        ("at", Type::Int),
        ("kind", Type::Int),
        // Where it stood is in the kind; the column of older calls wants something.
        ("old_channel", Type::Text),
        ("is_lossy", Type::Int),
        ("repairs", Type::Text),
        ("faults", Type::Text),
        // What follows is of the turn, and stands with its first call.
        ("turn_kind", Type::Int),
        ("took_ms", Type::Int),
        ("spent_us", Type::Int),
        ("bytes", Type::Int),
    ],
    tail: "",
};

/// So many cells of a call are of its turn.
const OF_TURN: usize = 4;

/// What the database is known to have. It is forgotten when the connection ends, or when it goes.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) kinds: Kinds,
    requests: Requests,
}

impl Known {
    /// Forgets what may have gone: kinds that nothing is counted by, and these rows of texts.
    pub(crate) fn forget(&mut self, texts: &[i64]) {
        self.kinds = Kinds::default();
        self.requests.forget(texts);
    }

    /// Forgets what someone else took away. What is left is named further: proxies that write one file in
    /// turn would else write every conversation anew with each of its turns.
    fn forget_gone(&mut self, engine: &mut dyn Engine) -> Result<(), StoreError> {
        let gone = self.requests.gone(engine)?;
        self.forget(&gone);
        Ok(())
    }
}

/// A turn that was written, and its texts.
pub(crate) type Spent = (Box<TurnRecord>, Option<Texts>);
/// Longer texts are not kept for their memory.
const SPENT_BYTES_MAX: usize = 16 << 10;

/// Turns on their way into the store.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    turns: Vec<Ready>,
    bytes: usize,
}

/// A turn as it is written: what it alone says is blanked.
#[derive(Debug)]
struct Ready {
    turn: Box<TurnRecord>,
    texts: Option<Texts>,
}

impl Ready {
    fn size(&self) -> usize {
        let repairs: usize = self.turn.calls.iter().map(|call| call.repairs.len()).sum();
        let own = self.texts.as_ref().map_or(0, |texts| texts.own.len() + texts.own.len() / 8);
        TURN_BYTES + CALL_BYTES * self.turn.calls.len() + REPAIR_BYTES * repairs + own
    }
}

impl Batch {
    /// Takes one turn more.
    pub(crate) fn push(&mut self, mut turn: Box<TurnRecord>, redactor: &Redactor) {
        let texts = turn.texts.take().and_then(|texts| {
            Some(Texts { own: redactor.json(texts.own)?, request: texts.request })
        });
        turn.each_own_name(|name| {
            // What is not its own is a word of this program's tables.
            if matches!(name, Cow::Owned(_)) {
                cut(name);
                redactor.name(name);
            }
        });
        self.bytes += texts.as_ref().map_or(0, Texts::held);
        self.turns.push(Ready { turn, texts });
    }

    pub(crate) fn len(&self) -> usize {
        self.turns.len()
    }

    /// The turns, for their memory. What is long is not among it.
    pub(crate) fn into_spent(self) -> impl Iterator<Item = Spent> {
        let is_short = |texts: &Texts| texts.held() <= SPENT_BYTES_MAX;
        self.turns.into_iter().map(move |ready| (ready.turn, ready.texts.filter(is_short)))
    }

    pub(crate) fn is_full(&self) -> bool {
        self.turns.len() >= TURNS_MAX || self.bytes >= BYTES_MAX
    }

    /// Writes all or nothing, and says what rows the turns have become. A turn without calls is
    /// counted, and is no row.
    pub(crate) fn write(
        &self,
        engine: &mut dyn Engine,
        redactor: &Redactor,
        known: &mut Known,
    ) -> Result<Vec<Committed>, StoreError> {
        atomically(engine, |engine| {
            // Before any row is named: whoever removes rows has the lock when they take them away.
            engine.lock()?;
            if engine.others_wrote()? {
                known.forget_gone(engine)?;
            }
            let calls: usize = self.turns.iter().map(|ready| ready.turn.calls.len()).sum();
            // Numbers come first: writers that wait for them do not wait for each other's kinds.
            let next = numbers(engine, calls)?;
            let kinds = self.kinds(engine, redactor, &mut known.kinds)?;
            let requests = &mut known.requests;
            let mut new = NewRows::from(next.saturating_add_unsigned(calls as u64));
            let mut rows = Rows::of(&self.turns, (next, &kinds), |turn, texts| {
                let request = texts.request.as_ref()?;
                Some(requests.asked(turn, request, (redactor, &mut new)))
            });
            if new.len() > 0 {
                // Nobody else takes numbers meanwhile, so these follow.
                numbers(engine, new.len())?;
                rows.texts.extend(new.into_cells());
            }
            engine.insert(&CALLS, &rows.calls)?;
            engine.insert(&TEXTS, &rows.texts)?;
            rows.minutes.write(engine)?;
            self.added(&kinds).write(engine)?;
            Ok(rows.committed)
        })
    }

    /// What the turns, and their calls behind each, add to the counts.
    fn added(&self, kinds: &[i64]) -> Added {
        let mut added = Added::default();
        let owners = self
            .turns
            .iter()
            .flat_map(|ready| std::iter::repeat_n(ready.turn.at_ms, ready.turn.calls.len() + 1));
        for (at_ms, kind) in owners.zip(kinds) {
            added.add(*kind, at_ms);
        }
        added
    }

    /// The kinds of turns, and of their calls behind each.
    fn kinds(
        &self,
        engine: &mut dyn Engine,
        redactor: &Redactor,
        kinds: &mut Kinds,
    ) -> Result<Vec<i64>, StoreError> {
        let (mut found, mut key) = (Vec::new(), Key::default());
        for Ready { turn, texts } in &self.turns {
            turn.write_key(&mut key);
            found.push(kinds.id(engine, redactor, &key, || Kind::Turn(turn.kind()))?);
            for call in &turn.calls {
                turn.write_call_key(call, texts.is_some(), &mut key);
                let kind = || Kind::Call(turn.call_kind(call, texts.is_some()));
                found.push(kinds.id(engine, redactor, &key, kind)?);
            }
        }
        Ok(found)
    }
}

/// The rows of a batch, cell behind cell.
#[derive(Debug)]
struct Rows<'b> {
    calls: Vec<Cell<'b>>,
    texts: Vec<Cell<'b>>,
    minutes: Minutes,
    committed: Vec<Committed>,
}

impl<'b> Rows<'b> {
    /// Calls are numbered from `next` on; a turn has the number of its first call.
    fn of(
        turns: &'b [Ready],
        (mut next, kinds): (i64, &[i64]),
        mut asked: impl FnMut(i64, &Texts) -> Option<Asked>,
    ) -> Self {
        let calls: usize = turns.iter().map(|ready| ready.turn.calls.len()).sum();
        let mut rows = Self {
            calls: Vec::with_capacity(calls * CALLS.columns.len()),
            texts: Vec::with_capacity(turns.len() * TEXTS.columns.len()),
            minutes: Minutes::default(),
            committed: Vec::with_capacity(turns.len()),
        };
        let mut kinds = kinds.iter().copied();
        let mut kind = || kinds.next().unwrap_or_default();
        for ready in turns {
            let (id, turn_kind) = (next, kind());
            for call in &ready.turn.calls {
                rows.add_call(&ready.turn, call, (next, id, kind()));
                match next == id {
                    true => rows.add_turn(ready, (id, turn_kind), &mut asked),
                    false => rows.calls.extend([const { Cell::Null }; OF_TURN]),
                }
                next += 1;
            }
            if next > id {
                rows.minutes.add(ready.turn.at_ms, &(id..next));
                rows.committed.push(Committed { turn: id, calls: id..next });
            }
        }
        rows
    }

    /// Adds what the row of a first call has of its turn, and the turn's texts.
    fn add_turn(
        &mut self,
        ready: &'b Ready,
        (id, kind): (i64, i64),
        asked: impl FnOnce(i64, &Texts) -> Option<Asked>,
    ) {
        let Ready { turn, texts } = ready;
        let bytes = i64::try_from(ready.size()).unwrap_or(i64::MAX);
        let of_turn: [_; OF_TURN] =
            [kind.into(), turn.took_ms.into(), turn.spent_us.into(), bytes.into()];
        self.calls.extend(of_turn);
        if let Some(texts) = texts {
            let own = Cell::from(texts.own.as_str());
            self.texts.extend(request::cells(id, asked(id, texts).unwrap_or_default(), own));
        }
    }

    /// Adds what the row of a call has of its own.
    fn add_call(
        &mut self,
        turn: &'b TurnRecord,
        call: &'b CallRecord,
        (id, turn_id, kind): (i64, i64, i64),
    ) {
        self.calls.extend([
            id.into(),
            turn_id.into(),
            turn.at_ms.into(),
            kind.into(),
            "".into(),
            call.is_lossy.into(),
            list(&call.repairs, |repairs| {
                let told = repairs.iter().map(|own| (&own.rule, &own.path, &own.trust));
                serde_json::to_string(&told.collect::<Vec<_>>())
            }),
            list(&call.faults, |faults| {
                let told = faults.iter().map(|own| (&own.code, own.start, own.end));
                serde_json::to_string(&told.collect::<Vec<_>>())
            }),
        ]);
    }
}

/// A list as JSON; nothing where it is empty.
pub(crate) fn list<T>(
    items: &[T],
    write: impl FnOnce(&[T]) -> serde_json::Result<String>,
) -> Cell<'static> {
    let list = (!items.is_empty()).then(|| write(items)).and_then(Result::ok);
    list.map_or(Cell::Null, |list| Cell::Text(list.into()))
}

/// Takes so many numbers and gives the first. Whoever takes some holds the others off until the end of
/// the transaction, so that numbers come to be seen in their order.
pub(crate) fn numbers(engine: &mut dyn Engine, count: usize) -> Result<i64, StoreError> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let sql = "UPDATE toolmend_numbers SET next = next + $1 RETURNING next";
    let next = engine.rows(sql, &[count.into()])?.into_iter().next();
    Ok(next.map_or(1, |mut row| row.int() - count))
}
