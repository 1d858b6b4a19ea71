//! How far the search for a repair goes: many values, deep ones, many branches.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::{Map, Value, json};
use toolmend_schema::{Tool, Trust};

fn plain(schema: &Value) -> Tool {
    Tool::read(&json!({"name": "f", "parameters": schema})).unwrap()
}

/// Whether arguments can be mended as far as is likely.
fn is_mended(schema: &Value, arguments: Value) -> bool {
    let tool = plain(schema);
    assert_eq!(tool.problem(), None);
    let repaired = tool.repair(arguments, Trust::Likely);
    repaired.is_valid() && !repaired.repairs.is_empty()
}

#[test]
fn each_of_many_values_is_mended() {
    let list = json!({"type": "array", "items": {"type": "integer"}});
    let tool = plain(&json!({"type": "object", "properties": {"ids": list}}));
    let ids: Vec<Value> = (0..9_000).map(|n| json!(n)).collect();
    let texts: Vec<Value> = ids.iter().map(|id| json!(id.to_string())).collect();
    let repaired = tool.repair(json!({"ids": texts}), Trust::Exact);
    assert_eq!(repaired.repairs.len(), ids.len());
    assert_eq!(repaired.arguments, json!({"ids": ids}));
}

#[test]
fn each_of_many_members_is_mended() {
    let schema = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let members: Map<String, Value> = (0..9_000).map(|n| (format!("k{n}"), json!("5"))).collect();
    let repaired = plain(&schema).repair(Value::Object(members), Trust::Exact);
    assert_eq!((repaired.is_valid(), repaired.repairs.len()), (true, 9_000));
}

#[test]
fn arguments_are_mended_down_to_a_depth() {
    let schema = json!({"type": "object", "properties": {
        "n": {"type": "integer"}, "next": {"$ref": "#"}}});
    let nested = |depth: usize| (1..depth).fold(json!({"n": "5"}), |in_, _| json!({"next": in_}));
    assert!(is_mended(&schema, nested(128)));
    assert!(!is_mended(&schema, nested(129)));
    // Lists count like objects.
    let schema = json!({"type": "object", "properties": {"list": {"$ref": "#/$defs/list"}},
        "$defs": {"list": {"type": ["array", "integer"], "items": {"$ref": "#/$defs/list"}}}});
    let nested = |depth: usize| {
        let list = (1..depth).fold(json!("5"), |inner, _| json!([inner]));
        json!({"list": list})
    };
    assert!(is_mended(&schema, nested(128)));
    assert!(!is_mended(&schema, nested(129)));
}

#[test]
fn so_many_branches_are_tried() {
    let union = |count: usize| {
        let branches: Vec<Value> = (0..count).map(|n| json!({"const": n})).collect();
        json!({"type": "object", "properties": {"n": {"anyOf": branches}}})
    };
    assert!(is_mended(&union(65), json!({"n": "5"})));
    assert!(!is_mended(&union(66), json!({"n": "5"})));
}

#[test]
fn unions_are_taken_apart_down_to_a_depth() {
    let nested = |depth: usize| {
        let inner = json!({"type": "integer", "multipleOf": 5});
        let union = (0..depth).fold(inner, |inner, _| json!({"anyOf": [inner, {"type": "null"}]}));
        json!({"type": "object", "properties": {"n": union}})
    };
    assert!(is_mended(&nested(8), json!({"n": "5"})));
    assert!(!is_mended(&nested(9), json!({"n": "5"})));
}

#[test]
fn a_path_is_found_among_many_properties() {
    let mut properties: Map<String, Value> =
        (0..200).map(|n| (format!("p{n}"), json!({"type": "integer"}))).collect();
    properties.insert("path".to_owned(), json!({"type": "string"}));
    let tool = plain(&json!({"type": "object", "properties": properties}));
    let repaired = tool.repair(json!({"path": "[a.md](http://a.md)"}), Trust::Exact);
    assert_eq!(repaired.arguments, json!({"path": "a.md"}));
}
