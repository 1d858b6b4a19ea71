//! Takes connections, and lets them end well.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

use crate::App;
use crate::again::Again;
use crate::handle::handle;
use crate::upstream::BUFFER_MAX;

/// So many requests may be under way on one connection.
const STREAMS_MAX: u32 = 256;

/// How the second version of HTTP begins. It is waited for before a version is chosen.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// How long to wait before another look at what a client began to say.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// A clock that ticks more often than any limit of a request is long: a timer that rings before all
/// others has to wake whoever waits for them, which takes as long as the rest of a timer many times over.
const TICK: Duration = Duration::from_secs(1);

/// How long streams may take for their last words, once they have to end.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The versions of HTTP that clients speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// Waits until a client has said enough to tell which version of HTTP it speaks. From there on the
/// server has limits of its own. It is only looked at: nothing has to be put back before it is read.
async fn version(socket: &TcpStream) -> Version {
    let mut begun = [0; PREFACE.len()];
    loop {
        let Ok(count) = socket.peek(&mut begun).await else { return Version::One };
        let said = begun.get(..count).unwrap_or_default();
        if said == PREFACE {
            return Version::Two;
        }
        if count == 0 || !PREFACE.starts_with(said) {
            return Version::One;
        }
        sleep(LOOK_AGAIN).await;
    }
}

/// How connections are served.
struct Builders {
    one: http1::Builder,
    two: http2::Builder<TokioExecutor>,
}

impl Builders {
    fn new(header_wait: Duration) -> Self {
        let (mut one, mut two) = (http1::Builder::new(), http2::Builder::new(TokioExecutor::new()));
        one.timer(TokioTimer::new()).header_read_timeout(header_wait).max_buf_size(BUFFER_MAX);
        two.timer(TokioTimer::new())
            .keep_alive_interval(header_wait)
            .max_concurrent_streams(STREAMS_MAX);
        Self { one, two }
    }
}

/// Serves until told to stop; then lets what is open go on for a while.
pub(crate) async fn serve(app: Arc<App>, listener: TcpListener, stop: impl Future<Output = ()>) {
    let settings = &app.settings.proxy;
    let header_wait = Duration::from_secs(settings.header_seconds);
    let builders = Arc::new(Builders::new(header_wait));
    let places = Arc::new(Semaphore::new(settings.connections_max));
    let graceful = GracefulShutdown::new();
    let (closing, is_closing) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    let mut clock = interval(TICK);
    loop {
        let (place, socket) = tokio::select! {
            taken = take(&listener, &places) => taken,
            _ = clock.tick() => continue,
            () = &mut stop => break,
        };
        let (app, builders) = (Arc::clone(&app), Arc::clone(&builders));
        let start = Start { app, builders, watcher: graceful.watcher() };
        let (wait, mut is_closing) = (header_wait, is_closing.clone());
        connections.spawn(async move {
            let version = tokio::select! {
                version = timeout(wait, version(&socket)) => version.ok(),
                _ = is_closing.changed() => None,
            };
            if let Some(version) = version {
                start.serve(socket, version).await;
            }
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
    drop((listener, closing));
    let wait = Duration::from_secs(settings.shutdown_seconds);
    let mut ended = std::pin::pin!(graceful.shutdown());
    if timeout(wait, &mut ended).await.is_err() {
        // No client takes half a reply for a whole one: each stream ends in an error of its API.
        tracing::warn!(target: "toolmend_proxy", "some streams were still open and were ended");
        app.ending.send_replace(true);
        let _ = timeout(LAST_WORDS, ended).await;
    }
    // What is still open ends here, also where the runtime goes on.
    connections.shutdown().await;
}

/// What a connection needs to start.
struct Start {
    app: Arc<App>,
    builders: Arc<Builders>,
    watcher: Watcher,
}

impl Start {
    /// Serves a client until it goes away, which is nobody's fault.
    fn serve(
        self,
        socket: TcpStream,
        version: Version,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let Self { app, builders, watcher } = self;
        // A connection keeps the place of its answer as long as it lives; boxed, it is free again as
        // soon as a stream began.
        let service = service_fn(move |request| {
            let app = Arc::clone(&app);
            Box::pin(async move { Ok::<_, Infallible>(handle(app, request).await) })
        });
        let socket = TokioIo::new(socket);
        match version {
            Version::One => {
                let served = watcher.watch(builders.one.serve_connection(socket, service));
                let served = Again::new(served);
                Box::pin(async move { drop(served.await) })
            }
            Version::Two => {
                let served = watcher.watch(builders.two.serve_connection(socket, service));
                let served = Again::new(served);
                Box::pin(async move { drop(served.await) })
            }
        }
    }
}

/// The next client, once there is a place for it.
async fn take(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (Option<OwnedSemaphorePermit>, TcpStream) {
    // The places are never closed, so there is always one in the end.
    let place = Arc::clone(places).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((socket, _)) => {
                let _ = socket.set_nodelay(true);
                return (place, socket);
            }
            Err(error) => {
                tracing::warn!(target: "toolmend_proxy", "cannot take a connection: {error}");
                // Mostly too many open files: others have to end first.
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
