//! The thread that writes. Turns that wait are committed together; what is committed is told.

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::batch::{Batch, Known, Spent};
use crate::engine::{self, Engine, Use};
use crate::prune::{Limits, prune};
use crate::record::TurnRecord;
use crate::store::{Committed, Counts};
use crate::{Place, Redactor, StoreError};

/// So long the writer waits for more turns to commit with the first: a commit costs more than a turn.
/// What waits should still be in the processor's caches when it is written.
const GATHER: Duration = Duration::from_millis(50);
/// How often it is looked whether something has to go.
const PRUNE_AFTER: Duration = Duration::from_mins(1);
const PRUNE_AFTER_TURNS: usize = 4096;

/// So many turns that were written wait for someone to take their memory.
const SPENT_MAX: usize = 256;

/// What the writer is asked for.
#[derive(Debug)]
pub(crate) enum Work {
    /// Write this.
    Turn(Box<TurnRecord>),
    /// Say when all before is written.
    Flush(SyncSender<()>),
}

/// Who is told of what was committed.
pub(crate) type Told = Arc<Mutex<Option<Box<dyn Fn(&[Committed]) + Send>>>>;

/// Turns that were written. They go back to the threads that make turns, and end there: an allocator
/// takes longest for memory that comes from one thread and ends in another.
#[derive(Debug, Default)]
pub(crate) struct SpentTurns(Mutex<Vec<Spent>>);

impl SpentTurns {
    fn give(&self, turns: impl Iterator<Item = Spent>) {
        let mut spent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = SPENT_MAX.saturating_sub(spent.len());
        spent.extend(turns.take(room));
    }

    /// Takes one, if nobody else is at it.
    pub(crate) fn take(&self) -> Option<Spent> {
        self.0.try_lock().ok()?.pop()
    }
}

pub(crate) struct Writer {
    place: Place,
    /// `None` after a failure: the next batch opens it anew.
    engine: Option<Box<dyn Engine>>,
    redactor: Redactor,
    known: Known,
    limits: Limits,
    counts: Arc<Counts>,
    told: Told,
    spent: Arc<SpentTurns>,
    pruned_at: Option<Instant>,
    turns_since: usize,
}

impl Writer {
    pub(crate) fn new(
        place: Place,
        engine: Box<dyn Engine>,
        (redactor, limits): (Redactor, Limits),
        counts: &Arc<Counts>,
        (told, spent): (&Told, &Arc<SpentTurns>),
    ) -> Self {
        Self {
            place,
            engine: Some(engine),
            redactor,
            known: Known::default(),
            limits,
            counts: Arc::clone(counts),
            told: Arc::clone(told),
            spent: Arc::clone(spent),
            pruned_at: None,
            turns_since: 0,
        }
    }

    /// Works until nobody can ask any more.
    pub(crate) fn run(&mut self, work: &Receiver<Work>) {
        let mut is_behind = false;
        while let Ok(first) = work.recv() {
            if matches!(first, Work::Turn(_)) && !is_behind {
                // Whoever waits for the writer wakes it.
                std::thread::park_timeout(GATHER);
            }
            let mut batch = Batch::default();
            let mut waiting = None;
            for work in std::iter::once(first).chain(work.try_iter()) {
                match work {
                    Work::Turn(turn) => batch.push(turn, &self.redactor),
                    Work::Flush(done) => waiting = Some(done),
                }
                if batch.is_full() || waiting.is_some() {
                    break;
                }
            }
            is_behind = batch.is_full();
            self.write(&batch);
            self.spent.give(batch.into_spent());
            if let Some(done) = waiting {
                // Whoever asked may have gone.
                let _ = done.send(());
            }
        }
    }

    fn write(&mut self, batch: &Batch) {
        if batch.len() > 0 {
            self.write_all(batch);
            self.turns_since += batch.len();
        }
        let is_due = self.pruned_at.is_none_or(|at| at.elapsed() > PRUNE_AFTER);
        if is_due || self.turns_since >= PRUNE_AFTER_TURNS {
            self.prune();
        }
    }

    /// Tries twice: a connection may be gone, or room has to be made first.
    fn write_all(&mut self, batch: &Batch) {
        let first = self.try_write(batch);
        let result = first.or_else(|_| {
            self.prune();
            self.try_write(batch)
        });
        let turns = batch.len() as u64;
        match result {
            Ok(committed) => {
                self.counts.written.fetch_add(turns, Ordering::Relaxed);
                let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(told) = told.as_ref() {
                    told(&committed);
                }
            }
            Err(error) => {
                self.counts.failed.fetch_add(turns, Ordering::Relaxed);
                tracing::warn!(target: "toolmend_store", "{turns} turns are not kept: {error}");
            }
        }
    }

    fn try_write(&mut self, batch: &Batch) -> Result<Vec<Committed>, StoreError> {
        let mut engine = self.open()?;
        let mut known = std::mem::take(&mut self.known);
        let committed = batch.write(engine.as_mut(), &self.redactor, &mut known)?;
        self.known = known;
        self.engine = Some(engine);
        Ok(committed)
    }

    fn open(&mut self) -> Result<Box<dyn Engine>, StoreError> {
        match self.engine.take() {
            Some(engine) => Ok(engine),
            None => {
                let mut engine = engine::open(&self.place, Use::Write)?;
                engine.bound(self.limits.bytes_max)?;
                Ok(engine)
            }
        }
    }

    fn prune(&mut self) {
        self.pruned_at = Some(Instant::now());
        self.turns_since = 0;
        let result = self.open().and_then(|mut engine| {
            let gone = prune(engine.as_mut(), self.limits, now_ms())?;
            self.engine = Some(engine);
            Ok(gone)
        });
        match result {
            Ok(gone) => {
                self.known.forget(&gone.texts);
                self.counts.pruned.fetch_add(gone.turns, Ordering::Relaxed);
            }
            Err(error) => {
                // A portion may have gone before.
                self.known = Known::default();
                tracing::warn!(target: "toolmend_store", "cannot make room: {error}");
            }
        }
    }
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
