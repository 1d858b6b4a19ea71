//! A proxy that is told to stop by a signal, as service managers do, while many streams are open.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Barrier, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use crate::run::{Running, command};

const STREAMS: usize = 200;
/// How long streams may go on after the signal.
const SHUTDOWN_SECONDS: u64 = 3;
/// How long all of it may take, also where many tests share a machine.
const LATE: Duration = Duration::from_mins(1);

/// A stream of an API: how it begins, how it ends, and by what a client knows that it is whole.
struct Kind {
    path: &'static str,
    /// With tools, a stream that breaks off would be fetched again.
    tools: &'static str,
    begin: &'static str,
    rest: &'static str,
    whole: &'static str,
}

const KINDS: [Kind; 3] = [
    Kind {
        path: "/v1/chat/completions",
        tools: r#"[{"type":"function","function":{"name":"sail","parameters":{"type":"object"}}}]"#,
        begin: "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Ahoy, we sail at noon.\"},\"finish_reason\":null}]}\n\n",
        rest: "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        whole: "data: [DONE]\n\n",
    },
    Kind {
        path: "/v1/messages",
        tools: r#"[{"name":"sail","input_schema":{"type":"object"}}]"#,
        begin: "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Ahoy, we sail at noon.\"}}\n\n",
        rest: "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":2}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
        whole: "event: message_stop\n",
    },
    Kind {
        path: "/v1/responses",
        tools: r#"[{"type":"function","name":"sail","parameters":{"type":"object"}}]"#,
        begin: "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r\",\"object\":\"response\",\"created_at\":1,\"status\":\"in_progress\",\"model\":\"m\",\"output\":[]}}\n\nevent: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"sequence_number\":1,\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"i\",\"status\":\"in_progress\",\"role\":\"assistant\",\"content\":[]}}\n\n",
        rest: "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"sequence_number\":2,\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"i\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[]}}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":3,\"response\":{\"id\":\"r\",\"object\":\"response\",\"created_at\":1,\"status\":\"completed\",\"model\":\"m\",\"output\":[{\"type\":\"message\",\"id\":\"i\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[]}]}}\n\n",
        whole: "event: response.completed\n",
    },
];

fn kind(stream: usize) -> &'static Kind {
    KINDS.iter().cycle().nth(stream).unwrap()
}

/// Every second stream has an end; the others never come to one.
fn has_end(stream: usize) -> bool {
    stream.is_multiple_of(2)
}

/// A model server whose streams begin, and go on when the barrier opens.
fn model_server(gate: &Arc<Barrier>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let gate = Arc::clone(gate);
    thread::spawn(move || {
        for socket in listener.incoming() {
            let gate = Arc::clone(&gate);
            thread::spawn(move || serve(socket.unwrap(), &gate));
        }
    });
    address
}

fn serve(mut socket: TcpStream, gate: &Barrier) -> Option<()> {
    let (head, body) = read_request(&mut socket)?;
    // The proxy asks what kind of server this is.
    let Some(stream) = body.split("stream number ").nth(1) else {
        let _ = socket.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
        return None;
    };
    let stream: usize = stream.split('.').next()?.parse().ok()?;
    let kind = kind(stream);
    assert!(head.contains(kind.path), "{head}");
    let start = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    socket.write_all(start.as_bytes()).ok()?;
    socket.write_all(kind.begin.as_bytes()).ok()?;
    gate.wait();
    if has_end(stream) {
        return socket.write_all(kind.rest.as_bytes()).ok();
    }
    // Silent until the proxy goes away.
    socket.read(&mut [0]).ok().map(drop)
}

fn read_request(socket: &mut TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(socket);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? <= 2 {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head += &line;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).ok()?))
}

/// The proxy in front of it, and where it listens.
fn proxy(upstream: SocketAddr) -> (Running, SocketAddr) {
    let upstream = format!("http://{upstream}");
    let listen = ["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "none"];
    let mut command = command(&[&["proxy", "--upstream", &upstream], &listen[..]].concat());
    command.env("TOOLMEND_PROXY__SHUTDOWN_SECONDS", SHUTDOWN_SECONDS.to_string());
    let mut running = Running(command.spawn().unwrap());
    let mut lines = BufReader::new(running.0.stderr.take().unwrap()).lines();
    let address = lines.find_map(|line| {
        let line = line.unwrap().replace(&upstream, "");
        let address = line.split("http://").nth(1)?.split(['/', ' ']).next()?.to_owned();
        address.trim().parse().ok()
    });
    // Nobody else reads what it says.
    thread::spawn(move || lines.for_each(drop));
    (running, address.unwrap())
}

/// Asks for a stream, says when it has begun, and hears it to its end.
fn client(proxy: SocketAddr, stream: usize, begun: &mpsc::Sender<()>) -> String {
    let mut socket = TcpStream::connect(proxy).unwrap();
    socket.set_read_timeout(Some(LATE)).unwrap();
    let asked = format!("This is stream number {stream}. How is the sea?");
    let key = if kind(stream).path == "/v1/responses" { "input" } else { "messages" };
    let tools = kind(stream).tools;
    let body = format!(
        r#"{{"model":"m","stream":true,"max_tokens":9,"tools":{tools},"{key}":[{{"role":"user","content":"{asked}"}}]}}"#
    );
    let asked = format!(
        "POST {} HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        kind(stream).path,
        body.len()
    );
    socket.write_all((asked + &body).as_bytes()).unwrap();
    let (mut heard, mut buffer) = (Vec::new(), [0; 4096]);
    let mut is_told = false;
    loop {
        let count = socket.read(&mut buffer).unwrap();
        heard.extend_from_slice(buffer.get(..count).unwrap());
        let has_begun = heard.windows(6).any(|bytes| bytes == b"data: ");
        if has_begun && !is_told {
            is_told = true;
            begun.send(()).unwrap();
        }
        if count == 0 {
            return String::from_utf8(heard).unwrap();
        }
    }
}

#[test]
fn a_signal_ends_every_open_stream_properly() {
    let gate = Arc::new(Barrier::new(STREAMS + 1));
    let (mut running, address) = proxy(model_server(&gate));
    let (begun, all_begun) = mpsc::channel();
    let clients: Vec<_> = (0..STREAMS)
        .map(|stream| {
            let begun = begun.clone();
            thread::spawn(move || client(address, stream, &begun))
        })
        .collect();
    for _ in 0..STREAMS {
        all_begun.recv_timeout(LATE).unwrap();
    }
    let signalled = Instant::now();
    let killed =
        Command::new("kill").args(["-TERM", &running.0.id().to_string()]).status().unwrap();
    assert!(killed.success());
    gate.wait();
    for (stream, client) in clients.into_iter().enumerate() {
        let heard = client.join().unwrap();
        // Chunks end as HTTP says, and so does the stream in them as its API says.
        assert!(heard.starts_with("HTTP/1.1 200 OK"), "{heard}");
        assert!(heard.ends_with("\r\n0\r\n\r\n"), "stream {stream} was cut: {heard}");
        let errors = heard.matches("error").count();
        assert_eq!(
            heard.matches(kind(stream).whole).count(),
            usize::from(has_end(stream)),
            "{heard}"
        );
        assert_eq!(errors > 0, !has_end(stream), "{heard}");
    }
    let status = running.0.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(signalled.elapsed() < LATE, "{:?}", signalled.elapsed());
    assert!(TcpStream::connect(address).is_err());
}
