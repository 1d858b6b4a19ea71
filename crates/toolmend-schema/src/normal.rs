//! Spellings of JSON Schema that vendors use and no draft knows: `nullable`, types in capitals or
//! with the names of a programming language. Only the copy that validates is changed.

use serde_json::{Map, Value, json};

use crate::walk::{NAMED_SCHEMAS, SCHEMAS};

/// Schemas that nest deeper than this are left as they are from there on.
const DEPTH_MAX: usize = 128;

/// Rewrites a schema, and all within it, into what the drafts know.
pub(crate) fn normalise(schema: &mut Value) {
    visit(schema, 0);
}

fn visit(schema: &mut Value, depth: usize) {
    if depth > DEPTH_MAX {
        return;
    }
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(|inner| visit(inner, depth + 1)),
        Value::Object(members) => {
            for keyword in SCHEMAS {
                if let Some(inner) = members.get_mut(keyword) {
                    visit(inner, depth + 1);
                }
            }
            for keyword in NAMED_SCHEMAS {
                let named = members.get_mut(keyword).and_then(Value::as_object_mut);
                for inner in named.into_iter().flat_map(Map::values_mut) {
                    visit(inner, depth + 1);
                }
            }
            rename_types(members);
            allow_null(members);
        }
        _ => {}
    }
}

fn rename_types(members: &mut Map<String, Value>) {
    match members.get_mut("type") {
        Some(Value::String(name)) => match standard(name) {
            Some("any") => drop(members.shift_remove("type")),
            Some(known) => *name = known.to_owned(),
            None => {}
        },
        Some(Value::Array(names)) => {
            for name in names.iter_mut() {
                if let Some(known) = name.as_str().and_then(standard).filter(|n| *n != "any") {
                    *name = known.into();
                }
            }
        }
        _ => {}
    }
    // Python's way of saying that a member is required; a draft 3 one as well.
    if members.get("required").is_some_and(Value::is_boolean) {
        members.shift_remove("required");
    }
}

/// The name that the drafts have for a type, if this is another spelling of it.
fn standard(name: &str) -> Option<&'static str> {
    let known = match name.to_ascii_lowercase().as_str() {
        "string" | "str" => "string",
        "integer" | "int" | "long" => "integer",
        "number" | "float" | "double" => "number",
        "boolean" | "bool" => "boolean",
        "array" | "list" | "tuple" => "array",
        "object" | "dict" => "object",
        "null" | "none" => "null",
        "any" => "any",
        _ => return None,
    };
    (known != name).then_some(known)
}

/// `nullable: true`, as `OpenAPI` has it, says that `null` is right as well.
fn allow_null(members: &mut Map<String, Value>) {
    if members.get("nullable") != Some(&Value::Bool(true)) {
        return;
    }
    members.shift_remove("nullable");
    if let Some(Value::Array(choices)) = members.get_mut("enum")
        && !choices.contains(&Value::Null)
    {
        choices.push(Value::Null);
    }
    let is_plain =
        !["$ref", "anyOf", "oneOf", "allOf", "const"].iter().any(|key| members.contains_key(*key));
    match members.get_mut("type") {
        Some(Value::String(name)) if is_plain => {
            let types = json!([name, "null"]);
            members.insert("type".to_owned(), types);
        }
        Some(Value::Array(names)) if is_plain => {
            if !names.iter().any(|name| name == "null") {
                names.push("null".into());
            }
        }
        None if is_plain => {}
        _ => {
            let whole = std::mem::take(members);
            members.insert("anyOf".to_owned(), json!([whole, {"type": "null"}]));
        }
    }
}
