//! The files themselves: module docs, sizes, words.

use std::fs;
use std::path::Path;

use crate::{Failure, process};

const LINES_MAX: usize = 700;
const FILE_BYTES_MAX: u64 = 200 * 1024;

/// Words that say too little, or that belong into a commit. In two halves, so that this file is
/// held to them as well.
const BANNED: &[&str] = &[
    concat!("ut", "ils"),
    concat!("help", "ers"),
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("HA", "CK"),
    concat!("Pha", "se"),
    concat!("../sh", "ared"),
];

/// Lists what strays in any file that is in the repository or could be added to it.
pub(super) fn check(root: &Path) -> Result<Vec<String>, Failure> {
    let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let names = process::run(&mut process::command(root, "git", &arguments))?;
    let mut strays = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        let path = root.join(name);
        // A file that was removed but not yet committed is still listed.
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.len() > FILE_BYTES_MAX {
            strays.push(format!("{name}: over {} KB", FILE_BYTES_MAX / 1024));
        }
        // What is not text has neither lines nor words.
        if let Ok(text) = fs::read_to_string(&path) {
            strays.extend(check_text(name, &text));
        }
    }
    Ok(strays)
}

fn check_text(name: &str, text: &str) -> Vec<String> {
    let mut strays = Vec::new();
    if is_rust(name) && !text.starts_with("//!") {
        strays.push(format!("{name}: a module says in `//!` what it is"));
    }
    let lines = text.lines().count();
    if lines > LINES_MAX && !is_lock(name) && !is_list(name) {
        strays.push(format!("{name}: {lines} lines are over {LINES_MAX}"));
    }
    // What models write is quoted as it is, and others name their crates as they like.
    if !name.starts_with("cases/") && !is_lock(name) {
        for (line, number) in text.lines().zip(1..) {
            let line = if is_rust(name) { without_strings(line) } else { line.to_owned() };
            let found = BANNED.iter().filter(|word| has_word(&line, word));
            strays.extend(found.map(|word| format!("{name}:{number}: the word `{word}`")));
        }
    }
    strays
}

fn is_rust(name: &str) -> bool {
    has_extension(name, "rs")
}

/// Lists of words and phrases, and what the benchmark writes, are data; longer is better.
fn is_list(name: &str) -> bool {
    has_extension(name, "txt") || name == "docs/benchmarks.md"
}

/// Lock files are as long as they are.
fn is_lock(name: &str) -> bool {
    has_extension(name, "lock") || name.ends_with("package-lock.json")
}

fn has_extension(name: &str, wanted: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == wanted)
}

/// A line of code without what stands in quotes: that is data.
fn without_strings(line: &str) -> String {
    line.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

/// Whether the word stands in the line on its own, or as a part of a name.
fn has_word(line: &str, word: &str) -> bool {
    let is_letter = |character: Option<char>| character.is_some_and(char::is_alphanumeric);
    line.match_indices(word).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + word.len()..).and_then(|text| text.chars().next());
        !is_letter(before) && !is_letter(after)
    })
}

#[cfg(test)]
mod tests {
    use super::{BANNED, check_text, has_word};

    #[test]
    fn a_word_is_found_alone_and_in_names_only() {
        assert!(has_word("mod my_word;", "word"));
        assert!(!has_word("swords and wordy", "word"));
    }

    #[test]
    fn strays_are_named_with_their_line() {
        let text = format!("//! Fine.\n// {}\n", BANNED[2]);
        assert_eq!(check_text("a.rs", &text).len(), 1);
        assert!(check_text("a.rs", &text)[0].starts_with("a.rs:2:"));
        assert_eq!(check_text("a.rs", &text.replace("// ", "const A: &str = \"")).len(), 0);
        assert_eq!(check_text("b.rs", "fn main() {}\n").len(), 1);
        assert_eq!(check_text("c.md", &"x\n".repeat(701)).len(), 1);
        assert_eq!(check_text("Cargo.lock", &"x\n".repeat(701)).len(), 0);
    }
}
