//! The demo, what is kept of it, and what can be made of that.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolmend::StoreSettings;
use toolmend_store::{CallRecord, Fate, Place, Store, TurnRecord};

use crate::line;
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

    let cases = Path::new(env!("CARGO_TARGET_TMPDIR")).join("captured");
    let _ = std::fs::remove_dir_all(&cases);
    let cases = cases.to_str().unwrap();
    let mut rules = 0;
    for row in listed.iter().chain(&left) {
        let id = row.get("id").unwrap().to_string();
        assert!(asked(&["show", &id]).contains(word(row, "tool")));
        // One command makes a file that the harness of `cases/line` runs.
        let told = asked(&["export", "--as-case", &id, "--to", cases]);
        let path = Path::new(told.trim());
        assert!(path.starts_with(cases), "{told}");
        line::HARNESS.check(path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(asked(&["export", "--as-case", &id]), text);
        rules += usize::from(text.contains("\"rule\""));
        let again = toolmend(
            &["captures", "export", "--as-case", &id, "--to", cases, "--store", &store],
            "",
        );
        assert_ne!(again.code, 0, "a file that is there stays: {again:?}");
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

/// Keeps a turn with its texts, and gives the store.
fn kept(name: &str, line: &Value) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{end}", path.display()));
    }
    let settings = StoreSettings { days_max: 100_000, ..StoreSettings::default() };
    let store = Store::open(&Place::File(path.clone()), &settings).unwrap();
    store.put(TurnRecord {
        model: "m".into(),
        api: "chat".into(),
        calls: vec![CallRecord {
            tool: Some("get_weather".into()),
            fate: Fate::Mended,
            reason: None,
            channel: "tool_calls".into(),
            dialect: None,
            is_lossy: false,
            repairs: Vec::new(),
            faults: Vec::new(),
        }],
        texts: Some(json!({"in": line, "out": {}}).into()),
        ..TurnRecord::default()
    });
    drop(store);
    path.to_str().unwrap().to_owned()
}

/// Turns with canaries in all values and messages; what schemas say has to stay.
fn canaries() -> Vec<Value> {
    let tools = json!([{"name": "get_weather", "parameters": {"type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "kelvin"]},
            "days": {"type": "integer"}, "tags": {"type": "object"}}, "required": ["city"]}}]);
    let call =
        |arguments: &str| json!([{"id": "c", "name": "get_weather", "arguments": arguments}]);
    let messages = json!([{"role": "user", "content": "canaryask about canarytown"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "p", "type": "function",
            "function": {"name": "get_weather", "arguments": "{\"city\": \"canarypast\"}"}}]},
        {"role": "tool", "tool_call_id": "p", "content": "canaryresult"}]);
    let said = [
        json!({"tool_calls": call(r#"{'city': 'canarytown', "unit": "CELSIUS", "days": "3",}"#)}),
        json!({"tool_calls": call(r#"{"city": "canary town", "tags": {"canarykey": ["canaryitem"]}, "days": "12",}"#)}),
        json!({"tool_calls": call(r#"{"city": {"canarykey": "canaryvalue"}, "unit": "kelvin"}"#)}),
        json!({"tool_calls": call(r#"{"city": "canarycut"#), "finish_reason": "length"}),
        json!({"content": "I look at canarytown.\n<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"canarytown\", \"unit\": \"kelvin\"}}</tool_call>"}),
    ];
    said.into_iter()
        .map(|mut line| {
            let members = line.as_object_mut().unwrap();
            members.insert("tools".to_owned(), tools.clone());
            members.insert("messages".to_owned(), messages.clone());
            line
        })
        .collect()
}

#[test]
fn a_masked_case_has_no_value_and_all_words_of_the_schema() {
    for line in canaries() {
        let store = kept("canary.db", &line);
        let ran = toolmend(&["captures", "export", "--as-case", "1", "--store", &store], "");
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
        assert!(!ran.out.to_lowercase().contains("canary"), "{}", ran.out);
        for word in ["get_weather", "\"city\"", "celsius", "kelvin"] {
            assert!(ran.out.contains(word), "{word}: {}", ran.out);
        }
        let real = ["captures", "export", "--as-case", "1", "--real-values", "--store", &store];
        assert!(toolmend(&real, "").out.contains("canary"));
        let path = crate::run::file("canary.md", &ran.out);
        line::HARNESS.check(Path::new(&path)).unwrap();
    }
}
