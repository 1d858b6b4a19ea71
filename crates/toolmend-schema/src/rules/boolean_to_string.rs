//! `boolean-to-string`
//!
//! ## What it does
//! Writes a boolean as text where only a string is right.
//!
//! ## Why models do it
//! Settings and environment variables take `"true"`, which reads as a boolean.
//!
//! ## Example
//! `{"value":true}` → `{"value":"true"}`
//!
//! ## Trust
//! Likely.

use serde_json::Value;
use toolmend_json::Trust;

use super::number_to_string::wants_only_text;
use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "boolean-to-string",
    trust: Trust::Likely,
    what: "Writes a boolean as text where only a string is right.",
    example: (r#"{"value":true}"#, r#"{"value":"true"}"#),
    propose: Propose::Value { from: Kinds::BOOLEAN, to: Kinds::STRING, propose },
    source: include_str!("boolean_to_string.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let Value::Bool(value) = site.value else { return None };
    wants_only_text(site).then(|| Offer::exact(value.to_string()))
}
