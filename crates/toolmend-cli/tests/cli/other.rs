//! Help, version, the table of faults, and completions.

use serde_json::Value;

use crate::run::toolmend;

#[test]
fn usage_errors_exit_with_64_and_help_with_0() {
    for (args, code) in [
        (&["--help"][..], 0),
        (&["--version"], 0),
        (&["fix", "--help"], 0),
        (&["help", "faults"], 0),
        (&[], 64),
        (&["mend"], 64),
        (&["fix", "--trust", "blind"], 64),
        (&["fix", "--chunk", "3"], 64),
        (&["fix", "--jsonl", "--chunk", "0"], 64),
        (&["fix", "--jsonl", "--json"], 64),
        (&["faults", "no-such-fault"], 64),
        (&["rules", "show", "no-such-rule"], 64),
        (&["rules", "show"], 64),
        (&["completions", "cmd"], 64),
    ] {
        assert_eq!(toolmend(args, "").code, code, "{args:?}");
    }
}

#[test]
fn every_command_has_examples_and_fix_tells_codes_and_reasons() {
    for command in ["fix", "faults", "dialects", "rules", "check", "completions"] {
        let help = toolmend(&[command, "--help"], "").out;
        assert!(help.contains("Examples:"), "{command}");
    }
    let help = toolmend(&["fix", "--help"], "").out;
    for part in ["  64  ", "  74  ", "too-many-values", "finish_reason"] {
        assert!(help.contains(part), "{part}");
    }
}

#[test]
fn the_table_of_faults_is_for_people_and_for_programs() {
    let table = toolmend(&["faults"], "");
    assert_eq!(table.code, 0);
    assert!(table.out.contains("{\"a\": 1,}  →  {\"a\":1}"), "{}", table.out);
    assert!(table.out.contains("{\"a\":⟨U+00A0⟩1}  →  {\"a\":1}"), "{}", table.out);
    assert!(table.out.contains("→  {\"a\":1}  (with `--want object`)"), "{}", table.out);
    let rows = toolmend(&["faults", "--json"], "").out;
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert!(rows.len() > 50);
    for row in rows {
        let id = row["id"].as_str().unwrap();
        assert!(table.out.contains(id), "{id}");
        assert!(["exact", "likely", "guess", "refused"].contains(&row["trust"].as_str().unwrap()));
    }
    assert_eq!(toolmend(&["faults", "fence", "--json"], "").out.lines().count(), 1);
}

#[test]
fn the_rules_are_for_people_and_for_programs() {
    let table = toolmend(&["rules"], "");
    assert_eq!(table.code, 0);
    assert!(table.out.contains("{\"limit\":\"42\"}  →  {\"limit\":42}"), "{}", table.out);
    assert!(
        !table.out.contains('\u{1b}')
            && toolmend(&["rules", "--color=always"], "").out.contains('\u{1b}')
    );
    let rows = toolmend(&["rules", "--json"], "").out;
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    assert!(rows.len() > 25);
    for row in &rows {
        let id = row["id"].as_str().unwrap();
        assert!(table.out.contains(id), "{id}");
        let page = toolmend(&["rules", "show", id], "").out;
        for heading in ["What it does", "Why models do it", "Example", "Trust"] {
            let text = row["document"][heading].as_str().unwrap();
            assert!(!text.is_empty() && page.contains(heading), "{id}");
        }
    }
    let of_the_call = rows.iter().filter(|row| row["works_on"] == "call").count();
    assert_eq!(of_the_call, 4);
    let one = toolmend(&["rules", "show", "enum-case", "--json"], "").out;
    assert_eq!(one.lines().count(), 1);
}

#[test]
fn what_is_misspelt_gets_a_hint() {
    for (args, hint) in [
        (&["faults", "trailing-coma"][..], "did you mean `trailing-comma`?"),
        (&["faults", "xyz"], "`toolmend faults` lists them"),
        (&["rules", "show", "key-rename"], "did you mean `key-renamed`?"),
        (&["rules", "show", "xyz"], "`toolmend rules` lists them"),
        (&["fault"], "'faults'"),
        (&["fix", "--explain", "all"], "`--explain=all`"),
        (&["fix", "--jsonl", "--chunk", "0"], "at least 1"),
    ] {
        let ran = toolmend(args, "");
        assert!(ran.code >= 64 && ran.err.contains(hint), "{args:?}: {}", ran.err);
    }
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = toolmend(&["completions", shell], "");
        assert_eq!(script.code, 0, "{shell}");
        assert!(script.out.contains("toolmend") && script.out.contains("jsonl"), "{shell}");
    }
}
