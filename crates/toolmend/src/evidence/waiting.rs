//! Words that wait: for leave, for what the reader has to do, for what has to happen first.

use super::lead::POLITE;
use super::words::Class::{
    self, Act, Announce, Ask, Back, Be, Deny, Given, Near, Now, Occur, Once, Other, Past, Plain,
    Run, Time, When, Writer, Yes, You,
};
use super::words::{Words, is_chinese};

/// Words that ask about the world, not for leave.
const WONDERING: [&str; 52] = [
    "what",
    "what's",
    "where",
    "where's",
    "why",
    "how",
    "how's",
    "which",
    "who",
    "who's",
    "whose",
    "when",
    "was",
    "wo",
    "warum",
    "wie",
    "welche",
    "welcher",
    "welches",
    "wer",
    "wann",
    "où",
    "pourquoi",
    "comment",
    "quel",
    "quelle",
    "qui",
    "qu'y",
    "qu'est-ce",
    "quand",
    "qué",
    "dónde",
    "cómo",
    "cuál",
    "quién",
    "cuándo",
    "onde",
    "qual",
    "quem",
    "dove",
    "perché",
    "quale",
    "chi",
    "cosa",
    "что",
    "где",
    "почему",
    "как",
    "какой",
    "какая",
    "кто",
    "когда",
];
/// The same where words are not set apart.
const WONDERING_UNSPACED: [&str; 20] = [
    "什么",
    "哪",
    "怎么",
    "如何",
    "谁",
    "几",
    "多少",
    "何",
    "どこ",
    "なぜ",
    "どう",
    "いつ",
    "誰",
    "どの",
    "どれ",
    "무엇",
    "어디",
    "왜",
    "어떻게",
    "언제",
];
/// What a reader is asked to do who knows something: that asks for a matter, not for leave.
const TELLING: [&str; 24] = [
    "provide",
    "tell",
    "specify",
    "share",
    "clarify",
    "describe",
    "mitteilen",
    "angeben",
    "nennen",
    "préciser",
    "indiquer",
    "fournir",
    "decirme",
    "indicar",
    "indicarme",
    "especificar",
    "proporcionar",
    "informar",
    "dirmi",
    "indicare",
    "fornire",
    "уточнить",
    "указать",
    "сообщить",
];
/// The writer, as one who does.
const DOERS: [&str; 13] =
    ["i", "we", "ich", "wir", "je", "nous", "on", "yo", "nosotros", "eu", "io", "я", "мы"];
/// What a deed is done to that was named already.
const PRONOUNS: [&str; 19] = [
    "this", "that", "it", "these", "those", "them", "both", "das", "es", "dies", "cela", "ça",
    "esto", "eso", "isto", "isso", "questo", "lo", "это",
];
/// Words that begin a question about what is.
const STATING: [&str; 15] = [
    "is", "are", "was", "were", "does", "did", "do", "has", "have", "got", "ist", "est", "é", "è",
    "hat",
];
/// A question with no more words than this has no room for a matter of its own.
const SHORT_WORDS: usize = 4;
/// What tells that a verb is over.
const OVER: [&str; 6] = ["sent", "made", "ran", "done", "did", "used"];

fn parts(sentence: &str) -> Vec<&str> {
    let is_apart = |c: char| !c.is_alphanumeric() && c != '\'' && c != '-';
    sentence.split(is_apart).filter(|word| !word.is_empty()).collect()
}

/// Whether a question asks the reader for leave, or whether he is sure: `You sure?`, `Send this?` One
/// about the world does not.
pub(super) fn asks_leave(sentence: &str) -> bool {
    let words = Words::of(sentence);
    if words.has(Ask) {
        return true;
    }
    let parts = parts(sentence);
    let wonders = parts.iter().any(|part| WONDERING.contains(part))
        || WONDERING_UNSPACED.iter().any(|word| sentence.contains(word));
    let has_any = |list: &[&str]| parts.iter().any(|part| list.contains(part));
    if wonders || has_any(&TELLING) {
        return false;
    }
    let points = words.has_any(&[Back, Near, Run]);
    let is_short = parts.len() <= SHORT_WORDS;
    let first = parts.first().copied().unwrap_or_default();
    let is_early = parts.iter().take(2).any(|part| Words::of(part).has(You));
    let of_reader =
        words.has(You) && !has_any(&["me"]) && (has_any(&DOERS) || is_short || is_early && points);
    let of_writer = has_any(&DOERS) && (points || is_short || words.has(Act)) && !words.has(Past);
    let is_deed = parts.len() > 1
        && is_short
        && !STATING.contains(&first)
        && [parts.last(), parts.first()].into_iter().flatten().any(|part| PRONOUNS.contains(part));
    let is_chinese = sentence.contains('吗') && words.has(Run);
    of_reader
        || of_writer
        || is_deed
        || is_chinese
        || words.starts_with(Announce, &[Yes]) && !sentence.contains([':', '：'])
        || words.are_all(&[Yes])
}

/// Whether a sentence asks the reader to do something first, or leaves it to him: `Reply with yes and I
/// send it`, `Say the word`, `You send it`.
pub(super) fn demands(sentence: &str) -> bool {
    let sentence = sentence.trim_start();
    let polite = POLITE.iter().find_map(|polite| sentence.strip_prefix(polite));
    let words = Words::of(polite.unwrap_or(sentence));
    let gives = words.starts_with(Given, &[Yes]) && !words.starts_with(Announce, &[Yes]);
    if gives && !words.has(Time) {
        let then = [" and ", " then "].iter().any(|then| sentence.contains(then));
        let is_word = words.starts_with(Ask, &[Yes]) && words.are_all(&[Given, Ask, Yes, Plain]);
        let is_own = words.starts_with(Act, &[Yes]);
        if polite.is_some() || then && words.has(Announce) || is_word && !is_own {
            return true;
        }
    }
    leaves_to_reader(&words)
}

/// Whether the reader is told to do it himself.
fn leaves_to_reader(words: &Words<'_>) -> bool {
    let rest = words.behind_pair(You, Run).filter(|_| words.starts_with(You, &[]));
    rest.is_some_and(|rest| {
        let verb = words.behind(You).and_then(|behind| behind.strip_suffix(rest));
        let verb = parts(verb.unwrap_or_default());
        let is_over = verb.iter().any(|word| OVER.contains(word) || word.ends_with("ed"));
        let rest = Words::of(rest);
        verb.len() == 1 && !is_over && rest.are_all(&[Back, Near, You, Now])
    })
}

/// Whether a sentence says that nothing was sent or run so far.
pub(super) fn holds_all(sentence: &str) -> bool {
    let parts = parts(sentence);
    let is_nothing = matches!(parts.first(), Some(&("nothing" | "none" | "nichts")));
    let is_so_far = sentence.contains(" yet") || sentence.contains(" so far");
    let is_run = Words::of(sentence).has_any(&[Run, Deny]);
    is_nothing && is_so_far && (is_run || parts.iter().any(|part| OVER.contains(part)))
}

/// Whether a sentence follows from what the reader has to do in the one before: `You confirm. After that
/// I issue`.
pub(super) fn follows_reader(before: &str, sentence: &str) -> bool {
    let sentence = sentence.trim_start();
    let follows =
        ["after that", "then", "afterwards"].iter().any(|word| sentence.starts_with(word));
    let words = Words::of(before);
    follows && words.starts_with(You, &[]) && words.has_adjacent(You, Given)
}

/// Whether a clause says what has to be done first by others, and none behind it what follows from that:
/// `Once you confirm`, `I call it after you log in`.
pub(super) fn waits(clauses: &[&str]) -> bool {
    let follows = |clause: &&str| clause.trim_start().starts_with("so ");
    let behind = clauses.iter().rposition(follows).unwrap_or_default();
    let clauses = clauses.get(behind..).unwrap_or_default();
    clauses.iter().enumerate().any(|(at, clause)| {
        let words = Words::of(clause);
        // What was is told in the same words: `After you told me`.
        let is_first = words.starts_with(Once, &[Yes]) && words.has_adjacent(Once, You);
        is_first
            || [Once, When].into_iter().any(|class| waits_for(&words, clause, class))
            || waits_for_world(&words, clause, clauses.get(at + 1..).unwrap_or_default())
    })
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

/// Whether a clause says what has to happen in the world before the writer does what the next one says:
/// `After the freeze ends, I run it`. What happens while the writer does something is no condition.
fn waits_for_world(words: &Words<'_>, clause: &str, behind: &[&str]) -> bool {
    let is_first = [Once, When].into_iter().any(|class| words.starts_with(class, &[Yes]))
        || clause.trim_start().starts_with('等') && clause.chars().any(is_chinese);
    let rest = [Once, When].into_iter().find_map(|class| words.behind(class)).unwrap_or(clause);
    let has_doer = parts(rest).first().is_some_and(|first| DOERS.contains(first));
    let acts = |clause: &&str| {
        let words = Words::of(clause);
        words.has_any(&[Writer, Announce]) || clause.trim_start().starts_with("on ")
    };
    let happens = Words::of(rest);
    is_first
        && !has_doer
        && happens.has(Occur)
        && !happens.starts_with(Be, &[])
        && !happens.has_any(&[Past, Writer])
        && behind.iter().any(acts)
}
