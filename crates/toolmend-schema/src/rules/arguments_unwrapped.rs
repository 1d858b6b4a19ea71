//! `arguments-unwrapped`
//!
//! ## What it does
//! Takes the arguments out of an object that holds nothing but them, under `arguments`,
//! `parameters`, `input`, `args` or the tool's own name.
//!
//! ## Why models do it
//! They write the whole call where only its arguments belong.
//!
//! ## Example
//! `{"arguments":{"command":"ls"}}` → `{"command":"ls"}`
//!
//! ## Trust
//! Likely: the schema has no such property, and beside it stands at most the tool's own name. What
//! is wrapped twice is left alone.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::fold::{fold, is_same};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "arguments-unwrapped",
    trust: Trust::Likely,
    what: "Takes the arguments out of an object that holds nothing but them.",
    example: (r#"{"arguments":{"command":"ls"}}"#, r#"{"command":"ls"}"#),
    propose: Propose::Value { from: Kinds::OBJECT, to: Kinds::ANY, propose },
    source: include_str!("arguments_unwrapped.rs"),
};

/// Names that models give to the arguments as a whole.
const WRAPPERS: [&str; 8] =
    ["arguments", "parameters", "input", "args", "params", "kwargs", "toolinput", "toolarguments"];

/// Names under which the tool's own name may stand beside them.
const NAMES: [&str; 6] = ["name", "tool", "toolname", "function", "functionname", "action"];

fn propose(site: &Site<'_>) -> Option<Offer> {
    let members = site.value.as_object().filter(|_| site.is_root)?;
    let name = site.tool.name.as_str();
    let (key, inner) = wrapped(members, name)?;
    if site.graph.names(site.nodes, key) {
        return None;
    }
    let is_double = inner.as_object().is_some_and(|inner| wrapped(inner, name).is_some());
    let is_whole = match inner {
        Value::Object(_) => true,
        Value::String(text) => text.trim_start().starts_with('{'),
        _ => false,
    };
    (is_whole && !is_double).then(|| Offer::exact(inner.clone()))
}

/// The one member that holds the arguments, if all else is the tool's name.
fn wrapped<'v>(members: &'v Map<String, Value>, tool: &str) -> Option<(&'v String, &'v Value)> {
    let is_name = |key: &str, value: &Value| {
        NAMES.contains(&fold(key).as_str()) && value.as_str().is_some_and(|v| is_same(v, tool))
    };
    let mut others = members.iter().filter(|(key, value)| !is_name(key, value));
    let (key, value) = others.next()?;
    let is_wrapper = WRAPPERS.contains(&fold(key).as_str()) || is_same(key, tool);
    (is_wrapper && others.next().is_none()).then_some((key, value))
}
