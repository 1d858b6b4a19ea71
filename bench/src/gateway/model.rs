//! The model server behind all gateways: quick, and the same for each.

use std::convert::Infallible;
use std::error::Error;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// A stream has so many chunks, and waits so long before each.
pub(super) const CHUNKS: usize = 200;
const PAUSE: Duration = Duration::from_millis(4);

/// A model that answers at once in one piece.
pub(super) const PLAIN: &str = "tern-plain";
/// A model that streams.
pub(super) const STREAM: &str = "tern-stream";
/// A model that calls a tool, and one whose calls have to be mended.
pub(super) const CALL: &str = "tern-call";
pub(super) const BROKEN: &str = "tern-broken";
/// A model that starts a stream, and says no more.
pub(super) const HOLD: &str = "tern-hold";
/// A model that says as much as the longest answers do, and does not wait for its words.
pub(super) const LONG: &str = "tern-long";
/// A model that never stops, one whose stream does in the middle, one whose answer is cut, and one
/// whose server fails.
pub(super) const FLOOD: &str = "tern-flood";
pub(super) const CUT: &str = "tern-cut";
pub(super) const JUNK: &str = "tern-junk";
pub(super) const FAIL: &str = "tern-fail";

/// A stream that is cut has so many chunks, and a long one so many.
const CUT_CHUNKS: usize = 7;
const LONG_CHUNKS: usize = 4000;

const STREAMS: [&str; 5] = [STREAM, HOLD, LONG, FLOOD, CUT];

/// Whether a model streams.
pub(super) fn is_stream(model: &str) -> bool {
    STREAMS.contains(&model)
}

type Body = UnsyncBoxBody<Bytes, Infallible>;

pub(super) async fn serve() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (socket, _) = listener.accept().await?;
        let _ = socket.set_nodelay(true);
        tokio::spawn(async move {
            let service =
                service_fn(|request| async { Ok::<_, Infallible>(answer(request).await) });
            let builder = Builder::new(TokioExecutor::new());
            let _ = builder.serve_connection(TokioIo::new(socket), service).await;
        });
    }
}

async fn answer(request: Request<Incoming>) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await.map(http_body_util::Collected::to_bytes);
    let body = body.unwrap_or_default();
    let head = body.get(..body.len().min(200)).unwrap_or_default();
    let asks = |model: &str| String::from_utf8_lossy(head).contains(&format!("\"{model}\""));
    if !path.ends_with("/chat/completions") {
        let list = format!(r#"{{"object":"list","data":[{{"id":"{PLAIN}","object":"model"}}]}}"#);
        return reply("application/json", Full::from(list).boxed_unsync());
    }
    for (model, arguments) in [
        (CALL, r#"{\"to\":\"pier nine\",\"stops\":2}"#),
        (BROKEN, r#"{'to': 'pier nine', \"stops\": \"2\",}"#),
    ] {
        if asks(model) {
            return reply("application/json", Full::from(call(arguments)).boxed_unsync());
        }
    }
    if asks(JUNK) {
        let whole = whole();
        let half = whole.get(..whole.len() / 2).unwrap_or_default().to_owned();
        return reply("application/json", Full::from(half).boxed_unsync());
    }
    if asks(FAIL) {
        let error = r#"{"error":{"message":"out of memory","type":"server_error"}}"#;
        let mut response = reply("application/json", Full::from(error).boxed_unsync());
        *response.status_mut() = hyper::StatusCode::INTERNAL_SERVER_ERROR;
        return response;
    }
    if !STREAMS.into_iter().any(asks) {
        return reply("application/json", Full::from(whole()).boxed_unsync());
    }
    let (is_held, is_long, is_flood, is_cut) = (asks(HOLD), asks(LONG), asks(FLOOD), asks(CUT));
    let (sender, receiver) = mpsc::channel::<Result<Frame<Bytes>, Infallible>>(4);
    tokio::spawn(async move {
        let send = |text: String| sender.send(Ok(Frame::data(Bytes::from(text))));
        if send(chunk(r#"{"role":"assistant","content":"The ferry"}"#, "null")).await.is_err() {
            return;
        }
        if is_held {
            return sender.closed().await;
        }
        let count = match (is_flood, is_long, is_cut) {
            (true, ..) => usize::MAX,
            (_, true, _) => LONG_CHUNKS,
            (.., true) => CUT_CHUNKS,
            _ => CHUNKS,
        };
        for number in 0..count {
            if !is_flood && !is_long {
                tokio::time::sleep(PAUSE).await;
            }
            if send(word(number)).await.is_err() {
                return;
            }
        }
        if is_cut {
            return;
        }
        let _ = send(chunk("{}", r#""stop""#)).await;
        let _ = send("data: [DONE]\n\n".to_owned()).await;
    });
    reply("text/event-stream", StreamBody::new(ReceiverStream::new(receiver)).boxed_unsync())
}

fn reply(kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let kind = hyper::header::HeaderValue::from_static(kind);
    response.headers_mut().insert(hyper::header::CONTENT_TYPE, kind);
    response
}

fn whole() -> String {
    let text = "The ferry leaves at noon, and the next one at three. ".repeat(12);
    format!(
        r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1790000000,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":"{text}"}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":9,"completion_tokens":120,"total_tokens":129}}}}"#
    )
}

fn call(arguments: &str) -> String {
    format!(
        r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1790000000,"model":"m","choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_1","type":"function","function":{{"name":"find_route_1","arguments":"{arguments}"}}}}]}},"finish_reason":"tool_calls"}}],"usage":{{"prompt_tokens":9,"completion_tokens":20,"total_tokens":29}}}}"#
    )
}

fn word(number: usize) -> String {
    chunk(&format!(r#"{{"content":"{}"}}"#, said(number)), "null")
}

fn said(number: usize) -> String {
    format!(" word{number}, and more")
}

/// The end of what a stream of the usual length says.
pub(super) fn last_word() -> String {
    said(CHUNKS - 1)
}

/// How much of the bytes of a stream is what the model says; the rest is JSON around it.
pub(super) fn share_said() -> f64 {
    said(LONG_CHUNKS).len() as f64 / word(LONG_CHUNKS).len() as f64
}

fn chunk(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1790000000,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}
