//! How one toolmend knows another: asked by a header of its own, a proxy says itself who it is; every other
//! server answers as if it had not been asked.

use std::net::SocketAddr;

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use http::{Response, Uri};
use serde_json::{Value, json};
use toolmend::Mode;

use crate::App;
use crate::body::{Body, full};
use crate::find::get_with;
use crate::upstream::{BadUpstream, Server};

/// The header that switches the proxy for one request, and that tells what it did.
pub(crate) const HEADER: &str = "x-toolmend";
/// What it says to be told who is there.
pub(crate) const WHO: &str = "who";

/// What a proxy says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introduction {
    /// The version of toolmend.
    pub version: String,
    /// What it does to requests: `on`, `observe` or `off`.
    pub mode: String,
    /// Scheme, host and port of the server behind it.
    pub upstream: String,
}

impl Introduction {
    fn of(app: &App) -> Self {
        let mode = match app.settings.proxy.mode {
            Mode::On => "on",
            Mode::Observe => "observe",
            Mode::Off => "off",
        };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            mode: mode.to_owned(),
            upstream: app.servers.of("").address(),
        }
    }

    fn write(&self) -> String {
        json!({"toolmend": self.version, "mode": self.mode, "upstream": self.upstream}).to_string()
    }

    /// Reads it; `None` where something else was said.
    pub(crate) fn read(said: &Value) -> Option<Self> {
        let word = |name: &str| said.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self { version: word("toolmend")?, mode: word("mode")?, upstream: word("upstream")? })
    }
}

/// What a proxy answers to who asks who it is.
pub(crate) fn introduced(app: &App, headers: &HeaderMap) -> Option<Response<Body>> {
    headers.get(HEADER).filter(|word| *word == WHO)?;
    let mut response = Response::new(full(Introduction::of(app).write()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Some(response)
}

/// Asks a server whether it is a toolmend proxy. Without TLS alone: who mends stands nearby.
pub async fn introduction(url: &str) -> Option<Introduction> {
    let url = Server::read(url).ok()?.uri(&Uri::from_static("/v1/models"))?;
    let said = get_with(&url.to_string(), &[(HEADER, WHO)]).await.ok()?;
    Introduction::read(&said)
}

/// Refuses a server that is the proxy itself, which listens here.
pub(crate) async fn refuse_own(server: &Server, own: SocketAddr) -> Result<(), BadUpstream> {
    let (host, port) = server.place();
    if port != own.port() {
        return Ok(());
    }
    let host = host.trim_matches(['[', ']']);
    let Ok(mut addresses) = tokio::net::lookup_host((host, port)).await else { return Ok(()) };
    // An address is one of this machine's if something can listen there.
    let is_here = |ip| std::net::TcpListener::bind((ip, 0)).is_ok();
    let is_own = |address: SocketAddr| {
        address.ip() == own.ip()
            || own.ip().is_unspecified() && is_here(address.ip())
            || address.ip().is_unspecified() && own.ip().is_loopback()
    };
    match addresses.any(is_own) {
        false => Ok(()),
        true => Err(BadUpstream {
            url: server.address(),
            message: "is this proxy itself: name the model server, or listen elsewhere",
        }),
    }
}
