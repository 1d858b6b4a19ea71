//! The place that the engine is at.

use toolmend_json::Trust;

use crate::catalog::Rule;
use crate::graph::push_step;
use crate::repair::Repair;

/// A place in the arguments: a step inside of another place. It becomes text only where something is
/// changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Here<'h> {
    up: Option<&'h Here<'h>>,
    step: Step<'h>,
    depth: usize,
}

/// How a value is reached from what holds it.
#[derive(Clone, Copy, Debug)]
enum Step<'h> {
    Name(&'h str),
    Index(usize),
}

impl<'h> Here<'h> {
    /// The arguments as a whole.
    pub(crate) const ROOT: Here<'static> = Here { up: None, step: Step::Name(""), depth: 0 };

    /// The member of this name.
    pub(crate) fn member(&'h self, name: &'h str) -> Self {
        Self { up: Some(self), step: Step::Name(name), depth: self.depth + 1 }
    }

    /// The item at this index.
    pub(crate) fn item(&'h self, index: usize) -> Self {
        Self { up: Some(self), step: Step::Index(index), depth: self.depth + 1 }
    }

    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    pub(crate) fn is_root(&self) -> bool {
        self.depth == 0
    }

    /// The name of the member that is here, or that holds the lists that lead here.
    pub(crate) fn name(&self) -> &'h str {
        let mut steps = self.steps();
        let name = steps.find_map(|step| match step {
            Step::Name(name) => Some(name),
            Step::Index(_) => None,
        });
        name.unwrap_or_default()
    }

    /// An edit of the value here.
    pub(crate) fn edit(&self, rule: &'static Rule, trust: Trust) -> Repair {
        Repair { rule: rule.id, path: self.pointer(0), trust }
    }

    /// An edit at a place under this one.
    pub(crate) fn edit_at(
        &self,
        rule: &'static Rule,
        trust: Trust,
        steps: &[impl AsRef<str>],
    ) -> Repair {
        let more = steps.iter().map(|step| step.as_ref().len() + 1).sum();
        let mut path = self.pointer(more);
        for step in steps {
            push_step(&mut path, step.as_ref());
        }
        Repair { rule: rule.id, path, trust }
    }

    /// How long the JSON Pointer is that leads here.
    pub(super) fn pointer_bytes(&self) -> usize {
        self.steps().map(Step::bytes).sum()
    }

    /// The JSON Pointer, with room for so many bytes more.
    fn pointer(&self, more: usize) -> String {
        // Names that are longer in a pointer than in the arguments are rare.
        let room: usize = self.steps().map(Step::room).sum();
        let mut pointer = String::with_capacity(room + more);
        self.write(&mut pointer);
        pointer
    }

    fn write(&self, pointer: &mut String) {
        let Some(up) = self.up else { return };
        // As deep as the engine goes, and no deeper.
        up.write(pointer);
        match self.step {
            Step::Name(name) => push_step(pointer, name),
            Step::Index(index) => push_step(pointer, &index.to_string()),
        }
    }

    fn steps(&self) -> impl Iterator<Item = Step<'h>> {
        let mut at = Some(*self);
        std::iter::from_fn(move || {
            let here = at?;
            at = here.up.copied();
            here.up.map(|_| here.step)
        })
    }
}

impl Step<'_> {
    /// About as many bytes as the step takes in a JSON Pointer.
    fn room(self) -> usize {
        match self {
            Self::Name(name) => 1 + name.len(),
            Self::Index(_) => 3,
        }
    }

    /// The length of the step in a JSON Pointer, with its slash.
    fn bytes(self) -> usize {
        match self {
            // Both of these take two bytes there.
            Self::Name(name) => {
                1 + name.len() + name.bytes().filter(|byte| matches!(byte, b'~' | b'/')).count()
            }
            Self::Index(index) => 2 + index.checked_ilog10().unwrap_or_default() as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Here;

    #[test]
    fn the_length_of_a_pointer_is_known_before_it_is_written() {
        let list = Here::ROOT.member("a/b~c");
        for index in [0, 9, 10, 99, 100, 12_345] {
            let item = list.item(index);
            let leaf = item.member("é");
            for here in [Here::ROOT, list, item, leaf] {
                assert_eq!(here.pointer(0).len(), here.pointer_bytes());
            }
        }
        assert_eq!(list.item(7).member("x").pointer(0), "/a~1b~0c/7/x");
    }
}
