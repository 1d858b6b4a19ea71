//! `string-to-number`
//!
//! ## What it does
//! Reads a string that is a number where the schema wants a number.
//!
//! ## Why models do it
//! Markup bodies have no types, and small models quote whatever they fill in.
//!
//! ## Example
//! `{"ratio":"0.75"}` → `{"ratio":0.75}`
//!
//! ## Trust
//! Exact; leading zeros make it likely. `"NaN"`, `"1/2"`, units and words stay as they are, and all
//! digits are kept.

use toolmend_json::Trust;

use super::reading::read_number;
use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "string-to-number",
    trust: Trust::Exact,
    what: "Reads a string that is a number where the schema wants a number.",
    example: (r#"{"ratio":"0.75"}"#, r#"{"ratio":0.75}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::FRACTION, propose },
    source: include_str!("string_to_number.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let (number, trust) = read_number(site.text()?)?;
    Some(Offer::exact(number).trusted(trust))
}
