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
use toolmend::ProxySettings;
use tower_service::Service as _;

use super::{BUFFER_MAX, Server, line};
use crate::body::{Body, full, passed};

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    /// There was no connection to ask by.
    Unreachable,
    /// The connection ended, or what came by it is no answer.
    Broken,
}

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
            Err(_) => Err(Unanswered::Broken),
        }
    }

    /// Sends a request whose body is at hand.
    pub(crate) async fn send_whole(
        &self,
        server: &Server,
        head: Parts,
        body: Bytes,
    ) -> Result<Response<Body>, Unanswered> {
        if server.scheme != Scheme::HTTP {
            return self.send(Request::from_parts(head, full(body))).await;
        }
        let socket = match server.lines.take() {
            Some(socket) => socket,
            None => self.connect(&head.uri).await.ok_or(Unanswered::Unreachable)?,
        };
        let answered = line::ask(socket, &server.lines, (head, body)).await;
        answered.map(|response| response.map(passed)).map_err(|_| Unanswered::Broken)
    }

    async fn connect(&self, uri: &Uri) -> Option<TcpStream> {
        let mut connector = self.connector.clone();
        std::future::poll_fn(|context| connector.poll_ready(context)).await.ok()?;
        connector.call(uri.clone()).await.ok().map(hyper_util::rt::TokioIo::into_inner)
    }
}
