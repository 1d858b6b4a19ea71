//! `bare-value-to-array`
//!
//! ## What it does
//! Makes a list of the one value that stands where the schema wants an array.
//!
//! ## Why models do it
//! With one item there seems to be no need for a list.
//!
//! ## Example
//! `{"paths":"a.rs"}` → `{"paths":["a.rs"]}`
//!
//! ## Trust
//! Likely: the value must be an item as it is, or in another spelling, or a listed word in another
//! case. A text with commas or lines, or one of nothing but several addresses or paths, could be a
//! list itself, so it is a guess. Texts that look like JSON, texts that say that there is nothing,
//! empty ones and objects that the rules before this one read are left alone. Where the schema has
//! another use for values of this type, nobody can tell whether a list was meant: unless a surer
//! reading is right, it is refused.

use serde_json::Value;
use toolmend_json::Trust;

use super::keyed_object_to_array::items;
use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Change, Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "bare-value-to-array",
    trust: Trust::Likely,
    what: "Makes a list of the one value that stands where the schema wants an array.",
    example: (r#"{"paths":"a.rs"}"#, r#"{"paths":["a.rs"]}"#),
    propose: Propose::Value { from: Kinds::ANY, to: Kinds::ARRAY, propose },
    source: include_str!("bare_value_to_array.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let trust = match site.value {
        Value::Null => return None,
        Value::Object(members) if members.is_empty() || items(members).is_some() => return None,
        Value::String(text) if text.trim().is_empty() || looks_like_json(text) => return None,
        Value::String(text) if says_nothing(text) && !lists_words(site) => return None,
        Value::String(text) if text.contains([',', ';', '\n']) => Trust::Guess,
        Value::String(text) if is_several(text) => Trust::Guess,
        _ => Trust::Likely,
    };
    let list = Value::Array(vec![site.value.clone()]);
    // Where another reading takes values of this type, it may be a wrong one of that type.
    let own = match site.value {
        Value::Number(_) => Kinds::NUMBER.or(Kinds::STRING),
        Value::Bool(_) => Kinds::BOOLEAN.or(Kinds::STRING),
        value => Kinds::of(value),
    };
    let is_rival = site.wide.has(own);
    // Which of the listed words is meant does not depend on the list.
    let is_word = site.value.is_string() && lists_words(site);
    let inside = if is_word { Trust::Likely } else { Trust::Exact };
    Some(Offer { change: Change::Become(list), trust, inside, is_rival })
}

/// Texts that say that there is no item, without case.
const NOTHING: [&str; 8] = ["n/a", "none", "null", "nil", "undefined", "nothing", "-", "--"];

/// Words between the items of a list.
const JOINTS: [&str; 8] = ["and", "or", "und", "oder", "et", "y", "&", "+"];

fn says_nothing(text: &str) -> bool {
    let text = text.trim().trim_end_matches('.');
    NOTHING.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether the schema lists the words that an item may be.
fn lists_words(site: &Site<'_>) -> bool {
    let items = site.graph.item(site.nodes, 0);
    let all = items.iter().flat_map(|id| site.graph.reachable(*id));
    all.into_iter().any(|id| site.graph.node(id).choices.iter().any(Value::is_string))
}

/// Whether a text is nothing but addresses or paths, and more than one of them.
fn is_several(text: &str) -> bool {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '|' | '<' | '>' | '"' | '\'');
    let words = || text.split(is_mark).filter(|word| !word.is_empty());
    let is_joint = |word: &str| JOINTS.iter().any(|joint| word.eq_ignore_ascii_case(joint));
    let is_whole = words().all(|word| is_joint(word) || is_address(word));
    let addresses = |is: fn(&str) -> bool| words().filter(|word| is(word)).count();
    // Between addresses of people their names may stand.
    is_whole && addresses(is_address) > 1 || addresses(is_mail) > 1
}

fn is_mail(word: &str) -> bool {
    word.split_once('@').is_some_and(|(user, host)| !user.is_empty() && host.contains('.'))
}

/// Whether a word is the address of a person or of a page, or a path.
fn is_address(word: &str) -> bool {
    let ends_as_a_file = || {
        let (stem, end) = word.rsplit_once('.')?;
        let is_end = matches!(end.len(), 1..=5) && end.bytes().all(|c| c.is_ascii_alphanumeric());
        Some(is_end && !stem.is_empty())
    };
    let is_path = word.contains(['/', '\\']) && !word.starts_with('-');
    is_mail(word) || is_path || ends_as_a_file() == Some(true)
}

/// Whether a text starts as a list or an object does, whole or cut.
pub(super) fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{', '('])
}

#[cfg(test)]
mod tests {
    use super::{is_several, says_nothing};

    #[test]
    fn several_addresses_are_no_one_item() {
        for text in [
            "a@b.c d@e.f",
            "a@b.c and d@e.f",
            "Ann <a@b.c> Bob <d@e.f>",
            "https://a.org https://b.org/x",
            "src/a.rs src/b.rs",
            "a.rs b.rs",
            "a.rs | b.rs",
            "C:\\a C:\\b",
        ] {
            assert!(is_several(text), "{text}");
        }
        for text in [
            "a@b.c",
            "Ann <a@b.c>",
            "https://a.org/?u=https://b.org",
            "src/a.rs",
            "fix a.rs and b.rs",
            "red green",
            "read and write",
            "e.g. this",
        ] {
            assert!(!is_several(text), "{text}");
        }
    }

    #[test]
    fn a_text_may_say_that_there_is_nothing() {
        assert!(says_nothing("N/A") && says_nothing(" None. ") && !says_nothing("nonesuch"));
    }
}
