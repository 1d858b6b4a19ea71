//! A compiled schema: the validator of the whole, and all subschemas with the ways between them.

mod build;

use std::fmt::Write as _;

use jsonschema::{Draft, Registry, ValidationOptions, Validator};
use serde_json::{Map, Value, json};

use crate::kinds::Kinds;
use crate::node::{Node, NodeId, Pattern};
use crate::quick::Quick;

/// The name under which subschemas find the schema that they stand in.
const ROOT_URI: &str = "urn:toolmend:schema";

/// Drafts to try in turn where a schema names none: the newest, and those that spell tuples and
/// exclusive bounds differently.
const DRAFTS: [Draft; 4] = [Draft::Draft202012, Draft::Draft201909, Draft::Draft7, Draft::Draft4];

/// A reference may lead to another one; a circle must end.
const HOPS_MAX: usize = 16;

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
        let nodes = build::nodes(&schema, draft);
        Ok(Self { schema, validator, draft, registry, nodes })
    }

    /// A subschema. Every id that a graph hands out is its own.
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        static NOTHING: std::sync::LazyLock<Node> = std::sync::LazyLock::new(Node::default);
        self.nodes.get(id.0).unwrap_or_else(|| &NOTHING)
    }

    /// Whether a value satisfies a subschema.
    pub(crate) fn accepts(&self, id: NodeId, value: &Value) -> bool {
        if id == Self::ROOT {
            return self.validator.is_valid(value);
        }
        let node = self.node(id);
        let quick = node.quick.as_ref().and_then(|quick| quick.accepts(value));
        debug_assert!(quick.is_none_or(|quick| quick == self.validates(node, value)), "{value}");
        quick.unwrap_or_else(|| self.validates(node, value))
    }

    fn validates(&self, node: &Node, value: &Value) -> bool {
        let validator = node.validator.get_or_init(|| self.compile_part(&node.pointer));
        validator.as_ref().is_none_or(|validator| validator.is_valid(value))
    }

    /// The types of a property of the arguments, where its schema says nothing else, and the schema of the
    /// arguments nothing else of it.
    pub(crate) fn simple_member(&self, name: &str) -> Option<Kinds> {
        let root = self.node(Self::ROOT);
        let member = self.node(*root.property(name, 0)?);
        let is_simple = root.is_alone() && member.is_alone() && member.choices.is_empty();
        let is_typed = is_simple && matches!(member.quick, Some(Quick::Type(_)));
        is_typed.then_some(member.all_kinds)
    }

    /// The subschemas that a member of this name must satisfy, given those of its object.
    pub(crate) fn member(&self, objects: &[NodeId], name: &str) -> Vec<NodeId> {
        let mut found = Vec::new();
        self.add_member(objects, name, 0, &mut found);
        found
    }

    /// The subschemas that the member of a property must satisfy; `None` where no property has this name.
    /// It is looked for first at the place where the member stands: models keep the order that they were
    /// shown.
    pub(crate) fn member_near<'f>(
        &'f self,
        objects: &[NodeId],
        name: &str,
        near: usize,
        several: &'f mut Vec<NodeId>,
    ) -> Option<&'f [NodeId]> {
        if let [object] = objects {
            let node = self.node(*object);
            let id = node.property(name, near)?;
            if node.patterns.is_empty() {
                return Some(std::slice::from_ref(id));
            }
        } else if !self.names_near(objects, name, near) {
            return None;
        }
        several.clear();
        self.add_member(objects, name, near, several);
        Some(several)
    }

    /// The subschemas that a member must satisfy whose name no property has.
    pub(crate) fn unnamed<'f>(
        &self,
        objects: &[NodeId],
        name: &str,
        several: &'f mut Vec<NodeId>,
    ) -> &'f [NodeId] {
        several.clear();
        self.add_member(objects, name, 0, several);
        several
    }

    fn add_member(&self, objects: &[NodeId], name: &str, near: usize, found: &mut Vec<NodeId>) {
        for node in objects.iter().map(|id| self.node(*id)) {
            let before = found.len();
            found.extend(node.property(name, near));
            if !node.patterns.is_empty() {
                let name = Value::String(name.to_owned());
                let fits = node.patterns.iter().filter(|pattern| pattern.matches(&name));
                found.extend(fits.map(|pattern| pattern.node));
            }
            if found.len() == before {
                found.extend(node.additional);
            }
        }
    }

    /// Whether a name is one of the properties.
    pub(crate) fn names(&self, objects: &[NodeId], name: &str) -> bool {
        self.names_near(objects, name, 0)
    }

    /// The names in an object that no property has.
    pub(crate) fn loose(&self, objects: &[NodeId], members: &Map<String, Value>) -> Vec<String> {
        let names = members.keys().zip(0..);
        let loose = names.filter(|(name, near)| !self.names_near(objects, name, *near));
        loose.map(|(name, _)| name.clone()).collect()
    }

    fn names_near(&self, objects: &[NodeId], name: &str, near: usize) -> bool {
        objects.iter().any(|id| self.node(*id).property(name, near).is_some())
    }

    /// The subschemas that an item at this place must satisfy, given those of its array.
    pub(crate) fn item(&self, arrays: &[NodeId], index: usize) -> Vec<NodeId> {
        let mut found = Vec::new();
        self.add_item(arrays, index, &mut found);
        found
    }

    /// Adds the subschemas that an item at this place must satisfy.
    pub(crate) fn add_item(&self, arrays: &[NodeId], index: usize, found: &mut Vec<NodeId>) {
        let nodes = arrays.iter().map(|id| self.node(*id));
        found.extend(nodes.filter_map(|node| node.prefix.get(index).copied().or(node.items)));
    }

    /// The types that subschemas accept together, unions not yet decided.
    pub(crate) fn kinds(&self, nodes: &[NodeId]) -> Kinds {
        nodes.iter().fold(Kinds::ANY, |kinds, id| kinds.and(self.node(*id).kinds))
    }

    /// The types that a subschema accepts through its unions as well.
    pub(crate) fn all_kinds(&self, id: NodeId) -> Kinds {
        self.node(id).all_kinds
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
            let name = unescaped(step);
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
        for name in self.reachable(Self::ROOT).into_iter().flat_map(|id| self.node(id).names()) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let whole = &self.node(Self::ROOT).whole;
        let required = whole.iter().flat_map(|id| self.node(*id).required.clone());
        (names, required.collect())
    }

    /// The schema of a property of the root, behind references.
    pub(crate) fn property(&self, name: &str) -> Option<&Value> {
        let nodes = self.reachable(Self::ROOT);
        let mut id = nodes.iter().find_map(|id| self.node(*id).property(name, 0)).copied()?;
        for _ in 0..HOPS_MAX {
            let schema = self.schema.pointer(&self.node(id).pointer)?;
            match self.node(id).parts.first() {
                Some(target) if schema.get("$ref").is_some() => id = *target,
                _ => return Some(schema),
            }
        }
        None
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
        Err(error) => match error.instance_path().as_str() {
            "" => error.to_string(),
            path => format!("{path}: {error}"),
        },
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

/// A pointer to something inside of what a pointer points to.
pub(crate) fn join(pointer: &str, steps: &[&str]) -> String {
    let mut out = pointer.to_owned();
    for step in steps {
        push_step(&mut out, step);
    }
    out
}

/// Lengthens a pointer by one step.
pub(crate) fn push_step(pointer: &mut String, step: &str) {
    pointer.reserve(step.len() + 1);
    pointer.push('/');
    if step.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        pointer.push_str(&step.replace('~', "~0").replace('/', "~1"));
    } else {
        pointer.push_str(step);
    }
}

/// The name that a step of a pointer spells.
pub(crate) fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}
