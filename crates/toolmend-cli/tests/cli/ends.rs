//! How the proxy starts and ends: what it says where it cannot, and what `run` makes of its agent's end.

use std::io::{BufRead as _, BufReader};
use std::process::Command;

use crate::run::{command, toolmend};

#[test]
fn who_cannot_listen_says_what_to_do() {
    let store = ["--store", "none"];
    for (args, code, wanted) in [
        (["--upstream", "ftp://x"], 64, "the upstream \"ftp://x\" is neither http nor https"),
        (["--listen", "nowhere"], 64, "an address and a port are wanted, as 127.0.0.1:5506"),
    ] {
        let args = [&["proxy"][..], &store, &args].concat();
        let ended = toolmend(&args, "");
        assert!(ended.code == code && ended.err.contains(wanted), "{ended:?}");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let place = taken.local_addr().unwrap().to_string();
    let args = ["proxy", "--upstream", "http://127.0.0.1:9", "--store", "none"];
    for flag in ["--listen", "--admin"] {
        let other = if flag == "--listen" { "--admin" } else { "--listen" };
        let ended = toolmend(&[&args[..], &[flag, &place, other, "127.0.0.1:0"]].concat(), "");
        let wanted = format!("cannot listen on {place}");
        assert!(ended.err.contains(&wanted) && ended.err.contains(flag), "{ended:?}");
    }
}

#[cfg(unix)]
#[test]
fn the_end_of_an_agent_is_passed_on() {
    let run = ["run", "--demo", "--"];
    for (agent, code) in [
        (&["sh", "-c", "exit 5"][..], 5),
        (&["sh", "-c", "kill -9 $$"][..], 137),
        (&["no-such-agent"][..], 127),
    ] {
        assert_eq!(toolmend(&[&run[..], agent].concat(), "").code, code, "{agent:?}");
    }
}

/// A wish to end reaches the agent, which goes on until it has done what it does then.
#[cfg(unix)]
#[test]
fn an_agent_is_told_to_end() {
    let agent = "trap 'exit 7' TERM; echo ready >&2; sleep 20 & wait";
    let mut running = command(&["run", "--demo", "--", "sh", "-c", agent]).spawn().unwrap();
    let lines = BufReader::new(running.stderr.take().unwrap()).lines();
    let mut lines = lines.map(Result::unwrap);
    assert!(lines.any(|line| line == "ready"));
    for signal in ["-INT", "-TERM"] {
        let id = running.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
    assert_eq!(running.wait().unwrap().code(), Some(7));
}
