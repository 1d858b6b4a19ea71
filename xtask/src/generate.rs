//! Documents, and parts of documents, that are written from tables in the code, so that they cannot
//! drift.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use toolmend_json::{Expected, FaultCode, Options, Place, Trust, Want};
use toolmend_schema::Rule;

mod dialects;
mod history;
mod settings;

use crate::Failure;

/// A generated document: where it is, and what writes it, given what stands there now.
struct Generated {
    name: &'static str,
    write: fn(&str) -> String,
}

const DOCUMENTS: &[Generated] = &[
    Generated { name: "docs/faults.md", write: |_| faults() },
    Generated { name: "docs/dialects.md", write: |_| dialects::write() },
    Generated { name: "docs/history.md", write: |_| history::write() },
    Generated { name: "docs/rules.md", write: |_| rules() },
    Generated { name: "docs/settings.md", write: |_| settings::write() },
    Generated { name: "docs/stream-rules.md", write: |_| toolmend_wire::rules_document() },
    Generated { name: "CONTRIBUTING.md", write: with_places },
];

/// What stands between these two in a document is written from `Place::ALL`.
const PLACES_START: &str = "<!-- places, by `cargo xtask gen` -->";
const PLACES_END: &str = "<!-- end -->";

/// Writes the documents that are out of date.
pub(crate) fn write(root: &Path) -> Result<(), Failure> {
    for (name, text) in stale(root) {
        let path = root.join(name);
        fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {name}");
    }
    Ok(())
}

/// Says which documents are out of date.
pub(crate) fn check(root: &Path) -> Result<(), Failure> {
    let names: Vec<&str> = stale(root).map(|(name, _)| name).collect();
    if names.is_empty() {
        Ok(())
    } else {
        Err(format!("out of date: {}; run: cargo xtask gen", names.join(", ")))
    }
}

fn stale(root: &Path) -> impl Iterator<Item = (&'static str, String)> {
    DOCUMENTS.iter().filter_map(|document| {
        let before = fs::read_to_string(root.join(document.name)).unwrap_or_default();
        let after = (document.write)(&before);
        (before != after).then_some((document.name, after))
    })
}

/// The document with the list of places at which a text can be cut.
fn with_places(text: &str) -> String {
    let places = Place::ALL.map(|place| format!("`{}`", place.as_str())).join(", ");
    let parts = text.split_once(PLACES_START).and_then(|(head, rest)| {
        let (_, tail) = rest.split_once(PLACES_END)?;
        Some(format!("{head}{PLACES_START}\n{places}\n{PLACES_END}{tail}"))
    });
    // Without its marks the list was taken out: it comes back at the end, where it is seen.
    parts.unwrap_or_else(|| format!("{text}\n{PLACES_START}\n{places}\n{PLACES_END}\n"))
}

/// Every fault, by how far its reading can be trusted.
fn faults() -> String {
    let mut out = String::from(
        "<!-- Written by `cargo xtask gen` from crates/toolmend-json/src/fault.rs. -->\n\n\
         # Faults\n\n\
         What can be wrong with a text, and what reading on costs. A fault is data with a stable id\n\
         and a place; the outcome of a text is as trusted as its least trusted fault.\n\
         In the examples `␊` is a line break and `⟨U+…⟩` an invisible character.\n",
    );
    let levels = [
        (Some(Trust::Exact), "Exact: another spelling of the same meaning"),
        (Some(Trust::Likely), "Likely: what stands around leaves one sensible reading"),
        (Some(Trust::Guess), "Guess: it could have meant something else; off unless asked for"),
        (None, "Refused: no value is given"),
    ];
    for (trust, title) in levels {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n## {title}\n\n| id | what is wrong | example |\n|---|---|---|\n");
        for code in FaultCode::ALL.iter().filter(|code| code.trust() == trust) {
            let mut example = code_span(code.example());
            if needs_object(*code) {
                example.push_str(", where an object or a list is wanted");
            }
            let _ = writeln!(out, "| `{}` | {} | {example} |", code.id(), code.what());
        }
    }
    out
}

/// Every rule of repair, in the order in which they propose, with the text at the head of its file.
fn rules() -> String {
    let mut out = String::from(
        "<!-- Written by `cargo xtask gen` from crates/toolmend-schema/src/rules. -->\n\n\
         # Rules\n\n\
         How arguments are repaired that their schema refuses. A rule works at the values that fail,\n\
         and what it proposes is taken only if the whole schema accepts it. Of several readings the one\n\
         with the fewest and most trusted changes wins; a tie between different values refuses. The first\n\
         of them are of the turn: they work on the call around the arguments.\n\n\
         | rule | trust | what it does |\n|---|---|---|\n",
    );
    for rule in Rule::ALL {
        // Writing to a string cannot fail.
        let _ =
            writeln!(out, "| [`{0}`](#{0}) | {1} | {2} |", rule.id, rule.trust.as_str(), rule.what);
    }
    for rule in Rule::ALL {
        let _ = write!(out, "\n## {}\n", rule.id);
        let lines = rule.source.lines().map_while(|line| line.strip_prefix("//!")).skip(1);
        for line in lines.map(str::trim_start) {
            match line.strip_prefix("## ") {
                Some(heading) => drop(writeln!(out, "### {heading}")),
                None => drop(writeln!(out, "{line}")),
            }
        }
    }
    out
}

/// Whether the example only has the fault where an object or a list is wanted.
fn needs_object(code: FaultCode) -> bool {
    let has_fault = |want| {
        let options = Options { expected: Expected::root(want), ..Options::default() };
        let mut document = toolmend_json::read(code.example(), &options);
        document.close(Trust::Guess);
        document.faults().iter().any(|fault| fault.code == code)
    };
    !has_fault(Want::Any) && has_fault(Want::Object)
}

/// A text as Markdown code in a table: on one line, everything visible.
fn code_span(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut shown = String::new();
    for character in text.chars() {
        match character {
            '\n' => shown.push('␊'),
            '|' => shown.push_str("\\|"),
            ' ' => shown.push(' '),
            c if c.is_control() || c.is_whitespace() || is_invisible(c) => {
                let _ = write!(shown, "⟨U+{:04X}⟩", u32::from(c));
            }
            c => shown.push(c),
        }
    }
    let mut fence = String::from("`");
    while shown.contains(&fence) {
        fence.push('`');
    }
    let pad = if shown.starts_with('`') || shown.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{shown}{pad}{fence}")
}

/// Characters of no width that are neither control nor white space.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::code_span;

    #[test]
    fn what_cannot_be_seen_is_spelt_out() {
        assert_eq!(code_span("\u{feff}{\n\u{a0}}"), "`⟨U+FEFF⟩{␊⟨U+00A0⟩}`");
        assert_eq!(code_span("a | b"), r"`a \| b`");
        assert_eq!(code_span("```\nx```"), "```` ```␊x``` ````");
    }
}
