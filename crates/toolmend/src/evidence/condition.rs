//! What has to happen before the writer acts: a call that waits for it is not made yet.

use super::words::Class::{
    self, Announce, Ask, Done, Given, Once, Other, Past, Plain, When, Writer, Yes, You,
};
use super::words::Words;

/// Whether a clause says what has to be done first by others, and none behind it what follows from that:
/// `Once you confirm`, `I call it after you log in`.
pub(super) fn waits(clauses: &[&str]) -> bool {
    concluding(clauses).iter().any(|clause| {
        let words = Words::of(clause);
        // What was is told in the same words: `After you told me`.
        let is_first = words.starts_with(Once, &[Yes]) && words.has_adjacent(Once, You);
        is_first || [Once, When].into_iter().any(|class| waits_for(&words, clause, class))
    })
}

/// The clauses from the one on that says what is done after all: `so I call it`, `but first I check`.
fn concluding<'c, 't>(clauses: &'c [&'t str]) -> &'c [&'t str] {
    let follows = |clause: &&str| {
        let clause = clause.trim_start();
        clause.starts_with("so ") || clause.starts_with("but ") && Words::of(clause).has(Announce)
    };
    let behind = clauses.iter().rposition(follows).unwrap_or_default();
    clauses.get(behind..).unwrap_or_default()
}

/// Whether a clause begins with what has to happen in the world first: `Once the payment clears`, `When
/// the backup is done`. What the writer does himself, and what was, is not waited for.
pub(super) fn is_to_come(clauses: &[&str]) -> bool {
    concluding(clauses).iter().any(|clause| {
        let clause = clause.trim();
        let words = Words::of(clause);
        let is_begun = [Once, When].into_iter().any(|class| {
            let rest = words.behind(class).filter(|_| words.starts_with(class, &[Yes, Plain]));
            rest.is_some_and(|rest| {
                let end = Words::of(rest).find(Announce).unwrap_or(rest.len());
                let event = Words::of(rest.get(..end).unwrap_or_default());
                let is_past = is_told_as_past(event.text());
                let is_event = event.text().split_whitespace().nth(1).is_some() && !is_past;
                let is_leave = LEAVE.contains(&event.text().trim());
                let is_first = event.has(Done) || class == Once && (is_event || is_leave);
                is_first && !event.has_any(&[Writer, Past])
            })
        });
        // `等…后` stands around what is waited for.
        let is_around = clause.starts_with(['等', '待']) && clause.ends_with('后');
        is_begun && !clause.starts_with("until")
            || is_around && !words.has(Writer)
            || clause.starts_with("provided ")
            || is_later(clause)
    })
}

/// Whether words tell what was: `the build finished`, but not `the ticket is closed`.
fn is_told_as_past(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_state =
        |word: &str| matches!(word, "is" | "are" | "has" | "have" | "been" | "be" | "gets");
    let before = std::iter::once("").chain(words.iter().copied());
    before.zip(&words).any(|(before, word)| word.ends_with("ed") && !is_state(before))
}

/// What a reader has done who gave leave.
const LEAVE: [&str; 5] = ["approved", "confirmed", "accepted", "authorized", "authorised"];

/// Times that are not now.
const LATER: [&str; 11] = [
    "later",
    "tomorrow",
    "tonight",
    "next week",
    "next month",
    "at midnight",
    "on monday",
    "on tuesday",
    "on wednesday",
    "on thursday",
    "on friday",
];

/// Lengths of time, behind which something happens.
const SPANS: [&str; 8] = ["minute", "minutes", "hour", "hours", "day", "days", "week", "weeks"];

/// Whether a clause begins with a time that is not now, and says nothing else before the writer acts.
fn is_later(clause: &str) -> bool {
    let end = Words::of(clause).find(Announce).unwrap_or(clause.len());
    let time = clause.get(..end).unwrap_or_default();
    let rest = LATER.iter().find_map(|later| time.strip_prefix(later));
    let is_ended = |rest: &&str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'');
    let is_span = time.starts_with("in ")
        && time.split_whitespace().last().is_some_and(|last| SPANS.contains(&last));
    let is_short = |rest: &str| rest.split_whitespace().count() <= 3;
    rest.filter(is_ended).is_some_and(is_short) || is_span && is_short(time)
}

/// Whether a clause says when the reader, or someone else, will have given what is needed. `What happens
/// when you log in` tells of the world.
fn waits_for(words: &Words<'_>, clause: &str, class: Class) -> bool {
    let Some(rest) = words.behind(class) else { return false };
    let before = clause.strip_suffix(rest).unwrap_or_default();
    let is_asked = |word| matches!(word, "what" | "how" | "which" | "where" | "whether" | "why");
    let rest = Words::of(rest);
    let gives = [You, Other].into_iter().any(|who| {
        let verb = rest.behind(who).filter(|_| rest.starts_with(who, &[Plain]));
        verb.is_some_and(|verb| {
            let verb = Words::of(verb);
            verb.starts_with(Given, &[]) || verb.starts_with(Ask, &[])
        })
    });
    gives && !before.split_whitespace().any(is_asked)
}
