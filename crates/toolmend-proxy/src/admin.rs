//! The listener for operators: the page, its data, counters and a health check. It answers only who
//! calls it by the name of this machine, so that no page on the web can read it.

mod answer;
mod api;
mod live;
mod metrics;
mod page;
mod query;

use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use http::header::{HOST, HeaderMap, ORIGIN};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::Sinks;
use crate::body::Body;
use answer::text;

/// Mends a line of `toolmend fix --jsonl`; gives nothing where it is no turn.
pub type MendLine = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// What the page says that others know: what rules, faults and dialects are, and what `toolmend fix
/// --jsonl` makes of a line.
#[derive(Clone)]
pub struct Guide {
    /// Explanations: kind, then id, then what there is to say.
    pub words: Value,
    /// Mends a line.
    pub mend_line: MendLine,
    /// A sentence about what the proxy sends to.
    pub told: String,
}

/// A guide that knows nothing.
impl Default for Guide {
    fn default() -> Self {
        Self { words: Value::default(), mend_line: Arc::new(|_| None), told: String::new() }
    }
}

impl fmt::Debug for Guide {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Guide").field("told", &self.told).finish_non_exhaustive()
    }
}

/// The listener for operators.
#[derive(Debug)]
pub struct Admin {
    listener: TcpListener,
    desk: Arc<Desk>,
}

/// What all requests share.
#[derive(Debug)]
struct Desk {
    sinks: Arc<Sinks>,
    guide: Guide,
    own: Option<SocketAddr>,
    /// The id of the latest call that is in the store.
    latest: watch::Receiver<i64>,
}

impl Admin {
    /// Takes an address.
    ///
    /// # Errors
    ///
    /// The address is taken.
    pub async fn bind(address: &str, sinks: Arc<Sinks>, guide: Guide) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let own = listener.local_addr().ok();
        let (tell, latest) = watch::channel(0);
        if let Some(store) = sinks.store() {
            store.on_commit(move |turns| {
                if let Some(last) = turns.iter().flat_map(|turn| turn.calls.clone()).max() {
                    // Nobody may be watching.
                    let _ = tell.send(last);
                }
            });
        }
        Ok(Self { listener, desk: Arc::new(Desk { sinks, guide, own, latest }) })
    }

    /// Where it listens.
    ///
    /// # Errors
    ///
    /// The system does not say.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `stop` is over.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let mut stop = std::pin::pin!(stop);
        loop {
            let socket = tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((socket, _)) => socket,
                    Err(_) => continue,
                },
                () = &mut stop => break,
            };
            let desk = Arc::clone(&self.desk);
            let service = service_fn(move |request: Request<Incoming>| {
                let desk = Arc::clone(&desk);
                async move { Ok::<_, Infallible>(desk.answer(&request).await) }
            });
            tokio::spawn(async move {
                let mut builder = Builder::new(TokioExecutor::new());
                builder.http1().timer(TokioTimer::new());
                let _ = builder.serve_connection(TokioIo::new(socket), service).await;
            });
        }
    }
}

impl Desk {
    async fn answer<B>(self: Arc<Self>, request: &Request<B>) -> Response<Body> {
        if !is_local(request.headers(), self.own) {
            let message = "ask by the name or address of this machine\n";
            return text(StatusCode::FORBIDDEN, message);
        }
        if request.method() != Method::GET {
            return text(StatusCode::METHOD_NOT_ALLOWED, "only GET is answered here\n");
        }
        let query = request.uri().query().unwrap_or_default();
        match request.uri().path() {
            "/metrics" => answer::metrics(metrics::write(&self.sinks)),
            "/healthz" => text(StatusCode::OK, "ok\n"),
            "/api/live" => live::answer(&self, query),
            path => match path.strip_prefix("/api/") {
                Some(rest) => api::answer(self, rest.to_owned(), query.to_owned()).await,
                None => page::answer(path),
            },
        }
    }
}

/// Whether a request names this machine, and comes from no page of another one.
fn is_local(headers: &HeaderMap, own: Option<SocketAddr>) -> bool {
    let word = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let names = |host: &str| {
        let bare = host.rsplit_once(':').map_or(host, |(name, _)| name);
        matches!(bare, "127.0.0.1" | "localhost" | "[::1]")
            || own.is_some_and(|own| own.to_string() == host)
            // Who listens on all addresses is asked by any of them. Pages of others are kept out by
            // names alone: no page can make an address its own.
            || own.is_some_and(|own| own.ip().is_unspecified()) && is_address(bare)
    };
    let origin = word(ORIGIN).map(|origin| origin.rsplit("//").next().unwrap_or_default());
    headers.get_all(HOST).iter().count() == 1
        && word(HOST).is_some_and(names)
        && origin.is_none_or(names)
}

fn is_address(host: &str) -> bool {
    let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    inner.unwrap_or(host).parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use http::header::{HeaderMap, HeaderValue};

    use super::is_local;

    #[test]
    fn only_this_machine_is_answered() {
        let asks_at = |own: &str, host: &'static str, origin: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static(host));
            if let Some(origin) = origin {
                headers.insert("origin", HeaderValue::from_static(origin));
            }
            is_local(&headers, own.parse().ok())
        };
        let asks = |host, origin| asks_at("10.0.0.5:5507", host, origin);
        assert!(asks("127.0.0.1:5507", None));
        assert!(asks("localhost:5507", Some("http://localhost:5507")));
        assert!(asks("10.0.0.5:5507", None));
        assert!(!asks("10.0.0.6:5507", None));
        assert!(asks_at("0.0.0.0:5507", "10.0.0.6:5507", None));
        assert!(asks_at("[::]:5507", "[fd00::6]:5507", None));
        assert!(!asks_at("0.0.0.0:5507", "evil.example:5507", None));
        assert!(!asks_at("0.0.0.0:5507", "10.0.0.6:5507", Some("http://evil.example")));
        assert!(!asks("evil.example", None));
        assert!(!asks("127.0.0.1:5507", Some("http://evil.example")));
        assert!(!is_local(&HeaderMap::new(), None));
    }
}
