//! `arguments-renested`
//!
//! ## What it does
//! Puts members with dotted names where their names point: `config.timeout` into `config`, `ids[0]`
//! into `ids`.
//!
//! ## Why models do it
//! Where a deep schema is shown to them flat, they are asked to; some flatten unasked.
//!
//! ## Example
//! `{"config.timeout":3}` → `{"config":{"timeout":3}}`
//!
//! ## Trust
//! Exact: the schema has the place that the name points to, and no property of that very name.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::graph::Graph;
use crate::kinds::Kinds;
use crate::nest::{self, Part};
use crate::site::{KeyChange, KeyEdit, Site};

pub(super) const RULE: Rule = Rule {
    id: "arguments-renested",
    trust: Trust::Exact,
    what: "Puts members with dotted names where their names point.",
    example: (r#"{"config.timeout":3}"#, r#"{"config":{"timeout":3}}"#),
    propose: Propose::Keys(propose),
    source: include_str!("arguments_renested.rs"),
};

fn propose(site: &Site<'_>, loose: &[String]) -> Option<KeyEdit> {
    let members = site.value.as_object()?;
    let dotted = || loose.iter().filter(|key| key.contains(['.', '[']));
    let head = dotted().find_map(|key| needed_head(site, members, key))?;
    // All that point into one object go there together.
    let mut after = members.clone();
    let mut paths = Vec::new();
    for key in dotted() {
        let Some(parts) = way(site, key).filter(|parts| is_under(parts, &head)) else { continue };
        let value = after.shift_remove(key)?;
        if !nest::insert_new(&mut after, &parts, value) {
            return None;
        }
        paths.push(nest::path(&parts));
    }
    Some(KeyEdit { change: KeyChange::Become(after, paths), trust: Trust::Exact })
}

/// The parts of a name that points to a place in the schema.
fn way(site: &Site<'_>, key: &str) -> Option<Vec<Part>> {
    let parts = nest::split(key).filter(|_| !site.graph.names(site.nodes, key))?;
    let Some((Part::Key(head), rest)) = parts.split_first() else { return None };
    let ids = site.graph.member(site.nodes, head);
    let leads =
        !rest.is_empty() && site.graph.names(site.nodes, head) && leads(site.graph, &ids, rest);
    leads.then_some(parts)
}

/// The member that a dotted name points into, if it is missing, wrong, or the name may not stay.
fn needed_head(site: &Site<'_>, members: &Map<String, Value>, key: &str) -> Option<String> {
    let Some(Part::Key(head)) = way(site, key)?.into_iter().next() else { return None };
    let ids = site.graph.member(site.nodes, &head);
    let is_needed = site.is_stray(key)
        || match members.get(&head) {
            None => site.required().any(|name| name == head),
            Some(value) => !ids.iter().all(|id| site.graph.accepts(*id, value)),
        };
    is_needed.then_some(head)
}

fn is_under(parts: &[Part], head: &str) -> bool {
    matches!(parts.first(), Some(Part::Key(name)) if name == head)
}

/// Whether the schema has what the parts of a name point to.
fn leads(graph: &Graph, ids: &[crate::node::NodeId], rest: &[Part]) -> bool {
    let mut at = ids.to_vec();
    for part in rest {
        let nodes: Vec<_> = at.iter().flat_map(|id| graph.reachable(*id)).collect();
        let takes = |kinds| nodes.iter().any(|id| graph.node(*id).kinds.has(kinds));
        at = match part {
            Part::Key(name) if graph.names(&nodes, name) => graph.member(&nodes, name),
            Part::Index(index) if takes(Kinds::ARRAY) => graph.item(&nodes, *index),
            _ => return false,
        };
    }
    true
}
