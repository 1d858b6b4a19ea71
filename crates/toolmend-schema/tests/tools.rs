//! Tools in the forms of each vendor, the types of raw text, and what a call does to the world.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::{Map, Value, json};
use toolmend_schema::{Counters, Effect, Tool, ToolError, Trust};

fn plain(schema: &Value) -> Tool {
    Tool::read(&json!({"name": "f", "parameters": schema})).unwrap()
}

#[test]
fn a_tool_is_read_in_every_form() {
    let schema = json!({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]});
    for tool in [
        json!({"type": "function", "function": {"name": "f", "parameters": schema}}),
        json!({"type": "function", "name": "f", "parameters": schema}),
        json!({"name": "f", "input_schema": schema}),
        json!({"name": "f", "inputSchema": schema}),
    ] {
        let tool = Tool::read(&tool).unwrap();
        assert_eq!((tool.name(), tool.properties().join("")), ("f", "ab".to_owned()));
        assert_eq!(tool.required(), ["b"]);
    }
    assert_eq!(Tool::read(&json!({"parameters": {}})).unwrap_err(), ToolError::NoName);
    assert!(Tool::read(&json!({"name": "f", "parameters": 5})).is_err());
    // No tool is made up for what is none.
    for none in [json!("search"), json!(null), json!([]), json!({"name": ""})] {
        assert_eq!(Tool::read(&none).unwrap_err(), ToolError::NoName, "{none}");
    }
}

#[test]
fn a_schema_that_does_not_compile_is_the_hosts_mistake() {
    for schema in [json!({"type": "objet"}), json!({"$ref": "https://example.com/s.json"})] {
        let tool = plain(&schema);
        assert!(tool.problem().is_some(), "{schema}");
        let repaired = tool.repair(json!({"a": null}), Trust::Guess);
        assert_eq!((repaired.arguments, repaired.mismatches.len()), (json!({"a": null}), 0));
    }
}

#[test]
fn spellings_of_vendors_and_older_drafts_compile() {
    let tool = plain(&json!({"type": "OBJECT", "properties": {
        "a": {"type": "STRING", "nullable": true},
        "b": {"type": "integer", "minimum": 0, "exclusiveMinimum": true},
        "c": {"type": "array", "items": [{"type": "integer"}, {"type": "string"}]},
    }}));
    assert_eq!(tool.problem(), None);
    assert!(tool.is_valid(&json!({"a": null, "b": 1, "c": [1, "x"]})));
    assert!(!tool.is_valid(&json!({"a": 5})) && !tool.is_valid(&json!({"b": 0})));
    assert!(!tool.is_valid(&json!({"c": ["x", 1]})));
}

#[test]
fn raw_text_takes_the_type_of_its_property() {
    let tool = plain(&json!({"type": "object", "properties": {
        "s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"},
        "b": {"type": "boolean"}, "o": {"type": "object"}, "l": {"type": "array"},
        "u": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "m": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        "e": {"enum": ["x", "y"]}, "r": {"$ref": "#/$defs/r"}, "any": {},
    }, "$defs": {"r": {"type": "integer"}}}));
    for (key, text, value) in [
        ("s", "5", json!("5")),
        ("s", " keeps\n space ", json!(" keeps\n space ")),
        ("i", "\n42\n", json!(42)),
        ("i", "x", json!("x")),
        ("n", "1.50", serde_json::from_str("1.50").unwrap()),
        ("b", "True", json!(true)),
        ("o", "{'a': None}", json!({"a": null})),
        ("l", "[1, 'a', True]", json!([1, "a", true])),
        ("u", "7", json!(7)),
        ("u", "0123", json!("0123")),
        ("m", "None", json!(null)),
        ("e", "\nx\n", json!("x")),
        ("r", "3", json!(3)),
        ("any", "3", json!("3")),
        ("unknown", "3", json!("3")),
    ] {
        assert_eq!(tool.type_text(key, text), value, "{key} {text:?}");
    }
}

#[test]
fn arguments_without_names_take_the_free_properties() {
    let tool = plain(&json!({"type": "object", "properties": {"a": {}, "b": {}, "c": {}}}));
    let named: Map<String, Value> = Map::from_iter([("a".to_owned(), json!(0))]);
    let (arguments, repairs) = tool.name_positional(vec![json!(1), json!(2)], named).unwrap();
    assert_eq!(arguments, json!({"a": 0, "b": 1, "c": 2}));
    assert_eq!(repairs.iter().map(|r| r.path.as_str()).collect::<String>(), "/b/c");
    assert!(tool.name_positional(vec![json!(0); 4], Map::new()).is_none());
}

#[test]
fn a_property_is_found_in_every_form_and_behind_references() {
    let schema = json!({"type": "object", "properties": {
        "a": {"$ref": "#/$defs/b"}, "c": {"type": "INT"}, "d": {"$ref": "#/$defs/d"}, "e": {},
    }, "allOf": [{"properties": {"f": {"enum": ["x"]}}}], "$defs": {
        "b": {"$ref": "#/$defs/word"}, "word": {"enum": ["x", "y"]}, "d": {"$ref": "#/$defs/d"},
    }});
    for tool in [
        json!({"type": "function", "function": {"name": "f", "parameters": schema}}),
        json!({"name": "f", "input_schema": schema}),
        json!({"name": "f", "parametersJsonSchema": schema}),
    ] {
        let tool = Tool::read(&tool).unwrap();
        assert_eq!(tool.property("a"), Some(&json!({"enum": ["x", "y"]})));
        assert_eq!(tool.property("c"), Some(&json!({"type": "integer"})));
        assert_eq!(tool.property("e"), Some(&json!({})));
        assert_eq!(tool.property("f"), Some(&json!({"enum": ["x"]})));
        assert_eq!((tool.property("d"), tool.property("z")), (None, None));
    }
    let broken = plain(&json!({"type": "objet", "properties": {"a": {"type": "string"}}}));
    assert_eq!(broken.property("a"), Some(&json!({"type": "string"})));
}

#[test]
fn blank_arguments_are_an_empty_object_where_nothing_is_required() {
    let tool = plain(&json!({"type": "object", "properties": {"a": {}}}));
    let (arguments, repair) = tool.fill_empty(Trust::Likely).unwrap();
    assert_eq!((arguments, repair.rule), (json!({}), "empty-arguments"));
    assert_eq!(tool.fill_empty(Trust::Exact), None);
    let tool = plain(&json!({"type": "object", "required": ["a"]}));
    assert_eq!(tool.fill_empty(Trust::Guess), None);
}

#[test]
fn effects_come_from_hints_annotations_and_names() {
    let effect = |tool: Value| Tool::read(&tool).unwrap().effect();
    assert_eq!(effect(json!({"name": "mcp__fs__read_file"})), Effect::ReadOnly);
    assert_eq!(effect(json!({"name": "str_replace_editor"})), Effect::Mutating);
    assert_eq!(effect(json!({"name": "Bash"})), Effect::Mutating);
    assert_eq!(effect(json!({"name": "frobnicate"})), Effect::Unknown);
    let annotated = json!({"name": "frobnicate", "annotations": {"readOnlyHint": true}});
    assert_eq!(effect(annotated), Effect::ReadOnly);
    let hinted = json!({"name": "read", "x-toolmend": {"mutating": true}});
    assert_eq!(effect(hinted), Effect::Mutating);
}

#[test]
fn what_came_of_arguments_is_counted_and_each_repair_by_its_rule() {
    let days = json!({"type": "object", "required": ["days"],
        "properties": {"days": {"type": "integer"}, "city": {"type": "string"}}});
    let (tool, counters) = (plain(&days), Counters::default());
    for arguments in [json!({"days": 1}), json!({"days": 2, "city": null}), json!({"days": []})] {
        counters.record(&tool.repair(arguments, Trust::Likely));
    }
    let counts = counters.snapshot();
    assert_eq!((counts.untouched, counts.mended, counts.invalid), (1, 1, 1));
    let fired = |(_, count): &&(&str, u64)| *count > 0;
    let fired: Vec<_> = counts.by_rule.iter().filter(fired).copied().collect();
    assert_eq!(fired, [("null-stripped", 1)]);
    let value = counts.to_value();
    assert_eq!((&value["null_stripped"], &value["invalid"]), (&json!(1), &json!(1)));
}
