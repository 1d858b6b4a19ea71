//! What a model thinks behind a call that stands in its thinking, and what it answers then.

use super::after::{does, goes_on, is_no};
use super::lead::{Lead, Order, lead};
use super::sentences::sentences;
use super::words::Class::{Call, Now, Plain, Time, Wait, Writer, Yes};
use super::words::Words;

/// So many sentences behind a call are looked at.
const SENTENCES_MAX: usize = 6;

/// Whether thinking ends with the call, or goes on from it. Who doubts, asks first, or knows it already,
/// has thought of something else.
pub(crate) fn goes_on_from(rest: &str) -> bool {
    let rest = rest.to_lowercase().replace('’', "'");
    let is_said = |sentence: &&str| sentence.chars().any(char::is_alphanumeric);
    sentences(&rest).filter(is_said).take(SENTENCES_MAX).all(|sentence| {
        let words = Words::of(sentence);
        let is_question = sentence.trim_end().ends_with(['?', '？']);
        let goes_on = goes_on(sentence, &words) || does(&words);
        !is_question && !is_no(&words) && (goes_on || is_idle(&words))
    })
}

/// Whether an answer leaves room for a call: it is none yet, or says that the writer acts.
pub(crate) fn awaits_call(answer: &str) -> bool {
    if !answer.contains(char::is_alphanumeric) {
        return true;
    }
    let lower = answer.to_lowercase();
    is_idle(&Words::of(&lower)) || lead(answer, false, Order::First) == Lead::Announced
}

/// Whether words say nothing but yes, or ask for patience: `One moment please`.
fn is_idle(words: &Words<'_>) -> bool {
    words.are_all(&[Yes, Time, Wait, Plain, Now, Call, Writer])
}
