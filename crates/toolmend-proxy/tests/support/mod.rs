//! A server that says what it is told, byte for byte, and a client that keeps what it hears.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod log;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, oneshot};
use toolmend::Settings;
use toolmend_proxy::{Api, Credentials, Proxy, Setup};

/// What the server is to say: a head without its blank line, and the body in these pieces.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) head: String,
    pub(crate) pieces: Vec<Vec<u8>>,
    /// How long it waits before each piece.
    pub(crate) pause: Duration,
}

impl Script {
    /// A stream of events in pieces of so many bytes.
    pub(crate) fn events(body: &str, size: usize) -> Self {
        Self::stream("text/event-stream", body, size)
    }

    pub(crate) fn stream(kind: &str, body: &str, size: usize) -> Self {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n");
        let pieces = body.as_bytes().chunks(size).map(<[u8]>::to_vec).collect();
        Self { head, pieces, pause: Duration::ZERO }
    }

    pub(crate) fn json(status: &str, body: &str) -> Self {
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        Self { head, pieces: vec![body.as_bytes().to_vec()], pause: Duration::ZERO }
    }
}

/// Where clients ask an API.
pub(crate) const fn path(api: Api) -> &'static str {
    match api {
        Api::Chat => "/v1/chat/completions",
        Api::Responses => "/v1/responses",
        Api::Messages => "/v1/messages",
        Api::Ollama => "/api/chat",
    }
}

/// Everything that the server was asked, as it came.
pub(crate) type Asked = Arc<Mutex<Vec<String>>>;

/// The URL of a server that is not there.
pub(crate) async fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

/// Starts a server that says the same to everyone.
pub(crate) async fn upstream(script: Script) -> (String, Asked) {
    upstream_at("127.0.0.1:0", script).await
}

/// Starts such a server at an address.
pub(crate) async fn upstream_at(address: &str, script: Script) -> (String, Asked) {
    let listener = TcpListener::bind(address).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let heard = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let heard =
                if is_question(&socket).await { Asked::default() } else { Arc::clone(&heard) };
            tokio::spawn(say(socket, script.clone(), heard));
        }
    });
    (url, asked)
}

/// Starts a server that says the first thing to the first who asks, and so on; the last is said to
/// all others.
pub(crate) async fn upstream_in_turn(scripts: Vec<Script>) -> (String, Asked) {
    upstream_of(scripts, Script::json("404 Not Found", "{}")).await
}

/// Starts such a server that says who it is when it is asked.
pub(crate) async fn upstream_of(scripts: Vec<Script>, who: Script) -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let heard = Arc::clone(&asked);
    tokio::spawn(async move {
        let mut at = 0;
        while let Ok((socket, _)) = listener.accept().await {
            let script = scripts[at.min(scripts.len() - 1)].clone();
            // The proxy asks once who the server is; that is no request of a client.
            if is_question(&socket).await {
                tokio::spawn(say(socket, who.clone(), Asked::default()));
                continue;
            }
            at += 1;
            tokio::spawn(say(socket, script, Arc::clone(&heard)));
        }
    });
    (url, asked)
}

async fn is_question(socket: &TcpStream) -> bool {
    let mut start = [0; 3];
    socket.peek(&mut start).await.is_ok() && &start == b"GET"
}

/// Reads a request, as it comes.
pub(crate) async fn request_of(socket: &mut TcpStream) -> String {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let count = socket.read(&mut buffer).await.unwrap_or(0);
        request.extend_from_slice(&buffer[..count]);
        if count == 0 || is_whole(&request) {
            return String::from_utf8_lossy(&request).into_owned();
        }
    }
}

async fn say(mut socket: TcpStream, script: Script, asked: Asked) {
    let request = request_of(&mut socket).await;
    asked.lock().await.push(request);
    let _ = socket.write_all(format!("{}\r\n", script.head).as_bytes()).await;
    for piece in script.pieces {
        if !script.pause.is_zero() {
            tokio::time::sleep(script.pause).await;
        }
        if socket.write_all(&piece).await.is_err() {
            return;
        }
        let _ = socket.flush().await;
        tokio::task::yield_now().await;
    }
    let _ = socket.shutdown().await;
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    body.len() >= length.unwrap_or(0)
}

/// A proxy that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) url: String,
    _stop: oneshot::Sender<()>,
}

pub(crate) async fn proxy(upstream: &str, key: Option<&str>, settings: Settings) -> Running {
    proxy_with(upstream, key, Credentials::Passed, settings).await
}

pub(crate) async fn proxy_with(
    upstream: &str,
    key: Option<&str>,
    credentials: Credentials,
    settings: Settings,
) -> Running {
    let mut settings = settings;
    "127.0.0.1:0".clone_into(&mut settings.proxy.listen);
    let key = key.map(str::to_owned);
    let upstream = upstream.to_owned();
    let setup = Setup { upstream, key, credentials, observer: None, store: None };
    let proxy = Proxy::bind(Arc::new(settings), setup).await.unwrap();
    let url = format!("http://{}", proxy.address().unwrap());
    let (stop, stopped) = oneshot::channel();
    tokio::spawn(proxy.serve(async {
        let _ = stopped.await;
    }));
    Running { url, _stop: stop }
}

/// What a client hears.
pub(crate) struct Heard<B = String> {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: B,
}

pub(crate) async fn post(url: &str, headers: &[(&str, &str)], body: &str) -> Heard {
    let Heard { status, headers, body } = post_bytes(url, headers, body).await;
    Heard { status, headers, body: String::from_utf8(body).unwrap() }
}

pub(crate) async fn get(url: &str) -> String {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let request = Request::get(url).body(Full::default()).unwrap();
    let response = client.request(request).await.unwrap();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

pub(crate) async fn post_bytes(url: &str, headers: &[(&str, &str)], body: &str) -> Heard<Vec<u8>> {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let mut request = Request::post(url).header("content-type", "application/json");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::from(body.to_owned())).unwrap();
    let response = tokio::time::timeout(Duration::from_secs(20), client.request(request));
    let response = response.await.unwrap().unwrap();
    let (head, body) = response.into_parts();
    let body = tokio::time::timeout(Duration::from_secs(20), body.collect()).await.unwrap();
    let body = body.unwrap().to_bytes().to_vec();
    Heard { status: head.status, headers: head.headers, body }
}
