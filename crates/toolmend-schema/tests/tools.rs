//! Tools in the forms of each vendor, the types of raw text, and what a call does to the world.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::{Map, Value, json};
use toolmend_json::Want;
use toolmend_schema::{Counters, Effect, Flatten, Outline, Rule, Tool, ToolError, Trust};

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
        "t": {"type": ["string", "boolean", "array", "null"]},
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
        // What none of the types is stays text, also where it is a value of another.
        ("i", "null", json!("null")),
        ("i", "true", json!("true")),
        ("b", "5", json!("5")),
        ("b", "[1]", json!("[1]")),
        // A whole number has no fraction, however it is written.
        ("i", "42.0", json!(42)),
        // Where a text is right, only JSON is something else.
        ("t", "true", json!(true)),
        ("t", "True", json!("True")),
        ("t", "['a']", json!("['a']")),
        ("t", "[\"a\"]", json!(["a"])),
        ("t", "None", json!("None")),
        ("t", "null", json!(null)),
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
    }, "allOf": [{"properties": {"f": {"enum": ["x"]}, "g": {"allOf": [{}, true]}}}], "$defs": {
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
        assert_eq!(tool.property("g"), Some(&json!({"allOf": [{}, true]})));
        assert_eq!((tool.property("d"), tool.property("z")), (None, None));
    }
    let broken = plain(&json!({"type": "objet", "properties": {"a": {"type": "string"}}}));
    assert_eq!(broken.property("a"), Some(&json!({"type": "string"})));
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
    for (annotations, wanted) in [
        (json!({"readOnlyHint": true, "destructiveHint": true}), Effect::ReadOnly),
        (json!({"readOnlyHint": false, "destructiveHint": false}), Effect::Mutating),
        (json!({"destructiveHint": true}), Effect::Mutating),
        // What destroys nothing may change something all the same.
        (json!({"destructiveHint": false}), Effect::Unknown),
        (json!({"readOnlyHint": "yes"}), Effect::Unknown),
    ] {
        let tool = json!({"name": "frobnicate", "annotations": annotations});
        assert_eq!(effect(tool), wanted, "{annotations}");
    }
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

#[test]
fn the_reader_is_told_the_names_and_the_shape_of_arguments() {
    let inner = json!({"type": "array", "items": {"properties": {"b": {}}}});
    let tool = plain(&json!({"type": "object", "properties": {"a": inner}, "required": ["c"]}));
    assert_eq!(tool.keys().iter().map(String::as_str).collect::<String>(), "abc");
    for (schema, want) in [
        (json!({"type": "object"}), Want::Object),
        (json!({"type": ["object", "null"]}), Want::Object),
        (json!({"type": ["object", "array"]}), Want::Object),
        (json!({"type": "array"}), Want::Array),
        (json!({"type": "string"}), Want::Any),
        (json!({"type": "objet"}), Want::Object),
    ] {
        assert_eq!(plain(&schema).expected().want(), want, "{schema}");
    }
    let outline = Outline::of(tool.source());
    for expected in [tool.expected(), outline.expected(Want::Object)] {
        assert_eq!(expected.want(), Want::Object);
        assert!(["a", "b", "c"].iter().all(|key| expected.has_key(key)));
        assert!(!expected.has_key("d"));
    }
}

#[test]
fn what_a_property_takes_is_told_in_words() {
    let tool = plain(&json!({"type": "object", "properties": {
        "list": {"type": "array"},
        "anything": {"type": "array", "items": {}},
        "rows": {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
        "deep": {"items": {"items": {"items": {"items": {"type": "null"}, "type": "array"},
            "type": "array"}, "type": "array"}, "type": "array"},
        "tree": {"$ref": "#/$defs/tree"},
        "any": {},
        "word": {"enum": ["x", 1]},
        "either": {"type": ["number", "null"]},
    }, "$defs": {"tree": {"type": "object", "required": ["name"], "properties": {
        "name": {"type": "string"}, "left": {"$ref": "#/$defs/tree"}}}}}));
    let tree = "object {name: string, left?: object {name: string, left?: \
        object {name: string, left?: object}}}";
    for (key, words) in [
        ("list", "array"),
        ("anything", "array"),
        ("rows", "array of array of integer"),
        ("deep", "array of array of array of array"),
        ("tree", tree),
        ("any", "any value"),
        ("word", "one of \"x\", 1"),
        ("either", "number or null"),
    ] {
        assert_eq!(tool.shape(key).as_deref(), Some(words), "{key}");
    }
    assert_eq!(tool.shape("unknown"), None);
}

#[test]
fn a_tool_that_is_larger_than_the_bounds_is_shown_with_flat_names() {
    let leaves = |count: usize| {
        let members = (0..count).map(|n| (format!("p{n}"), json!({"type": "string"})));
        Value::Object(members.collect())
    };
    let deep = json!({"a": {"properties": {"b": {"properties": {"c": {"type": "string"}}}}}});
    for (properties, is_flat, size) in [
        (json!({"only": {"type": "string"}}), false, "1 leaf, depth 1"),
        (json!({"o": {"properties": leaves(10)}}), false, "10 leaves, depth 2"),
        (json!({"o": {"properties": leaves(11)}}), true, "11 leaves, depth 2"),
        // There is nothing to make flat.
        (leaves(11), false, "11 leaves, depth 1"),
        (deep, true, "1 leaf, depth 3"),
    ] {
        let shown = plain(&json!({"properties": properties})).shown(Flatten::default());
        assert_eq!((shown.is_flat, shown.size().as_str()), (is_flat, size));
    }
}

#[test]
fn no_hint_is_shown_to_the_model() {
    let leaf = json!({"type": "string", "x-toolmend": {"semantic": "path"}});
    let bare = json!({"type": "string"});
    let schema = |leaf: &Value| {
        json!({"properties": {"a": leaf, "b": {"anyOf": [leaf, {"items": leaf}]}},
            "additionalProperties": leaf, "$defs": {"d": {"prefixItems": [leaf]}}})
    };
    // A value that has the name of a hint is none.
    let mut tool = json!({"name": "f", "input_schema": schema(&leaf), "x-toolmend": {}});
    tool["input_schema"]["default"] = json!({"x-toolmend": 1});
    let shown = Tool::read(&tool).unwrap().shown(Flatten::Off);
    let mut wanted = json!({"name": "f", "input_schema": schema(&bare)});
    wanted["input_schema"]["default"] = json!({"x-toolmend": 1});
    assert_eq!(shown.tool, wanted);
}

#[test]
fn a_rule_is_found_by_its_id_and_has_a_document() {
    for rule in Rule::ALL {
        assert_eq!(Rule::find(rule.id).map(|found| found.id), Some(rule.id));
        let sections: Vec<_> = rule.sections().collect();
        let headings: Vec<_> = sections.iter().map(|(heading, _)| *heading).collect();
        assert_eq!(headings, ["What it does", "Why models do it", "Example", "Trust"], "{rule:?}");
        assert!(sections.iter().all(|(_, text)| !text.is_empty() && !text.contains("## ")));
    }
    assert!(Rule::find("no-such-rule").is_none());
    let of_turn = Rule::ALL.iter().filter(|rule| rule.is_of_turn());
    let of_turn: Vec<_> = of_turn.map(|rule| rule.id).collect();
    assert_eq!(
        of_turn,
        ["tool-name", "empty-arguments", "empty-object-dropped", "tagged-arguments"]
    );
}
