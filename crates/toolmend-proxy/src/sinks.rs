//! Everyone who is told of a turn: counters, events, the store, alerts, whoever started the proxy.

use std::fmt;
use std::sync::Arc;

use toolmend::{Counters, Keep, Settings};
use toolmend_store::Store;

use crate::alerts::Watchman;
use crate::exchange::{Observer, Told};
use crate::reach::Reach;
use crate::record::record;
use crate::timing::Histogram;

/// Everyone who is told of a turn.
pub struct Sinks {
    counters: Arc<Counters>,
    observer: Option<Observer>,
    store: Option<Arc<Store>>,
    keep: Keep,
    text_bytes_max: usize,
    pub(crate) watchman: Watchman,
    pub(crate) reach: Reach,
    /// How long replies took, and how long they were worked on.
    pub(crate) took: Histogram,
    pub(crate) spent: Histogram,
}

impl fmt::Debug for Sinks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Sinks").field("store", &self.store).finish_non_exhaustive()
    }
}

impl Sinks {
    pub(crate) fn new(
        settings: &Settings,
        observer: Option<Observer>,
        store: Option<Arc<Store>>,
    ) -> Self {
        let keep = if store.is_some() { settings.store.keep } else { Keep::None };
        Self {
            counters: Arc::default(),
            observer,
            store,
            keep,
            text_bytes_max: settings.store.text_bytes_max,
            watchman: Watchman::new(settings.alerts),
            reach: Reach::default(),
            took: Histogram::default(),
            spent: Histogram::default(),
        }
    }

    pub(crate) fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.counters)
    }

    pub(crate) fn store(&self) -> Option<&Arc<Store>> {
        self.store.as_ref()
    }

    /// What is kept of turns.
    pub(crate) fn keep(&self) -> Keep {
        self.keep
    }

    /// Tells everyone.
    pub(crate) fn tell(&self, told: &Told<'_>) {
        self.counters.record(told.model, told.mended);
        told.mended.emit(told.model);
        self.took.take(told.took);
        self.spent.take(told.spent);
        self.watchman.see(told);
        if let Some(store) = self.store.as_ref().filter(|_| self.keep != Keep::None) {
            store.put(record(told, self.text_bytes_max));
        }
        if let Some(observer) = &self.observer {
            observer(told);
        }
    }
}
