//! What a rule sees and what it may answer.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use crate::graph::Graph;
use crate::kinds::Kinds;
use crate::node::NodeId;
use crate::tool::Inner;

/// A value that its schema refuses, with the schema around it.
#[derive(Clone, Copy)]
pub(crate) struct Site<'s> {
    pub(crate) tool: &'s Inner,
    pub(crate) graph: &'s Graph,
    pub(crate) value: &'s Value,
    /// The name of the member that the value is, or that holds the list in which it is an item.
    pub(crate) name: &'s str,
    /// The subschemas that hold here, in the reading that is tried.
    pub(crate) nodes: &'s [NodeId],
    /// The types that they accept together.
    pub(crate) kinds: Kinds,
    /// The types that are accepted in any reading.
    pub(crate) wide: Kinds,
    /// The value is a member that its object does not require.
    pub(crate) is_optional: bool,
    /// The value is the whole of the arguments.
    pub(crate) is_root: bool,
}

/// What a rule would do with a value.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    pub(crate) change: Change,
    /// How sure it is; never surer than its rule.
    pub(crate) trust: Trust,
    /// How far what stands inside may be mended after that.
    pub(crate) inside: Trust,
    /// It speaks against other readings that are no surer, and is not taken itself.
    pub(crate) is_rival: bool,
}

/// A change of one value.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Another value takes its place.
    Become(Value),
    /// The member goes.
    Leave,
}

impl Offer {
    pub(crate) fn exact(value: impl Into<Value>) -> Self {
        let change = Change::Become(value.into());
        Self { change, trust: Trust::Exact, inside: Trust::Guess, is_rival: false }
    }

    /// The member goes.
    pub(crate) fn leave() -> Self {
        let (trust, inside) = (Trust::Exact, Trust::Exact);
        Self { change: Change::Leave, trust, inside, is_rival: false }
    }

    pub(crate) fn trusted(self, trust: Trust) -> Self {
        Self { trust, ..self }
    }
}

/// What a rule would do with the members of an object.
#[derive(Clone, Debug)]
pub(crate) struct KeyEdit {
    pub(crate) change: KeyChange,
    pub(crate) trust: Trust,
}

/// A change of the members of an object. Those whose names no property has go by their numbers among
/// them.
#[derive(Clone, Debug)]
pub(crate) enum KeyChange {
    /// The member gets this name.
    Rename(usize, String),
    /// The member goes.
    Drop(usize),
    /// These members take the place of all; the places that are told, from the object on, are one
    /// repair each.
    Become(Map<String, Value>, Vec<Vec<String>>),
}

impl<'s> Site<'s> {
    /// Whether the schema accepts a value of this type here.
    pub(crate) fn wants(&self, kinds: Kinds) -> bool {
        self.kinds.has(kinds)
    }

    /// The values that `enum` and `const` allow.
    pub(crate) fn choices(&self) -> impl Iterator<Item = &'s Value> {
        let graph = self.graph;
        self.nodes.iter().flat_map(move |id| &graph.node(*id).choices)
    }

    /// Whether hints, or the name, say that the value is a path.
    pub(crate) fn is_path(&self) -> bool {
        self.nodes.iter().any(|id| self.graph.node(*id).is_path)
    }

    /// What the schema says of the value in words.
    pub(crate) fn descriptions(&self) -> impl Iterator<Item = &'s str> {
        let graph = self.graph;
        let schemas =
            self.nodes.iter().filter_map(|id| graph.schema.pointer(&graph.node(*id).pointer));
        schemas.filter_map(|schema| schema.get("description")?.as_str())
    }

    pub(crate) fn text(&self) -> Option<&'s str> {
        self.value.as_str()
    }

    /// The names that the object requires.
    pub(crate) fn required(&self) -> impl Iterator<Item = &'s str> {
        let graph = self.graph;
        self.nodes.iter().flat_map(move |id| &graph.node(*id).required).map(String::as_str)
    }

    /// The names of all properties, in order.
    pub(crate) fn properties(&self) -> impl Iterator<Item = &'s str> {
        let graph = self.graph;
        self.nodes.iter().flat_map(move |id| graph.node(*id).names()).map(String::as_str)
    }

    /// Whether a member of this name may not stand here, whatever its value.
    pub(crate) fn is_stray(&self, name: &str) -> bool {
        let graph = self.graph;
        let is_named = graph.names(self.nodes, name);
        let closed = self.nodes.iter().filter(|id| graph.node(**id).is_closed);
        let covers = |id: &NodeId| !graph.member(&[*id], name).is_empty();
        !is_named && closed.into_iter().any(|id| !covers(id))
    }
}
