//! One subschema, as the repair engine sees it: what it accepts, and what stands inside.

use std::collections::HashMap;
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use jsonschema::Validator;
use serde_json::Value;

use crate::kinds::Kinds;
use crate::quick::Quick;

/// A subschema's place in [`Graph`](crate::graph::Graph).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeId(pub(crate) usize);

/// One subschema.
#[derive(Debug, Default)]
pub(crate) struct Node {
    /// Where it stands in the schema.
    pub(crate) pointer: String,
    /// The types that it accepts by itself, references and parts left out.
    pub(crate) kinds: Kinds,
    /// The types that it accepts with its parts and through its unions.
    pub(crate) all_kinds: Kinds,
    /// The values of `enum`, or the one of `const`.
    pub(crate) choices: Vec<Value>,
    /// The properties by name.
    pub(crate) properties: HashMap<String, NodeId, RandomState>,
    /// The properties, as they stand.
    pub(crate) order: Vec<(String, NodeId)>,
    pub(crate) patterns: Vec<Pattern>,
    pub(crate) additional: Option<NodeId>,
    /// No member may stand here that is not named.
    pub(crate) is_closed: bool,
    pub(crate) required: Vec<String>,
    pub(crate) items: Option<NodeId>,
    pub(crate) prefix: Vec<NodeId>,
    /// What must hold as well: `$ref` and `allOf`.
    pub(crate) parts: Vec<NodeId>,
    /// Of each list one must hold: `anyOf` and `oneOf`.
    pub(crate) unions: Vec<Vec<NodeId>>,
    pub(crate) condition: Option<Condition>,
    pub(crate) default: Option<Value>,
    /// Whether hints, or the name, say that the text is a path.
    pub(crate) is_path: bool,
    /// Other names of this property, from hints.
    pub(crate) aliases: Vec<String>,
    /// This node and all its parts, and theirs.
    pub(crate) whole: Vec<NodeId>,
    /// Neither the node nor its parts have a union or a condition: there is one reading.
    pub(crate) is_definite: bool,
    /// What decides, where the schema is simple.
    pub(crate) quick: Option<Quick>,
    /// Compiled when a repair first asks.
    pub(crate) validator: OnceLock<Option<Validator>>,
}

/// `if`, `then`, `else`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) test: NodeId,
    pub(crate) then: Option<NodeId>,
    pub(crate) otherwise: Option<NodeId>,
}

/// One row of `patternProperties`.
#[derive(Debug)]
pub(crate) struct Pattern {
    /// Accepts the names that match.
    pub(crate) name: Option<Validator>,
    pub(crate) node: NodeId,
}

/// Up to so many names are compared faster than one is hashed.
const FEW: usize = 16;

impl Node {
    /// The subschema of a property, which most likely stands at this place.
    pub(crate) fn property(&self, name: &str, near: usize) -> Option<&NodeId> {
        if let Some((_, id)) = self.order.get(near).filter(|(own, _)| own == name) {
            return Some(id);
        }
        if self.order.len() > FEW {
            return self.properties.get(name);
        }
        self.order.iter().find(|(own, _)| own == name).map(|(_, id)| id)
    }

    /// Whether no other subschema says anything of the same value, and none of its members but by their names.
    pub(crate) fn is_alone(&self) -> bool {
        self.parts.is_empty()
            && self.unions.is_empty()
            && self.condition.is_none()
            && self.patterns.is_empty()
    }

    /// The names of the properties, in order.
    pub(crate) fn names(&self) -> impl DoubleEndedIterator<Item = &String> {
        self.order.iter().map(|(name, _)| name)
    }
}

impl Default for Kinds {
    fn default() -> Self {
        Self::ANY
    }
}
