//! `string-to-null`
//!
//! ## What it does
//! Reads the text `"null"` as `null` where `null` is right and no string is.
//!
//! ## Why models do it
//! Templates quote every value; the literal arrives as a word.
//!
//! ## Example
//! `{"limit":"null"}` → `{"limit":null}`
//!
//! ## Trust
//! Exact: the schema accepts `null` and no text.

use toolmend_json::Trust;

use super::null_stripped::is_null_word;
use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "string-to-null",
    trust: Trust::Exact,
    what: "Reads the text null as null where null is right and no string is.",
    example: (r#"{"limit":"null"}"#, r#"{"limit":null}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::NULL, propose },
    source: include_str!("string_to_null.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    is_null_word(site.text()?).then(|| Offer::exact(serde_json::Value::Null))
}
