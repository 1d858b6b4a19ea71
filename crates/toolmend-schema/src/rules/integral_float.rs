//! `integral-float`
//!
//! ## What it does
//! Drops the empty fraction of a number where the schema wants an integer.
//!
//! ## Why models do it
//! Languages without integers print them so.
//!
//! ## Example
//! `{"limit":3.0}` → `{"limit":3}`
//!
//! ## Trust
//! Exact. Only draft 4 refuses `3.0` as an integer; the others accept it, and it stays.

use serde_json::Value;
use toolmend_json::Trust;

use super::reading::to_integer;
use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(crate) const RULE: Rule = Rule {
    id: "integral-float",
    trust: Trust::Exact,
    what: "Drops the empty fraction of a number where the schema wants an integer.",
    example: (r#"{"limit":3.0}"#, r#"{"limit":3}"#),
    propose: Propose::Value { from: Kinds::NUMBER, to: Kinds::INTEGER, propose },
    source: include_str!("integral_float.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let Value::Number(number) = site.value else { return None };
    let whole = to_integer(number)?;
    (whole.as_str() != number.as_str()).then(|| Offer::exact(whole))
}
