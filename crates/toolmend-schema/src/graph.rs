//! A compiled schema: the validator of the whole, and all subschemas with the ways between them.

use std::collections::HashMap;
use std::fmt::Write as _;

use jsonschema::{Draft, Registry, ValidationOptions, Validator};
use serde_json::{Map, Value, json};

use crate::hints;
use crate::kinds::Kinds;
use crate::node::{Condition, Node, NodeId, Pattern};

/// The name under which subschemas find the schema that they stand in.
const ROOT_URI: &str = "urn:toolmend:schema";

/// Drafts to try in turn where a schema names none: the newest, and those that spell tuples and
/// exclusive bounds differently.
const DRAFTS: [Draft; 4] = [Draft::Draft202012, Draft::Draft201909, Draft::Draft7, Draft::Draft4];

/// Larger schemas are validated, but not repaired by.
const NODES_MAX: usize = 20_000;

/// A schema, ready for validation and repair.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) schema: Value,
    pub(crate) validator: Validator,
    draft: Draft,
    registry: Option<Registry<'static>>,
    nodes: Vec<Node>,
}

impl Graph {
    /// The root of the schema.
    pub(crate) const ROOT: NodeId = NodeId(0);

    /// Compiles a schema.
    ///
    /// # Errors
    /// Says why the schema does not compile: the host's mistake.
    pub(crate) fn compile(schema: Value) -> Result<Self, String> {
        let (validator, draft) = compile(&schema)?;
        let registry = Registry::new().draft(draft).add(ROOT_URI, schema.clone());
        let registry = registry.and_then(jsonschema::RegistryBuilder::prepare).ok();
        let mut builder = Builder {
            schema: &schema,
            draft,
            nodes: Vec::new(),
            known: HashMap::new(),
            open: Vec::new(),
        };
        builder.build();
        let nodes = builder.nodes;
        Ok(Self { schema, validator, draft, registry, nodes })
    }

    /// A subschema. Every id that a graph hands out is its own.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        static NOTHING: std::sync::LazyLock<Node> = std::sync::LazyLock::new(Node::default);
        self.nodes.get(id.0).unwrap_or(&NOTHING)
    }

    /// Whether a value satisfies a subschema.
    pub(crate) fn accepts(&self, id: NodeId, value: &Value) -> bool {
        if id == Self::ROOT {
            return self.validator.is_valid(value);
        }
        let node = self.node(id);
        let validator = node.validator.get_or_init(|| self.compile_part(&node.pointer));
        validator.as_ref().is_none_or(|validator| validator.is_valid(value))
    }

    /// The subschemas that a member of this name must satisfy, given those of its object.
    pub(crate) fn member(&self, objects: &[NodeId], name: &str) -> Vec<NodeId> {
        let mut found = Vec::new();
        for node in objects.iter().map(|id| self.node(*id)) {
            let before = found.len();
            found.extend(node.properties.get(name));
            if !node.patterns.is_empty() {
                let name = Value::String(name.to_owned());
                let fits = node.patterns.iter().filter(|pattern| pattern.matches(&name));
                found.extend(fits.map(|pattern| pattern.node));
            }
            if found.len() == before {
                found.extend(node.additional);
            }
        }
        found
    }

    /// Whether a name is one of the properties.
    pub(crate) fn names(&self, objects: &[NodeId], name: &str) -> bool {
        objects.iter().any(|id| self.node(*id).properties.contains_key(name))
    }

    /// The subschemas that an item at this place must satisfy, given those of its array.
    pub(crate) fn item(&self, arrays: &[NodeId], index: usize) -> Vec<NodeId> {
        let of = |id: &NodeId| {
            let node = self.node(*id);
            node.prefix.get(index).copied().or(node.items)
        };
        arrays.iter().filter_map(of).collect()
    }

    /// The types that subschemas accept together, unions not yet decided.
    pub(crate) fn kinds(&self, nodes: &[NodeId]) -> Kinds {
        nodes.iter().fold(Kinds::ANY, |kinds, id| kinds.and(self.node(*id).kinds))
    }

    /// The types that a subschema accepts through its unions as well.
    pub(crate) fn all_kinds(&self, id: NodeId, depth: usize) -> Kinds {
        let whole = &self.node(id).whole;
        let mut kinds = self.kinds(whole);
        if depth == 0 {
            return kinds;
        }
        for union in whole.iter().flat_map(|id| &self.node(*id).unions) {
            let any = union.iter().map(|branch| self.all_kinds(*branch, depth - 1));
            kinds = kinds.and(any.fold(Kinds::NONE, Kinds::or));
        }
        kinds
    }

    /// A subschema, its parts and the branches of its unions, and theirs: all that may hold with it.
    pub(crate) fn reachable(&self, id: NodeId) -> Vec<NodeId> {
        let mut found = vec![id];
        let mut at = 0;
        while let Some(node) = found.get(at).map(|id| self.node(*id)) {
            let sides =
                node.condition.into_iter().flat_map(|c| c.then.into_iter().chain(c.otherwise));
            let next = node.parts.iter().chain(node.unions.iter().flatten()).copied().chain(sides);
            for id in next.collect::<Vec<_>>() {
                if !found.contains(&id) {
                    found.push(id);
                }
            }
            at += 1;
        }
        found
    }

    /// The subschemas that may hold at a place in the arguments.
    pub(crate) fn at(&self, path: &str) -> Vec<NodeId> {
        let mut ids = vec![Self::ROOT];
        for step in path.split('/').skip(1) {
            let nodes: Vec<NodeId> = ids.iter().flat_map(|id| self.reachable(*id)).collect();
            let name = step.replace("~1", "/").replace("~0", "~");
            let mut next = match name.parse() {
                Ok(index) => self.item(&nodes, index),
                Err(_) => Vec::new(),
            };
            next.extend(self.member(&nodes, &name));
            ids = next;
        }
        ids
    }

    /// The names of the root's properties in order, and those that it requires.
    pub(crate) fn root_names(&self) -> (Vec<String>, Vec<String>) {
        let mut names: Vec<String> = Vec::new();
        for name in self.reachable(Self::ROOT).into_iter().flat_map(|id| &self.node(id).order) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let whole = &self.node(Self::ROOT).whole;
        let required = whole.iter().flat_map(|id| self.node(*id).required.clone());
        (names, required.collect())
    }

    fn compile_part(&self, pointer: &str) -> Option<Validator> {
        let part = self.schema.pointer(pointer)?;
        let options = || jsonschema::options().offline().with_draft(self.draft);
        if !has_reference(part) {
            return options().build(part).ok();
        }
        let reference = json!({"$ref": format!("{ROOT_URI}#{}", encode(pointer))});
        options().with_registry(self.registry.as_ref()?).build(&reference).ok()
    }
}

impl Pattern {
    fn matches(&self, name: &Value) -> bool {
        self.name.as_ref().is_some_and(|pattern| pattern.is_valid(name))
    }
}

fn compile(schema: &Value) -> Result<(Validator, Draft), String> {
    let named = schema.get("$schema").is_some();
    let options = |draft: Option<Draft>| -> ValidationOptions<'_> {
        let options = jsonschema::options().offline();
        draft.map_or_else(|| options.clone(), |draft| options.clone().with_draft(draft))
    };
    let first = options(None).build(schema);
    let reason = match first {
        Ok(validator) => {
            let draft = validator.draft();
            return Ok((validator, draft));
        }
        Err(error) => error.to_string(),
    };
    let older = DRAFTS.iter().filter(|_| !named).find_map(|draft| {
        options(Some(*draft)).build(schema).ok().map(|validator| (validator, *draft))
    });
    older.ok_or(reason)
}

/// Whether a schema, or one inside it, points elsewhere.
fn has_reference(schema: &Value) -> bool {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                if ["$ref", "$dynamicRef", "$recursiveRef", "$id", "id"]
                    .iter()
                    .any(|key| members.get(*key).is_some_and(Value::is_string))
                {
                    return true;
                }
                open.extend(members.values());
            }
            _ => {}
        }
    }
    false
}

/// A pointer as the fragment of a URI.
fn encode(pointer: &str) -> String {
    let mut out = String::new();
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/$".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
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
            if let Some(node) = self.nodes.get_mut(index) {
                node.whole = whole;
            }
        }
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
        self.read_object(&mut node, members);
        self.read_array(&mut node, members);
        self.read_unions(&mut node, members);
        node
    }

    fn read_object(&mut self, node: &mut Node, members: &'s Map<String, Value>) {
        for (name, schema) in object(members, "properties") {
            if let Some(id) = self.enter(join(&node.pointer, &["properties", name]), schema) {
                node.properties.insert(name.clone(), id);
                node.order.push(name.clone());
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
    let named = match members.get("type") {
        Some(Value::String(name)) => Kinds::named(name),
        Some(Value::Array(names)) => {
            let names = names.iter().filter_map(Value::as_str);
            names.fold(Kinds::NONE, |kinds, name| kinds.or(Kinds::named(name)))
        }
        _ => Kinds::ANY,
    };
    if choices.is_empty() {
        return named;
    }
    named.and(choices.iter().fold(Kinds::NONE, |kinds, value| kinds.or(Kinds::of(value))))
}

/// A pointer to something inside of what a pointer points to.
pub(crate) fn join(pointer: &str, steps: &[&str]) -> String {
    let mut out = pointer.to_owned();
    for step in steps {
        out.push('/');
        out += &step.replace('~', "~0").replace('/', "~1");
    }
    out
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
