//! Deep schemas with flat names: `config.retry.max` instead of objects in objects. Models that lose
//! their way in nested objects follow these.
//!
//! Only plain objects are taken apart; whatever else holds a schema together is a leaf, and so are
//! arrays. A tool that could not be put together again exactly is left alone.

use serde_json::{Map, Value};

use crate::nest::{self, Part};

/// Which tools are shown with flat names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Flatten {
    /// None.
    Off,
    /// Those with more leaves, or deeper, than this. The root is at depth 0.
    Over {
        /// The most leaves that are shown as they are.
        leaves: usize,
        /// The greatest depth that is shown as it is.
        depth: usize,
    },
    /// All that have an object inside.
    Always,
}

impl Default for Flatten {
    fn default() -> Self {
        Self::Over { leaves: 10, depth: 2 }
    }
}

/// Names that are longer are refused by the servers.
const NAME_BYTES_MAX: usize = 64;

/// Keywords of an object that is only its members. An object with others is a leaf.
const PLAIN: [&str; 9] = [
    "type",
    "properties",
    "required",
    "description",
    "title",
    "additionalProperties",
    "default",
    "examples",
    "$comment",
];

/// Keywords beside those that the root may have: they stay where they are.
const ROOT_PLAIN: [&str; 6] = ["$schema", "$defs", "definitions", "$id", "strict", "contract_hint"];

/// How a schema looks to a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measure {
    pub(crate) leaves: usize,
    pub(crate) depth: usize,
    /// The paths of the objects that can be taken apart.
    pub(crate) objects: Vec<Vec<String>>,
}

/// Measures a schema.
pub(crate) fn measure(schema: &Value) -> Measure {
    let mut measure = Measure::default();
    let mut open = vec![(Vec::new(), schema)];
    while let Some((path, schema)) = open.pop() {
        measure.depth = measure.depth.max(path.len());
        if !is_plain(schema, path.is_empty()) {
            measure.leaves += 1;
            continue;
        }
        for (name, inner) in properties(schema).rev() {
            let path: Vec<String> = path.iter().cloned().chain([name.clone()]).collect();
            open.push((path, inner));
        }
        if !path.is_empty() {
            measure.objects.push(path);
        }
    }
    measure
}

/// Why a schema cannot be shown with flat names, or `None` if it can.
pub(crate) fn obstacle(schema: &Value, objects: &[Vec<String>]) -> Option<&'static str> {
    if !is_plain(schema, true) {
        return Some("the root of the schema is more than an object with members");
    }
    if points_inside(schema) {
        return Some("a reference points into the members of the schema");
    }
    let root = Vec::new();
    let paths = objects.iter().chain([&root]);
    for (path, name) in paths.flat_map(|path| names_at(schema, path).map(move |name| (path, name)))
    {
        if name.contains(['.', '[', '\\']) {
            return Some("a name has a dot or a bracket of its own");
        }
        if path.iter().map(|step| step.len() + 1).sum::<usize>() + name.len() > NAME_BYTES_MAX {
            return Some("a flat name would be longer than 64 characters");
        }
    }
    None
}

fn names_at<'s>(schema: &'s Value, path: &[String]) -> impl Iterator<Item = &'s String> + use<'s> {
    let at = path.iter().try_fold(schema, |at, name| at.get("properties")?.get(name));
    at.into_iter().flat_map(|at| properties(at).map(|(name, _)| name))
}

/// A schema that can be taken apart: an object that is nothing but its members.
fn is_plain(schema: &Value, is_root: bool) -> bool {
    let Some(members) = schema.as_object() else { return false };
    let is_object =
        members.get("type").map_or(members.contains_key("properties"), |t| t == "object");
    let is_known = |key: &String| {
        PLAIN.contains(&key.as_str())
            || crate::hints::KEYS.contains(&key.as_str())
            || is_root && ROOT_PLAIN.contains(&key.as_str())
    };
    let additional = members.get("additionalProperties").is_none_or(Value::is_boolean);
    is_object
        && additional
        && members.keys().all(is_known)
        && (is_root || properties(schema).next().is_some())
}

fn properties(schema: &Value) -> impl DoubleEndedIterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

/// Whether a reference leads to a place that flat names would move.
fn points_inside(schema: &Value) -> bool {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                let target = members.get("$ref").and_then(Value::as_str);
                if target.is_some_and(|t| t == "#" || t.starts_with("#/properties")) {
                    return true;
                }
                open.extend(members.values());
            }
            _ => {}
        }
    }
    false
}

/// The schema with flat names.
pub(crate) fn flatten(schema: &Value) -> Value {
    let mut flat = Map::new();
    let mut required = Vec::new();
    let root = Branch {
        name: String::new(),
        schema,
        is_required: true,
        about: String::new(),
        default: None,
    };
    let mut open = vec![root];
    while let Some(branch) = open.pop() {
        if is_plain(branch.schema, branch.name.is_empty()) {
            open.extend(branch.inner());
            continue;
        }
        if branch.is_required {
            required.push(Value::String(branch.name.clone()));
        }
        flat.insert(branch.name.clone(), branch.leaf());
    }
    let mut out = schema.as_object().cloned().unwrap_or_default();
    out.insert("properties".to_owned(), Value::Object(flat));
    if required.is_empty() {
        out.shift_remove("required");
    } else {
        out.insert("required".to_owned(), Value::Array(required));
    }
    Value::Object(out)
}

/// A part of a schema on its way to flat names.
struct Branch<'s> {
    name: String,
    schema: &'s Value,
    is_required: bool,
    /// The descriptions of the objects around it.
    about: String,
    /// What the defaults of the objects around it have for it.
    default: Option<&'s Value>,
}

impl<'s> Branch<'s> {
    /// The members, last first.
    fn inner(&self) -> Vec<Branch<'s>> {
        let schema = self.schema;
        let own =
            schema.get("description").and_then(Value::as_str).filter(|_| !self.name.is_empty());
        let about = match (self.about.as_str(), own) {
            (about, None) => about.to_owned(),
            ("", Some(own)) => own.to_owned(),
            (about, Some(own)) => format!("{about}: {own}"),
        };
        let default = schema.get("default").or(self.default);
        let is_required = |name: &str| {
            let names = schema.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|required| required == name))
        };
        let members = properties(schema).rev().map(|(name, inner)| Branch {
            name: if self.name.is_empty() { name.clone() } else { format!("{}.{name}", self.name) },
            schema: inner,
            is_required: self.is_required && is_required(name),
            about: about.clone(),
            default: default.and_then(|default| default.get(name)),
        });
        members.collect()
    }

    fn leaf(&self) -> Value {
        let Some(members) = self.schema.as_object() else { return self.schema.clone() };
        let mut members = members.clone();
        if let Some(default) = self.default.filter(|_| !members.contains_key("default")) {
            members.insert("default".to_owned(), default.clone());
        }
        if !self.about.is_empty() {
            let own = members.get("description").and_then(Value::as_str);
            let about = own.map_or(self.about.clone(), |own| format!("{}: {own}", self.about));
            members.insert("description".to_owned(), about.into());
        }
        Value::Object(members)
    }
}

/// Arguments of a past call with flat names.
pub(crate) fn flat_arguments(objects: &[Vec<String>], arguments: Value) -> Value {
    let Value::Object(members) = arguments else { return arguments };
    let mut flat = Map::new();
    let mut open: Vec<(Vec<String>, Value)> =
        members.into_iter().rev().map(|(name, value)| (vec![name], value)).collect();
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Object(inner) if !inner.is_empty() && can_open(objects, &path, &inner) => {
                let inner = inner.into_iter().rev();
                open.extend(inner.map(|(name, value)| (with(&path, name), value)));
            }
            other => drop(flat.insert(path.join("."), other)),
        }
    }
    Value::Object(flat)
}

/// Whether a value stands where the schema was taken apart, and can be put together again.
fn can_open(objects: &[Vec<String>], path: &[String], members: &Map<String, Value>) -> bool {
    objects.iter().any(|object| object == path)
        && !members.keys().any(|name| name.is_empty() || name.contains(['.', '[', '\\']))
}

fn with(path: &[String], name: String) -> Vec<String> {
    path.iter().cloned().chain([name]).collect()
}

/// Arguments with their objects again, the places that were put back, and the names that contradict
/// others: with any of these the arguments stay as they are.
pub(crate) fn nest_arguments(
    objects: &[Vec<String>],
    arguments: Value,
) -> (Value, Vec<Vec<String>>, Vec<String>) {
    let Value::Object(members) = &arguments else { return (arguments, Vec::new(), Vec::new()) };
    let (mut placed, mut conflicts) = (Vec::new(), Vec::new());
    let mut out = Map::new();
    for (name, value) in members {
        let parts = nest::split(name).filter(|parts| is_flat(objects, parts));
        let parts = parts.unwrap_or_else(|| vec![Part::Key(name.clone())]);
        let path = nest::path(&parts);
        if !merge(&mut out, &parts, value.clone()) {
            conflicts.push(name.clone());
        } else if parts.len() > 1 {
            placed.push(path);
        }
    }
    if conflicts.is_empty() {
        (Value::Object(out), placed, conflicts)
    } else {
        (arguments, Vec::new(), conflicts)
    }
}

/// Whether a name leads into an object that was taken apart.
fn is_flat(objects: &[Vec<String>], parts: &[Part]) -> bool {
    let path = nest::path(parts);
    let head = path.split_last().map(|(_, head)| head).unwrap_or_default();
    objects.iter().any(|object| object.as_slice() == head)
}

/// Puts a value in its place; objects that meet are joined.
fn merge(out: &mut Map<String, Value>, parts: &[Part], value: Value) -> bool {
    match value {
        Value::Object(inner) if holds_object(out, parts) => {
            let mut all = true;
            for (name, value) in inner {
                let deeper: Vec<Part> = parts.iter().cloned().chain([Part::Key(name)]).collect();
                all &= merge(out, &deeper, value);
            }
            all
        }
        value => nest::insert_new(out, parts, value),
    }
}

fn holds_object(out: &Map<String, Value>, parts: &[Part]) -> bool {
    let path = nest::path(parts);
    let Some((head, rest)) = path.split_first() else { return false };
    let found =
        out.get(head).and_then(|value| rest.iter().try_fold(value, |at, name| at.get(name)));
    found.is_some_and(Value::is_object)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{flat_arguments, flatten, measure, nest_arguments, obstacle};

    fn why_not(schema: &Value) -> Option<&'static str> {
        obstacle(schema, &measure(schema).objects)
    }

    #[test]
    fn a_flat_name_has_at_most_64_characters() {
        // With its dots `outer.inner.` takes twelve.
        for (length, is_flat) in [(52, true), (53, false)] {
            let leaf = json!({"properties": {"x".repeat(length): {"type": "string"}}});
            let schema = json!({"properties": {"outer": {"properties": {"inner": leaf}}}});
            assert_eq!(why_not(&schema).is_none(), is_flat, "{length}");
        }
    }

    #[test]
    fn a_reference_into_what_flat_names_move_is_an_obstacle() {
        let with = |inner: Value| json!({"properties": {"a": {"properties": {"b": inner}}}, "$defs": {"d": {}}});
        for (inner, is_flat) in [
            (json!({"$ref": "#/$defs/d"}), true),
            (json!({"const": "$ref"}), true),
            (json!({"$ref": "#"}), false),
            (json!({"$ref": "#/properties/a"}), false),
            (json!({"anyOf": [{"type": "null"}, {"$ref": "#/properties/a"}]}), false),
            (json!({"items": {"$ref": "#"}}), false),
        ] {
            assert_eq!(why_not(&with(inner.clone())).is_none(), is_flat, "{inner}");
        }
    }

    #[test]
    fn keywords_that_only_the_root_has_make_another_object_a_leaf() {
        let inner = json!({"properties": {"b": {"type": "string"}}, "$defs": {}});
        let schema = json!({"properties": {"a": inner}, "$defs": {}});
        assert_eq!((measure(&schema).leaves, measure(&schema).objects.len()), (1, 0));
        assert_eq!(why_not(&schema), None);
        let union = json!({"properties": {"a": {"type": "string"}}, "anyOf": [{}]});
        assert_eq!(
            why_not(&union),
            Some("the root of the schema is more than an object with members")
        );
    }

    #[test]
    fn an_object_with_other_members_is_a_leaf() {
        for (additional, objects) in
            [(json!(true), 1), (json!(false), 1), (json!({"type": "string"}), 0)]
        {
            let inner = json!({"properties": {"b": {}}, "additionalProperties": additional});
            let measured = measure(&json!({"properties": {"a": inner}}));
            assert_eq!((measured.leaves, measured.objects.len()), (1, objects), "{inner}");
        }
    }

    #[test]
    fn an_object_that_flat_names_cannot_tell_stays_as_it_is() {
        let objects = [vec!["a".to_owned()]];
        for (past, flat) in [
            (json!({"a": {"b": 1, "c": {"d": 2}}}), json!({"a.b": 1, "a.c": {"d": 2}})),
            (json!({"a": {"": 1}}), json!({"a": {"": 1}})),
            (json!({"a": {"b": 1, "c.d": 2}}), json!({"a": {"b": 1, "c.d": 2}})),
            (json!({"a": {"b[0]": 1}}), json!({"a": {"b[0]": 1}})),
            (json!({"a": {}}), json!({"a": {}})),
            (json!({"e": {"b": 1}}), json!({"e": {"b": 1}})),
        ] {
            assert_eq!(flat_arguments(&objects, past), flat);
        }
    }

    #[test]
    fn only_names_that_lead_into_an_object_are_put_back() {
        let objects = [vec!["a".to_owned()]];
        let (arguments, placed, conflicts) =
            nest_arguments(&objects, json!({"a.b": 1, "c.d": 2, "a.b.c": 3}));
        assert_eq!(arguments, json!({"a": {"b": 1}, "c.d": 2, "a.b.c": 3}));
        assert_eq!((placed, conflicts.len()), (vec![vec!["a".to_owned(), "b".to_owned()]], 0));
    }

    #[test]
    fn a_leaf_has_its_own_default_or_that_of_the_objects_around_it() {
        let flat = flatten(&json!({"properties": {"retry": {
            "default": {"max": 5, "wait": 2},
            "properties": {"max": {"default": 3}, "wait": {}, "jitter": {}},
        }}}));
        assert_eq!(
            flat["properties"],
            json!({"retry.max": {"default": 3}, "retry.wait": {"default": 2}, "retry.jitter": {}})
        );
    }
}
