//! `string-to-integer`
//!
//! ## What it does
//! Reads a string that is a whole number where the schema wants an integer.
//!
//! ## Why models do it
//! Markup bodies have no types, and small models quote whatever they fill in.
//!
//! ## Example
//! `{"limit":"42"}` → `{"limit":42}`
//!
//! ## Trust
//! Exact; leading zeros make it likely. `"0.5"`, `"NaN"`, `"1/2"` and words stay as they are, and all
//! digits are kept.

use toolmend_json::Trust;

use super::reading::read_integer;
use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "string-to-integer",
    trust: Trust::Exact,
    what: "Reads a string that is a whole number where the schema wants an integer.",
    example: (r#"{"limit":"42"}"#, r#"{"limit":42}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::INTEGER, propose },
    source: include_str!("string_to_integer.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let (number, trust) = read_integer(site.text().filter(|_| !site.wants(Kinds::FRACTION))?)?;
    Some(Offer::exact(number).trusted(trust))
}
