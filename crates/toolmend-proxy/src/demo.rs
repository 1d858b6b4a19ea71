//! The built-in demo model: a small server that answers like a model whose calls go wrong, each
//! time in another way. It is scripted, and says so.

mod script;
mod voice;

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
use toolmend_wire::{Api, Framing};

use crate::route;

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
        (&Method::GET, "/api/tags") => {
            let model = json!({"name": MODEL, "model": MODEL});
            reply(StatusCode::OK, "application/json", json!({"models": [model]}).to_string())
        }
        (method, path) => match route::api(method, path) {
            Some(api) => turn(api, turns, request).await,
            None => wrong(
                "the demo model speaks /v1/chat/completions, /v1/responses, /v1/messages, /api/chat and /v1/models",
            ),
        },
    }
}

async fn turn(api: Api, turns: &AtomicUsize, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let body = Limited::new(request.into_body(), REQUEST_BYTES_MAX).collect().await;
    let body = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let Ok(asked) = serde_json::from_slice::<Value>(&body) else {
        return wrong("the request is no JSON");
    };
    let turn = turns.fetch_add(1, Ordering::Relaxed);
    let said = script::say(api, &asked, turn);
    // Ollama streams unless it is told not to.
    let is_stream = asked.get("stream").and_then(Value::as_bool).unwrap_or(api == Api::Ollama);
    if !is_stream {
        let whole = voice::whole(api, &said, turn).to_string();
        return reply(StatusCode::OK, "application/json", whole);
    }
    let kind = match api.framing() {
        Framing::Events => "text/event-stream",
        Framing::Lines => "application/x-ndjson",
    };
    reply(StatusCode::OK, kind, voice::stream(api, &said, turn))
}

fn wrong(message: &str) -> Response<Full<Bytes>> {
    let body = json!({"error": {"message": message, "type": "invalid_request_error"}});
    reply(StatusCode::BAD_REQUEST, "application/json", body.to_string())
}

fn reply(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
