//! `single-member-unwrapped`
//!
//! ## What it does
//! Takes the value out of an object that holds nothing else, under the name of the member itself, or
//! one that only says that it is a value, where the schema wants the value and no object.
//!
//! ## Why models do it
//! They write the name once for the member and once more inside; or they fill in a shape of their own,
//! with `value` in it.
//!
//! ## Example
//! `{"command":{"command":"ls"}}` → `{"command":"ls"}`
//!
//! ## Trust
//! Likely: the object has no other member, and its value is right as it is, or in another spelling. The
//! name of a type is no value: the model repeats the schema. Where an object may be meant as text, as
//! in `content`, it could be that text: it is left alone.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use super::key_renamed::are_synonyms;
use super::object_to_json_string::Text;
use crate::catalog::{Propose, Rule};
use crate::fold::{fold, is_same};
use crate::kinds::Kinds;
use crate::site::{Change, Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "single-member-unwrapped",
    trust: Trust::Likely,
    what: "Takes the one value out of an object where the schema wants the value.",
    example: (r#"{"command":{"command":"ls"}}"#, r#"{"command":"ls"}"#),
    propose: Propose::Value { from: Kinds::OBJECT, to: Kinds::ANY, propose },
    source: include_str!("single_member_unwrapped.rs"),
};

/// Names that only say that something is a value.
const NAMES: [&str; 4] = ["value", "text", "string", "content"];

/// The names of types.
const TYPES: [&str; 9] =
    ["string", "str", "integer", "int", "number", "boolean", "bool", "array", "object"];

fn propose(site: &Site<'_>) -> Option<Offer> {
    let members = site.value.as_object().filter(|_| !site.is_root)?;
    if site.wants(Kinds::OBJECT) {
        return None;
    }
    let inner = wrapped(members, site.name)?;
    let is_value = match inner {
        Value::Null | Value::Object(_) => false,
        Value::String(text) => !text.trim().is_empty() && !TYPES.contains(&text.trim()),
        _ => true,
    };
    if !is_value || site.wants(Kinds::STRING) && Text::of(site) != Text::Plain {
        return None;
    }
    let change = Change::Become(inner.clone());
    // Where another reading takes an object, it may be a wrong one.
    let is_rival = site.wide.has(Kinds::OBJECT);
    Some(Offer { change, trust: Trust::Likely, inside: Trust::Exact, is_rival })
}

/// The one member, if it is called like what it stands in, or as values are.
pub(super) fn wrapped<'v>(members: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    let mut all = members.iter();
    let (Some((key, value)), None) = (all.next(), all.next()) else { return None };
    let one = name.strip_suffix('s').unwrap_or(name);
    let is_own = || is_same(key, name) || is_same(key, one) || are_synonyms(key, name);
    (is_own() || NAMES.contains(&fold(key).as_str())).then_some(value)
}
