//! `empty-string-to-array`
//!
//! ## What it does
//! Reads an empty text as an empty array where the schema requires an array and takes no text.
//!
//! ## Why models do it
//! Having nothing to put on the list, they fill the member in as they would a text.
//!
//! ## Example
//! `{"tags":""}` → `{"tags":[]}`
//!
//! ## Trust
//! Likely. A member that may be left out could as well have been meant to be, and one that may be
//! null to be that: those are refused.

use serde_json::json;
use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "empty-string-to-array",
    trust: Trust::Likely,
    what: "Reads an empty text as an empty array where the schema requires an array.",
    example: (r#"{"tags":""}"#, r#"{"tags":[]}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::ARRAY, propose },
    source: include_str!("empty_string_to_array.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let is_empty = site.text().is_some_and(|text| text.trim().is_empty());
    let is_needed = !site.is_optional && !site.is_root;
    let is_only = !site.wide.has(Kinds::STRING.or(Kinds::NULL));
    (is_empty && is_needed && is_only).then(|| Offer::exact(json!([])))
}
