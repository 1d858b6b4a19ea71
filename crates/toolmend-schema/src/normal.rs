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
    if members.get("type").is_some_and(is_any) {
        members.shift_remove("type");
    }
    match members.get_mut("type") {
        Some(Value::String(name)) => {
            if let Some(known) = standard(name) {
                known.clone_into(name);
            }
        }
        Some(Value::Array(names)) => {
            for name in names.iter_mut() {
                if let Some(known) = name.as_str().and_then(standard) {
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

/// Whether a type is `any`, or any is one of those it names: then all are right.
fn is_any(kind: &Value) -> bool {
    let is_named =
        |name: &Value| name.as_str().is_some_and(|name| name.eq_ignore_ascii_case("any"));
    is_named(kind) || kind.as_array().is_some_and(|names| names.iter().any(is_named))
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{DEPTH_MAX, normalise};

    #[test]
    fn types_have_other_names_elsewhere() {
        for (names, known) in [
            (["string", "str", "STRING"], "string"),
            (["int", "long", "Integer"], "integer"),
            (["float", "double", "NUMBER"], "number"),
            (["bool", "boolean", "Bool"], "boolean"),
            (["list", "tuple", "ARRAY"], "array"),
            (["dict", "object", "Dict"], "object"),
            (["none", "null", "None"], "null"),
            (["date", "date", "date"], "date"),
        ] {
            for name in names {
                let mut schema = json!({"type": name, "items": [{"type": [name, "x"]}]});
                normalise(&mut schema);
                assert_eq!(schema, json!({"type": known, "items": [{"type": [known, "x"]}]}));
            }
        }
        for name in [json!("any"), json!("Any"), json!(["string", "any"])] {
            let mut schema = json!({"properties": {"a": {"type": name}}});
            normalise(&mut schema);
            assert_eq!(schema, json!({"properties": {"a": {}}}));
        }
    }

    #[test]
    fn nullable_says_that_null_is_right_as_well() {
        for (schema, wanted) in [
            (json!({"type": "string"}), json!({"type": ["string", "null"]})),
            (json!({"type": ["string", "null"]}), json!({"type": ["string", "null"]})),
            (json!({"type": ["string"]}), json!({"type": ["string", "null"]})),
            (json!({"enum": ["a"]}), json!({"enum": ["a", null]})),
            (json!({"enum": [null]}), json!({"enum": [null]})),
            (json!({"$ref": "#/a"}), json!({"anyOf": [{"$ref": "#/a"}, {"type": "null"}]})),
            (
                json!({"type": "string", "const": "a"}),
                json!({"anyOf": [{"type": "string", "const": "a"}, {"type": "null"}]}),
            ),
            (
                json!({"type": ["string"], "const": "a"}),
                json!({"anyOf": [{"type": ["string"], "const": "a"}, {"type": "null"}]}),
            ),
        ] {
            let mut nullable = schema;
            nullable["nullable"] = true.into();
            normalise(&mut nullable);
            assert_eq!(nullable, wanted);
        }
    }

    #[test]
    fn what_nests_too_deep_is_left_as_it_is() {
        for (depth, wanted) in [(DEPTH_MAX, "string"), (DEPTH_MAX + 1, "str")] {
            let wrap = |inner, _| json!({"items": inner});
            let mut schema = (0..depth).fold(json!({"type": "str"}), wrap);
            normalise(&mut schema);
            assert_eq!(schema, (0..depth).fold(json!({"type": wanted}), wrap));
        }
        for (depth, wanted) in [(DEPTH_MAX, "string"), (DEPTH_MAX + 1, "str")] {
            let wrap = |inner, _| json!({"properties": {"a": inner}});
            let mut schema = (0..depth).fold(json!({"type": "str"}), wrap);
            normalise(&mut schema);
            assert_eq!(schema, (0..depth).fold(json!({"type": wanted}), wrap));
        }
        // A list between two schemas is a step as well.
        for (depth, wanted) in [(DEPTH_MAX / 2, "string"), (DEPTH_MAX / 2 + 1, "str")] {
            let wrap = |inner, _| json!({"allOf": [inner]});
            let mut schema = (0..depth).fold(json!({"type": "str"}), wrap);
            normalise(&mut schema);
            assert_eq!(schema, (0..depth).fold(json!({"type": wanted}), wrap));
        }
    }
}
