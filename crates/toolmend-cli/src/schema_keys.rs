//! What a JSON Schema tells the reader before it reads: the root's shape, and every name that a key
//! may have. It does not validate.

use std::collections::BTreeSet;

use serde_json::Value;
use toolmend_json::{Expected, Want};

/// What was found in a schema.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The shape of the root.
    pub(crate) want: Want,
    /// The names of properties at any depth.
    pub(crate) keys: BTreeSet<String>,
    /// The names that the root requires.
    pub(crate) required: Vec<String>,
}

impl Known {
    /// What the reader takes.
    pub(crate) fn expected(&self, want: Want) -> Expected {
        Expected::root(want).with_keys(self.keys.iter().cloned())
    }
}

/// A reference at the root may lead to another one; a circle must end.
const HOPS_MAX: usize = 16;

/// Keywords whose value is a schema, or a list of them.
const SCHEMAS: [&str; 15] = [
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "allOf",
    "anyOf",
    "oneOf",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// Keywords whose value holds a schema under each name.
const NAMED_SCHEMAS: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// Reads what a schema, or a tool that holds one, says about names and shape.
pub(crate) fn of(schema: &Value) -> Known {
    let schema = parameters(schema).unwrap_or(schema);
    let root = follow(schema);
    Known { want: shape(root), keys: keys(schema), required: required(root) }
}

/// The schema of a tool's arguments, in each form that a tool is written: two of `OpenAI`, those of
/// Anthropic and MCP, and a plain one.
pub(crate) fn parameters(tool: &Value) -> Option<&Value> {
    let tool = tool.get("function").filter(|function| function.is_object()).unwrap_or(tool);
    tool.get("name")?.as_str()?;
    ["parameters", "input_schema", "inputSchema"].iter().find_map(|key| tool.get(key))
}

/// All names of properties, wherever a schema can stand.
fn keys(schema: &Value) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        if let Value::Array(schemas) = schema {
            open.extend(schemas);
        }
        if let Some(Value::Object(properties)) = schema.get("properties") {
            keys.extend(properties.keys().cloned());
        }
        keys.extend(required(schema));
        open.extend(SCHEMAS.iter().filter_map(|keyword| schema.get(keyword)));
        let named = NAMED_SCHEMAS.iter().filter_map(|keyword| schema.get(keyword)?.as_object());
        open.extend(named.flat_map(serde_json::Map::values));
    }
    keys
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

fn required(schema: &Value) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolmend_json::Want;

    use super::of;

    #[test]
    fn names_are_found_wherever_a_schema_can_stand() {
        let known = of(&json!({
            "type": "object",
            "required": ["a"],
            "properties": {"a": {"items": {"properties": {"b": {}}}}, "c": true},
            "$defs": {"d": {"anyOf": [{"properties": {"e": {"additionalProperties":
                {"prefixItems": [{"properties": {"f": {}}}]}}}}]}},
            "patternProperties": {"^x-": {"properties": {"g": {}}}},
            "not": {"properties": {"never": {}}},
        }));
        assert_eq!(known.want, Want::Object);
        assert_eq!(known.keys.iter().map(String::as_str).collect::<String>(), "abcefg");
        assert_eq!(known.required, ["a"]);
    }

    #[test]
    fn the_root_is_found_behind_references_and_inside_tools() {
        let known = of(&json!({
            "$ref": "#/definitions/Call",
            "definitions": {"Call": {"type": "array", "items": {"properties": {"a": {}}}}},
        }));
        assert_eq!((known.want, known.keys.len()), (Want::Array, 1));

        let schema = json!({"type": "object", "properties": {"a": {}}, "required": ["a"]});
        for tool in [
            json!({"type": "function", "function": {"name": "f", "parameters": schema}}),
            json!({"type": "function", "name": "f", "parameters": schema}),
            json!({"name": "f", "input_schema": schema}),
            json!({"name": "f", "inputSchema": schema}),
        ] {
            let known = of(&tool);
            assert_eq!((known.want, known.required.len()), (Want::Object, 1), "{tool}");
        }
    }

    #[test]
    fn a_circle_of_references_ends() {
        let known = of(&json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}));
        assert_eq!(known.want, Want::Any);
    }

    #[test]
    fn a_property_called_name_does_not_make_a_schema_a_tool() {
        let known = of(&json!({"properties": {"name": {}, "parameters": {}}}));
        assert_eq!((known.want, known.keys.len()), (Want::Object, 2));
    }
}
