//! Texts that were made to break readers. Each must end, with whatever outcome: time grows with the
//! text and nothing recurses, or this file does not finish.

#[path = "support/check.rs"]
mod check;

use toolmend_json::{Limits, Options};

const BYTES: usize = 1 << 20;

const SCRAPS: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    "\"",
    "'",
    "`",
    "\\",
    "\\\"",
    "\\u",
    ":",
    ",",
    ";",
    "=",
    ".",
    "-",
    "1",
    "0x",
    "\n",
    " ",
    "\u{a0}",
    "\u{feff}",
    "“",
    "//",
    "/*",
    "#",
    "```",
    "\"\"\"",
    "(",
    "<think>",
    "a",
    "{\"a\":",
    "[{",
    "{\"",
    "\"a\"",
    "\"a\",",
    "\"a\":",
    "a:",
    "{a}",
    "{a",
    "\"a\" b\" ",
    "\"{\\\"",
    "\"#",
    "\"//",
    "\"/*",
    "'a' + ",
    "true",
    "tru",
    "...",
    "1,",
    "1,000",
    "{}",
    "[]",
    "{]",
    "[}",
    "}{",
    "\"\":\"\"",
    "é",
    "😀",
    "{\"a\":1}",
    "{\"a\":\"b",
    "```json\n",
    "text { text ",
];

fn options() -> Options {
    Options { limits: Limits::default().with_broken_bytes_max(2 * BYTES), ..Options::default() }
}

#[test]
fn a_megabyte_of_anything_ends() {
    for scrap in SCRAPS {
        let text = scrap.repeat(BYTES / scrap.len());
        assert_eq!(finding(&text), None, "{scrap:?}");
    }
}

#[test]
fn a_megabyte_of_anything_inside_a_value_ends() {
    for scrap in SCRAPS {
        let body = scrap.repeat(BYTES / scrap.len());
        assert_eq!(finding(&format!("{{\"a\": {body}")), None, "{scrap:?}");
        assert_eq!(finding(&format!("{{\"a\": \"{body}\", \"b\": 1}}")), None, "{scrap:?}");
    }
}

#[test]
fn a_megabyte_in_small_pieces_reads_the_same() {
    let options = options();
    for scrap in SCRAPS {
        let text = scrap.repeat(BYTES / scrap.len());
        let whole = check::read_whole(text.as_bytes(), &options);
        let pieces = check::read_pieces(text.as_bytes().chunks(4), &options);
        assert!(check::agree(&whole, &pieces).is_ok(), "{scrap:?}");
    }
}

#[test]
fn a_long_string_in_small_pieces_is_not_read_from_its_start_again() {
    let options = options();
    let text = format!("[\"{}\"]", "\\n".repeat(BYTES));
    let whole = check::read_whole(text.as_bytes(), &options);
    let pieces = check::read_pieces(text.as_bytes().chunks(4), &options);
    assert!(check::agree(&whole, &pieces).is_ok(), "a string of line breaks");
}

/// What does not hold for a text, shortened: it may quote the whole of it.
fn finding(text: &str) -> Option<String> {
    let options = options();
    let document = check::read_whole(text.as_bytes(), &options);
    let finding = check::holds(&document, &options).err()?;
    Some(finding.chars().take(300).collect())
}
