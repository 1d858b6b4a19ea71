//! Sends requests up. Redirects are not followed.

use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::uri::Scheme;
use http::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::Instant;
use toolmend::ProxySettings;
use tower_service::Service as _;

use super::{BUFFER_MAX, Server, line};
use crate::body::{Body, full, passed};

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// The request is none that can be sent.
    Unsendable,
    /// There was no connection to ask by.
    Unreachable,
    /// The connection ended before anything came.
    Silent,
    /// What came is no answer.
    Broken,
}

/// A server that closes an idle connection just when it is used again is found out within this time.
/// No model answers as fast, so nothing is asked twice.
const STALE_WITHIN: Duration = Duration::from_millis(250);

/// Sends requests.
pub(crate) struct Sender {
    client: Client<HttpsConnector<HttpConnector>, Body>,
    connector: HttpConnector,
}

impl Sender {
    pub(crate) fn new(settings: &ProxySettings) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(Duration::from_secs(settings.connect_seconds)));
        connector.set_nodelay(true);
        connector.enforce_http(false);
        let https = HttpsConnectorBuilder::new()
            .with_webpki_roots()
            .https_or_http()
            .enable_http1()
            .enable_http2()
            .wrap_connector(connector.clone());
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(Duration::from_mins(1))
            .http1_max_buf_size(BUFFER_MAX)
            .build(https);
        Self { client, connector }
    }

    /// Sends a request whose body may be on its way.
    pub(crate) async fn send(&self, request: Request<Body>) -> Result<Response<Body>, Unanswered> {
        match self.client.request(request).await {
            Ok(response) => Ok(response.map(passed)),
            Err(error) if error.is_connect() => Err(Unanswered::Unreachable),
            Err(_) => Err(Unanswered::Silent),
        }
    }

    /// Sends a request whose body is at hand; once more where the connection was closed while nobody
    /// used it.
    pub(crate) async fn send_whole(
        &self,
        server: &Server,
        (head, body): (&Parts, &Bytes),
    ) -> Result<Response<Body>, Unanswered> {
        let started = Instant::now();
        let is_stale = |error| error == Unanswered::Silent && started.elapsed() < STALE_WITHIN;
        if server.scheme != Scheme::HTTP {
            let request = || Request::from_parts(head.clone(), full(body.clone()));
            return match self.send(request()).await {
                Err(error) if is_stale(error) => self.send(request()).await,
                answered => answered,
            };
        }
        if let Some(socket) = server.lines.take() {
            match ask(server, socket, (head, body)).await {
                Err(error) if is_stale(error) => {}
                answered => return answered,
            }
        }
        let socket = self.connect(&head.uri).await.ok_or(Unanswered::Unreachable)?;
        ask(server, socket, (head, body)).await
    }

    async fn connect(&self, uri: &Uri) -> Option<TcpStream> {
        let mut connector = self.connector.clone();
        std::future::poll_fn(|context| connector.poll_ready(context)).await.ok()?;
        connector.call(uri.clone()).await.ok().map(hyper_util::rt::TokioIo::into_inner)
    }
}

async fn ask(
    server: &Server,
    socket: TcpStream,
    (head, body): (&Parts, &Bytes),
) -> Result<Response<Body>, Unanswered> {
    let response = line::ask(socket, &server.lines, (head.clone(), body.clone())).await?;
    Ok(response.map(passed))
}
