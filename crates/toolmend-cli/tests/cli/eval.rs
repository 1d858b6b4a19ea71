//! How well calls come out, measured.

use serde_json::Value;

use crate::run::{file, toolmend};

const TOOLS: &str = r#"[{"name": "find_route", "parameters": {"type": "object", "properties":
    {"to": {"type": "string"}, "stops": {"type": "integer"}}, "required": ["to"]}}]"#;

/// A corpus with one line of each verdict.
fn corpus() -> String {
    let tools = TOOLS.replace('\n', " ");
    let line = |id: &str, rest: &str| format!("{{\"id\": \"{id}\", \"tools\": {tools}, {rest}}}\n");
    let found = r#""class": "text", "model": "a", "channel": "content", "raw": "<tool_call>{\"name\": \"find_route\", \"arguments\": {\"to\": \"Graz\"}}</tool_call>""#;
    [
        line("exact", &format!(r#"{found}, "expected": [{{"name": "find_route", "arguments": {{"to": "Graz"}}}}]"#)),
        line("wrong", &format!(r#"{found}, "expected": [{{"name": "find_route", "arguments": {{"to": "Linz"}}}}]"#)),
        line("invented", &format!(r#"{found}, "expected": []"#)),
        line("missed", r#""class": "prose", "model": "b", "content": "I would go.", "expected": [{"name": "find_route", "arguments": {"to": "Graz"}}]"#),
        line("quiet", r#""class": "prose", "model": "b", "content": "Good day.", "expected": []"#),
        line("mended", r#""class": "arguments", "model": "b", "channel": "tool_calls.arguments", "raw": "{'to': 'Graz', 'stops': '2'}", "expected": [{"name": "find_route", "arguments": {"to": "Graz", "stops": 2}}]"#),
        line("unknown", r#""class": "prose", "content": "?", "expected": null"#),
    ]
    .concat()
}

#[test]
fn a_corpus_is_measured_by_class_and_by_model() {
    let path = file("corpus.jsonl", corpus());
    let ran = toolmend(&["eval", &path, "--json"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let group =
        |name: &str| lines.iter().find(|line| line.get("group") == Some(&name.into())).unwrap();
    let number = |name: &str, field: &str| group(name).get(field).and_then(Value::as_f64).unwrap();
    for (field, wanted) in [("lines", 6.0), ("exact", 2.0), ("wrong", 1.0), ("missed", 1.0)] {
        assert!((number("all", field) - wanted).abs() < 1e-9, "{field}: {}", group("all"));
    }
    assert!((number("all", "recall") - 0.5).abs() < 1e-9);
    assert!((number("all", "precision") - 0.5).abs() < 1e-9);
    assert!((number("arguments", "recall") - 1.0).abs() < 1e-9);
    let wrong: Vec<&Value> = lines.iter().filter_map(|line| line.get("verdict")).collect();
    assert_eq!(wrong, ["wrong", "invented", "missed"]);

    let table = toolmend(&["eval", &path, "--by", "model"], "").out;
    assert!(table.lines().any(|line| line.starts_with("a ") && line.contains("50.0 %")), "{table}");
    assert!(table.contains("1 lines are not scored"), "{table}");
}

#[test]
fn another_program_is_compared_with() {
    let path = file("corpus_against.jsonl", corpus());
    let own = env!("CARGO_BIN_EXE_toolmend");
    let page = file("eval.html", "");
    let ran = toolmend(&["eval", &path, "--against", own, "--html", &page], "");
    assert!(ran.out.contains("0 lines come out differently there"), "{ran:?}");
    let html = std::fs::read_to_string(page).unwrap();
    assert!(html.contains("<svg") && !html.contains("http"), "{html}");
}

#[test]
fn other_settings_are_compared_with() {
    let path = file("corpus_settings.jsonl", corpus());
    let exact = file("exact.toml", "trust = \"exact\"\n");
    let config = toolmend(&["config", "--config", &exact], "");
    assert_eq!(config.code, 0, "{config:?}");
    let ran = toolmend(&["eval", &path, "--against", &exact], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("lines come out differently there"), "{ran:?}");
    let bad = file("bad.toml", "no = such\n");
    assert_eq!(toolmend(&["eval", &path, "--against", &bad], "").code, 64);
}

/// What models wrote must not steer a terminal.
#[test]
fn names_are_shown_and_not_obeyed() {
    let line = corpus().lines().nth(3).unwrap().replace("prose", "\\u001b[31mred");
    let path = file("corpus_hostile.jsonl", line);
    let ran = toolmend(&["eval", &path, "--color", "always"], "");
    assert!(ran.out.contains("␛[31mred"), "{ran:?}");
}

#[test]
fn what_cannot_be_measured_is_told() {
    let path = file("no_corpus.jsonl", "{\"id\": 1}\nnonsense\n");
    let ran = toolmend(&["eval", &path], "");
    assert_eq!(ran.code, 64, "{ran:?}");
    assert!(ran.err.contains("no_corpus.jsonl:1: nothing says which calls were meant"), "{ran:?}");
}

/// The corpus in the repository is there to show what a corpus is: all of it comes out right.
#[test]
fn the_example_is_measured_as_the_readme_says() {
    let ran = toolmend(&["eval", "examples/corpus.jsonl", "--json"], "");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    let lines: Vec<Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let group = |name: &str| lines.iter().find(|line| line["group"] == name).unwrap();
    for name in ["all", "arguments", "quoted", "right", "text"] {
        assert!(group(name)["lines"].as_u64() > Some(1), "{}", ran.out);
    }
    let wrong = lines.iter().filter(|line| line.get("verdict").is_some()).count();
    assert_eq!(wrong, 0, "{}", ran.out);
}
