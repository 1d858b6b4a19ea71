//! Streams that break in every way at every place, on each API, with and without asking again: the client
//! always gets one well-formed end, nothing twice, and no call but the one that was made.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop where it fails"
)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use support::{path, post, proxy, request_of};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::sleep;
use toolmend::{AskLimits, Settings};
use toolmend_wire::{Api, Channel, Decoder, Delta, Encoder, Envelope, Reason, WireCall, reply_of};

const TEXT: [&str; 3] = ["I look", " up the", " tide."];
const ARGUMENTS: &str = r#"{"port":"Łeba","hours":[1,2]}"#;

/// What happens to the bytes of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// The connection is closed.
    Drop,
    /// The connection is reset.
    Reset,
    /// Nothing more comes.
    Stall,
    /// One byte is another one.
    Garble,
    /// All bytes come, one by one.
    Slice,
    /// All bytes come, and the connection stays open for a while.
    SlowClose,
}

fn request(api: Api) -> String {
    let schema = json!({"type": "object", "required": ["port"],
        "properties": {"port": {"type": "string"}, "hours": {"type": "array", "items": {"type": "integer"}}}});
    let tool = match api {
        Api::Messages => json!({"name": "find_tide", "input_schema": schema}),
        Api::Responses => json!({"type": "function", "name": "find_tide", "parameters": schema}),
        _ => json!({"type": "function", "function": {"name": "find_tide", "parameters": schema}}),
    };
    let user = json!({"role": "user", "content": "When is high tide?"});
    let key = if api == Api::Responses { "input" } else { "messages" };
    json!({"model": "m", "stream": true, "max_tokens": 99, key: [user], "tools": [tool]})
        .to_string()
}

fn call() -> WireCall {
    WireCall { id: "call_7".into(), name: "find_tide".into(), arguments: ARGUMENTS.into() }
}

fn envelope() -> Envelope {
    Envelope { id: "r_1".into(), model: "m".into(), created: "1".into() }
}

/// What the server says if nothing happens: a head and a healthy stream.
fn healthy(api: Api) -> Vec<u8> {
    let mut encoder = Encoder::new(api);
    encoder.start(&envelope());
    for text in TEXT {
        encoder.text(Channel::Content, text);
    }
    encoder.call(&call());
    encoder.finish(&Reason::Calls);
    let kind = api.framing().content_type();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n");
    [head.into_bytes(), encoder.take()].concat()
}

/// A server whose streams break at this byte, and whose whole replies do not.
async fn upstream(api: Api, fault: Fault, at: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        // A client asks a few times at most; then nobody waits here any more.
        while let Ok(Ok((mut socket, _))) =
            tokio::time::timeout(Duration::from_secs(20), listener.accept()).await
        {
            tokio::spawn(async move {
                let request = request_of(&mut socket).await;
                let body = request.split_once("\r\n\r\n").map_or("", |(_, body)| body);
                let body: Value = serde_json::from_str(body).unwrap_or_default();
                match body["stream"].as_bool() {
                    Some(true) => break_off(socket, &healthy(api), fault, at).await,
                    Some(false) => {
                        let body = reply_of(api, &envelope(), &[call()]);
                        say(&mut socket, "200 OK", &body).await;
                    }
                    None => say(&mut socket, "404 Not Found", "{}").await,
                }
            });
        }
    });
    url
}

async fn say(socket: &mut TcpStream, status: &str, body: &str) {
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let _ = socket.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await;
    let _ = socket.shutdown().await;
}

async fn break_off(mut socket: TcpStream, bytes: &[u8], fault: Fault, at: usize) {
    let at = at.min(bytes.len());
    match fault {
        Fault::Drop => {
            let _ = socket.write_all(&bytes[..at]).await;
            let _ = socket.shutdown().await;
        }
        Fault::Reset => {
            let _ = socket.write_all(&bytes[..at]).await;
            let _ = socket.set_zero_linger();
        }
        Fault::Stall => {
            let _ = socket.write_all(&bytes[..at]).await;
            sleep(Duration::from_secs(6)).await;
        }
        Fault::Garble => {
            let mut bytes = bytes.to_vec();
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 0x15;
            }
            let _ = socket.write_all(&bytes).await;
            let _ = socket.shutdown().await;
        }
        Fault::Slice => {
            for byte in bytes {
                let _ = socket.write_all(&[*byte]).await;
                tokio::task::yield_now().await;
            }
            let _ = socket.shutdown().await;
        }
        Fault::SlowClose => {
            let _ = socket.write_all(bytes).await;
            sleep(Duration::from_millis(300)).await;
        }
    }
}

/// What a client makes of what it hears.
#[derive(Debug, Default)]
struct Told {
    text: String,
    calls: Vec<WireCall>,
    finishes: usize,
    errors: usize,
}

fn told(api: Api, fault: Fault, body: &str, place: &str) -> Told {
    let mut deltas = Vec::new();
    let mut decoder = Decoder::new(api);
    decoder.push(body.as_bytes(), &mut deltas);
    decoder.finish(&mut deltas);
    // A byte of an id makes it that of another item, which nobody can put right.
    if fault != Fault::Garble {
        assert_eq!(decoder.rules(), [], "{place}: something is left to mend in {body}");
    }
    let mut told = Told::default();
    for (_, delta) in deltas {
        match delta {
            Delta::Text(Channel::Content, text) => told.text += &text,
            Delta::Call(_, call) => told.calls.push(call),
            Delta::Finish(_) => told.finishes += 1,
            Delta::Error(_) => told.errors += 1,
            Delta::Cut => panic!("{place}: the stream has no end: {body}"),
            _ => {}
        }
    }
    told
}

async fn check(api: Api, fault: Fault, at: usize, may_ask: bool) {
    let place = format!("{} {fault:?} at byte {at}, asking: {may_ask}", api.as_str());
    let up = upstream(api, fault, at).await;
    let mut settings = Settings::default();
    settings.proxy.idle_seconds = 1;
    settings.proxy.head_seconds = 1;
    if !may_ask {
        settings.ask = AskLimits { max_reprompts: 0, ..AskLimits::default() };
    }
    let proxy = proxy(&up, None, settings).await;
    let heard = post(&format!("{}{}", proxy.url, path(api)), &[], &request(api)).await;
    if heard.status.as_u16() != 200 {
        // The head itself was hit: an error of the API, or whatever status came of it.
        assert!(
            fault == Fault::Garble || heard.status.is_server_error(),
            "{place}: {}",
            heard.status
        );
        return;
    }
    let is_stream =
        heard.headers.get("content-type").is_some_and(|kind| kind == api.framing().content_type());
    if fault == Fault::Garble && !is_stream {
        return;
    }
    let told = told(api, fault, &heard.body, &place);
    assert_eq!(told.finishes + told.errors, 1, "{place}: {}", heard.body);
    let whole = TEXT.concat();
    if fault != Fault::Garble {
        assert!(
            whole.starts_with(&told.text),
            "{place}: sent twice, or not at all: {}",
            heard.body
        );
        assert!(told.calls.len() <= 1, "{place}: {}", heard.body);
        assert!(told.calls.iter().all(|own| own.arguments == ARGUMENTS), "{place}: {}", heard.body);
    }
    for own in &told.calls {
        assert!(serde_json::from_str::<Value>(&own.arguments).unwrap().is_object(), "{place}");
    }
    let is_whole = matches!(fault, Fault::Slice | Fault::SlowClose);
    if is_whole || may_ask && fault != Fault::Garble {
        assert_eq!((told.finishes, told.calls.len()), (1, 1), "{place}: {}", heard.body);
    }
}

/// Checks places all over the stream, `step` bytes apart.
async fn sweep(fault: Fault, step: usize) {
    let places = Arc::new(Semaphore::new(64));
    let mut all = Vec::new();
    for api in Api::ALL {
        for may_ask in [false, true] {
            for at in (0..healthy(api).len()).step_by(step) {
                let places = Arc::clone(&places);
                all.push(tokio::spawn(async move {
                    let _place = places.acquire().await.unwrap();
                    check(api, fault, at, may_ask).await;
                }));
            }
        }
    }
    for one in all {
        one.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_closed() {
    sweep(Fault::Drop, 3).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_reset() {
    sweep(Fault::Reset, 29).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_stalls() {
    sweep(Fault::Stall, 151).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_byte_that_is_another_one() {
    sweep(Fault::Garble, 7).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_in_single_bytes_or_with_a_late_end() {
    for api in Api::ALL {
        for may_ask in [false, true] {
            check(api, Fault::Slice, 0, may_ask).await;
            check(api, Fault::SlowClose, 0, may_ask).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_stays_open() {
    let open = || std::fs::read_dir("/proc/self/fd").map_or(0, std::iter::Iterator::count);
    check(Api::Chat, Fault::Drop, 700, true).await;
    let before = open();
    for at in 0..40 {
        check(Api::Chat, Fault::Drop, at * 40, true).await;
    }
    for _ in 0..200 {
        if open() <= before + 45 {
            return;
        }
        sleep(Duration::from_millis(50)).await;
    }
    panic!("{before} descriptors were open, and {} are", open());
}
