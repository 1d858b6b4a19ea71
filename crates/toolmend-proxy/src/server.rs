//! Takes connections, and lets them end well.

use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::App;
use crate::handle::handle;

/// Serves until told to stop; then lets what is open go on for a while.
pub(crate) async fn serve(app: Arc<App>, listener: TcpListener, stop: impl Future<Output = ()>) {
    let settings = &app.settings.proxy;
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(settings.header_seconds));
    builder.http2().timer(TokioTimer::new());
    let places = Arc::new(Semaphore::new(settings.connections_max));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { break };
        let socket = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((socket, _)) => socket,
                Err(error) => {
                    tracing::warn!(target: "toolmend_proxy", "cannot take a connection: {error}");
                    // Mostly too many open files: others have to end first.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let _ = socket.set_nodelay(true);
        let app = Arc::clone(&app);
        let service = service_fn(move |request| {
            let app = Arc::clone(&app);
            async move { Ok::<_, Infallible>(handle(app, request).await) }
        });
        let connection = builder.serve_connection(TokioIo::new(socket), service).into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that goes away is nobody's fault.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let wait = Duration::from_secs(settings.shutdown_seconds);
    if timeout(wait, graceful.shutdown()).await.is_err() {
        tracing::warn!(target: "toolmend_proxy", "some streams were still open and were cut");
    }
}
