//! `object-to-json-string`
//!
//! ## What it does
//! Writes an object, or a list that is no list of texts, as JSON where only a string is right.
//!
//! ## Why models do it
//! The content of a JSON file is an object to them: they forget that the tool wants its text.
//!
//! ## Example
//! `{"content":{"name":"x"}}` → `{"content":"{\"name\":\"x\"}"}`
//!
//! ## Trust
//! Likely. A list of texts could also mean lines or words, so it is left alone; so is what is empty.

use serde_json::Value;
use toolmend_json::Trust;

use super::number_to_string::wants_only_text;
use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "object-to-json-string",
    trust: Trust::Likely,
    what: "Writes an object as JSON text where only a string is right.",
    example: (r#"{"content":{"name":"x"}}"#, r#"{"content":"{\"name\":\"x\"}"}"#),
    propose: Propose::Value { from: Kinds::OBJECT.or(Kinds::ARRAY), to: Kinds::STRING, propose },
    source: include_str!("object_to_json_string.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let is_document = match site.value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => items.len() > 1 && items.iter().all(Value::is_object),
        _ => false,
    };
    // Where another reading takes values of this type, this one is a wrong value of that type.
    let is_text = wants_only_text(site) && !site.wide.has(Kinds::of(site.value));
    (is_document && is_text).then(|| Offer::exact(site.value.to_string()))
}
