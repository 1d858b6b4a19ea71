//! What was changed so far, and how to take it back.

use serde_json::Value;
use toolmend_json::Trust;

use crate::catalog::Rule;
use crate::graph::push_step;
use crate::repair::Repair;

/// How to take one change back. The paths are JSON Pointers.
#[derive(Debug)]
enum Undo {
    /// Put this value back.
    Put(String, Value),
    /// Put this member back, at its place in the object.
    Member(String, usize, String, Value),
    /// Give a member of an object its name back: from which one, to which one.
    Name(String, String, String),
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
    /// The place, as a JSON Pointer.
    at: String,
    depth: usize,
    edits: Vec<Repair>,
    undo: Vec<Undo>,
}

/// A place to come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Back(usize);

impl Log {
    /// Goes to a member or an item of the present value.
    pub(crate) fn enter(&mut self, step: &str) -> Back {
        let back = Back(self.at.len());
        push_step(&mut self.at, step);
        self.depth += 1;
        back
    }

    pub(crate) fn leave(&mut self, Back(length): Back) {
        self.at.truncate(length);
        self.depth -= 1;
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn is_at_root(&self) -> bool {
        self.depth == 0
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { edits: self.edits.len(), undo: self.undo.len() }
    }

    pub(crate) fn edit_here(&self, rule: &'static Rule, trust: Trust) -> Repair {
        Repair { rule: rule.id, path: self.at.clone(), trust }
    }

    /// An edit at a place under the present one.
    pub(crate) fn edit_at(
        &self,
        rule: &'static Rule,
        trust: Trust,
        steps: &[impl AsRef<str>],
    ) -> Repair {
        let mut edit = self.edit_here(rule, trust);
        for step in steps {
            push_step(&mut edit.path, step.as_ref());
        }
        edit
    }

    /// Records an edit of a value that is not in its place yet.
    pub(crate) fn note(&mut self, edit: Repair) {
        self.edits.push(edit);
    }

    /// Takes the edits since a mark out, for a value that is not in its place.
    pub(crate) fn take(&mut self, mark: Mark) -> Vec<Repair> {
        self.undo.truncate(mark.undo);
        self.edits.split_off(mark.edits.min(self.edits.len()))
    }

    /// Puts another value in the place of the present one.
    pub(crate) fn replace(&mut self, value: &mut Value, better: Value, edits: Vec<Repair>) {
        let old = std::mem::replace(value, better);
        self.undo.push(Undo::Put(self.at.clone(), old));
        self.note_all(edits);
    }

    /// Records the edits of a value.
    pub(crate) fn note_all(&mut self, edits: Vec<Repair>) {
        if self.edits.is_empty() {
            self.edits = edits;
        } else {
            self.edits.extend(edits);
        }
    }

    /// Drops a member of the present object.
    pub(crate) fn drop_member(&mut self, object: &mut Value, key: String) {
        let Some(members) = object.as_object_mut() else { return };
        let index = members.keys().position(|name| *name == key).unwrap_or_default();
        if let Some(old) = members.shift_remove(&key) {
            self.undo.push(Undo::Member(self.at.clone(), index, key, old));
        }
    }

    /// Gives a member of the present object another name, where it stands.
    pub(crate) fn rename_member(&mut self, object: &mut Value, from: String, to: String) {
        if rename(object, &from, &to) {
            self.undo.push(Undo::Name(self.at.clone(), to, from));
        }
    }

    /// Takes back what was changed in the present value since a mark.
    pub(crate) fn roll_back(&mut self, mark: Mark, value: &mut Value) {
        let here = self.at.len();
        while self.undo.len() > mark.undo {
            match self.undo.pop() {
                Some(Undo::Put(path, old)) => {
                    if let Some(target) = find(value, &path, here) {
                        *target = old;
                    }
                }
                Some(Undo::Member(path, index, key, old)) => {
                    let target = find(value, &path, here);
                    if let Some(members) = target.and_then(Value::as_object_mut) {
                        members.shift_insert(index.min(members.len()), key, old);
                    }
                }
                Some(Undo::Name(path, from, to)) => {
                    if let Some(object) = find(value, &path, here) {
                        rename(object, &from, &to);
                    }
                }
                None => break,
            }
        }
        self.edits.truncate(mark.edits);
    }

    pub(crate) fn into_repairs(self) -> Vec<Repair> {
        self.edits
    }
}

/// What stands at a path, given the value at the path's start.
fn find<'v>(value: &'v mut Value, path: &str, start: usize) -> Option<&'v mut Value> {
    value.pointer_mut(path.get(start..)?)
}

fn rename(object: &mut Value, from: &str, to: &str) -> bool {
    let Some(members) = object.as_object_mut() else { return false };
    let index = members.keys().position(|name| name == from);
    let (Some(index), Some(value)) = (index, members.shift_remove(from)) else { return false };
    members.shift_insert(index, to.to_owned(), value);
    true
}
