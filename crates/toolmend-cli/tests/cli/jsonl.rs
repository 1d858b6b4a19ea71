//! `toolmend fix --jsonl`, the interface that other programs build on.

use std::io::{BufRead as _, BufReader, Write as _};

use serde_json::{Value, json};

use crate::run::{Ran, command, file, same_as_file, toolmend};

const TOOLS: &str = r#"[
    {"type": "function", "function": {"name": "read", "parameters": {"type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer"}}, "required": ["path"]}}},
    {"name": "write", "input_schema": {"type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"]}},
    {"name": "now", "inputSchema": {"type": "object", "properties": {"zone": {"type": "string"}}}},
    {"name": "stop"}]"#;

/// One call with these arguments, given as JSON, and the line that comes out.
fn one(tool: &str, arguments: &str, finish: &str, flags: &[&str]) -> (i32, Value) {
    let tools: Value = serde_json::from_str(TOOLS).unwrap();
    let line = format!(
        r#"{{"id":"L","tools":{tools},"tool_calls":[{{"id":"c","name":"{tool}","arguments":{arguments}}}],"finish_reason":"{finish}"}}"#
    );
    let ran = toolmend(&[&["fix", "--jsonl"], flags].concat(), &line);
    assert_eq!(ran.out.lines().count(), 1, "{ran:?}");
    (ran.code, serde_json::from_str(&ran.out).unwrap())
}

fn text(arguments: &str) -> String {
    Value::from(arguments).to_string()
}

#[test]
fn the_examples_come_out_as_they_should() {
    let ran = toolmend(&["fix", "--jsonl", "examples/calls.jsonl"], "");
    let summary = "10 turns: 7 calls mended, 3 refused, 2 untouched; 1 line is no turn\n";
    assert_eq!((ran.code, ran.err.as_str()), (1, summary));
    same_as_file("calls.mended.jsonl", &ran.out);
}

#[test]
fn any_chunk_gives_the_same_lines() {
    let whole = toolmend(&["fix", "--jsonl", "examples/calls.jsonl"], "");
    for size in ["1", "2", "3", "5", "64", "100000"] {
        let chunked = toolmend(&["fix", "--jsonl", "--chunk", size, "examples/calls.jsonl"], "");
        assert_eq!(chunked, whole, "{size}");
    }
}

#[test]
fn right_arguments_keep_their_bytes() {
    for arguments in [
        r#"{"path": "a", "limit": 1.50e+10, "x": 12345678901234567890, "é": "\u00e9\/"}"#
            .to_owned(),
        text(r#"{"path": "a", "limit": 1.50e+10, "x": 12345678901234567890, "é": "\u00e9\/"}"#),
    ] {
        let tools: Value = serde_json::from_str(TOOLS).unwrap();
        let line = format!(
            r#"{{"id":7,"tools":{tools},"tool_calls":[{{"name":"read","arguments":{arguments}}}]}}"#
        );
        let ran = toolmend(&["fix", "--jsonl"], &line);
        let spelt = r#""arguments":{"path": "a", "limit": 1.50e+10, "x": 12345678901234567890, "é": "\u00e9\/"},"outcome":"untouched","lossy":false"#;
        assert!(ran.out.contains(spelt), "{}", ran.out);
    }
    // Only line breaks between tokens cannot stay: a line is a line.
    let (_, line) = one("read", &text("{\n  \"path\": \"a\"\r\n}"), "stop", &[]);
    assert_eq!(line["tool_calls"][0]["outcome"], "untouched");
}

#[test]
fn arguments_are_mended_or_refused() {
    for (tool, arguments, finish, result) in [
        ("read", text("{'path': 'a',}"), "stop", Ok(json!({"path": "a"}))),
        ("read", text("```json\n{\"path\": \"a\"}\n```"), "stop", Ok(json!({"path": "a"}))),
        ("read", text("\"{\\\"path\\\": \\\"a\\\"}\""), "stop", Ok(json!({"path": "a"}))),
        ("read", text("{\"path\": \"a\""), "stop", Ok(json!({"path": "a"}))),
        ("read", text("{\"path\": \"a\""), "length", Err("cut")),
        ("read", text("{\"path\": \"a\""), "MAX_TOKENS", Err("cut")),
        ("write", text("{\"path\": \"a\""), "stop", Err("cut")),
        // The last brace belongs to the code.
        ("write", text("{\"path\": \"a\", \"content\": \"{ b }\\n}"), "length", Err("cut")),
        ("write", text("{\"path\": \"a\", \"content\": \"b"), "stop", Err("cut")),
        ("read", text("{\"path\": 6*7}"), "stop", Err("unreadable")),
        ("read", text("I cannot do that."), "stop", Err("unreadable")),
        ("read", text("{\"path\": NaN}"), "stop", Err("untrusted")),
        ("read", text("[1, 2]"), "stop", Err("not-an-object")),
        ("read", text("17"), "stop", Err("not-an-object")),
        ("read", "17".to_owned(), "stop", Err("not-an-object")),
        ("read", "[{}]".to_owned(), "stop", Err("mismatch")),
        ("read", text(""), "stop", Err("empty")),
        ("other", text(""), "stop", Err("unknown-tool")),
        ("now", text("  \n"), "stop", Ok(json!({}))),
        ("now", text("null"), "stop", Ok(json!({}))),
        ("now", text("None"), "stop", Ok(json!({}))),
        ("now", "null".to_owned(), "stop", Ok(json!({}))),
        ("stop", text(""), "stop", Ok(json!({}))),
        ("now", text(""), "length", Err("cut")),
    ] {
        let (code, line) = one(tool, &arguments, finish, &[]);
        match result {
            Ok(value) => {
                assert_eq!(line["tool_calls"][0]["arguments"], value, "{tool} {arguments}: {line}");
                assert_eq!(line["tool_calls"][0]["outcome"], "mended", "{tool} {arguments}");
                assert_eq!(line["tool_calls"][0]["lossy"], false, "{tool} {arguments}");
                assert_eq!((code, &line["refused"]), (0, &json!([])), "{tool} {arguments}");
            }
            Err(reason) => {
                assert_eq!(line["refused"][0]["reason"], reason, "{tool} {arguments}: {line}");
                assert_eq!(line["refused"][0]["channel"], "tool_calls");
                assert_eq!(line["refused"][0]["id"], "c");
                assert_eq!((code, &line["tool_calls"]), (1, &json!([])), "{tool} {arguments}");
            }
        }
    }
}

#[test]
fn closing_a_guess_must_be_asked_for_and_is_lossy() {
    let cut = text("{\"path\": \"a\", \"content\": \"b");
    for flags in [&["--close"][..], &["--trust", "guess"]] {
        let (code, line) = one("write", &cut, "length", flags);
        assert_eq!(code, 0, "{line}");
        assert_eq!(line["tool_calls"][0]["arguments"], json!({"path": "a", "content": "b"}));
        assert_eq!(line["tool_calls"][0]["lossy"], true);
        assert_eq!(line["report"]["truncations_fixed"], 1);
    }
    // What the tool requires must be there, and nothing must not become an empty object.
    for (tool, arguments) in [("write", "{\"path\": \"a\", \"cont"), ("now", "{"), ("now", "{\"zo")]
    {
        let (code, line) = one(tool, &text(arguments), "stop", &["--close"]);
        assert_eq!((code, line["refused"][0]["reason"].as_str()), (1, Some("cut")), "{line}");
    }
}

#[test]
fn no_arguments_are_an_empty_object_only_by_a_rule() {
    let (_, line) = one("now", &text(""), "stop", &[]);
    assert_eq!(
        line["report"]["repairs"],
        json!([{"rule": "empty-arguments", "path": "", "trust": "likely", "call": 0}])
    );
    let (code, line) = one("now", &text(""), "stop", &["--trust", "exact"]);
    assert_eq!((code, line["refused"][0]["reason"].as_str()), (1, Some("untrusted")));
}

#[test]
fn glued_objects_become_calls_and_identical_ones_collapse() {
    let glued = text("{\"path\":\"a\"}{\"path\":\"b\"}\n{\"path\":\"b\"}");
    let (code, line) = one("read", &glued, "stop", &[]);
    let calls = line["tool_calls"].as_array().unwrap();
    let paths: Vec<_> = calls.iter().map(|call| call["arguments"]["path"].as_str()).collect();
    assert_eq!((code, paths), (0, vec![Some("a"), Some("b")]), "{line}");
    assert_eq!(calls[0]["id"], "c");
    let id = calls[1]["id"].as_str().unwrap();
    assert!(id.starts_with("call_") && id.len() == 29, "{id}");
    assert_eq!(one("read", &glued, "stop", &[]).1, line, "ids are stable");
}

#[test]
fn calls_may_be_nested_and_unknown_fields_pass_through() {
    let line = r#"{"zeta": 1.0, "id": null, "content": "a\u00e9\ud83d", "reasoning": [1.50],
        "tool_calls": [{"index": 0, "type": "function", "extra": {"a": 1.0},
        "function": {"name": "read", "arguments": "{'path': 'a'}"}}], "tools": null, "model": "m"}"#;
    let line = line.replace('\n', " ");
    let ran = toolmend(&["fix", "--jsonl"], &line);
    assert_eq!(ran.code, 0, "{ran:?}");
    for part in [
        r#"{"id":null,"reasoning":[1.50],"content":"a\u00e9\ud83d","tool_calls":[{"id":"call_"#,
        r#""name":"read","arguments":{"path":"a"},"outcome":"mended","lossy":false,"extra":{"a": 1.0},"index":0,"type":"function"}"#,
        r#""finish_reason":null"#,
        r#","zeta":1.0}"#,
    ] {
        assert!(ran.out.contains(part), "{part} is not in {}", ran.out);
    }
    assert!(!ran.out.contains("model"));
}

#[test]
fn a_mended_line_is_right() {
    let first = toolmend(&["fix", "--jsonl", "examples/calls.jsonl"], "");
    let good: Vec<&str> = first.out.lines().filter(|line| !line.contains("\"error\"")).collect();
    let second = toolmend(&["fix", "--jsonl"], good.join("\n"));
    assert_eq!(second.code, 0);
    for (once, twice) in good.iter().zip(second.out.lines()) {
        let once: Value = serde_json::from_str(once).unwrap();
        let twice: Value = serde_json::from_str(twice).unwrap();
        for (before, after) in once["tool_calls"]
            .as_array()
            .unwrap()
            .iter()
            .zip(twice["tool_calls"].as_array().unwrap())
        {
            assert_eq!(before["arguments"], after["arguments"]);
            assert_eq!(before["id"], after["id"]);
            assert_eq!(after["outcome"], "untouched");
        }
    }
}

#[test]
fn a_bad_line_gives_an_error_and_the_others_come_out() {
    let lines = "\u{feff}{\"id\": 1}\n\n{\"id\": \"x\", \"tool_calls\": [}\r\n[1]\n{\"id\":2,\"tool_calls\":{}}\n{\"id\": 3}";
    let ran = toolmend(&["fix", "--jsonl"], lines);
    let out: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((ran.code, out.len()), (1, 5));
    let has_error: Vec<bool> = out.iter().map(|line| line.get("error").is_some()).collect();
    assert_eq!(has_error, [false, true, true, true, false], "{}", ran.out);
    assert!(out[1]["error"].as_str().unwrap().starts_with("line 3: "), "{}", ran.out);
    assert_eq!(out[3]["id"], 2);
    assert_eq!(toolmend(&["fix", "--jsonl"], b"{\"id\": \"\xff\"}\n").code, 1);
}

#[test]
fn calls_that_are_no_calls_are_refused() {
    let line = r#"{"id":1,"tool_calls":[5,{"arguments":"{}"},{"name":"","arguments":"{}"}]}"#;
    let ran = toolmend(&["fix", "--jsonl"], line);
    let out: Value = serde_json::from_str(&ran.out).unwrap();
    let refused = out["refused"].as_array().unwrap().iter();
    let reasons: Vec<_> = refused.map(|refused| refused["reason"].as_str().unwrap()).collect();
    assert_eq!((ran.code, reasons), (1, vec!["no-name", "no-name", "malformed"]));
}

#[test]
fn check_and_explain_work_on_lines_too() {
    let right = r#"{"id":1,"tool_calls":[{"name":"f","arguments":"{\"a\":1}"}]}"#;
    let broken = r#"{"id":1,"tool_calls":[{"name":"f","arguments":"{'a':1}"}]}"#;
    let ran = |code, err: &str| Ran { code, out: String::new(), err: err.to_owned() };
    assert_eq!(toolmend(&["fix", "--jsonl", "--check"], right), ran(0, ""));
    let summary = "1 turn: 1 call to mend, 0 refused, 0 untouched\n";
    assert_eq!(toolmend(&["fix", "--jsonl", "--check"], broken), ran(1, summary));
    assert_eq!(toolmend(&["fix", "--jsonl"], broken).err, "");
    let ran = toolmend(&["fix", "--jsonl", "--explain"], broken);
    assert!(ran.err.contains("stdin:1 tool_calls[0] f"), "{}", ran.err);
    assert!(ran.err.contains("^^^ single-quotes"), "{}", ran.err);
}

#[test]
fn each_line_comes_out_before_the_next_goes_in() {
    let mut child = command(&["fix", "--jsonl"]).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for id in 0..3 {
        writeln!(input, "{{\"id\":{id}}}").unwrap();
        input.flush().unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(line.starts_with(&format!("{{\"id\":{id},")), "{line}");
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn large_lines_pass() {
    let content = "x".repeat(8 << 20);
    let valid = text(&format!("{{\"path\":\"{content}\"}}"));
    let line = format!(r#"{{"id":1,"tool_calls":[{{"name":"f","arguments":{valid}}}]}}"#);
    let path = file("large.jsonl", line);
    let ran = toolmend(&["fix", "--jsonl", &path], "");
    assert!(ran.code == 0 && ran.out.contains("\"untouched\""));
    // What is broken and larger than the limit is refused unread.
    let broken = text(&format!("{{'path':\"{content}\"}}"));
    let line = format!(r#"{{"id":1,"tool_calls":[{{"name":"f","arguments":{broken}}}]}}"#);
    let ran = toolmend(&["fix", "--jsonl"], &line);
    assert!(ran.code == 1 && ran.out.contains("\"too-large\""));
}
