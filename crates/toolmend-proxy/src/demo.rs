//! The built-in demo model: a small server that answers like a model whose calls go wrong, each
//! time in another way. It is scripted, and says so.

mod script;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The name of the model.
pub const MODEL: &str = "toolmend-demo";
/// Requests are small.
const REQUEST_BYTES_MAX: usize = 8 << 20;

/// Starts the demo model on a free port of this machine; it runs as long as the runtime does.
///
/// # Errors
///
/// No port is free.
pub async fn start() -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let turns = Arc::new(AtomicUsize::new(0));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let turns = Arc::clone(&turns);
            let service = service_fn(move |request| {
                let turns = Arc::clone(&turns);
                async move { Ok::<_, Infallible>(answer(&turns, request).await) }
            });
            tokio::spawn(async move {
                let builder = Builder::new(TokioExecutor::new());
                let _ = builder.serve_connection(TokioIo::new(socket), service).await;
            });
        }
    });
    Ok(address)
}

async fn answer(turns: &AtomicUsize, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let path = request.uri().path().to_owned();
    match (request.method(), path.as_str()) {
        (&Method::GET, "/v1/models") => {
            let model = json!({"id": MODEL, "object": "model", "owned_by": "toolmend"});
            reply(
                StatusCode::OK,
                "application/json",
                json!({"object": "list", "data": [model]}).to_string(),
            )
        }
        (&Method::POST, "/v1/chat/completions") => {
            let body = Limited::new(request.into_body(), REQUEST_BYTES_MAX).collect().await;
            let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
            let Ok(asked) = serde_json::from_slice::<Value>(&body) else {
                return wrong("the request is no JSON");
            };
            chat(&asked, turns.fetch_add(1, Ordering::Relaxed))
        }
        _ => wrong("the demo model speaks /v1/chat/completions and /v1/models"),
    }
}

fn chat(asked: &Value, turn: usize) -> Response<Full<Bytes>> {
    let said = script::say(asked, turn);
    if asked.get("stream").and_then(Value::as_bool) == Some(true) {
        return reply(StatusCode::OK, "text/event-stream", said.stream(turn));
    }
    reply(StatusCode::OK, "application/json", said.whole(turn))
}

fn wrong(message: &str) -> Response<Full<Bytes>> {
    let body = json!({"error": {"message": message, "type": "invalid_request_error"}});
    reply(StatusCode::BAD_REQUEST, "application/json", body.to_string())
}

fn reply(status: StatusCode, kind: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
