//! Settings: the file, the environment, and what is in force.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Ran, command, run};

/// A folder of its own for a test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn toolmend_in(folder: &Path, variables: &[(&str, &str)], args: &[&str], input: &str) -> Ran {
    let mut command = command(args);
    command.current_dir(folder).envs(variables.iter().copied());
    run(&mut command, input)
}

#[test]
fn a_setting_tells_where_it_comes_from() {
    let folder = folder("config-origin");
    fs::write(folder.join("toolmend.toml"), "[storm]\nmode = \"warn\"\n").unwrap();
    let ran = toolmend_in(&folder, &[("TOOLMEND_TRUST", "exact")], &["config", "--json"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let from = |key: &str| {
        let line = ran.out.lines().find(|line| line.contains(&format!("\"{key}\""))).unwrap();
        serde_json::from_str::<serde_json::Value>(line).unwrap()["from"].clone()
    };
    assert_eq!(from("storm.mode"), "toolmend.toml:2");
    assert_eq!(from("trust"), "TOOLMEND_TRUST");
    assert_eq!(from("truncation"), serde_json::Value::Null);
}

#[test]
fn a_wrong_key_names_file_line_and_the_nearest_key() {
    let folder = folder("config-wrong");
    fs::write(folder.join("other.toml"), "\n[storm.repeat]\ntreshold = 4\n").unwrap();
    let ran = toolmend_in(&folder, &[], &["config", "--config", "other.toml"], "");
    assert_eq!(ran.code, 64);
    assert!(ran.err.contains("other.toml:3"), "{}", ran.err);
    assert!(ran.err.contains("did you mean `threshold`?"), "{}", ran.err);
    let ran = toolmend_in(&folder, &[], &["config", "--config", "none.toml"], "");
    assert_eq!(ran.code, 74, "{}", ran.err);
}

#[test]
fn settings_decide_what_text_may_call_and_what_names_mean() {
    let folder = folder("config-text");
    let line = r#"{"id":1,"tools":[{"name":"find","parameters":{"type":"object","properties":{"q":{"type":"string"}}}}],"content":"<tool_call>{\"name\":\"seek\",\"arguments\":{\"q\":\"a\"}}</tool_call>"}"#;
    let fix = |settings: &str| {
        fs::write(folder.join("s.toml"), settings).unwrap();
        toolmend_in(&folder, &[], &["fix", "--jsonl", "--config", "s.toml"], line).out
    };
    assert!(fix("").contains("unknown-tool"));
    assert!(fix("[synonyms]\nseek = \"find\"").contains(r#""scavenged":1"#));
    let denied = fix("[synonyms]\nseek = \"find\"\n[text]\ndeny = [\"find\"]");
    assert!(denied.contains(r#""reason":"denied""#), "{denied}");
}

#[test]
fn a_setting_says_what_it_is_for() {
    let folder = folder("config-show");
    fs::write(folder.join("toolmend.toml"), "[tools.Bash]\nmutating = true\n").unwrap();
    let show = |keys: &[&str]| toolmend_in(&folder, &[], &[&["config", "show"], keys].concat(), "");
    let ran = show(&["proxy.upstream", "storm.repeat", "tools.Bash"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let told = [
        "# proxy.upstream is not set\n    The server of models;",
        "a URL; default nothing; TOOLMEND_PROXY__UPSTREAM",
        "storm.repeat.window = 6  # default",
        "TOOLMEND_STORM__REPEAT__THRESHOLD",
        "tools.Bash.mutating = true  # toolmend.toml:2\n    Whether a call",
    ];
    for told in told {
        assert!(ran.out.contains(told), "{told}: {}", ran.out);
    }
    assert!(!ran.out.contains("storm.mode") && !ran.out.contains("tools.NAME"), "{}", ran.out);
    let ran = show(&["proxy.upstraem"]);
    assert_eq!(ran.code, 64);
    assert!(ran.err.contains("did you mean `proxy.upstream`?"), "{}", ran.err);
    let all = toolmend_in(&folder, &[], &["config", "show", "--json"], "").out;
    for line in all.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(line["what"].as_str().unwrap().ends_with('.'), "{line}");
    }
}
