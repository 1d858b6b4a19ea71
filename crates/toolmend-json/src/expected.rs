//! What the caller knows about the value before it is read.

use std::collections::HashSet;

/// The shape that the root of the value should have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Want {
    /// Whatever stands there.
    #[default]
    Any,
    /// An object: the arguments of a tool call always are.
    Object,
    /// An array.
    Array,
}

/// What is known before reading: the root's shape and the names that keys may have.
///
/// Names are evidence, not a rule: they settle where a string with stray quotes ends and which
/// object in a page of prose is meant. A key that is not among them is still read.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    want: Want,
    keys: HashSet<String>,
    root_keys: HashSet<String>,
}

impl Expected {
    /// Expects a root of this shape, with any keys.
    #[must_use]
    pub fn root(want: Want) -> Self {
        Self { want, keys: HashSet::new(), root_keys: HashSet::new() }
    }

    /// Adds names that keys may have, at any depth.
    #[must_use]
    pub fn with_keys(mut self, keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.keys.extend(keys.into_iter().map(Into::into));
        self
    }

    /// Adds names that keys of the root may have. Where closers are missing, they show what stands in
    /// the wrong object.
    #[must_use]
    pub fn with_root_keys(mut self, keys: impl IntoIterator<Item = impl Into<String>>) -> Self {
        for key in keys.into_iter().map(Into::into) {
            self.keys.insert(key.clone());
            self.root_keys.insert(key);
        }
        self
    }

    /// Whether this name is one of the expected keys of the root.
    #[must_use]
    pub fn has_root_key(&self, key: &str) -> bool {
        self.root_keys.contains(key)
    }

    /// The shape that the root should have.
    #[must_use]
    pub fn want(&self) -> Want {
        self.want
    }

    /// Whether this name is one of the expected keys.
    #[must_use]
    pub fn has_key(&self, key: &str) -> bool {
        self.keys.contains(key)
    }

    /// Whether any keys were named at all.
    #[must_use]
    pub fn names_keys(&self) -> bool {
        !self.keys.is_empty()
    }
}
