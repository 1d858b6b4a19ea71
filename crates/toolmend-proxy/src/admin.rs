//! The listener for operators: counters and a health check. It answers only who calls it by the
//! name of this machine, so that no page on the web can read it.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue, ORIGIN};
use http::{Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpListener;
use toolmend::{Count, Counters};

/// The listener for operators.
#[derive(Debug)]
pub struct Admin {
    listener: TcpListener,
    counters: Arc<Counters>,
}

impl Admin {
    /// Takes an address.
    ///
    /// # Errors
    ///
    /// The address is taken.
    pub async fn bind(address: &str, counters: Arc<Counters>) -> std::io::Result<Self> {
        Ok(Self { listener: TcpListener::bind(address).await?, counters })
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
        let own = self.listener.local_addr().ok();
        loop {
            let socket = tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((socket, _)) => socket,
                    Err(_) => continue,
                },
                () = &mut stop => break,
            };
            let counters = Arc::clone(&self.counters);
            let service = service_fn(move |request: Request<Incoming>| {
                let response = answer(&request, own, &counters);
                async move { Ok::<_, Infallible>(response) }
            });
            tokio::spawn(async move {
                let builder = Builder::new(TokioExecutor::new());
                let _ = builder.serve_connection(TokioIo::new(socket), service).await;
            });
        }
    }
}

fn answer(
    request: &Request<Incoming>,
    own: Option<SocketAddr>,
    counters: &Counters,
) -> Response<Full<Bytes>> {
    if !is_local(request.headers(), own) {
        return text(StatusCode::FORBIDDEN, "ask by the name or address of this machine\n".into());
    }
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/metrics") => {
            let mut response = text(StatusCode::OK, metrics(counters));
            let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            response.headers_mut().insert(CONTENT_TYPE, kind);
            response
        }
        (&Method::GET, "/healthz") => text(StatusCode::OK, "ok\n".into()),
        (&Method::GET, "/") => text(
            StatusCode::OK,
            "toolmend: /metrics has the counters, /healthz the health\n".into(),
        ),
        _ => text(StatusCode::NOT_FOUND, "there is nothing here\n".into()),
    }
}

fn text(status: StatusCode, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Whether a request names this machine, and comes from no page of another one.
fn is_local(headers: &HeaderMap, own: Option<SocketAddr>) -> bool {
    let word = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let names = |host: &str| {
        let bare = host.rsplit_once(':').map_or(host, |(name, _)| name);
        matches!(bare, "127.0.0.1" | "localhost" | "[::1]")
            || own.is_some_and(|own| own.to_string() == host)
    };
    let origin = word(ORIGIN).map(|origin| origin.rsplit("//").next().unwrap_or_default());
    headers.get_all(HOST).iter().count() == 1
        && word(HOST).is_some_and(names)
        && origin.is_none_or(names)
}

/// The counters as Prometheus reads them.
fn metrics(counters: &Counters) -> String {
    let mut out = String::new();
    let snapshot = counters.snapshot();
    for (name, help) in NAMES {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} counter");
        for (count, value) in &snapshot {
            if let Some(labels) = labels(count, name) {
                let _ = writeln!(out, "{name}{labels} {value}");
            }
        }
    }
    out
}

const CALLS: &str = "toolmend_calls_total";
const REPAIRS: &str = "toolmend_repairs_total";
const FOUND: &str = "toolmend_found_total";
const REFUSED: &str = "toolmend_refused_total";
const ASKS: &str = "toolmend_asks_total";
const CLOSED: &str = "toolmend_truncations_fixed_total";
const OTHER: &str = "toolmend_uncounted_total";

/// Each counter, and what it counts.
const NAMES: [(&str, &str); 7] = [
    (CALLS, "Tool calls by model and outcome."),
    (REPAIRS, "Repairs by rule."),
    (FOUND, "Calls that stood in text, by dialect."),
    (REFUSED, "Calls that were refused, by reason."),
    (ASKS, "Further requests to a model, by model and what for."),
    (CLOSED, "Calls that were cut and were closed."),
    (OTHER, "What had no room in the other counters."),
];

/// The labels of a count, where it is one of this name.
fn labels(count: &Count, name: &str) -> Option<String> {
    let (own, labels) = match count {
        Count::Calls { model, outcome } => {
            (CALLS, format!("{{model=\"{}\",outcome=\"{outcome}\"}}", escaped(model)))
        }
        Count::Repairs { rule } => (REPAIRS, format!("{{rule=\"{rule}\"}}")),
        Count::Found { dialect } => (FOUND, format!("{{dialect=\"{dialect}\"}}")),
        Count::Refused { reason } => (REFUSED, format!("{{reason=\"{reason}\"}}")),
        Count::Asks { model, kind } => {
            (ASKS, format!("{{model=\"{}\",kind=\"{kind}\"}}", escaped(model)))
        }
        Count::Closed => (CLOSED, String::new()),
        Count::Other => (OTHER, String::new()),
    };
    (own == name).then_some(labels)
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use http::header::{HeaderMap, HeaderValue};

    use super::is_local;

    #[test]
    fn only_this_machine_is_answered() {
        let asks = |host: &'static str, origin: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert("host", HeaderValue::from_static(host));
            if let Some(origin) = origin {
                headers.insert("origin", HeaderValue::from_static(origin));
            }
            is_local(&headers, "10.0.0.5:5507".parse().ok())
        };
        assert!(asks("127.0.0.1:5507", None));
        assert!(asks("localhost:5507", Some("http://localhost:5507")));
        assert!(asks("10.0.0.5:5507", None));
        assert!(!asks("evil.example", None));
        assert!(!asks("127.0.0.1:5507", Some("http://evil.example")));
        assert!(!is_local(&HeaderMap::new(), None));
    }
}
