//! A streaming proxy between agents and model servers: it mends tool calls in flight, and what is
//! right passes byte for byte.

mod admin;
mod body;
pub mod demo;
mod exchange;
mod find;
mod handle;
mod headers;
mod recover;
mod relay;
mod route;
mod server;
mod upstream;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::net::TcpListener;
use toolmend::{Counters, Settings, Storm};

use crate::headers::Key;
use crate::upstream::{Sender, Servers};

pub use admin::Admin;
pub use exchange::Observer;
pub use find::{Found, ServerKind, find};
pub use upstream::BadUpstream;

/// What all requests share.
pub(crate) struct App {
    settings: Arc<Settings>,
    servers: Servers,
    sender: Sender,
    key: Option<Key>,
    counters: Arc<Counters>,
    observer: Option<Observer>,
    ids: AtomicU64,
}

impl std::fmt::Debug for App {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("App").field("servers", &self.servers).finish_non_exhaustive()
    }
}

impl App {
    /// Something that names a reply in this process.
    fn next_id(&self) -> String {
        format!("{}-{}", std::process::id(), self.ids.fetch_add(1, Ordering::Relaxed))
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
    /// Who is told of each turn.
    pub observer: Option<Observer>,
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Setup").field("upstream", &self.upstream).finish_non_exhaustive()
    }
}

/// A proxy that is ready to serve.
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
    /// The address is taken, or a URL names no server.
    pub async fn bind(settings: Arc<Settings>, setup: Setup) -> std::io::Result<Self> {
        let settings = with_patience(settings);
        let servers =
            Servers::read(&setup.upstream, &settings.proxy).map_err(std::io::Error::other)?;
        let sender = upstream::sender(&settings.proxy);
        let listener = TcpListener::bind(&settings.proxy.listen).await?;
        let app = App {
            settings,
            servers,
            sender,
            key: setup.key.map(Key::new),
            counters: Arc::default(),
            observer: setup.observer,
            ids: AtomicU64::new(0),
        };
        Ok(Self { app: Arc::new(app), listener })
    }

    /// What was counted so far.
    #[must_use]
    pub fn counters(&self) -> Arc<Counters> {
        Arc::clone(&self.app.counters)
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
        tokio::spawn(async move { app.servers.detect().await });
        server::serve(self.app, self.listener, stop).await;
    }
}
