//! `json-string-to-object`
//!
//! ## What it does
//! Reads a string that holds an object, in JSON or nearly, where the schema wants an object.
//!
//! ## Why models do it
//! Arguments are JSON inside JSON; small models encode the inner value twice, some in Python's way.
//!
//! ## Example
//! `{"filter":"{'a': 1}"}` → `{"filter":{"a":1}}`
//!
//! ## Trust
//! Exact where the text is JSON or another spelling of it; as likely as the reader's doubts
//! otherwise. A text with prose around the value, a cut one, and one that holds several values are
//! left alone.

use toolmend_json::{Trust, Want};

use super::reading::read_container;
use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(crate) const RULE: Rule = Rule {
    id: "json-string-to-object",
    trust: Trust::Exact,
    what: "Reads a string that holds an object where the schema wants an object.",
    example: (r#"{"filter":"{'a': 1}"}"#, r#"{"filter":{"a":1}}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::OBJECT, propose },
    source: include_str!("json_string_to_object.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let (value, trust) = read_container(site.tool, site.text()?, Want::Object)?;
    Some(Offer::exact(value).trusted(trust))
}
