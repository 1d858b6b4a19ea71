//! What the terminal says of a model server that is not there.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;

use crate::run::{Running, command, toolmend};

/// Asks the proxy something, and gives the first line of what it says.
fn ask(proxy: SocketAddr) -> String {
    let mut socket = TcpStream::connect(proxy).unwrap();
    let request = "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
    socket.write_all(request.as_bytes()).unwrap();
    let mut heard = String::new();
    socket.read_to_string(&mut heard).unwrap();
    heard.lines().next().unwrap_or_default().to_owned()
}

/// A model server that has nothing to say.
fn serve(listener: TcpListener) {
    thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let _ = socket.read(&mut [0; 4096]);
            let said = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
            let _ = socket.write_all(said.as_bytes());
        }
    });
}

#[test]
fn a_server_that_is_not_there_is_told_once_and_so_is_its_return() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let upstream = format!("http://{address}/token?key=secret");
    let listen = ["--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--store", "none"];
    let mut proxy = command(&[&["proxy", "--upstream", &upstream], &listen[..]].concat());
    let mut proxy = Running(proxy.spawn().unwrap());
    let mut said = BufReader::new(proxy.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    let own = said.find_map(|line| {
        let address =
            line.strip_prefix("toolmend listens on http://")?.split(". ").next()?.to_owned();
        address.parse::<SocketAddr>().ok()
    });
    let own = own.unwrap();
    for _ in 0..3 {
        assert!(ask(own).contains(" 502 "));
    }
    serve(TcpListener::bind(address).unwrap());
    assert!(ask(own).contains(" 200 "));
    assert!(Command::new("kill").arg(proxy.0.id().to_string()).status().unwrap().success());
    let said: Vec<String> = said.filter(|line| line.contains(&address.to_string())).collect();
    proxy.0.wait().unwrap();
    let [away, back] = said.as_slice() else { panic!("{said:?}") };
    assert!(away.starts_with(&format!("cannot reach http://{address}: is it running")), "{away}");
    assert_eq!(*back, format!("reachable again http://{address}"));
}

#[test]
fn a_password_in_the_address_is_not_told() {
    let ran = toolmend(&["proxy", "--upstream", "http://me:hunter2@127.0.0.1:1"], "");
    assert_eq!(ran.code, 64, "{ran:?}");
    assert!(ran.err.contains("has a password in it") && !ran.err.contains("hunter2"), "{ran:?}");
}
