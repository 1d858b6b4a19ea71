//! Words that hand something over: the answer as such, or the call that is to be made. What presents
//! any call, or one that stood elsewhere, does not count.

use super::sentences::clauses;
use super::words::Class::{
    Answer, Ask, Call, Can, Danger, Deny, Form, If, May, Not, Now, Other, Part, Past, Plain, Run,
    Saying, Show, Showing, Source, Writer, Yes, You,
};
use super::words::Words;

/// Whether a message begins with these words and they only name its answer: `Answer:`, `Sure, here is
/// the solution:`.
pub(super) fn names_answer(text: &str, label: &str) -> bool {
    let is_alone = text.trim_start().len() == label.trim_start().len();
    let words = Words::of(label);
    let is_answer =
        words.has(Answer) && words.are_all(&[Answer, Plain, Yes, Writer, Now]) || hands_over(label);
    is_alone && is_answer
}

/// Whether a label names the answer and nothing else.
pub(crate) fn is_answer(label: &str) -> bool {
    let label = label.to_lowercase();
    let words = Words::of(&label);
    words.has(Answer) && words.are_all(&[Answer, Plain])
}

/// Whether a sentence hands over the answer: `Here is the solution to your problem`.
fn hands_over(sentence: &str) -> bool {
    let clauses = clauses(sentence);
    let Some((last, before)) = clauses.split_last() else { return false };
    let is_answer = here(last).is_some_and(|rest| Words::of(rest).starts_with(Answer, &[Plain]));
    let words = Words::of(last);
    let of_text = [Show, Showing, Form, Past, Other, Part, May, If, Not, Deny, Danger];
    // `Here is the JSON for your config file`, or that the reader asked for, is his to keep.
    let is_kept = words.behind(You).is_some_and(|rest| Words::of(rest).has_any(&[Source, Saying]));
    let is_yours = words.has(You) && words.has(Run) || is_kept;
    is_answer
        && !is_yours
        && !words.has_any(&of_text)
        && before.iter().all(|clause| Words::of(clause).are_all(&[Yes, Writer]))
}

/// Whether a clause presents the call, and not any call: `Here are the calls`.
pub(super) fn is_presented(clause: &str, words: &Words<'_>) -> bool {
    here(clause).is_some() && words.has(Call)
}

/// What stands behind the words that present one thing, and not any: `Here is the`.
fn here(clause: &str) -> Option<&str> {
    let clause = clause.trim_start();
    let clause =
        ["so ", "and ", "then "].iter().find_map(|so| clause.strip_prefix(so)).unwrap_or(clause);
    let (here, articles) = HERE.iter().find(|(here, _)| clause.starts_with(here))?;
    let rest = clause.strip_prefix(here)?.strip_prefix(' ')?.trim_start();
    if articles.is_empty() || rest.starts_with("l'") {
        return Some(rest);
    }
    articles.iter().find_map(|article| rest.strip_prefix(article)?.strip_prefix(' '))
}

/// Words that present something, and those that say that it is the one that is meant.
const HERE: [(&str, &[&str]); 14] = [
    ("here's", &ENGLISH),
    ("here is", &ENGLISH),
    ("here are", &ENGLISH),
    ("hier ist", &["der", "die", "das", "mein", "meine"]),
    ("hier sind", &["die", "meine"]),
    ("hier", &["der", "mein"]),
    ("voici", &["le", "la", "les", "mon", "mes"]),
    ("aquí está", &["la", "el", "mi"]),
    ("aquí están", &["las", "los", "mis"]),
    ("aquí tienes", &["la", "el", "las", "los"]),
    ("aqui está", &["a", "o", "minha"]),
    ("aqui estão", &["as", "os", "minhas"]),
    ("ecco", &["la", "le", "il", "i"]),
    ("вот", &[]),
];
const ENGLISH: [&str; 7] = ["the", "my", "our", "both", "all", "two", "three"];

/// Whether a clause says which call it is, or that the one behind it is to be made: `The function to
/// find the route is`, `The following calls will find it`. What is said of any call does not count.
pub(super) fn is_identified(clause: &str) -> bool {
    let clause = clause.trim().trim_end_matches(|c: char| !c.is_alphanumeric());
    let of_text =
        [Show, Showing, Past, Other, Source, Saying, May, Can, If, Not, Deny, Danger, Ask];
    let is_of_text = |words: &Words<'_>| words.has_any(&of_text);
    if let Some(rest) = clause.strip_prefix("the following ") {
        let words = Words::of(rest);
        let behind = words.behind(Call).unwrap_or_default().trim_start();
        let is_called = words.starts_with(Call, &[])
            && NEEDED.iter().any(|needed| behind.strip_prefix(needed).is_some_and(ends_word));
        return is_called && !is_of_text(&words) && !words.has_any(&[Form, Part]);
    }
    let ends = ["is as follows", "are as follows", "is the following", "are the following"];
    let copula = ends.iter().chain(&["is", "are"]).find_map(|end| clause.strip_suffix(end));
    let named = copula.and_then(|rest| rest.strip_prefix("the "));
    let Some(named) = named.filter(|named| named.ends_with(' ')) else { return false };
    let words = Words::of(named);
    let adjectives = words.find(Call).and_then(|at| named.get(..at)).map(str::split_whitespace);
    let behind = words.behind(Call).unwrap_or_default().trim_start();
    let is_purpose = behind.is_empty()
        || PURPOSES.iter().any(|purpose| behind.strip_prefix(purpose).is_some_and(ends_word));
    let is_near = adjectives.is_some_and(|adjectives| adjectives.count() <= 1);
    is_near && is_purpose && !is_of_text(&words) && !words.has_any(&[Form, Part, You])
}

/// What the call behind these words is there for, or that it is needed.
const NEEDED: [&str; 10] = [
    "will",
    "is needed",
    "are needed",
    "is required",
    "are required",
    "needs to be called",
    "need to be called",
    "should be called",
    "must be called",
    "has to be called",
];

/// What follows the name of a call that is there for something.
const PURPOSES: [&str; 10] = [
    "to",
    "for",
    "needed",
    "required",
    "that should be called",
    "that needs to be called",
    "that must be called",
    "that has to be called",
    "that is needed",
    "that will",
];

/// Whether what follows a word is no part of it.
fn ends_word(rest: &str) -> bool {
    !rest.starts_with(char::is_alphanumeric)
}
