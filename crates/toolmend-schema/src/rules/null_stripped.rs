//! `null-stripped`
//!
//! ## What it does
//! Drops an optional member that is `null`, or the text `"null"`, where neither `null` nor a string
//! is right.
//!
//! ## Why models do it
//! They fill in every field that they were shown; `null` is their word for "not given".
//!
//! ## Example
//! `{"path":"a","limit":null}` → `{"path":"a"}`
//!
//! ## Trust
//! Exact: not given is what `null` says, and the schema knows no `null` here.

use serde_json::Value;
use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "null-stripped",
    trust: Trust::Exact,
    what: "Drops an optional member that is null where null is not right.",
    example: (r#"{"path":"a","limit":null}"#, r#"{"path":"a"}"#),
    propose: Propose::Value { from: Kinds::NULL.or(Kinds::STRING), to: Kinds::ANY, propose },
    source: include_str!("null_stripped.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    if !site.is_optional || site.wide.has(Kinds::NULL) {
        return None;
    }
    let says_null = match site.value {
        Value::Null => true,
        // Where the schema lists its words, a word that is not among them is no free text.
        Value::String(text) => {
            is_null_word(text) && (!site.wide.has(Kinds::STRING) || site.choices().next().is_some())
        }
        _ => false,
    };
    says_null.then(Offer::leave)
}

/// Whether a text is how JSON or Python write nothing.
pub(super) fn is_null_word(text: &str) -> bool {
    matches!(text.trim(), "null" | "None" | "NULL")
}
