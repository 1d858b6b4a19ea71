//! From arguments to their repair: hints first, then the schema, then the paths.

use serde_json::Value;
use toolmend_json::Trust;

use crate::engine::Engine;
use crate::graph::{Graph, join};
use crate::kinds::Kinds;
use crate::md_links;
use crate::mismatch;
use crate::repair::{Repair, Repaired};
use crate::rules::{MD_LINK_UNWRAPPED, RELATIONAL_DEFAULT};
use crate::tool::Inner;

/// Whether arguments violate a hint.
pub(crate) fn is_needed(tool: &Inner, arguments: &Value) -> bool {
    let relations = &tool.hints.relations;
    let is_broken = |members| relations.iter().any(|relation| relation.is_broken(members));
    !relations.is_empty() && arguments.as_object().is_some_and(is_broken)
        || md_links::any(&tool.path_spots, arguments)
}

/// Validates arguments and repairs them.
pub(crate) fn repair(tool: &Inner, arguments: Value, allowed: Trust) -> Repaired {
    let Some(graph) = &tool.graph else { return untouched(arguments) };
    let is_valid = graph.validator.is_valid(&arguments);
    let is_hinted = is_needed(tool, &arguments);
    if is_valid && !is_hinted {
        return untouched(arguments);
    }
    let wrong = Wrong { is_valid, is_hinted };
    repair_wrong(tool, graph, arguments, allowed, wrong)
}

/// What is wrong with arguments: at least one of the two.
#[derive(Clone, Copy)]
struct Wrong {
    is_valid: bool,
    is_hinted: bool,
}

#[cold]
#[inline(never)]
fn repair_wrong(
    tool: &Inner,
    graph: &Graph,
    arguments: Value,
    allowed: Trust,
    Wrong { is_valid, is_hinted }: Wrong,
) -> Repaired {
    let allowed = tool.hints.trust.map_or(allowed, |limit| limit.min(allowed));
    let before = is_hinted.then(|| arguments.clone());
    let mut attempt = Attempt { tool, graph, allowed, arguments, repairs: vec![], notes: vec![] };
    attempt.fill_relations();
    let mut is_right = is_valid && attempt.repairs.is_empty() || attempt.mend();
    if is_needed(tool, &attempt.arguments) {
        let is_unwrapped = attempt.unwrap_links();
        // What was right may not be so without its links, and what was wrong because of them may be.
        let mut fits =
            || graph.validator.is_valid(&attempt.arguments) || !is_right && attempt.mend();
        is_right = is_unwrapped && fits() && !is_needed(tool, &attempt.arguments);
    }
    if is_right {
        let Attempt { arguments, repairs, notes, .. } = attempt;
        return Repaired { arguments, repairs, mismatches: Vec::new(), notes };
    }
    let arguments = before.unwrap_or(attempt.arguments);
    let mismatches = mismatch::find(tool, graph, &arguments);
    Repaired { arguments, repairs: Vec::new(), mismatches, notes: Vec::new() }
}

fn untouched(arguments: Value) -> Repaired {
    Repaired { arguments, repairs: Vec::new(), mismatches: Vec::new(), notes: Vec::new() }
}

struct Attempt<'t> {
    tool: &'t Inner,
    graph: &'t Graph,
    allowed: Trust,
    arguments: Value,
    repairs: Vec<Repair>,
    notes: Vec<String>,
}

impl Attempt<'_> {
    /// Fills in what the hints have for members that others need. A `null` that the schema does not
    /// know counts as missing.
    fn fill_relations(&mut self) {
        let Some(members) = self.arguments.as_object_mut() else { return };
        for relation in &self.tool.hints.relations {
            let is_void = |field: &String, value: &Value| {
                let ids = self.graph.member(&[Graph::ROOT], field);
                value.is_null() && !ids.iter().all(|id| self.graph.all_kinds(*id).has(Kinds::NULL))
            };
            let is_there = |field: &&String| {
                members.get(field.as_str()).is_some_and(|value| !is_void(field, value))
            };
            let there = relation.fields.iter().filter(is_there).count();
            if there == 0 || there == relation.fields.len() {
                continue;
            }
            let missing = relation.fields.iter().filter(|field| !is_there(field));
            for field in missing.cloned().collect::<Vec<_>>() {
                let Some(default) = relation.defaults.get(&field) else { continue };
                if members.shift_remove(&field).is_some() {
                    self.repairs.push(repair_at("null-stripped", &field, Trust::Exact));
                }
                members.insert(field.clone(), default.clone());
                self.repairs.push(repair_at(RELATIONAL_DEFAULT.id, &field, Trust::Exact));
                self.notes
                    .push(format!("Note: `{field}` was not given and defaulted to {default}."));
            }
        }
    }

    /// Mends the arguments until the schema accepts them; as they were where it does not.
    fn mend(&mut self) -> bool {
        // Without a change they are what was refused before.
        if !self.repairs.is_empty() && self.graph.validator.is_valid(&self.arguments) {
            return true;
        }
        let mut engine = Engine::new(self.tool, self.graph, self.allowed);
        let is_right = engine.mend_arguments(&mut self.arguments).is_ok();
        let repairs = engine.log.into_repairs();
        match is_right {
            true if self.repairs.is_empty() => self.repairs = repairs,
            true => self.repairs.extend(repairs),
            false => {}
        }
        is_right
    }

    /// Takes the paths out of their links as far as that is allowed, and tells whether any was.
    fn unwrap_links(&mut self) -> bool {
        let repairs = self.repairs.len();
        for link in md_links::all(&self.tool.path_spots, &self.arguments) {
            if link.trust > self.allowed {
                continue;
            }
            let path = link.at;
            if let Some(slot) = self.arguments.pointer_mut(&path) {
                *slot = Value::String(link.path);
                self.repairs.push(Repair { rule: MD_LINK_UNWRAPPED.id, path, trust: link.trust });
            }
        }
        self.repairs.len() > repairs
    }
}

fn repair_at(rule: &'static str, field: &str, trust: Trust) -> Repair {
    Repair { rule, path: join("", &[field]), trust }
}
