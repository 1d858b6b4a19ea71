//! `number-to-string`
//!
//! ## What it does
//! Writes a number as text where only a string is right.
//!
//! ## Why models do it
//! Issue numbers, versions and phone numbers look like numbers.
//!
//! ## Example
//! `{"issue":5}` → `{"issue":"5"}`
//!
//! ## Trust
//! Likely: the digits are the model's. A declared call keeps the number as it was spelt, with zeros or a
//! sign in front (`01234`); of calls in text the digits are known, and zeros may be lost. A number with
//! an exponent stays: its spelling is lost.

use serde_json::Value;
use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(crate) const RULE: Rule = Rule {
    id: "number-to-string",
    trust: Trust::Likely,
    what: "Writes a number as text where only a string is right.",
    example: (r#"{"issue":5}"#, r#"{"issue":"5"}"#),
    propose: Propose::Value { from: Kinds::NUMBER, to: Kinds::STRING, propose },
    source: include_str!("number_to_string.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let Value::Number(number) = site.value else { return None };
    let text = number.to_string();
    // How an exponent was spelt is not known any more.
    (wants_only_text(site) && !text.contains(['e', 'E'])).then(|| Offer::exact(text))
}

/// Whether nothing but a string is right here, and beside it at most `null`.
pub(super) fn wants_only_text(site: &Site<'_>) -> bool {
    site.kinds.is_within(Kinds::STRING.or(Kinds::NULL))
}
