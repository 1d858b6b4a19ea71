//! Words that tell what was, or what others wrote.

use super::sentences::clauses;
use super::words::Class::{Ahead, Announce, Call, Cite, Near, Past};
use super::words::Words;

/// What links a thing to what stands behind.
const LINKS: [&str; 10] =
    ["is", "are", "was", "were", "like", "reads", "follows", "stands", "comes", "goes"];
/// What was done, in a word that no class has.
const DEEDS: [&str; 13] = [
    "failed",
    "ran",
    "succeeded",
    "worked",
    "sent",
    "executed",
    "used",
    "called",
    "issued",
    "made",
    "did",
    "happened",
    "crashed",
];
/// That it went well.
const WORKED: [&str; 7] =
    ["worked", "succeeded", "went through", "was successful", "it did it", "geklappt", "成功了"];

fn parts(text: &str) -> impl Iterator<Item = &str> {
    let is_apart = |c: char| !c.is_alphanumeric() && c != '\'';
    text.split(is_apart).filter(|word| !word.is_empty())
}

/// Whether a sentence that is over says that what follows was, or is quoted: `The one that failed is
/// below`, `I quote it verbatim`.
pub(super) fn tells(sentence: &str) -> bool {
    let words = Words::of(sentence);
    let is_quoted = sentence.trim_start().starts_with(['"', '“', '«', '„', '「']);
    words.has(Cite)
        || is_quoted && words.has(Ahead)
        || !words.has(Announce) && points_at_past(sentence)
}

/// Whether a sentence points at what follows at the end of a clause, and tells what was.
fn points_at_past(sentence: &str) -> bool {
    let is_told =
        Words::of(sentence).has(Past) || parts(sentence).any(|part| DEEDS.contains(&part));
    is_told && clauses(sentence).into_iter().any(points)
}

/// Whether a clause ends by saying that something is what follows.
fn points(clause: &str) -> bool {
    let all: Vec<&str> = parts(clause).collect();
    let [before @ .., last] = all.as_slice() else { return false };
    let link = before.iter().rev().find(|part| **part != "the").copied().unwrap_or_default();
    LINKS.contains(&link) && Words::of(last).has_any(&[Ahead, Near])
}

/// Whether a title that names a call, and says nothing of which, stands behind words that it went well.
pub(super) fn is_record(before: &str, title: &str) -> bool {
    let words = Words::of(title);
    words.are_all(&[Call])
        && parts(title).count() == 1
        && WORKED.iter().any(|worked| before.contains(worked))
}
