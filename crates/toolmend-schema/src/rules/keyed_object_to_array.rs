//! `keyed-object-to-array`
//!
//! ## What it does
//! Takes the items out of an object that numbers them, or that has them under `item`, where the
//! schema wants an array and no object.
//!
//! ## Why models do it
//! Markup has no lists: `<item>` repeats, and what reads it makes an object of it.
//!
//! ## Example
//! `{"tags":{"0":"a","1":"b"}}` → `{"tags":["a","b"]}`
//!
//! ## Trust
//! Likely. The numbers must run from 0 without a gap; `item` must be the only member.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "keyed-object-to-array",
    trust: Trust::Likely,
    what: "Takes the items out of an object that numbers them, or has them under item.",
    example: (r#"{"tags":{"0":"a","1":"b"}}"#, r#"{"tags":["a","b"]}"#),
    propose: Propose::Value { from: Kinds::OBJECT, to: Kinds::ARRAY, propose },
    source: include_str!("keyed_object_to_array.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    items(site.value.as_object().filter(|_| !site.wants(Kinds::OBJECT))?).map(Offer::exact)
}

/// The items that an object holds in place of an array.
pub(super) fn items(members: &Map<String, Value>) -> Option<Vec<Value>> {
    let mut all = members.iter();
    if let (Some((key, value)), None) = (all.next(), all.next())
        && matches!(key.as_str(), "item" | "items")
    {
        return match value {
            Value::Array(items) => Some(items.clone()),
            // A list of one, as markup has it.
            _ if key == "item" => Some(vec![value.clone()]),
            _ => None,
        };
    }
    let numbered = (0..members.len()).map(|index| members.get(&index.to_string()).cloned());
    numbered.collect::<Option<Vec<_>>>().filter(|items| !items.is_empty())
}
