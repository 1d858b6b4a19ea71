//! Where schemas stand inside a schema.

use std::collections::BTreeSet;

use serde_json::Value;

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
