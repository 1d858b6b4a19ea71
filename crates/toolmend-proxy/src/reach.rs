//! Whether the servers of models answer: told when that changes, counted each time that one does not.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::upstream::Server;

/// How a server fails to answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerFailure {
    /// There is no connection to it.
    Unreachable,
    /// It hung up before its answer was whole.
    BrokeOff,
    /// Its answer did not come in time.
    Late,
}

impl ServerFailure {
    const ALL: [Self; 3] = [Self::Unreachable, Self::BrokeOff, Self::Late];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::BrokeOff => "broke-off",
            Self::Late => "late",
        }
    }
}

/// A server that stopped to answer, or began again.
#[derive(Clone, Copy, Debug)]
pub struct Reached<'s> {
    /// Scheme, host and port: nothing of a URL that could be a secret.
    pub server: &'s str,
    /// Why it does not answer; `None` where it does again.
    pub failure: Option<ServerFailure>,
}

/// Whoever wants to know of it.
pub type ReachObserver = Arc<dyn Fn(&Reached<'_>) + Send + Sync>;

/// What is known of the servers.
#[derive(Default)]
pub(crate) struct Reach {
    counts: [AtomicU64; ServerFailure::ALL.len()],
    away: Mutex<BTreeMap<String, ServerFailure>>,
    /// Most answers come while all servers do: they look no further.
    is_any_away: AtomicBool,
    observer: OnceLock<ReachObserver>,
}

impl fmt::Debug for Reach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Reach").field("away", &self.away).finish_non_exhaustive()
    }
}

impl Reach {
    /// Names who is told. Only the first one is.
    pub(crate) fn observe(&self, observer: ReachObserver) {
        let _ = self.observer.set(observer);
    }

    /// Takes note of a server that answers.
    pub(crate) fn answers(&self, server: &Server) {
        if !self.is_any_away.load(Ordering::Relaxed) {
            return;
        }
        let address = server.address();
        if self.change(|away| away.remove(&address)).is_some() {
            tracing::info!(target: "toolmend_upstream", event = "upstream_back", server = address.as_str());
            self.tell(&Reached { server: &address, failure: None });
        }
    }

    /// Takes note of a server that does not answer.
    pub(crate) fn fails(&self, server: &Server, failure: ServerFailure) {
        self.count(failure);
        let address = server.address();
        if self.change(|away| away.insert(address.clone(), failure)) != Some(failure) {
            let kind = failure.as_str();
            tracing::warn!(target: "toolmend_upstream", event = "upstream_away", server = address.as_str(), kind);
            self.tell(&Reached { server: &address, failure: Some(failure) });
        }
    }

    /// Counts a failure of a server that did begin to answer: it is there.
    pub(crate) fn count(&self, failure: ServerFailure) {
        let counts = ServerFailure::ALL.into_iter().zip(&self.counts);
        for (_, count) in counts.filter(|(kind, _)| *kind == failure) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Changes who is away. Nobody is told meanwhile: whoever is told may take his time.
    fn change(
        &self,
        change: impl FnOnce(&mut BTreeMap<String, ServerFailure>) -> Option<ServerFailure>,
    ) -> Option<ServerFailure> {
        let mut away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        let before = change(&mut away);
        self.is_any_away.store(!away.is_empty(), Ordering::Relaxed);
        before
    }

    fn tell(&self, reached: &Reached<'_>) {
        if let Some(observer) = self.observer.get() {
            observer(reached);
        }
    }

    /// How often servers failed, by how.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, u64)> {
        let counts = self.counts.iter().map(|count| count.load(Ordering::Relaxed));
        ServerFailure::ALL.into_iter().map(ServerFailure::as_str).zip(counts)
    }

    /// The servers that do not answer now.
    pub(crate) fn away(&self) -> Vec<(String, ServerFailure)> {
        let away = self.away.lock().unwrap_or_else(PoisonError::into_inner);
        away.iter().map(|(server, failure)| (server.clone(), *failure)).collect()
    }
}
