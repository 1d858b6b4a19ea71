//! One subschema, as the repair engine sees it: what it accepts, and what stands inside.

use std::collections::HashMap;
use std::sync::OnceLock;

use foldhash::fast::RandomState;
use jsonschema::Validator;
use serde_json::Value;

use crate::kinds::Kinds;

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
    pub(crate) properties: HashMap<String, NodeId, RandomState>,
    /// The names of the properties, as they stand.
    pub(crate) order: Vec<String>,
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
    pub(crate) ease: Ease,
    /// Compiled when a repair first asks.
    pub(crate) validator: OnceLock<Option<Validator>>,
}

/// What makes a subschema easy to work with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ease {
    /// Neither the node nor its parts have a union or a condition: there is one reading.
    pub(crate) is_definite: bool,
    /// Nothing but the type decides.
    pub(crate) is_type_only: bool,
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

impl Default for Kinds {
    fn default() -> Self {
        Self::ANY
    }
}
