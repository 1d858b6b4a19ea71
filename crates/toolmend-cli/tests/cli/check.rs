//! `toolmend check`: what a model will see, and what is wrong with it.

use serde_json::{Value, json};

use crate::run::{command, file, same_as_file, toolmend};

/// Tools with a mistake of each kind.
fn mistakes() -> Value {
    json!({"tools": [
        {"name": "read_file", "parameters": {"type": "object", "properties": {"path": {"type": "string"}},
            "required": ["pth"], "additionalProperties": false}},
        {"name": "readFile", "parameters": {"type": "object", "required": ["anything"]}},
        {"name": "send", "parameters": {"type": "objet"}},
        {"name": "send", "parameters": {"type": "object"}},
        {"parameters": {}},
        {"name": "none", "parameters": 5},
        {"name": "wait", "x-toolmend": {"mutatng": true, "storm_exempt": "yes", "semantic": "path",
            "relational": [{"requires": ["limit", "ofset"]}]},
         "parameters": {"type": "object", "properties": {"limit": {"type": "integer",
            "x-toolmend": {"mutating": true}}, "offset": {"type": "integer"}}}},
        {"name": "deep", "strict": true, "parameters": {"type": "object", "properties": {"a": {"type": "object",
            "properties": {"b": {"type": "object", "properties": {"c": {"type": "object",
                "properties": {"d": {"type": "string"}}}}}}}}}},
    ]})
}

fn codes(row: &Value) -> Vec<String> {
    let findings = row["findings"].as_array().unwrap().iter();
    findings
        .map(|f| format!("{} {}", f["level"].as_str().unwrap(), f["code"].as_str().unwrap()))
        .collect()
}

#[test]
fn every_mistake_is_found_and_makes_the_exit_code() {
    let ran = toolmend(&["check", "--tools", "-", "--json"], mistakes().to_string());
    assert_eq!(ran.code, 1, "{}", ran.err);
    let rows: Vec<Value> = ran.out.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let found: Vec<Vec<String>> = rows.iter().map(codes).collect();
    assert_eq!(
        found,
        [
            vec!["error required-unknown", "warning names-collide"],
            vec!["warning required-unknown", "warning names-collide"],
            vec!["error does-not-compile", "error same-name"],
            vec!["error same-name"],
            vec!["error no-name"],
            vec!["error no-schema"],
            vec![
                "error unknown-hint",
                "error bad-hint",
                "error unknown-hint",
                "error bad-hint",
                "error unknown-property",
                "error unknown-hint"
            ],
            vec!["warning not-flat"],
        ]
    );
    let help = |row: usize, at: usize| rows[row]["findings"][at]["help"].as_str().unwrap();
    assert_eq!(help(0, 0), "did you mean `path`?");
    assert_eq!(help(6, 0), "did you mean `mutating`?");
    assert_eq!(help(6, 2), "`semantic` belongs to a property");
    assert_eq!(help(6, 4), "did you mean `offset`?");
    assert_eq!(rows[6]["findings"][5]["path"], "/parameters/properties/limit/x-toolmend/mutating");
    assert_eq!(rows[6]["hints"].as_array().unwrap().len(), 2);
}

#[test]
fn what_the_model_sees_is_shown() {
    let ran = toolmend(&["check", "--tools", "examples/deploy.json", "--json"], "");
    assert_eq!(ran.code, 0);
    let row: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        (row["leaves"].as_u64(), row["depth"].as_u64(), row["flat"].as_bool()),
        (Some(5), Some(3), Some(true))
    );
    let shown = &row["shown"];
    assert!(shown["parameters"]["properties"].get("rollout.retry.max").is_some(), "{shown}");
    assert!(!shown.to_string().contains("x-toolmend"), "{shown}");
    assert!(shown["description"].as_str().unwrap().ends_with("wait for the result."));
    let off =
        toolmend(&["check", "--tools", "examples/deploy.json", "--json", "--flatten", "off"], "");
    let row: Value = serde_json::from_str(&off.out).unwrap();
    assert_eq!(
        (row["flat"].as_bool(), codes(&row)),
        (Some(false), vec!["warning large".to_owned()])
    );
}

#[test]
fn the_pages_are_as_they_were() {
    let mut pages = String::new();
    for args in [
        &["check", "--tools", "examples/tools.json"][..],
        &["check", "--tools", "examples/deploy.json"],
        &["check", "--tools", "-"],
    ] {
        let ran = toolmend(args, mistakes().to_string());
        pages.push_str(&format!("$ toolmend {}  ({})\n{}\n", args.join(" "), ran.code, ran.out));
    }
    same_as_file("check.txt", &pages);
}

#[test]
fn colours_come_when_they_are_wanted() {
    let args = ["check", "--tools", "examples/deploy.json", "--color=always"];
    assert!(toolmend(&args, "").out.contains('\u{1b}'));
    let plain = command(&args[..3]).env("NO_COLOR", "1").output().unwrap();
    assert!(!plain.stdout.contains(&0x1b));
}

#[test]
fn names_of_others_do_not_steer_the_terminal() {
    let tools = json!([{"name": "a\u{1b}[2Jb", "description": "\u{202e}back", "parameters": {
        "properties": {"c\u{1b}[2J": {"type": "string", "x-toolmend": {"semantic": "path"}}}}}]);
    let tools = file("steering_tools.json", tools.to_string());
    let text = "<tool_call>{\"name\": \"a\\u001b[2Jb\", \"arguments\": {}}</tool_call>";
    let talk = json!([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": text}]);
    let talk = file("steering.json", talk.to_string());
    for args in [&["check", "--tools", &tools][..], &["check", &talk, "--tools", &tools]] {
        let ran = command(args).arg("--color=always").output().unwrap();
        let out = String::from_utf8(ran.stdout).unwrap();
        assert!(out.contains("a␛[2Jb") && !out.contains("\u{1b}[2J"), "{out:?}");
        assert!(!out.contains('\u{202e}'), "{out:?}");
    }
    let text = "<tool_call>{\"name\": \"gone\u{1b}[2J\", \"arguments\": {}}</tool_call>";
    let line = json!({"tools": [{"name": "other"}], "content": text});
    let ran = toolmend(&["fix", "--jsonl", "--explain", "--color=always"], line.to_string());
    assert!(ran.err.contains("gone␛[2J") && !ran.err.contains("\u{1b}[2J"), "{:?}", ran.err);
}

#[test]
fn what_is_no_list_of_tools_is_a_mistake_of_the_caller() {
    for input in ["", "5", "[]", "{\"tools\": 5}"] {
        assert_eq!(toolmend(&["check", "--tools", "-"], input).code, 64, "{input}");
    }
    assert_eq!(toolmend(&["check"], "").code, 64);
    assert_eq!(toolmend(&["check", "--tools", "no-such-file"], "").code, 74);
}

#[test]
fn a_transcript_is_checked_and_healed() {
    let ran = toolmend(&["check", "examples/transcript.json", "--json"], "");
    assert_eq!(ran.code, 1, "{}", ran.err);
    let codes: Vec<String> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .map(|line| {
            format!("{} {}", line["place"].as_str().unwrap(), line["code"].as_str().unwrap())
        })
        .collect();
    let wanted = [
        "1.0 call-without-result",
        "1.0 arguments-broken",
        "1.0 cut",
        "3 call-in-text",
        "4 result-without-call",
    ];
    assert_eq!(codes, wanted);
    let healed = file("healed.json", "");
    toolmend(&["check", "examples/transcript.json", "--fix", &healed], "");
    let ran = toolmend(&["check", &healed, "--json"], "");
    assert!(!ran.out.contains("result") && ran.out.contains("call-in-text"), "{}", ran.out);
}

#[test]
fn a_message_on_each_line_is_a_transcript_and_stays_one() {
    let lines = concat!(
        r#"{"role":"user","content":"Hi"}"#,
        "\n",
        r#"{"role":"tool","tool_call_id":"x","content":"lost"}"#,
        "\n",
        r#"{"role":"assistant","content":"Hello"}"#,
        "\n",
    );
    let path = file("lines.jsonl", lines);
    let healed = file("lines.healed.jsonl", "");
    let ran = toolmend(&["check", &path, "--fix", &healed], "");
    assert_eq!(ran.code, 1, "{}", ran.out);
    let out = std::fs::read_to_string(&healed).unwrap();
    assert_eq!(out.lines().count(), 2, "{out}");
    assert_eq!(toolmend(&["check", &healed], "").code, 0);
    assert_eq!(toolmend(&["check", "-"], "no transcript").code, 64);
}
