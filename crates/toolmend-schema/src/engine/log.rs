//! What was changed so far, and how to take it back.

use serde_json::Value;
use toolmend_json::Trust;

use crate::catalog::Rule;
use crate::graph::join;
use crate::repair::Repair;

/// A step from a value to one inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// A change that was made.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    rule: &'static Rule,
    path: Vec<Step>,
    trust: Trust,
}

impl Edit {
    pub(crate) fn into_repair(self) -> Repair {
        Repair { rule: self.rule.id, path: pointer(&self.path), trust: self.trust }
    }
}

/// A path as a JSON Pointer.
pub(crate) fn pointer(path: &[Step]) -> String {
    path.iter().fold(String::new(), |out, step| match step {
        Step::Key(key) => join(&out, &[key]),
        Step::Index(index) => join(&out, &[&index.to_string()]),
    })
}

/// How to take one change back.
#[derive(Debug)]
enum Undo {
    /// Put this value back.
    Put(Vec<Step>, Value),
    /// Put this member back, at its place in the object.
    Member(Vec<Step>, usize, String, Value),
}

/// A point to come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    edits: usize,
    undo: usize,
}

/// The edits on the way to the present reading, and the place that the engine is at.
#[derive(Debug, Default)]
pub(crate) struct Log {
    at: Vec<Step>,
    edits: Vec<Edit>,
    undo: Vec<Undo>,
}

impl Log {
    pub(crate) fn enter(&mut self, step: Step) {
        self.at.push(step);
    }

    pub(crate) fn leave(&mut self) {
        self.at.pop();
    }

    pub(crate) fn depth(&self) -> usize {
        self.at.len()
    }

    pub(crate) fn is_at_root(&self) -> bool {
        self.at.is_empty()
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { edits: self.edits.len(), undo: self.undo.len() }
    }

    pub(crate) fn edit_here(&self, rule: &'static Rule, trust: Trust) -> Edit {
        Edit { rule, path: self.at.clone(), trust }
    }

    /// An edit at a place under the present one.
    pub(crate) fn edit_at(&self, rule: &'static Rule, trust: Trust, steps: Vec<String>) -> Edit {
        let mut edit = self.edit_here(rule, trust);
        edit.path.extend(steps.into_iter().map(Step::Key));
        edit
    }

    /// Records an edit of a value that is not in its place yet.
    pub(crate) fn note(&mut self, rule: &'static Rule, trust: Trust) {
        let edit = self.edit_here(rule, trust);
        self.edits.push(edit);
    }

    /// Takes the edits since a mark out, for a value that is not in its place.
    pub(crate) fn take(&mut self, mark: Mark) -> Vec<Edit> {
        self.undo.truncate(mark.undo);
        self.edits.split_off(mark.edits.min(self.edits.len()))
    }

    /// Puts another value in the place of the present one.
    pub(crate) fn replace(&mut self, value: &mut Value, better: Value, edits: Vec<Edit>) {
        let old = std::mem::replace(value, better);
        self.undo.push(Undo::Put(self.at.clone(), old));
        self.edits.extend(edits);
    }

    /// Drops a member of the present object.
    pub(crate) fn drop_member(&mut self, object: &mut Value, key: &str) {
        let Some(members) = object.as_object_mut() else { return };
        let index = members.keys().position(|name| name == key).unwrap_or_default();
        if let Some(old) = members.shift_remove(key) {
            self.undo.push(Undo::Member(self.at.clone(), index, key.to_owned(), old));
        }
    }

    /// Takes back what was changed in the present value since a mark.
    pub(crate) fn roll_back(&mut self, mark: Mark, value: &mut Value) {
        let depth = self.at.len();
        while self.undo.len() > mark.undo {
            match self.undo.pop() {
                Some(Undo::Put(path, old)) => {
                    if let Some(target) = find(value, path.get(depth..).unwrap_or_default()) {
                        *target = old;
                    }
                }
                Some(Undo::Member(path, index, key, old)) => {
                    let target = find(value, path.get(depth..).unwrap_or_default());
                    if let Some(members) = target.and_then(Value::as_object_mut) {
                        members.shift_insert(index.min(members.len()), key, old);
                    }
                }
                None => break,
            }
        }
        self.edits.truncate(mark.edits);
    }

    pub(crate) fn into_repairs(self) -> Vec<Repair> {
        self.edits.into_iter().map(Edit::into_repair).collect()
    }
}

fn find<'v>(value: &'v mut Value, path: &[Step]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get_mut(key.as_str()),
        Step::Index(index) => value.get_mut(*index),
    })
}
