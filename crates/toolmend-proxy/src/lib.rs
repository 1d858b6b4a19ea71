//! A streaming proxy between agents and model servers: it mends tool calls in flight, and what is
//! right passes byte for byte.

mod admin;
mod again;
pub mod agent;
mod alerts;
mod body;
pub mod demo;
pub mod doctor;
mod embed;
mod exchange;
mod find;
mod handle;
mod headers;
mod notes;
mod reach;
mod record;
mod recover;
mod relay;
mod route;
mod server;
mod sinks;
mod timing;
mod unpack;
mod upstream;
mod who;

use std::future::Future;
use std::hash::{BuildHasher as _, RandomState};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use toolmend::{Counters, Settings, Storm};
use toolmend_store::Store;

use crate::headers::Key;
use crate::notes::Notes;
use crate::upstream::{Sender, Servers};

pub use admin::{Admin, Guide, MendLine};
pub use embed::{Exchange, ExchangeStream};
pub use exchange::{Heard, Observer, Told};
pub use find::{Found, ServerKind, find};
pub use headers::Credentials;
pub use reach::{ReachObserver, Reached, ServerFailure};
pub use sinks::Sinks;
pub use toolmend_wire::Api;
pub use upstream::BadUpstream;
pub use who::{Introduction, introduction};

/// What all requests share.
pub(crate) struct App {
    settings: Arc<Settings>,
    servers: Servers,
    sender: Sender,
    key: Option<Key>,
    sinks: Arc<Sinks>,
    notes: Arc<Notes>,
    credentials: Credentials,
    /// Makes the ids of this process its own.
    seed: RandomState,
    ids: AtomicU64,
    /// Whether streams that are open have to end now.
    ending: watch::Sender<bool>,
}

impl std::fmt::Debug for App {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("App").field("servers", &self.servers).finish_non_exhaustive()
    }
}

impl App {
    /// Something that names a reply, here and in logs.
    fn next_id(&self) -> String {
        format!("{:016x}", self.seed.hash_one(self.ids.fetch_add(1, Ordering::Relaxed)))
    }

    /// How long the head of an answer is waited for.
    fn head_wait(&self) -> Duration {
        Duration::from_secs(self.settings.proxy.head_seconds)
    }

    /// How long an answer may bring nothing.
    fn idle_wait(&self) -> Duration {
        Duration::from_secs(self.settings.proxy.idle_seconds)
    }

    fn is_ending(&self) -> bool {
        *self.ending.borrow()
    }

    /// Waits until streams have to end.
    fn ended(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut ending = self.ending.subscribe();
        async move {
            if ending.wait_for(|is_ending| *is_ending).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

/// The settings, more patient with storms where nothing else is said.
fn with_patience(settings: Arc<Settings>) -> Arc<Settings> {
    if settings.storm != Storm::default() {
        return settings;
    }
    let mut settings = Arc::unwrap_or_clone(settings);
    settings.storm = Storm::for_proxy();
    Arc::new(settings)
}

/// What a proxy needs beside its settings.
pub struct Setup {
    /// The server to which all requests go, but for models that the settings send elsewhere.
    pub upstream: String,
    /// The key that clients must show.
    pub key: Option<String>,
    /// Which keys the server gets to see.
    pub credentials: Credentials,
    /// Who is told of each turn.
    pub observer: Option<Observer>,
    /// Where turns are kept.
    pub store: Option<Arc<Store>>,
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Setup").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

/// A proxy that is ready to serve.
///
/// A program can have one inside of it; it runs where it is polled, and ends with `stop`.
///
/// ```
/// use std::sync::Arc;
/// use toolmend::Settings;
/// use toolmend_proxy::{Credentials, Proxy, Setup, demo};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let mut settings = Settings::default();
/// settings.proxy.listen = "127.0.0.1:0".to_owned();
/// // Here the scripted model; a server of models otherwise.
/// let upstream = format!("http://{}", demo::start().await?);
/// let credentials = Credentials::Passed;
/// let setup = Setup { upstream, key: None, credentials, observer: None, store: None };
/// let proxy = Proxy::bind(Arc::new(settings), setup).await?;
/// let base_url = format!("http://{}/v1", proxy.address()?);
/// let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
/// let served = tokio::spawn(proxy.serve(async { drop(stopped.await) }));
/// // Clients talk to `base_url` now.
/// # drop(base_url);
/// drop(stop);
/// served.await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Proxy {
    app: Arc<App>,
    listener: TcpListener,
}

impl Proxy {
    /// Takes the address that the settings name.
    ///
    /// # Errors
    ///
    /// The address is taken, or a URL names no server, or the proxy itself.
    pub async fn bind(settings: Arc<Settings>, setup: Setup) -> std::io::Result<Self> {
        let settings = with_patience(settings);
        let servers =
            Servers::read(&setup.upstream, &settings.proxy).map_err(std::io::Error::other)?;
        let sender = Sender::new(&settings.proxy);
        let listener = TcpListener::bind(&settings.proxy.listen).await?;
        servers.refuse_own(listener.local_addr()?).await.map_err(std::io::Error::other)?;
        let notes = Arc::new(Notes::default());
        let observer = Some(notes.observer(setup.observer));
        let sinks = Arc::new(Sinks::new(&settings, observer, setup.store));
        let app = App {
            settings,
            servers,
            sender,
            key: setup.key.map(Key::new),
            sinks,
            notes,
            credentials: setup.credentials,
            seed: RandomState::new(),
            ids: AtomicU64::new(0),
            ending: watch::Sender::new(false),
        };
        Ok(Self { app: Arc::new(app), listener })
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> Arc<Counters> {
        self.app.sinks.counters()
    }

    /// What the listener for operators shows.
    #[must_use]
    pub fn sinks(&self) -> Arc<Sinks> {
        Arc::clone(&self.app.sinks)
    }

    /// Names who is told when a server stops to answer, and when it does again. Only the first one is.
    pub fn on_reach(&self, observer: ReachObserver) {
        self.app.sinks.reach.observe(observer);
    }

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// The system does not say.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is over, and then lets streams that are open end.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let app = Arc::clone(&self.app);
        tokio::spawn(async move { app.servers.detect(&app.sinks.reach).await });
        server::serve(self.app, self.listener, stop).await;
    }
}
