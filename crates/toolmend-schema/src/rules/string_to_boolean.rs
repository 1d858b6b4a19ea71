//! `string-to-boolean`
//!
//! ## What it does
//! Reads `"true"` and `"false"`, also as Python writes them, where the schema wants a boolean.
//!
//! ## Why models do it
//! Markup bodies have no types, and small models quote whatever they fill in.
//!
//! ## Example
//! `{"recursive":"True"}` → `{"recursive":true}`
//!
//! ## Trust
//! Exact. `"yes"`, `"1"` and other words stay as they are.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "string-to-boolean",
    trust: Trust::Exact,
    what: "Reads the texts true and false where the schema wants a boolean.",
    example: (r#"{"recursive":"True"}"#, r#"{"recursive":true}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::BOOLEAN, propose },
    source: include_str!("string_to_boolean.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    site.text().and_then(read_boolean).map(Offer::exact)
}

/// The boolean that a text is.
pub(crate) fn read_boolean(text: &str) -> Option<bool> {
    match text.trim() {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}
