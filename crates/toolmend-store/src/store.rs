//! The store as the proxy holds it: turns go in without waiting, questions are answered from a
//! connection of their own.

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use toolmend::StoreSettings;

use crate::engine::{self, Engine, Use};
use crate::prune::Limits;
use crate::read::Reader;
use crate::record::TurnRecord;
use crate::writer::{SpentTurns, Told, Work, Writer};
use crate::{Place, Redactor, StoreError, tables};

/// A store that is open. What was put into it is written before it is closed.
pub struct Store {
    place: Place,
    sender: Option<SyncSender<Work>>,
    counts: Arc<Counts>,
    told: Told,
    spent: Arc<SpentTurns>,
    reader: Mutex<Option<Box<dyn Engine>>>,
    writer: Option<JoinHandle<()>>,
}

impl fmt::Debug for Store {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Store").field("place", &self.place).finish_non_exhaustive()
    }
}

/// A turn that is in the store for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    /// The id of the turn.
    pub turn: i64,
    /// The ids of its calls.
    pub calls: Range<i64>,
}

/// How the store fares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Turns that are in the store.
    pub written: u64,
    /// Turns that found no room in the queue.
    pub dropped: u64,
    /// Turns that the database refused.
    pub failed: u64,
    /// Turns that went because of the limits.
    pub pruned: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) written: AtomicU64,
    pub(crate) dropped: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) pruned: AtomicU64,
}

impl Store {
    /// Opens a store, and brings its tables to where this version wants them.
    ///
    /// # Errors
    ///
    /// It cannot be reached or written, a newer version wrote it, or a pattern of the settings is
    /// none.
    pub fn open(place: &Place, settings: &StoreSettings) -> Result<Self, StoreError> {
        let redactor = Redactor::new(&settings.redact)?;
        let engine = elsewhere(|| {
            let mut engine = engine::open(place, Use::Write)?;
            tables::migrate(engine.as_mut())?;
            // To bring an older store to its new form may take as much room again.
            engine.bound(settings.bytes_max)?;
            Ok(engine)
        })?;
        let (sender, work) = sync_channel(settings.queue_max.max(1));
        let counts = Arc::<Counts>::default();
        let told = Told::default();
        let spent = Arc::<SpentTurns>::default();
        let limits = Limits { bytes_max: settings.bytes_max, days_max: settings.days_max };
        let mut writer =
            Writer::new(place.clone(), engine, (redactor, limits), &counts, (&told, &spent));
        let writer = std::thread::Builder::new()
            .name("toolmend-store".to_owned())
            .spawn(move || writer.run(&work))
            .map_err(|error| StoreError::new(format!("cannot start the writer: {error}")))?;
        let (sender, writer) = (Some(sender), Some(writer));
        let (place, reader) = (place.clone(), Mutex::default());
        Ok(Self { place, sender, counts, told, spent, reader, writer })
    }

    /// Where it is.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Hands over a turn and goes on at once. Where the queue is full the turn is counted as dropped.
    pub fn put(&self, turn: TurnRecord) {
        let Some(sender) = &self.sender else { return };
        if sender.try_send(Work::Turn(Box::new(turn))).is_err() {
            self.counts.dropped.fetch_add(1, Ordering::Relaxed);
            // Whoever gathers turns has enough of them.
            self.wake();
        }
        drop(self.spent.take());
    }

    /// Waits until all that was put before is in the store, or has failed.
    pub fn flush(&self) {
        let (done, wait) = sync_channel(1);
        let sent = self.sender.as_ref().map(|sender| sender.send(Work::Flush(done)));
        if let Some(Ok(())) = sent {
            self.wake();
            // A writer that ended has nothing left to write.
            let _ = wait.recv();
        }
    }

    fn wake(&self) {
        if let Some(writer) = &self.writer {
            writer.thread().unpark();
        }
    }

    /// Calls `told` after each commit with what was committed. It runs in the thread of the writer.
    pub fn on_commit(&self, told: impl Fn(&[Committed]) + Send + 'static) {
        let mut slot = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(Box::new(told));
    }

    /// Answers a question. It may wait for the disk or the network.
    ///
    /// # Errors
    ///
    /// The database cannot be asked.
    pub fn read<T>(
        &self,
        ask: impl FnOnce(&mut Reader<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut slot = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut engine = match slot.take() {
            Some(engine) => engine,
            None => engine::open(&self.place, Use::Read)?,
        };
        let answer = ask(&mut Reader::new(engine.as_mut()));
        // A connection that failed is opened anew with the next question.
        *slot = answer.is_ok().then_some(engine);
        answer
    }

    /// How the store fares.
    #[must_use]
    pub fn stats(&self) -> Stats {
        let get = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Stats {
            written: get(&self.counts.written),
            dropped: get(&self.counts.dropped),
            failed: get(&self.counts.failed),
            pruned: get(&self.counts.pruned),
        }
    }
}

/// Does something in a thread of its own: the client of PostgreSQL has a runtime inside, which must
/// not be used where another one runs.
fn elsewhere<T: Send>(
    work: impl FnOnce() -> Result<T, StoreError> + Send,
) -> Result<T, StoreError> {
    let done = std::thread::scope(|scope| scope.spawn(work).join());
    done.unwrap_or_else(|_| Err(StoreError::new("the database client stopped")))
}

impl Drop for Store {
    fn drop(&mut self) {
        drop(self.sender.take());
        self.wake();
        let reader = self.reader.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let _ = elsewhere(move || {
            drop(reader);
            Ok(())
        });
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}
