//! From a schema to its nodes: every subschema once, by its place, with references followed.

use std::collections::HashMap;

use jsonschema::Draft;
use serde_json::{Map, Value, json};

use super::join;
use crate::hints;
use crate::kinds::Kinds;
use crate::node::{Condition, Node, NodeId, Pattern};
use crate::quick::Quick;

/// Larger schemas are validated, but not repaired by.
const NODES_MAX: usize = 20_000;

/// How deep unions inside unions are followed to tell which types they accept.
const UNIONS_NESTED_MAX: usize = 4;

/// All subschemas of a schema; the root is the first.
pub(super) fn nodes(schema: &Value, draft: Draft) -> Vec<Node> {
    let (nodes, known, open) = (Vec::new(), HashMap::new(), Vec::new());
    let mut builder = Builder { schema, draft, nodes, known, open };
    builder.build();
    builder.nodes
}

struct Builder<'s> {
    schema: &'s Value,
    draft: Draft,
    nodes: Vec<Node>,
    known: HashMap<String, NodeId>,
    /// Nodes whose schemas are still to be read.
    open: Vec<(NodeId, &'s Value)>,
}

impl<'s> Builder<'s> {
    fn build(&mut self) {
        self.enter(String::new(), self.schema);
        while let Some((id, schema)) = self.open.pop() {
            let pointer = self.nodes.get(id.0).map(|node| node.pointer.clone()).unwrap_or_default();
            let node = self.read(pointer, schema);
            if let Some(slot) = self.nodes.get_mut(id.0) {
                *slot = node;
            }
        }
        for index in 0..self.nodes.len() {
            let whole = self.whole(NodeId(index));
            let parts = whole.iter().filter_map(|id| self.nodes.get(id.0));
            let is_definite =
                parts.into_iter().all(|n| n.unions.is_empty() && n.condition.is_none());
            if let Some(node) = self.nodes.get_mut(index) {
                node.whole = whole;
                node.is_definite = is_definite;
            }
        }
        for _ in 0..UNIONS_NESTED_MAX {
            let kinds: Vec<Kinds> = self.nodes.iter().map(|node| self.all_kinds(node)).collect();
            for (node, kinds) in self.nodes.iter_mut().zip(kinds) {
                node.all_kinds = kinds;
            }
        }
    }

    /// The types that a node accepts, given those that are known of the branches of its unions.
    fn all_kinds(&self, node: &Node) -> Kinds {
        let whole = node.whole.iter().filter_map(|id| self.nodes.get(id.0));
        whole.fold(Kinds::ANY, |kinds, part| {
            let unions = part.unions.iter().map(|union| {
                let branches = union.iter().filter_map(|id| self.nodes.get(id.0));
                branches.fold(Kinds::NONE, |any, branch| any.or(branch.all_kinds))
            });
            unions.fold(kinds.and(part.kinds), Kinds::and)
        })
    }

    /// The node of the schema at a pointer, read later if it is new.
    fn enter(&mut self, pointer: String, schema: &'s Value) -> Option<NodeId> {
        if let Some(known) = self.known.get(&pointer) {
            return Some(*known);
        }
        if self.nodes.len() >= NODES_MAX {
            return None;
        }
        let id = NodeId(self.nodes.len());
        self.nodes.push(Node { pointer: pointer.clone(), ..Node::default() });
        self.known.insert(pointer, id);
        self.open.push((id, schema));
        Some(id)
    }

    fn read(&mut self, pointer: String, schema: &'s Value) -> Node {
        let mut node = Node { pointer, ..Node::default() };
        let Some(members) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                node.kinds = Kinds::NONE;
            }
            return node;
        };
        hints::read_into(&mut node, members);
        let is_old = matches!(self.draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7);
        node.parts.extend(self.follow(members));
        if is_old && members.contains_key("$ref") {
            return node;
        }
        node.choices = choices(members);
        node.kinds = kinds(members, &node.choices);
        node.required = crate::walk::required(schema);
        node.default = members.get("default").cloned();
        if self.draft != Draft::Draft4 {
            node.quick = Quick::of(schema);
        }
        self.read_object(&mut node, members);
        self.read_array(&mut node, members);
        self.read_unions(&mut node, members);
        node
    }

    fn read_object(&mut self, node: &mut Node, members: &'s Map<String, Value>) {
        for (name, schema) in object(members, "properties") {
            if let Some(id) = self.enter(join(&node.pointer, &["properties", name]), schema) {
                node.properties.insert(name.clone(), id);
                node.order.push((name.clone(), id));
            }
        }
        for (pattern, schema) in object(members, "patternProperties") {
            let pointer = join(&node.pointer, &["patternProperties", pattern]);
            if let Some(id) = self.enter(pointer, schema) {
                let name = jsonschema::validator_for(&json!({"pattern": pattern})).ok();
                node.patterns.push(Pattern { name, node: id });
            }
        }
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            match members.get(keyword) {
                Some(Value::Bool(false)) => node.is_closed = true,
                Some(schema @ Value::Object(_)) if node.additional.is_none() => {
                    node.additional = self.enter(join(&node.pointer, &[keyword]), schema);
                }
                _ => {}
            }
        }
    }

    fn read_array(&mut self, node: &mut Node, members: &'s Map<String, Value>) {
        // Before 2020-12 a tuple stood under `items`, and what follows it under `additionalItems`.
        let (tuple, rest) = match members.get("items") {
            Some(Value::Array(_)) => ("items", "additionalItems"),
            _ => ("prefixItems", "items"),
        };
        let items = members.get(tuple).and_then(Value::as_array).into_iter().flatten();
        for (index, schema) in items.enumerate() {
            let pointer = join(&node.pointer, &[tuple, &index.to_string()]);
            node.prefix.extend(self.enter(pointer, schema));
        }
        if let Some(schema) = members.get(rest) {
            node.items = self.enter(join(&node.pointer, &[rest]), schema);
        }
    }

    fn read_unions(&mut self, node: &mut Node, members: &'s Map<String, Value>) {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let Some(schemas) = members.get(keyword).and_then(Value::as_array) else { continue };
            let mut branches = Vec::new();
            for (index, schema) in schemas.iter().enumerate() {
                let pointer = join(&node.pointer, &[keyword, &index.to_string()]);
                branches.extend(self.enter(pointer, schema));
            }
            if keyword == "allOf" {
                node.parts.extend(branches);
            } else {
                node.unions.push(branches);
            }
        }
        let mut part = |keyword: &str| {
            let schema = members.get(keyword)?;
            self.enter(join(&node.pointer, &[keyword]), schema)
        };
        if let Some(test) = part("if") {
            node.condition = Some(Condition { test, then: part("then"), otherwise: part("else") });
        }
    }

    /// The node that a reference inside the same schema leads to.
    fn follow(&mut self, members: &Map<String, Value>) -> Option<NodeId> {
        let keys = ["$ref", "$dynamicRef", "$recursiveRef"];
        let reference = keys.iter().find_map(|key| members.get(*key)?.as_str())?;
        let own = self.schema.get("$id").or_else(|| self.schema.get("id")).and_then(Value::as_str);
        let fragment = reference
            .strip_prefix(own.unwrap_or_default())
            .filter(|rest| rest.starts_with('#'))
            .or(Some(reference))
            .and_then(|rest| rest.strip_prefix('#'))?;
        let pointer = decode(fragment);
        if pointer.is_empty() || pointer.starts_with('/') {
            let schema = self.schema.pointer(&pointer)?;
            return self.enter(pointer, schema);
        }
        let (pointer, schema) = find_anchor(self.schema, &pointer)?;
        self.enter(pointer, schema)
    }

    fn whole(&self, id: NodeId) -> Vec<NodeId> {
        let mut found = vec![id];
        let mut at = 0;
        while let Some(node) = found.get(at).and_then(|id| self.nodes.get(id.0)) {
            for part in &node.parts {
                if !found.contains(part) {
                    found.push(*part);
                }
            }
            at += 1;
        }
        found
    }
}

fn object<'s>(
    members: &'s Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (&'s String, &'s Value)> + use<'s> {
    members.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

fn choices(members: &Map<String, Value>) -> Vec<Value> {
    match (members.get("const"), members.get("enum")) {
        (Some(value), _) => vec![value.clone()],
        (None, Some(Value::Array(values))) => values.clone(),
        _ => Vec::new(),
    }
}

fn kinds(members: &Map<String, Value>, choices: &[Value]) -> Kinds {
    let named = Kinds::of_type(members.get("type"));
    if choices.is_empty() {
        return named;
    }
    named.and(choices.iter().fold(Kinds::NONE, |kinds, value| kinds.or(Kinds::of(value))))
}

/// The fragment of a URI as a pointer.
fn decode(fragment: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = fragment.bytes();
    while let Some(byte) = rest.next() {
        let mut ahead = rest.clone();
        let digits =
            [ahead.next(), ahead.next()].map(|d| char::from(d.unwrap_or_default()).to_digit(16));
        match (byte, digits) {
            (b'%', [Some(high), Some(low)]) => {
                bytes.push(u8::try_from(high * 16 + low).unwrap_or_default());
                rest = ahead;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn find_anchor<'s>(schema: &'s Value, name: &str) -> Option<(String, &'s Value)> {
    let mut open = vec![(String::new(), schema)];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                open.extend(items.map(|(i, item)| (join(&pointer, &[&i.to_string()]), item)));
            }
            Value::Object(members) => {
                let anchors = ["$anchor", "$dynamicAnchor"];
                if anchors.iter().any(|key| members.get(*key).is_some_and(|a| a == name)) {
                    return Some((pointer, value));
                }
                open.extend(members.iter().map(|(key, v)| (join(&pointer, &[key]), v)));
            }
            _ => {}
        }
    }
    None
}
