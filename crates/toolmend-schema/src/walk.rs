//! Where schemas stand inside a schema.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::graph::join;

/// Keywords whose value is a schema, or a list of them. `not` is left out: what stands there is
/// what must not be.
pub(crate) const SCHEMAS: [&str; 15] = [
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
pub(crate) const NAMED_SCHEMAS: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// A schema inside a schema.
#[derive(Clone, Debug)]
pub(crate) struct At<'s> {
    /// Where it stands.
    pub(crate) pointer: String,
    pub(crate) schema: &'s Value,
    /// It is a branch, a part or a side of a condition: other schemas hold for the same value.
    pub(crate) is_branch: bool,
}

/// Keywords whose schemas speak of the same value as the schema around them.
const BRANCHES: [&str; 8] =
    ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies"];

/// Every schema in a schema, itself first, in the order in which they stand.
pub(crate) fn each(schema: &Value) -> Vec<At<'_>> {
    let mut found = Vec::new();
    let mut open = vec![At { pointer: String::new(), schema, is_branch: false }];
    while let Some(at) = open.pop() {
        let members = at.schema.as_object().into_iter().flatten();
        let mut inner = Vec::new();
        for (keyword, value) in members {
            let is_branch = BRANCHES.contains(&keyword.as_str());
            let mut add = |steps: &[&str], schema| {
                inner.push(At { pointer: join(&at.pointer, steps), schema, is_branch });
            };
            match value {
                Value::Object(named) if NAMED_SCHEMAS.contains(&keyword.as_str()) => {
                    named.iter().for_each(|(name, schema)| add(&[keyword, name], schema));
                }
                Value::Array(list) if SCHEMAS.contains(&keyword.as_str()) => {
                    let list = list.iter().enumerate();
                    list.for_each(|(index, schema)| add(&[keyword, &index.to_string()], schema));
                }
                schema if SCHEMAS.contains(&keyword.as_str()) => add(&[keyword], schema),
                _ => {}
            }
        }
        // Last in, first out: they come out in their order.
        open.extend(inner.into_iter().rev());
        found.push(at);
    }
    found
}

/// All names of properties, wherever a schema can stand.
pub(crate) fn keys(schema: &Value) -> BTreeSet<String> {
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

/// The names that a schema requires.
pub(crate) fn required(schema: &Value) -> Vec<String> {
    let names = schema.get("required").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}
