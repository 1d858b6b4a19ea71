//! Nobody can hold the proxy, or fill it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use toolmend::Settings;
use toolmend_proxy::{Proxy, Setup};

use crate::support::{Script, post, proxy, upstream};
use crate::{CHAT, chat_text, request};

/// Longer than anything here should take.
const LATE: Duration = Duration::from_secs(10);

async fn connect(url: &str) -> TcpStream {
    TcpStream::connect(url.trim_start_matches("http://")).await.unwrap()
}

fn raw_request(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: p\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Whether the other side closes, with or without a last word.
async fn is_closed(socket: &mut TcpStream) -> bool {
    let mut rest = Vec::new();
    timeout(LATE, socket.read_to_end(&mut rest)).await.is_ok()
}

/// A server that sends a head and the first event, and then what `more` says, until that fails. Tells
/// how many bytes it wrote, and when it was hung up on.
async fn endless(
    more: &'static [u8],
    pause: Duration,
) -> (String, Arc<AtomicUsize>, oneshot::Receiver<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    let (gone, is_gone) = oneshot::channel();
    tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        let _ = socket.read(&mut buffer).await;
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        let first = chat_text("Hi").split_inclusive("\n\n").next().unwrap_or_default().to_owned();
        let _ = socket.write_all(format!("{head}{first}").as_bytes()).await;
        while socket.write_all(more).await.is_ok() {
            count.fetch_add(more.len(), Ordering::Relaxed);
            sleep(pause).await;
        }
        let _ = gone.send(());
    });
    (url, written, is_gone)
}

#[tokio::test]
async fn who_does_not_say_anything_is_hung_up_on() {
    let mut settings = Settings::default();
    settings.proxy.header_seconds = 1;
    let proxy = proxy("http://127.0.0.1:9", None, settings).await;
    for said in ["", "P", "PRI * HT", "GET / HTTP/1.1\r\nhos"] {
        let mut socket = connect(&proxy.url).await;
        socket.write_all(said.as_bytes()).await.unwrap();
        assert!(is_closed(&mut socket).await, "{said:?}");
    }
}

#[tokio::test]
async fn a_request_that_does_not_go_on_is_given_up() {
    let mut settings = Settings::default();
    settings.proxy.header_seconds = 1;
    let proxy = proxy("http://127.0.0.1:9", None, settings).await;
    let mut socket = connect(&proxy.url).await;
    let asked = raw_request(CHAT, &request(CHAT, false));
    socket.write_all(&asked.as_bytes()[..asked.len() - 5]).await.unwrap();
    let mut answer = vec![0; 512];
    let count = timeout(LATE, socket.read(&mut answer)).await.unwrap().unwrap();
    let answer = String::from_utf8_lossy(&answer[..count]).into_owned();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
}

#[tokio::test]
async fn more_clients_than_allowed_wait_for_their_turn() {
    let (url, _) = upstream(Script::json("200 OK", "{}")).await;
    let mut settings = Settings::default();
    settings.proxy.connections_max = 1;
    let proxy = proxy(&url, None, settings).await;
    let mut first = connect(&proxy.url).await;
    first.write_all(raw_request("/v1/embeddings", "{}").as_bytes()).await.unwrap();
    let mut buffer = [0; 512];
    timeout(LATE, first.read(&mut buffer)).await.unwrap().unwrap();
    let mut second = connect(&proxy.url).await;
    second.write_all(raw_request("/v1/embeddings", "{}").as_bytes()).await.unwrap();
    let waited = timeout(Duration::from_millis(300), second.read(&mut buffer)).await;
    assert!(waited.is_err(), "the second client was served beside the first");
    drop(first);
    let count = timeout(LATE, second.read(&mut buffer)).await.unwrap().unwrap();
    assert!(count > 0);
}

#[tokio::test]
async fn comments_alone_do_not_keep_a_stream_open() {
    let (url, _, is_gone) = endless(b": still here\n\n", Duration::from_millis(200)).await;
    let mut settings = Settings::default();
    settings.proxy.idle_seconds = 1;
    settings.ask.max_asks = 0;
    let proxy = proxy(&url, None, settings).await;
    let started = Instant::now();
    let heard = post(&format!("{}{CHAT}", proxy.url), &[], &request(CHAT, true)).await;
    assert!(heard.body.contains("\"error\""), "{}", heard.body);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    timeout(LATE, is_gone).await.unwrap().unwrap();
}

/// A server that takes no connection, since those that wait for it are all that may wait.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_cannot_be_reached_is_given_up() {
    let listening = TcpSocket::new_v4().unwrap();
    listening.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listening.local_addr().unwrap();
    let _listener = listening.listen(1).unwrap();
    let mut waiting = Vec::new();
    while let Ok(socket) = timeout(Duration::from_millis(300), TcpStream::connect(address)).await {
        waiting.push(socket);
        assert!(waiting.len() < 16, "all of them are taken");
    }
    let mut settings = Settings::default();
    settings.proxy.connect_seconds = 1;
    let proxy = proxy(&format!("http://{address}"), None, settings).await;
    let started = Instant::now();
    let heard = post(&format!("{}{CHAT}", proxy.url), &[], &request(CHAT, false)).await;
    assert!(heard.status.is_server_error(), "{} {}", heard.status, heard.body);
    assert!(started.elapsed() < LATE, "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_client_that_goes_away_takes_the_server_along() {
    let (url, _, is_gone) = endless(b"data: {\"choices\":[]}\n\n", Duration::from_millis(20)).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let mut socket = connect(&proxy.url).await;
    socket.write_all(raw_request(CHAT, &request(CHAT, true)).as_bytes()).await.unwrap();
    let mut buffer = [0; 512];
    timeout(LATE, socket.read(&mut buffer)).await.unwrap().unwrap();
    drop(socket);
    timeout(LATE, is_gone).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_slow_reader_holds_the_server_back() {
    let event = format!(":{}\n\n", "x".repeat(64 << 10)).leak().as_bytes();
    let (url, written, is_gone) = endless(event, Duration::ZERO).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let mut socket = connect(&proxy.url).await;
    socket.write_all(raw_request(CHAT, &request(CHAT, true)).as_bytes()).await.unwrap();
    sleep(Duration::from_millis(1500)).await;
    let before = written.load(Ordering::Relaxed);
    sleep(Duration::from_millis(500)).await;
    let after = written.load(Ordering::Relaxed);
    assert_eq!(before, after, "the server still writes, and nobody reads");
    assert!(after < 32 << 20, "{after} bytes are on their way");
    drop(socket);
    timeout(LATE, is_gone).await.unwrap().unwrap();
}

#[tokio::test]
async fn an_event_that_is_too_large_passes_and_is_not_read() {
    let large = "x".repeat(17 << 20);
    let body = chat_text(&large);
    let (url, _) = upstream(Script::events(&body, 1 << 20)).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let heard = post(&format!("{}{CHAT}", proxy.url), &[], &request(CHAT, true)).await;
    assert!(heard.body == body, "{} bytes became {}", body.len(), heard.body.len());
}

async fn served(
    url: &str,
    shutdown_seconds: u64,
) -> (String, oneshot::Sender<()>, tokio::task::JoinHandle<()>) {
    let mut settings = Settings::default();
    "127.0.0.1:0".clone_into(&mut settings.proxy.listen);
    settings.proxy.shutdown_seconds = shutdown_seconds;
    let credentials = toolmend_proxy::Credentials::Passed;
    let setup =
        Setup { upstream: url.to_owned(), key: None, credentials, observer: None, store: None };
    let proxy = Proxy::bind(Arc::new(settings), setup).await.unwrap();
    let url = format!("http://{}", proxy.address().unwrap());
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(proxy.serve(async { drop(stopped.await) }));
    (url, stop, served)
}

#[tokio::test]
async fn streams_that_are_open_end_well_when_the_proxy_stops() {
    let body = chat_text("Two stops, then the harbour.");
    let mut script = Script::events(&body, body.len() / 3);
    script.pause = Duration::from_millis(300);
    let (url, _) = upstream(script).await;
    let (url, stop, served) = served(&url, 20).await;
    let address = format!("{url}{CHAT}");
    let asked = tokio::spawn(async move { post(&address, &[], &request(CHAT, true)).await });
    sleep(Duration::from_millis(200)).await;
    drop(stop);
    let heard = asked.await.unwrap();
    assert_eq!(heard.body, body);
    timeout(LATE, served).await.unwrap().unwrap();
    assert!(TcpStream::connect(url.trim_start_matches("http://")).await.is_err());
}

#[tokio::test]
async fn streams_that_do_not_end_are_cut_after_a_while() {
    let (url, _, _is_gone) =
        endless(b"data: {\"choices\":[]}\n\n", Duration::from_millis(50)).await;
    let (url, stop, served) = served(&url, 1).await;
    let mut socket = connect(&url).await;
    socket.write_all(raw_request(CHAT, &request(CHAT, true)).as_bytes()).await.unwrap();
    let mut buffer = [0; 512];
    timeout(LATE, socket.read(&mut buffer)).await.unwrap().unwrap();
    drop(stop);
    timeout(LATE, served).await.unwrap().unwrap();
}
