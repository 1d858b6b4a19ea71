//! `docs/dialects.md`: every dialect, from the rows that the scanner uses.

use std::fmt::Write as _;

use toolmend_dialect::{Body, Dialect, Name, dialects};

pub(super) fn write() -> String {
    let mut out = String::from(
        "<!-- Written by `cargo xtask gen` from crates/toolmend-dialect/src/rows. -->\n\n\
         # Dialects\n\n\
         How models write tool calls as text. Each example is the same call,\n\
         `get_weather(city=\"Lima\", days=2)`. The scanner reads all of them at once, by what follows a\n\
         mark; misspelt marks, missing openers and closers, and mixtures are read the same way.\n\n\
         | id | models | marks | body |\n|---|---|---|---|\n",
    );
    for row in dialects() {
        let marks: Vec<String> = row.openers().map(code).collect();
        let marks = if marks.is_empty() { "none".to_owned() } else { marks.join(" ") };
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "| [`{}`](#{}) | {} | {marks} | {} |",
            row.id,
            row.id,
            row.models.join("; "),
            row.call.body.as_str()
        );
    }
    for row in dialects() {
        out.push_str(&section(row));
    }
    out
}

fn section(row: &Dialect) -> String {
    let fence = if row.example.contains("```") { "````" } else { "```" };
    let body = match row.call.body {
        Body::Json => "JSON",
        Body::Tags => "tagged parameters",
        Body::Python => "arguments as in Python",
        Body::Map => "a map with quote marks of its own",
        _ => "another body",
    };
    let name = match row.call.name {
        Name::InBody => "in the body",
        Name::InTag => "in the opening tag",
        Name::InChild => "in a child of the opening tag",
        Name::Until(_) => "between the opener and the arguments",
        Name::Recipient => "in a header, as `to=NAME`",
        _ => "on a line of its own",
    };
    format!(
        "\n## `{}`\n\n{}. The name stands {name}; the body is {body}. Known from: {}.\n\n{fence}text\n{}\n{fence}\n",
        row.id, row.title, row.source, row.example
    )
}

/// A mark in a cell of a table.
fn code(mark: &str) -> String {
    let mark = mark.replace('\n', "\\n").replace('|', "\\|");
    if mark.contains('`') { format!("`` {mark} ``") } else { format!("`{mark}`") }
}
