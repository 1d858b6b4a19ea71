//! `toolmend fix` on texts and files.

use serde_json::Value;

use crate::run::{Ran, command, file, toolmend};

#[test]
fn valid_json_comes_out_as_the_same_bytes() {
    for text in [
        "{\"a\": 1.50, \"b\" : \"\\u00e9\\/\x7f\"}\n\n",
        " [1e5,\r\n 2]",
        "\"\"",
        "12345678901234567890",
    ] {
        assert_eq!(toolmend(&["fix"], text), ran(0, text, ""), "{text}");
    }
}

#[test]
fn broken_json_comes_out_compact_on_a_line() {
    for (text, json) in [
        ("{'a': 1,}", r#"{"a":1}"#),
        ("Sure:\n```json\n{\"a\": [True, None]}\n```\n", r#"{"a":[true,null]}"#),
        ("{a: 1.50 b: 007}", r#"{"a":1.50,"b":7}"#),
        ("{\"a\": 1}{\"a\": 2}", "{\"a\":1}\n{\"a\":2}"),
        ("{\"a\": 1}{\"a\": 1}", r#"{"a":1}"#),
        ("{\"a\": \"b\"", r#"{"a":"b"}"#),
    ] {
        assert_eq!(toolmend(&["fix"], text), ran(0, &format!("{json}\n"), ""), "{text}");
    }
}

#[test]
fn a_missing_brace_after_half_of_what_is_required_is_a_cut() {
    let schema = r#"{"type": "object", "required": ["path", "content"]}"#;
    let schema = file("required.json", schema);
    let fix = |text| toolmend(&["fix", "--schema", &schema], text);
    assert_eq!(fix(r#"{"path": "a", "content": "b""#).code, 0);
    let half = fix(r#"{"path": "a""#);
    assert_eq!((half.code, half.out.as_str()), (1, ""));
    assert!(half.err.contains("the text was cut"), "{}", half.err);
}

#[test]
fn what_cannot_be_trusted_is_refused_with_place_and_advice() {
    for (text, place, reason, help) in [
        ("", "stdin:", "nothing to read", "not an empty object"),
        ("Nothing here.", "stdin:1:1:", "[no-value]", "right text"),
        ("{\"a\": 1,\n \"cm\": 6*30.48}", "stdin:2:8:", "[expression]", "ask the model"),
        ("{\"k\": <your key>}", "stdin:1:7:", "[placeholder]", "real value"),
        ("{\"é\": NaN}", "stdin:1:7:", "[not-finite]", "--trust guess"),
        ("{\"text\":\"voilà", "stdin:1:15:", "cut inside a string", "--close"),
        ("{\"a\": [1, {\"b\": 2", "stdin:1:18:", "with 2 objects and 1 list open", "--close"),
        ("{\"a\": [1, {\"b\": 2", "open: { at 1:1, [ at 1:7, { at 1:11", "", ""),
    ] {
        let ran = toolmend(&["fix"], text);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{text}");
        for part in [place, reason, help] {
            assert!(ran.err.contains(part), "{text}: {part} is not in\n{}", ran.err);
        }
    }
}

#[test]
fn flags_allow_more_or_less() {
    for (args, text, code, out) in [
        (&["--trust", "exact"][..], "{'a': 1}", 0, "{\"a\":1}\n"),
        (&["--trust", "exact"], "{a: 1}", 1, ""),
        (&["--trust", "exact"], "{\"a\": \"b\"", 1, ""),
        (&["--trust", "guess"], "{\"a\": NaN}", 0, "{\"a\":\"NaN\"}\n"),
        (&["--trust", "guess"], "{\"a\": \"b", 0, "{\"a\":\"b\"}\n"),
        (&["--close"], "{\"a\": \"b", 0, "{\"a\":\"b\"}\n"),
        (&["--close"], "{\"text\":\"a, b,", 0, "{\"text\":\"a, b,\"}\n"),
        // Closing is allowed by itself; it allows no other guess.
        (&["--close"], "{\"a\": NaN, \"b\": \"c", 1, ""),
        (&["--want", "object"], "[1]", 1, ""),
        (&["--want", "array"], "[1]", 0, "[1]"),
    ] {
        let ran = toolmend(&[&["fix"], args].concat(), text);
        assert_eq!((ran.code, ran.out.as_str()), (code, out), "{args:?} {text}\n{}", ran.err);
    }
}

#[test]
fn check_writes_nothing_and_tells_what_would_change() {
    assert_eq!(toolmend(&["fix", "--check"], "{\"a\": 1}"), ran(0, "", ""));
    let changed = toolmend(&["fix", "--check"], "{'a': 1,}");
    assert_eq!(changed, ran(1, "", "would change: stdin: 2 faults\n"));
    assert_eq!(toolmend(&["fix", "--check"], "{\"a\": 6*7}").code, 1);
    let report = toolmend(&["fix", "--check", "--json"], "{'a': 1}");
    assert!(report.code == 1 && report.out.contains("\"mended\""), "{report:?}");
    assert!(!report.out.contains("values"), "{report:?}");
    let args = ["fix", "--check", "--json", "--want", "object"];
    let report = toolmend(&args, r#""{\"secret\": 1}""#);
    assert!(report.code == 1 && !report.out.contains("secret"), "{report:?}");
}

#[test]
fn all_files_are_read_in_order_and_a_bad_one_stops_nobody() {
    let valid = file("valid.json", "{\"a\": 1}");
    let broken = file("broken.json", "{'b': 2}");
    let refused = file("refused.json", "{\"c\": 6*7}");
    let files = toolmend(&["fix", &valid, &refused, &broken, &valid], "");
    assert_eq!((files.code, files.out.as_str()), (1, "{\"a\": 1}\n{\"b\":2}\n{\"a\": 1}"));
    assert!(files.err.contains(&format!("{refused}:1:7:")), "{}", files.err);

    let missing = toolmend(&["fix", "no/such/file", "-"], "{'d': 4}");
    assert_eq!((missing.code, missing.out.as_str()), (74, "{\"d\":4}\n"));
    assert!(missing.err.contains("no/such/file"), "{}", missing.err);
}

#[test]
fn a_schema_settles_where_strings_end() {
    let schema = file(
        "schema.json",
        r##"{"$ref": "#/$defs/Write", "$defs": {"Write": {"type": "object",
            "properties": {"content": {"type": "string"}, "path": {"type": "string"}}}}}"##,
    );
    let text = r#"{"content": "x = {"a": 1, "b": 2}", "path": "x.py"}"#;
    let ran = toolmend(&["fix", "--schema", &schema], text);
    let json = r#"{"content":"x = {\"a\": 1, \"b\": 2}","path":"x.py"}"#;
    assert_eq!((ran.code, ran.out.as_str()), (0, format!("{json}\n").as_str()), "{}", ran.err);
    // The schema's root is an object.
    assert_eq!(toolmend(&["fix", "--schema", &schema], "[1]").code, 1);
    assert_eq!(toolmend(&["fix", "--schema", &schema, "--want", "any"], "[1]").code, 0);
}

#[test]
fn the_example_needs_its_schema() {
    let example = "examples/arguments.txt";
    assert_eq!(toolmend(&["fix", example], "").code, 1);
    assert_eq!(toolmend(&["fix", "--schema", "examples/tool.json", example], "").code, 0);
}

#[test]
fn a_bad_schema_is_a_usage_error_with_its_place() {
    let broken = file("broken_schema.json", "{\n  \"type\": object\n}");
    let ran = toolmend(&["fix", "--schema", &broken], "{}");
    assert_eq!((ran.code, ran.out.as_str()), (64, ""));
    assert!(ran.err.contains(&format!("{broken}:2:11:")), "{}", ran.err);
    let empty = file("empty_schema.json", "");
    let ran = toolmend(&["fix", "--schema", &empty], "{}");
    assert!(ran.err.contains(&format!("{empty}:1:1:")), "{}", ran.err);
    let list = file("list_schema.json", "[]");
    assert_eq!(toolmend(&["fix", "--schema", &list], "{}").code, 64);
    assert_eq!(toolmend(&["fix", "--schema", "no/such/schema"], "{}").code, 74);
}

#[test]
fn json_tells_outcome_values_faults_and_cut() {
    for (text, code, pointer, value) in [
        ("{\"a\": 1.50}\n", 0, "/outcome", "\"untouched\""),
        ("{\"a\":\n1.50}\n", 0, "/values/0", "{\"a\":1.50}"),
        ("{'a': 1.50}", 0, "/values", "[{\"a\":1.50}]"),
        ("{'a': 1}", 0, "/trust", "\"exact\""),
        ("{\n'a': 1}", 0, "/faults/0/code", "\"single-quotes\""),
        ("{\n'a': 1}", 0, "/faults/0/line", "2"),
        ("{\n'a': 1}", 0, "/faults/0/start", "2"),
        ("{\"a\": 6*7}", 1, "/outcome", "\"refused\""),
        ("{\"a\": 6*7}", 1, "/refused/reason", "\"expression\""),
        ("{\"a\": 6*7}", 1, "/refused/column", "7"),
        ("{\"a\": 6*7}", 1, "/refused/message", "\"the value is an expression, not a value\""),
        ("{\"a\": [\"b", 1, "/cut/place", "\"in-string\""),
        ("{\"a\": [\"b", 1, "/cut/open/1/kind", "\"array\""),
        ("{\"a\": \"b\"", 0, "/cut/trust", "\"likely\""),
        ("", 1, "/outcome", "\"empty\""),
    ] {
        let ran = toolmend(&["fix", "--json"], text);
        assert_eq!((ran.code, ran.out.lines().count()), (code, 1), "{text}");
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        let found = report.pointer(pointer).map(ToString::to_string);
        assert_eq!(found.as_deref(), Some(value), "{text} {pointer}: {report}");
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_told() {
    let ran = toolmend(&["fix", "--json"], b"{\"a\": \"\xff\"}");
    assert!(ran.out.contains("invalid-utf8"), "{}", ran.out);
    for bytes in [&b"\x7fELF\x02\0\0\0"[..], &b"\xfe".repeat(100)] {
        let ran = toolmend(&["fix"], bytes);
        assert!(ran.code == 1 && ran.err.contains("does not look like text"), "{ran:?}");
    }
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let wide = file("wide.txt", format!("[{}]", "'a',".repeat(100_000)));
    let mut child = command(&["fix", &wide, &wide]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), err.as_ref()), (Some(0), ""));
}

fn ran(code: i32, out: &str, err: &str) -> Ran {
    Ran { code, out: out.to_owned(), err: err.to_owned() }
}
