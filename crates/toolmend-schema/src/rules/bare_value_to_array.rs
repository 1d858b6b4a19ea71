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
//! Likely: the value must be an item as it is, or in another spelling. A text with commas or lines
//! could be a list itself, so it is a guess. Texts that look like JSON, empty texts and objects that
//! the rules before this one read are left alone. Where the schema has another use for values of
//! this type, nobody can tell whether a list was meant: unless a surer reading is right, it is refused.

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
        Value::String(text) if text.contains([',', ';', '\n']) => Trust::Guess,
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
    Some(Offer { change: Change::Become(list), trust, inside: Trust::Exact, is_rival })
}

/// Whether a text starts as a list or an object does, whole or cut.
pub(super) fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['[', '{', '('])
}
