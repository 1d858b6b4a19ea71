//! What was changed so far, and how to take it back.

use serde_json::{Map, Value};

use super::Here;
use crate::repair::Repair;

/// How to take one change back.
#[derive(Debug)]
struct Undo {
    spot: Spot,
    change: Undone,
}

/// The place of a change: the first bytes of the path of one of the edits that tell of it.
#[derive(Clone, Copy, Debug)]
struct Spot {
    edit: usize,
    bytes: usize,
}

#[derive(Debug)]
enum Undone {
    /// Put this value back.
    Put(Value),
    /// Put this member back, at its place in the object.
    Member(usize, String, Value),
    /// Give the member at this place in the object its name back.
    Name(usize, String),
}

/// A point to come back to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    edits: usize,
    undo: usize,
}

/// The edits on the way to the present reading. Most repairs are one edit, which takes no list to
/// undo.
#[derive(Debug, Default)]
pub(crate) struct Log {
    edits: Vec<Repair>,
    first: Option<Undo>,
    more: Vec<Undo>,
}

impl Log {
    pub(crate) fn mark(&self) -> Mark {
        Mark { edits: self.edits.len(), undo: usize::from(self.first.is_some()) + self.more.len() }
    }

    /// Records an edit of a value that is not in its place yet.
    pub(crate) fn note(&mut self, edit: Repair) {
        self.edits.push(edit);
    }

    /// Takes the edits since a mark out, for a value that is not in its place.
    pub(crate) fn take(&mut self, mark: Mark) -> Vec<Repair> {
        while self.mark().undo > mark.undo {
            self.pop();
        }
        self.edits.split_off(mark.edits.min(self.edits.len()))
    }

    /// Puts another value in the place of the one here; the edits tell of it.
    pub(crate) fn replace(
        &mut self,
        here: &Here<'_>,
        value: &mut Value,
        better: Value,
        edits: Vec<Repair>,
    ) {
        let edit = self.edits.len();
        self.note_all(edits);
        self.exchange(here, value, better, edit);
    }

    /// Puts another value in the place of the one here, of which edits tell from this one on.
    pub(crate) fn exchange(
        &mut self,
        here: &Here<'_>,
        value: &mut Value,
        better: Value,
        edit: usize,
    ) {
        let old = std::mem::replace(value, better);
        self.push(here, edit, Undone::Put(old));
    }

    /// Records the edits of a value.
    pub(crate) fn note_all(&mut self, edits: Vec<Repair>) {
        if self.edits.is_empty() {
            self.edits = edits;
        } else {
            self.edits.extend(edits);
        }
    }

    /// How many edits there are: the number of the next one.
    pub(crate) fn edits(&self) -> usize {
        self.edits.len()
    }

    /// Drops a member of the object here, of which this edit tells.
    pub(crate) fn drop_member(
        &mut self,
        here: &Here<'_>,
        object: &mut Value,
        key: String,
        edit: usize,
    ) {
        let Some(members) = object.as_object_mut() else { return };
        let index = members.keys().position(|name| *name == key).unwrap_or_default();
        if let Some(old) = members.shift_remove(&key) {
            self.push(here, edit, Undone::Member(index, key, old));
        }
    }

    /// Gives a member of the object here another name, where it stands; this edit tells of it.
    pub(crate) fn rename_member(
        &mut self,
        here: &Here<'_>,
        object: &mut Value,
        (from, to): (&str, String),
        edit: usize,
    ) {
        let Some(members) = object.as_object_mut() else { return };
        let Some(index) = members.keys().position(|name| name == from) else { return };
        if let Some(name) = rename(members, index, from, to) {
            self.push(here, edit, Undone::Name(index, name));
        }
    }

    /// Takes back what was changed in the value here since a mark.
    pub(crate) fn roll_back(&mut self, mark: Mark, here: &Here<'_>, value: &mut Value) {
        let start = here.pointer_bytes();
        while self.mark().undo > mark.undo {
            let Some(Undo { spot, change }) = self.pop() else { break };
            let path = self.edits.get(spot.edit).and_then(|edit| edit.path.get(start..spot.bytes));
            let Some(target) = path.and_then(|path| value.pointer_mut(path)) else { continue };
            match change {
                Undone::Put(old) => *target = old,
                Undone::Member(index, key, old) => {
                    if let Some(members) = target.as_object_mut() {
                        members.shift_insert(index.min(members.len()), key, old);
                    }
                }
                Undone::Name(index, old) => {
                    let Some(members) = target.as_object_mut() else { continue };
                    if let Some(name) = members.keys().nth(index).cloned() {
                        rename(members, index, &name, old);
                    }
                }
            }
        }
        self.edits.truncate(mark.edits);
    }

    pub(crate) fn into_repairs(self) -> Vec<Repair> {
        self.edits
    }

    fn push(&mut self, here: &Here<'_>, edit: usize, change: Undone) {
        let undo = Undo { spot: Spot { edit, bytes: here.pointer_bytes() }, change };
        match self.first {
            None => self.first = Some(undo),
            Some(_) => self.more.push(undo),
        }
    }

    fn pop(&mut self) -> Option<Undo> {
        self.more.pop().or_else(|| self.first.take())
    }
}

/// Gives the member at this place another name; says what it was called before.
fn rename(
    members: &mut Map<String, Value>,
    index: usize,
    from: &str,
    to: String,
) -> Option<String> {
    let (name, value) = members.shift_remove_entry(from)?;
    members.shift_insert(index, to, value);
    Some(name)
}
