//! A proxy that is told by a settings file alone where to listen, whom to ask, which keys count and
//! where to keep what it does.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use crate::run::{command, file, toolmend};

/// Longer than anything here should take.
const LATE: Duration = Duration::from_secs(30);

/// A model server that says what it was asked with, head by head.
fn model_server() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, asked) = mpsc::channel();
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let mut head = String::new();
            let mut reader = BufReader::new(socket.try_clone().unwrap());
            while reader.read_line(&mut head).is_ok_and(|length| length > 2) {}
            let _ = sender.send(head);
            let _ = socket
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}");
        }
    });
    (url, asked)
}

/// The first line of an answer.
fn ask(address: &str, request: &str) -> String {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(LATE)).unwrap();
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    let _ = socket.read_to_string(&mut answer);
    answer.lines().next().unwrap_or_default().to_owned()
}

/// The address behind `http://` in what the proxy says.
fn address(said: &[String], wanted: &str) -> String {
    let line = said.iter().find(|line| line.contains(wanted)).unwrap();
    let rest = line.split("http://").nth(1).unwrap();
    let address = rest.split(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ':')).next();
    address.unwrap().trim_end_matches('.').to_owned()
}

#[test]
fn a_settings_file_says_all_that_flags_do() {
    let (url, heard) = model_server();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("settings");
    // What an earlier run left there, its log beside it.
    let _ = std::fs::remove_dir_all(&folder);
    let store = folder.join("calls.db");
    let settings = format!(
        "proxy.listen = '127.0.0.1:0'\nproxy.admin = '127.0.0.1:0'\nproxy.upstream = '{url}'\n\
         proxy.client_key_env = 'CLIENTS_KEY'\nproxy.upstream_key_env = 'SERVERS_KEY'\n\
         store.place = '{}'\n",
        store.display()
    );
    let settings = file("settings.toml", settings);
    let args = ["proxy", "--config", &settings];
    let unset = command(&args).env_remove("CLIENTS_KEY").output().unwrap();
    let told = String::from_utf8(unset.stderr).unwrap();
    assert!(told.contains("want a key in CLIENTS_KEY, and it is not set"), "{told}");
    let mut proxy = command(&args)
        .env("CLIENTS_KEY", "of-the-clients")
        .env("SERVERS_KEY", "of-the-server")
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(proxy.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut said = Vec::new();
    while !said.iter().any(|line: &String| line.contains("See what is mended")) {
        said.push(lines.next().unwrap());
    }
    let rest = thread::spawn(move || lines.count());
    let own = address(&said, "listens on");
    let body = "{\"input\": \"a\"}";
    let request = |key: &str| {
        format!(
            "POST /v1/embeddings HTTP/1.1\r\nhost: {own}\r\nauthorization: Bearer {key}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    assert_eq!(ask(&own, &request("of-nobody")), "HTTP/1.1 401 Unauthorized");
    assert_eq!(ask(&own, &request("of-the-clients")), "HTTP/1.1 200 OK");
    let asked = heard.into_iter().find(|head| head.contains("embeddings")).unwrap();
    assert!(asked.contains("authorization: Bearer of-the-server"), "{asked}");
    let page = address(&said, "See what is mended");
    let healthy = format!("GET /healthz HTTP/1.1\r\nhost: {page}\r\nconnection: close\r\n\r\n");
    assert_eq!(ask(&page, &healthy), "HTTP/1.1 200 OK");
    assert!(Command::new("kill").arg(proxy.id().to_string()).status().unwrap().success());
    proxy.wait().unwrap();
    rest.join().unwrap();
    let kept = toolmend(&["captures", "list", "--config", &settings], "");
    assert!(kept.code == 0 && store.exists(), "{kept:?}");
}
