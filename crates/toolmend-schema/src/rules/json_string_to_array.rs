//! `json-string-to-array`
//!
//! ## What it does
//! Reads a string that holds an array, in JSON or nearly, where the schema wants an array.
//!
//! ## Why models do it
//! Arguments are JSON inside JSON; small models encode the inner value twice, some in Python's way.
//!
//! ## Example
//! `{"ids":"[1,2]"}` → `{"ids":[1,2]}`
//!
//! ## Trust
//! Exact where the text is JSON or another spelling of it; as likely as the reader's doubts
//! otherwise. In a declared call, a list in quotes with bare quotes inside (`"[{"a": 1}]"`) is
//! likely, where the arguments are JSON without the quotes around it. A text with prose around the
//! value, a cut one, and one that holds several values are left alone.

use toolmend_json::{Trust, Want};

use super::reading::read_container;
use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(crate) const RULE: Rule = Rule {
    id: "json-string-to-array",
    trust: Trust::Exact,
    what: "Reads a string that holds an array where the schema wants an array.",
    example: (r#"{"ids":"[1,2]"}"#, r#"{"ids":[1,2]}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::ARRAY, propose },
    source: include_str!("json_string_to_array.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let (value, trust) = read_container(site.tool, site.text()?, Want::Array)?;
    Some(Offer::exact(value).trusted(trust))
}
