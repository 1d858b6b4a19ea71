//! `object-to-array`
//!
//! ## What it does
//! Reads an empty object as an empty array where the schema wants an array and no object.
//!
//! ## Why models do it
//! In the languages of some templates an empty table is both.
//!
//! ## Example
//! `{"tags":{}}` → `{"tags":[]}`
//!
//! ## Trust
//! Likely. An object with members is left to the other rules.

use serde_json::{Value, json};
use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "object-to-array",
    trust: Trust::Likely,
    what: "Reads an empty object as an empty array where the schema wants an array.",
    example: (r#"{"tags":{}}"#, r#"{"tags":[]}"#),
    propose: Propose::Value { from: Kinds::OBJECT, to: Kinds::ARRAY, propose },
    source: include_str!("object_to_array.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let is_empty = matches!(site.value, Value::Object(members) if members.is_empty());
    (is_empty && !site.wants(Kinds::OBJECT)).then(|| Offer::exact(json!([])))
}
