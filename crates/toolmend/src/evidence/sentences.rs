//! Paragraphs, sentences and clauses.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// Marks that end a clause.
const BREAKS: [char; 12] = [',', ';', '，', '；', '—', '–', '!', '！', '(', '（', '…', '、'];

/// Words that start a clause of their own without a mark before them.
static JOINTS: LazyLock<[Finder<'static>; 10]> = LazyLock::new(|| {
    let joints = [
        " so ",
        " but ",
        " therefore ",
        " yet ",
        " and then ",
        " while ",
        "所以",
        "因此",
        "但",
        "于是",
    ];
    joints.map(Finder::new)
});

/// The text before the last paragraph, and the last paragraph.
pub(super) fn last_paragraph(text: &str) -> (&str, &str) {
    let at = text.rfind("\n\n").map_or(0, |at| at + 2);
    let (before, last) = text.split_at_checked(at).unwrap_or(("", text));
    let before = before.trim_end();
    let at = before.rfind("\n\n").map_or(0, |at| at + 2);
    (before.get(at..).unwrap_or_default(), last)
}

pub(super) fn last_sentence(text: &str) -> &str {
    let is_said = |sentence: &&str| sentence.chars().any(char::is_alphanumeric);
    sentences(text).filter(is_said).last().unwrap_or_default()
}

/// The sentences of a text, each with its end.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> + Clone {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let ends = rest.char_indices().find(|&(at, c)| {
            let after = rest.get(at + c.len_utf8()..).unwrap_or_default();
            match c {
                '.' | '!' | '?' => {
                    after.is_empty() || after.starts_with([' ', '\n', ')', '"', '*'])
                }
                '。' | '！' | '？' | '\n' => true,
                _ => false,
            }
        });
        let at = ends.map_or(rest.len(), |(at, c)| at + c.len_utf8());
        let (sentence, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        rest = after;
        Some(sentence)
    })
}

/// The clauses of a sentence.
pub(super) fn clauses(sentence: &str) -> Vec<&str> {
    let mut clauses = Vec::new();
    for part in sentence.split(BREAKS) {
        let mut rest = part;
        while let Some(at) = next_joint(rest) {
            let (clause, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
            clauses.push(clause);
            rest = after;
        }
        clauses.push(rest);
    }
    clauses.retain(|clause| clause.chars().any(char::is_alphanumeric));
    clauses
}

/// Where the next clause starts.
fn next_joint(text: &str) -> Option<usize> {
    // What starts with a joint is the clause that it started.
    let first = text.chars().next()?.len_utf8();
    let rest = text.as_bytes().get(first..)?;
    JOINTS.iter().filter_map(|joint| joint.find(rest)).min().map(|at| first + at)
}

/// The end of a text, so many bytes or a little less.
pub(crate) fn tail(text: &str, bytes: usize) -> &str {
    let mut at = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    text.get(at..).unwrap_or_default()
}
