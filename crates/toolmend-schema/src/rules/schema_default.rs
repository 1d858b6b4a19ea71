//! `schema-default`
//!
//! ## What it does
//! Fills in the schema's default for a required member that is missing.
//!
//! ## Why models do it
//! A field with a default reads as optional, whatever `required` says.
//!
//! ## Example
//! `{}` → `{"limit":10}`
//!
//! ## Trust
//! Guess: the value is the schema's, not the model's.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::site::{KeyChange, KeyEdit, Site};

pub(super) const RULE: Rule = Rule {
    id: "schema-default",
    trust: Trust::Guess,
    what: "Fills in the schema's default for a required member that is missing.",
    example: ("{}", r#"{"limit":10}"#),
    propose: Propose::Keys(propose),
    source: include_str!("schema_default.rs"),
};

fn propose(site: &Site<'_>, _: &[String]) -> Option<KeyEdit> {
    let members = site.value.as_object()?;
    let missing = site.required().filter(|name| !members.contains_key(*name));
    let (name, default) = missing.into_iter().find_map(|name| {
        let ids = site.graph.member(site.nodes, name);
        let default = ids.iter().find_map(|id| site.graph.node(*id).default.clone());
        Some((name.to_owned(), default?))
    })?;
    let mut members = members.clone();
    members.insert(name.clone(), default);
    let change = KeyChange::Become(members, vec![vec![name]]);
    Some(KeyEdit { change, trust: Trust::Guess })
}
