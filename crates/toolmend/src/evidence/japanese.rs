//! Japanese and Korean sentences that are over: their verb stands last, and says what they are.

use super::lead::Lead;
use super::sentences::clauses;
use super::words::Class::{
    Ahead, Announce, Ask, Forbid, If, May, Near, Not, Past, Run, Saying, Show, Source,
};
use super::words::{Words, is_hangul, is_kana};

/// A sentence of so few characters only names what follows.
const TITLE_CHARS: usize = 14;

/// What is: the end of a sentence that has no verb.
const COPULAS: [&str; 4] = ["です", "でした", "입니다", "이다"];

/// What a sentence says of what follows it. None where it says nothing, or is of another language.
pub(super) fn japanese(sentence: &str) -> Option<Lead> {
    if !sentence.contains(|c: char| is_kana(c) || is_hangul(c)) {
        return None;
    }
    let words = Words::of(sentence);
    let clauses = clauses(sentence);
    let last = Words::of(clauses.last().copied().unwrap_or_default());
    if last.has(Forbid) && last.has(Run) {
        return Some(Lead::Refusal);
    }
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    let asks = end.ends_with('か') && last.has_any(&[Run, Announce]);
    let is_possible = asks || words.has(May) && words.has_any(&[Run, Ahead]);
    if words.has_any(&[If, Ask]) || is_possible {
        return Some(Lead::Possibility);
    }
    // Who says that it was said does not say it.
    if last.has(Announce) && last.has(Saying) {
        return Some(Lead::Quotation);
    }
    if words.starts_with(Show, &[]) {
        return Some(Lead::Example);
    }
    if last.has(Announce) && !last.has_any(&[Not, Past]) {
        return Some(Lead::Announced);
    }
    let points = words.has_any(&[Ahead, Near]);
    if words.has(Show) && (points || end.chars().count() <= TITLE_CHARS) {
        return Some(Lead::Example);
    }
    let copula = COPULAS.iter().find_map(|copula| end.strip_suffix(copula));
    let is_source = copula.is_some_and(|rest| {
        let tail = rest.char_indices().rev().nth(2).map_or(0, |(at, _)| at);
        Words::of(rest.get(tail..).unwrap_or_default()).has(Source)
    });
    let is_told = words.has(Past) && (points || copula.is_some())
        || words.has(Saying) && (points || words.has(Source))
        || is_source;
    is_told.then_some(Lead::Quotation)
}
