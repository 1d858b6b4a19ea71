//! Connections to servers: what comes by them in whatever way HTTP allows, and when they are used again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http::StatusCode;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;
use toolmend::Settings;

use crate::support::{Heard, post, proxy, request_of};
use crate::{CHAT, chat_text, request};

/// A server that says the same to every request of a connection, in pieces of so many bytes, until it is
/// hung up on or hangs up. Tells how many connections brought it a request.
async fn server(said: Vec<u8>, size: usize, hangs_up: bool) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            tokio::spawn(serve(socket, said.clone(), (size, hangs_up), Arc::clone(&told)));
        }
    });
    (url, count)
}

async fn serve(
    mut socket: TcpStream,
    said: Vec<u8>,
    (size, hangs_up): (usize, bool),
    count: Arc<AtomicUsize>,
) {
    let mut is_new = true;
    loop {
        let asked = request_of(&mut socket).await;
        // The proxy asks who the server is.
        if !asked.starts_with("POST") {
            return;
        }
        if std::mem::take(&mut is_new) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        for piece in said.chunks(size) {
            if socket.write_all(piece).await.is_err() {
                return;
            }
            tokio::task::yield_now().await;
        }
        if hangs_up {
            return;
        }
    }
}

/// A stream in chunks of so many bytes, and what stands behind the last.
fn in_chunks(body: &str, size: usize, trailers: &str) -> Vec<u8> {
    let mut said =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            .to_vec();
    for chunk in body.as_bytes().chunks(size) {
        said.extend_from_slice(format!("{:x};a=b\r\n", chunk.len()).as_bytes());
        said.extend_from_slice(chunk);
        said.extend_from_slice(b"\r\n");
    }
    said.extend_from_slice(format!("0\r\n{trailers}\r\n").as_bytes());
    said
}

fn whole(head: &str, body: &str) -> Vec<u8> {
    let kind = "content-type: application/json";
    format!("{head}\r\n{kind}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

const REPLY: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"It rains."},"finish_reason":"stop"}]}"#;

async fn ask(url: &str, times: usize) -> Heard {
    let proxy = proxy(url, None, Settings::default()).await;
    let mut last = None;
    for _ in 0..times {
        last = Some(post(&format!("{}{CHAT}", proxy.url), &[], &request(CHAT, false)).await);
    }
    last.unwrap()
}

#[tokio::test]
async fn chunks_are_heard_in_whatever_pieces_they_come() {
    let body = chat_text("It rains in Lima.");
    for (chunk, size) in [(1, 1), (7, 3), (40, 1), (4096, 4096), (4096, 1)] {
        for trailers in ["", "x-checked: yes\r\n"] {
            let (url, count) = server(in_chunks(&body, chunk, trailers), size, false).await;
            let heard = ask(&url, 2).await;
            assert_eq!(heard.body, body, "chunks of {chunk} in pieces of {size}");
            assert_eq!(count.load(Ordering::Relaxed), 1);
        }
    }
}

#[tokio::test]
async fn a_connection_is_used_again_where_it_can_be() {
    let ten = "HTTP/1.0 200 OK\r\nconnection: keep-alive";
    for (head, behind, count_wanted) in [
        ("HTTP/1.1 200 OK", "", 1),
        (ten, "", 1),
        ("HTTP/1.0 200 OK", "", 3),
        ("HTTP/1.1 200 OK\r\nconnection: close", "", 3),
        ("HTTP/1.1 200 OK", "more than was asked for", 3),
    ] {
        let mut said = whole(head, REPLY);
        said.extend_from_slice(behind.as_bytes());
        let (url, count) = server(said, usize::MAX, false).await;
        assert_eq!(ask(&url, 3).await.body, REPLY, "{head}");
        assert_eq!(count.load(Ordering::Relaxed), count_wanted, "{head}{behind}");
    }
}

#[tokio::test]
async fn a_server_that_hangs_up_without_a_word_is_asked_anew() {
    let (url, count) = server(whole("HTTP/1.1 200 OK", REPLY), usize::MAX, true).await;
    let heard = ask(&url, 5).await;
    assert_eq!((heard.status, &*heard.body), (StatusCode::OK, REPLY));
    assert_eq!(count.load(Ordering::Relaxed), 5);
}

#[tokio::test]
async fn words_in_between_are_no_answer() {
    let between =
        b"HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
    let said = [&between[..], &whole("HTTP/1.1 200 OK", REPLY)].concat();
    for size in [1, usize::MAX] {
        let (url, _) = server(said.clone(), size, false).await;
        assert_eq!(ask(&url, 1).await.body, REPLY);
    }
}

#[tokio::test]
async fn an_answer_may_end_with_its_connection_or_have_no_body() {
    let start = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n";
    let (url, _) = server(format!("{start}{REPLY}").into_bytes(), 9, true).await;
    assert_eq!(ask(&url, 2).await.body, REPLY);
    let (url, _) = server(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec(), 9, false).await;
    let heard = ask(&url, 2).await;
    assert_eq!((heard.status, &*heard.body), (StatusCode::NO_CONTENT, ""));
}

#[tokio::test]
async fn what_is_no_answer_ends_as_an_error() {
    let cut = whole("HTTP/1.1 200 OK", REPLY);
    let long = format!("HTTP/1.1 200 OK\r\nx-long: {}\r\n\r\n", "a".repeat(100_000));
    let chunk =
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\n";
    for said in [
        Vec::new(),
        b"HTTP/1.1 200 OK\r\ncontent-".to_vec(),
        b"Hello, who is there?\r\n\r\n".to_vec(),
        cut[..cut.len() - 5].to_vec(),
        long.into_bytes(),
        format!("{chunk}zz\r\n{{}}\r\n0\r\n\r\n").into_bytes(),
        format!("{chunk}5\r\n{{}}").into_bytes(),
        format!("{chunk}{}", "0".repeat(200_000)).into_bytes(),
    ] {
        let (url, _) = server(said.clone(), usize::MAX, true).await;
        let heard = ask(&url, 1).await;
        let shown = String::from_utf8_lossy(&said[..said.len().min(80)]).into_owned();
        assert_eq!(heard.status, StatusCode::BAD_GATEWAY, "{shown}");
        assert!(heard.body.contains("error"), "{shown}: {}", heard.body);
    }
}

#[tokio::test]
async fn a_server_that_refuses_before_it_heard_all_is_heard() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut open = Vec::new();
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut start = [0; 1024];
            let _ = socket.read(&mut start).await;
            let said =
                whole("HTTP/1.1 413 Content Too Large", r#"{"error":{"message":"too much"}}"#);
            let _ = socket.write_all(&said).await;
            // It neither reads the rest nor hangs up.
            open.push(socket);
        }
    });
    let proxy = proxy(&url, None, Settings::default()).await;
    let mut body: serde_json::Value = serde_json::from_str(&request(CHAT, false)).unwrap();
    body["messages"][0]["content"] = "Is it raining? ".repeat(1 << 20).into();
    let heard = post(&format!("{}{CHAT}", proxy.url), &[], &body.to_string()).await;
    assert_eq!(heard.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(heard.body.contains("too much"));
}

fn head_bytes(request: &[u8]) -> usize {
    request.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4
}

/// A server that says something as soon as a request with a body of so many bytes begins, and the rest
/// when it has all of it.
async fn hasty(length: usize, early: Vec<u8>, late: Vec<u8>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let told = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut start = vec![0; 4096];
            let count = socket.read(&mut start).await.unwrap();
            start.truncate(count);
            if !start.starts_with(b"POST") {
                continue;
            }
            told.fetch_add(1, Ordering::Relaxed);
            socket.write_all(&early).await.unwrap();
            // What the proxy sends is more than a socket takes before anyone reads.
            sleep(Duration::from_millis(100)).await;
            let mut rest = (&mut socket).take((length + head_bytes(&start) - start.len()) as u64);
            tokio::io::copy(&mut rest, &mut tokio::io::sink()).await.unwrap();
            socket.write_all(&late).await.unwrap();
        }
    });
    (url, count)
}

#[tokio::test]
async fn a_server_that_speaks_before_it_heard_all_hears_the_rest() {
    let mut body: serde_json::Value = serde_json::from_str(&request(CHAT, false)).unwrap();
    body["messages"][0]["content"] = "Is it raining? ".repeat(1 << 20).into();
    let body = body.to_string();
    let mut begun = whole("HTTP/1.1 200 OK", REPLY);
    begun.truncate(begun.len() - REPLY.len());
    for (early, late) in [
        (b"HTTP/1.1 103 Early Hints\r\n\r\n".to_vec(), whole("HTTP/1.1 200 OK", REPLY)),
        (begun, REPLY.as_bytes().to_vec()),
    ] {
        let (url, count) = hasty(body.len(), early, late).await;
        let proxy = proxy(&url, None, Settings::default()).await;
        let heard = post(&format!("{}{CHAT}", proxy.url), &[], &body).await;
        assert_eq!((heard.status, &*heard.body), (StatusCode::OK, REPLY));
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }
}

#[tokio::test]
async fn what_came_before_a_fault_is_heard_and_nothing_is_asked_twice() {
    let body = chat_text("It rains in Lima.");
    let events: Vec<&str> = body.split_inclusive("\n\n").take(2).collect();
    let mut said = in_chunks(&events.concat(), 4096, "");
    said.truncate(said.len() - "0\r\n\r\n".len());
    said.extend_from_slice(b"ZZ\r\n");
    let (url, count) = server(said, usize::MAX, true).await;
    let mut settings = Settings::default();
    settings.ask.max_reprompts = 0;
    let proxy = proxy(&url, None, settings).await;
    let heard = post(&format!("{}{CHAT}", proxy.url), &[], &request(CHAT, true)).await;
    assert_eq!(heard.status, StatusCode::OK);
    assert!(heard.body.contains("It rains in Lima."), "{}", heard.body);
    assert!(heard.body.contains("error"), "{}", heard.body);
    assert_eq!(count.load(Ordering::Relaxed), 1);
}
