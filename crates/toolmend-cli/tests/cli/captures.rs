//! The demo, what is kept of it, and what can be made of that.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use cases::Case;
use serde_json::Value;

use crate::run::{command, run, toolmend};

/// Lets the demo run until so many calls are kept, and gives the store.
fn demo(name: &str, calls: usize) -> String {
    let store = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", store.display()));
    }
    let store = store.to_str().unwrap().to_owned();
    let args = ["proxy", "--demo", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"];
    let mut proxy = command(&args).args(["--store", &store]).spawn().unwrap();
    let mut said = BufReader::new(proxy.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().contains("A scripted agent is at work")));
    let started = Instant::now();
    loop {
        let listed = toolmend(&["captures", "list", "--json", "--store", &store], "");
        if listed.out.lines().count() >= calls {
            break;
        }
        assert!(started.elapsed() < Duration::from_mins(1), "{listed:?}");
        std::thread::sleep(Duration::from_millis(200));
    }
    let stopped = Command::new("kill").arg(proxy.id().to_string()).status().unwrap();
    assert!(stopped.success());
    let summary: Vec<String> = said.map(Result::unwrap).collect();
    proxy.wait().unwrap();
    assert!(summary.iter().any(|line| line.contains("kept:")), "{summary:?}");
    store
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

#[test]
fn what_the_demo_did_is_listed_shown_exported_measured_and_made_into_cases() {
    let store = demo("captures.db", 12);
    let asked = |args: &[&str]| {
        let mut all = vec!["captures"];
        all.extend(args);
        all.extend(["--store", &store]);
        let ran = toolmend(&all, "");
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out
    };
    let listed = lines(&asked(&["list", "--json", "--outcome", "mended", "-n", "100"]));
    assert!(listed.len() > 3 && listed.iter().all(|row| word(row, "outcome") == "mended"));
    let left = lines(&asked(&["list", "--json", "--outcome", "left", "-n", "100"]));
    assert!(asked(&["list"]).contains("mended"));

    let mut rules = 0;
    for row in listed.iter().chain(&left) {
        let id = row.get("id").unwrap().to_string();
        assert!(asked(&["show", &id]).contains(word(row, "tool")));
        let text = asked(&["export", "--as-case", &id]);
        let case = Case::parse(&text).unwrap();
        rules += usize::from(text.contains("\"rule\""));
        // The case says what comes out of its line.
        let line: Value = serde_json::from_str(case.text("line")).unwrap();
        let fixed = toolmend(&["fix", "--jsonl"], line.to_string());
        let fixed: Value = serde_json::from_str(&fixed.out).unwrap();
        assert_eq!(serde_json::to_string_pretty(&fixed).unwrap(), case.text("out"), "{text}");
    }
    assert!(rules > 0, "a case shows a repair");

    let exported = asked(&["export"]);
    assert_eq!(toolmend(&["fix", "--jsonl", "--check"], &exported).code, 1, "they need mending");
    let measured = toolmend(&["eval", "--captures", "--json", "--store", &store], "");
    let all = lines(&measured.out).into_iter().find(|line| word(line, "group") == "all").unwrap();
    assert_eq!(all.get("wrong"), Some(&Value::from(0)), "what came out then comes out now: {all}");

    let ran = toolmend(&["captures", "rm", "--until", "0s", "--store", &store], "");
    assert!(ran.err.contains("turns were removed"), "{ran:?}");
    assert_eq!(asked(&["list", "--json"]), "");
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let ran = toolmend(&["captures", "list", "--store", "/nowhere/at/all.db"], "");
    assert_eq!(ran.code, 64, "{ran:?}");
    assert!(ran.err.contains("there is no store yet"), "{ran:?}");
    let mut other = command(&["captures", "list"]);
    other.env("XDG_STATE_HOME", "/nowhere");
    assert!(run(&mut other, "").err.contains("/nowhere/toolmend/calls.db"));
}

#[test]
fn to_remove_everything_takes_a_word() {
    let store = crate::run::file("empty.db", "");
    let ran = toolmend(&["captures", "rm", "--store", &store], "");
    assert_eq!(ran.code, 64, "{ran:?}");
}
