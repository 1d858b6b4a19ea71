//! What a schema tells before anything is compiled: the shape of its root, and every name that a key
//! may have. It does not validate.

use std::collections::BTreeSet;

use serde_json::Value;
use toolmend_json::{Expected, Want};

use crate::form::Form;
use crate::walk;

/// What a schema says about names and shape.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outline {
    /// The shape of the root.
    pub want: Want,
    /// The names of properties at any depth.
    pub keys: BTreeSet<String>,
    /// The names that the root requires.
    pub required: Vec<String>,
}

/// A reference at the root may lead to another one; a circle must end.
const HOPS_MAX: usize = 16;

impl Outline {
    /// Reads what a schema says, or the schema of a tool in any of its forms.
    #[must_use]
    pub fn of(schema: &Value) -> Self {
        let schema = Form::of(schema).and_then(|form| form.schema).unwrap_or(schema);
        let root = follow(schema);
        Self { want: shape(root), keys: walk::keys(schema), required: walk::required(root) }
    }

    /// What the JSON reader should know before it reads a value of this shape.
    #[must_use]
    pub fn expected(&self, want: Want) -> Expected {
        Expected::root(want).with_keys(self.keys.iter().cloned())
    }
}

/// The schema that a chain of references inside the same file leads to.
fn follow(schema: &Value) -> &Value {
    let mut at = schema;
    for _ in 0..HOPS_MAX {
        let reference = at.get("$ref").and_then(Value::as_str);
        let target = reference.and_then(|path| path.strip_prefix('#'));
        match target.and_then(|pointer| schema.pointer(pointer)) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

fn shape(root: &Value) -> Want {
    let types: Vec<&str> = match root.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ if root.get("properties").is_some() => vec!["object"],
        _ if root.get("items").or_else(|| root.get("prefixItems")).is_some() => vec!["array"],
        _ => vec![],
    };
    match types.as_slice() {
        ["object"] => Want::Object,
        ["array"] => Want::Array,
        _ => Want::Any,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolmend_json::Want;

    use super::Outline;

    #[test]
    fn names_are_found_wherever_a_schema_can_stand() {
        let outline = Outline::of(&json!({
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"items": {"properties": {"b": {}}}}, "c": true},
            "$defs": {"d": {"anyOf": [{"properties": {"e": {"additionalProperties":
                {"prefixItems": [{"properties": {"f": {}}}]}}}}]}},
            "patternProperties": {"^x-": {"properties": {"g": {}}}},
            "not": {"properties": {"never": {}}},
        }));
        assert_eq!(outline.want, Want::Object);
        assert_eq!(outline.keys.iter().map(String::as_str).collect::<String>(), "abcefg");
        assert_eq!(outline.required, ["a"]);
    }

    #[test]
    fn the_root_is_found_behind_references_and_inside_tools() {
        let outline = Outline::of(&json!({
            "$ref": "#/definitions/Call",
            "definitions": {"Call": {"type": "array", "items": {"properties": {"a": {}}}}},
        }));
        assert_eq!((outline.want, outline.keys.len()), (Want::Array, 1));

        let schema = json!({"type": "object", "properties": {"a": {}}, "required": ["a"]});
        for tool in [
            json!({"type": "function", "function": {"name": "f", "parameters": schema}}),
            json!({"type": "function", "name": "f", "parameters": schema}),
            json!({"name": "f", "input_schema": schema}),
            json!({"name": "f", "inputSchema": schema}),
        ] {
            let outline = Outline::of(&tool);
            assert_eq!((outline.want, outline.required.len()), (Want::Object, 1), "{tool}");
        }
    }

    #[test]
    fn the_shape_is_told_by_types_and_else_by_what_they_would_hold() {
        for (schema, want) in [
            (json!({"type": "object"}), Want::Object),
            (json!({"type": ["object"]}), Want::Object),
            (json!({"type": ["array"]}), Want::Array),
            (json!({"type": ["object", "null"], "properties": {"a": {}}}), Want::Any),
            (json!({"type": "string", "properties": {"a": {}}}), Want::Any),
            (json!({"properties": {"a": {}}}), Want::Object),
            (json!({"items": {}}), Want::Array),
            (json!({"prefixItems": []}), Want::Array),
            (json!({}), Want::Any),
        ] {
            assert_eq!(Outline::of(&schema).want, want, "{schema}");
        }
    }

    #[test]
    fn a_circle_of_references_ends() {
        let outline =
            Outline::of(&json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}));
        assert_eq!(outline.want, Want::Any);
    }

    #[test]
    fn a_property_called_name_does_not_make_a_schema_a_tool() {
        let outline = Outline::of(&json!({"properties": {"name": {}, "parameters": {}}}));
        assert_eq!((outline.want, outline.keys.len()), (Want::Object, 2));
    }
}
