//! A streaming proxy between agents and model servers: it mends tool calls in flight, and what is
//! right passes byte for byte.

mod body;
pub mod demo;
mod exchange;
mod find;
mod handle;
mod headers;
mod relay;
mod route;
mod server;
mod upstream;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::net::TcpListener;
use toolmend::Settings;

use crate::exchange::Tally;
use crate::headers::Key;
use crate::upstream::{Sender, Servers};

pub use find::{Found, ServerKind, find};
pub use upstream::BadUpstream;

/// What all requests share.
#[derive(Debug)]
pub(crate) struct App {
    settings: Arc<Settings>,
    servers: Servers,
    sender: Sender,
    key: Option<Key>,
    ids: AtomicU64,
}

impl App {
    /// Something that names a reply in this process.
    fn next_id(&self) -> String {
        format!("{}-{}", std::process::id(), self.ids.fetch_add(1, Ordering::Relaxed))
    }

    /// Tells what was done to a reply.
    fn tell(&self, model: &str, tally: Tally) {
        if tally.is_changed() {
            tracing::info!(
                target: "tool_repair",
                model,
                mended = tally.mended,
                refused = tally.refused,
                scavenged = tally.scavenged,
                storms = tally.storms,
                "calls mended"
            );
        }
    }
}

/// A proxy that is ready to serve.
#[derive(Debug)]
pub struct Proxy {
    app: Arc<App>,
    listener: TcpListener,
}

impl Proxy {
    /// Takes the address that the settings name. All requests go to this server, but for models
    /// that the settings send elsewhere.
    ///
    /// # Errors
    ///
    /// The address is taken, or a URL names no server.
    pub async fn bind(
        settings: Arc<Settings>,
        upstream: &str,
        key: Option<String>,
    ) -> std::io::Result<Self> {
        let servers = Servers::read(upstream, &settings.proxy).map_err(std::io::Error::other)?;
        let sender = upstream::sender(&settings.proxy);
        let listener = TcpListener::bind(&settings.proxy.listen).await?;
        let key = key.map(Key::new);
        let app = App { settings, servers, sender, key, ids: AtomicU64::new(0) };
        Ok(Self { app: Arc::new(app), listener })
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
        server::serve(self.app, self.listener, stop).await;
    }
}
