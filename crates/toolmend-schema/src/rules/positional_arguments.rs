//! `positional-arguments`
//!
//! ## What it does
//! Names the arguments of a call such as `f("a", 3)` by the order of the schema's properties.
//!
//! ## Why models do it
//! Python needs no names.
//!
//! ## Example
//! `["a",3]` → `{"path":"a","limit":3}`
//!
//! ## Trust
//! Likely: a host may have listed its properties in any order.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::graph::join;
use crate::repair::Repair;

pub(crate) const RULE: Rule = Rule {
    id: "positional-arguments",
    trust: Trust::Likely,
    what: "Names arguments that came without names, by the order of the properties.",
    example: (r#"["a",3]"#, r#"{"path":"a","limit":3}"#),
    propose: Propose::Before,
    source: include_str!("positional_arguments.rs"),
};

/// Gives names to arguments that have none: those of the properties that are still free, in order.
/// `None` where there are more arguments than names.
pub(crate) fn named(
    properties: &[String],
    positional: Vec<Value>,
    mut named: Map<String, Value>,
) -> Option<(Value, Vec<Repair>)> {
    let mut repairs = Vec::new();
    let mut free =
        properties.iter().filter(|name| !named.contains_key(*name)).collect::<Vec<_>>().into_iter();
    let mut given = Map::new();
    for value in positional {
        let name = free.next()?;
        repairs.push(Repair { rule: RULE.id, path: join("", &[name]), trust: RULE.trust });
        given.insert(name.clone(), value);
    }
    given.append(&mut named);
    Some((Value::Object(given), repairs))
}
