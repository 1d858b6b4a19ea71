//! What `--explain` shows a person.

use crate::run::{command, same_as_file, toolmend};

#[test]
fn a_page_of_broken_json_reads_well() {
    let page = toolmend(&["fix", "--explain", "examples/broken.txt"], "");
    assert_eq!(page.code, 0);
    same_as_file("broken.explained.txt", &page.err);
}

#[test]
fn every_kind_of_page_reads_well() {
    let long = format!("{{'a': \"{}\", 'b': \"{}\", c: 1}}", "x".repeat(300), "値".repeat(300));
    let many = format!("[{}]", "'a', ".repeat(40).trim_end_matches(", "));
    let deep = format!("{}\"cut", "{\"a\": [".repeat(10));
    let mut pages = String::new();
    for (args, text) in [
        (&["--explain"][..], "{\"a\": 1}"),
        (&["--explain"], ""),
        (&["--explain"], "{\"a\": 1,\n \"cm\": 6*30.48}"),
        (&["--explain"], "{'n': NaN}"),
        (&["--explain", "--trust", "guess"], "{'n': NaN}"),
        (&["--explain", "--want", "object"], "[1]"),
        (&["--explain"], "{\"a\": [1, {\"b\": \"hello\\nwor"),
        (&["--explain", "--close"], "{\"a\": [1, {\"b\": \"hello\\nwor"),
        (&["--explain"], "{\"a\": \"b\",\n\"c\": \"d\""),
        (&["--explain"], "{\"a\":1}\n{\"b\":2}\n"),
        (&["--explain", "--want", "object"], r#""{\"a\": 1,}""#),
        (&["--explain"], "{\t\"名前\": '日本語',\t\"x\": \"e\u{301}\u{1b}[31m\", y: 1}"),
        (&["--explain"], "{\"a\": ```\nx = 1\ny = 2\n```, /* one\ntwo\nthree */ \"b\": 1}"),
        (&["--explain"], "{\"a\": 1\n\n\n \"b\": 2}"),
        (&["--explain"], long.as_str()),
        (&["--explain"], many.as_str()),
        (&["--explain=all"], many.as_str()),
        (&["--explain"], deep.as_str()),
    ] {
        let ran = toolmend(&[&["fix"], args].concat(), text);
        pages += &format!("$ toolmend fix {}  ({})\n{}\n", args.join(" "), ran.code, ran.err);
    }
    same_as_file("pages.txt", &pages);
}

#[test]
fn colours_are_there_when_asked_for_and_only_then() {
    let has_colour = |args: &[&str]| toolmend(args, "{'a': 1}").err.contains('\u{1b}');
    assert!(!has_colour(&["fix", "--explain"]));
    assert!(has_colour(&["fix", "--explain", "--color", "always"]));
    assert!(!has_colour(&["fix", "--explain", "--color", "never"]));
    for (name, is_coloured) in [("NO_COLOR", false), ("CLICOLOR_FORCE", true)] {
        let mut command = command(&["fix", "--explain", "examples/broken.txt"]);
        let output = command.env(name, "1").output().unwrap();
        assert_eq!(
            String::from_utf8_lossy(&output.stderr).contains('\u{1b}'),
            is_coloured,
            "{name}"
        );
    }
}

#[test]
fn text_cannot_steer_the_terminal() {
    let ran = toolmend(&["fix", "--explain=all"], "{'a': \"\u{1b}]0;x\u{7}\u{202e}\u{9b}31m\"}");
    assert!(!ran.err.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}']), "{:?}", ran.err);
}

#[test]
fn ten_thousand_faults_on_one_line_are_shown_at_once() {
    let text = format!("[{}]", "'a',".repeat(10_000));
    let ran = toolmend(&["fix", "--explain=all"], text);
    assert!(ran.err.ends_with("trust exact\n"), "{}", ran.err.len());
}
