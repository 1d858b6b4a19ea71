//! What a host is told about its tools.

use serde_json::{Value, json};
use toolmend_schema::{Finding, Flatten, Linted, lint};

/// A finding as the command prints it.
fn told(finding: &Finding) -> String {
    let Finding { code, is_error, path, message, help, .. } = finding;
    let level = if *is_error { "error" } else { "warning" };
    format!("{level} {code} {path}: {message}; {help}")
}

fn lint_one(tool: &Value, flatten: Flatten) -> Linted {
    lint(std::slice::from_ref(tool), flatten).remove(0)
}

/// Checks what is told about each of these tools alone.
fn check(rows: &[(Value, &[&str])]) {
    for (tool, wanted) in rows {
        let found = lint_one(tool, Flatten::Off);
        let found: Vec<String> = found.findings.iter().map(told).collect();
        assert_eq!(found, *wanted, "{tool}");
    }
}

fn plain(schema: &Value) -> Value {
    json!({"name": "f", "parameters": schema})
}

#[test]
fn a_tool_needs_a_name_and_a_schema_that_compiles() {
    check(&[
        (
            json!({"parameters": {}}),
            &["error no-name : the tool has no name; give it a `name`, beside its schema"],
        ),
        (
            plain(&json!(5)),
            &["error no-schema : the schema of the tool is neither an object nor a boolean; \
               make `parameters` a JSON Schema, an object"],
        ),
        (
            plain(&json!({"type": "objet"})),
            &["error does-not-compile /parameters: the schema does not compile: /type: \"objet\" \
               is not valid under any of the schemas listed in the 'anyOf' keyword; correct the \
               schema; until then every call of the tool is let through"],
        ),
        (plain(&json!({"type": "object"})), &[]),
        (json!({"name": "f"}), &[]),
    ]);
    assert!(lint_one(&json!({}), Flatten::Off).tool.is_err());
    assert!(lint_one(&plain(&json!({})), Flatten::Off).tool.is_ok());
    assert_eq!(lint(&[], Flatten::Off).len(), 0);
}

#[test]
fn a_place_is_told_in_the_form_of_the_tool() {
    let schema = json!({"type": "object", "x-toolmend": 1});
    for (tool, place) in [
        (json!({"function": {"name": "f", "parameters": schema}}), "/function/parameters"),
        (json!({"name": "f", "parameters": schema}), "/parameters"),
        (json!({"name": "f", "input_schema": schema}), "/input_schema"),
        (json!({"name": "f", "inputSchema": schema}), "/inputSchema"),
    ] {
        let found = lint_one(&tool, Flatten::Off);
        let place = format!("{place}/x-toolmend");
        assert_eq!(found.hinted, [place.as_str()]);
        assert_eq!(found.findings.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(), [place]);
    }
}

#[test]
fn hints_are_listed_wherever_they_stand() {
    let leaf = json!({"x-toolmend": {"semantic": "path"}});
    let tool = json!({"type": "function", "function": {
        "name": "f", "x-toolmend": {"mutating": true}, "contract_hint": "Once.",
        "parameters": {"type": "object", "contract_hint": "Twice.", "dirge-hints": {},
            "properties": {
                "a/b": {"type": "string", "x-dirge-kind": "path"},
                "list": {"items": leaf, "prefixItems": [{}, leaf]},
                "union": {"anyOf": [{"type": "null"}, leaf]},
                "value": {"enum": [{"x-toolmend": {}}], "default": {"x-toolmend": {}}},
            },
            "$defs": {"d": leaf},
            "x-other": [leaf], "additionalProperties": false},
    }});
    let found = lint_one(&tool, Flatten::Off);
    assert_eq!(
        found.hinted,
        [
            "/function/contract_hint",
            "/function/x-toolmend",
            "/function/parameters/contract_hint",
            "/function/parameters/dirge-hints",
            "/function/parameters/properties/a~1b/x-dirge-kind",
            "/function/parameters/properties/list/items/x-toolmend",
            "/function/parameters/properties/list/prefixItems/1/x-toolmend",
            "/function/parameters/properties/union/anyOf/1/x-toolmend",
            "/function/parameters/$defs/d/x-toolmend",
        ]
    );
    assert_eq!(found.findings, []);
}

/// Checks the one thing that is told about each of these tools: that a hint is unknown, or unread.
fn check_hints(rows: &[(Value, &str, &str)]) {
    for (tool, at, help) in rows {
        let key = at.rsplit('/').next().unwrap_or_default();
        let unknown = format!("there is no hint `{key}` here, so it does nothing");
        let unread = "the hint cannot be read, so it does nothing";
        let message = if at.starts_with("unknown") { unknown.as_str() } else { unread };
        check(&[(tool.clone(), &[&format!("error {at}: {message}; {help}")])]);
    }
}

fn hinted(hints: &Value) -> Value {
    json!({"name": "f", "x-toolmend": hints})
}

#[test]
fn a_hint_that_nobody_knows_is_told() {
    let property = plain(&json!({"properties": {"a": {"x-toolmend": {"trust": "exact"}}}}));
    check_hints(&[
        (
            hinted(&json!({"mutatin": true})),
            "unknown-hint /x-toolmend/mutatin",
            "did you mean `mutating`?",
        ),
        (
            hinted(&json!({"semantic": "path"})),
            "unknown-hint /x-toolmend/semantic",
            "`semantic` belongs to a property",
        ),
        (
            hinted(&json!({"colour": 1})),
            "unknown-hint /x-toolmend/colour",
            "known here: `mutating`, `storm_exempt`, `truncation`, `trust`, `contract_hint`, \
             `relational`, `aliases`",
        ),
        (
            property,
            "unknown-hint /parameters/properties/a/x-toolmend/trust",
            "`trust` belongs to the tool: beside its name, or at the root of its schema",
        ),
    ]);
}

#[test]
fn a_hint_of_the_wrong_kind_is_told() {
    let table = "it is an object with a member for each name";
    check_hints(&[
        (hinted(&json!([])), "bad-hint /x-toolmend", "hints stand in an object"),
        (hinted(&json!("path")), "bad-hint /x-toolmend", "hints stand in an object"),
        (
            hinted(&json!({"mutating": "yes"})),
            "bad-hint /x-toolmend/mutating",
            "it is `true` or `false`",
        ),
        (
            hinted(&json!({"truncation": "drop"})),
            "bad-hint /x-toolmend/truncation",
            "it is one of continue, close, refuse",
        ),
        (
            hinted(&json!({"trust": 1})),
            "bad-hint /x-toolmend/trust",
            "it is one of exact, likely, guess",
        ),
        (
            hinted(&json!({"contract_hint": 1})),
            "bad-hint /x-toolmend/contract_hint",
            "it is a text",
        ),
        (hinted(&json!({"relational": {}})), "bad-hint /x-toolmend/relational", "it is a list"),
        (hinted(&json!({"aliases": []})), "bad-hint /x-toolmend/aliases", table),
    ]);
    let property = |hints: Value| plain(&json!({"properties": {"a": {"x-toolmend": hints}}}));
    let at = "bad-hint /parameters/properties/a/x-toolmend";
    check_hints(&[
        (property(json!({"semantic": 1})), &format!("{at}/semantic"), "it is a text"),
        (property(json!({"aliases": {}})), &format!("{at}/aliases"), "it is a list"),
    ]);
}

#[test]
fn a_relation_that_cannot_be_read_is_told() {
    let parts = "a relation has `requires` and `defaults`";
    let table = "it is an object with a member for each name";
    let object = "a relation is an object with `requires` and `defaults`";
    for (relation, at, help) in [
        (json!(1), "", object),
        (json!({"requires": []}), "", parts),
        (json!({"defaults": {}}), "", parts),
        (json!({"fields": [], "default": []}), "/default", table),
        (json!({"requires": 1, "default": {}}), "/requires", "it is a list"),
    ] {
        let tool = hinted(&json!({"relational": [relation]}));
        check_hints(&[(tool, &format!("bad-hint /x-toolmend/relational/0{at}"), help)]);
    }
}

#[test]
fn a_hint_about_no_property_is_told() {
    let tool = |hints: Value| {
        let schema = json!({"properties": {"offset": {}, "limit": {}}});
        json!({"name": "f", "x-toolmend": hints, "parameters": schema})
    };
    let unknown = "error unknown-property /x-toolmend";
    let no_such = "and there is no such property";
    let name = "name a property of the tool, or drop the hint";
    check(&[
        (
            tool(json!({"aliases": {"limit": ["max"], "ofset": ["from"]}})),
            &[&format!(
                "{unknown}/aliases: the hint is about `ofset`, {no_such}; did you mean `offset`?"
            )],
        ),
        (
            tool(json!({"relational": [{"requires": ["limit", "start"], "defaults": {"end": 1}}]})),
            &[
                &format!(
                    "{unknown}/relational/0/defaults: the hint is about `end`, {no_such}; {name}"
                ),
                &format!("{unknown}/relational/0: the hint is about `start`, {no_such}; {name}"),
            ],
        ),
        (
            tool(
                json!({"relational": [{"fields": ["limit", "offset"], "default": {"offset": 1}}]}),
            ),
            &[],
        ),
        // Where no property is named, any may be there.
        (json!({"name": "f", "x-toolmend": {"aliases": {"a": ["b"]}}}), &[]),
    ]);
}

#[test]
fn a_name_that_is_required_is_described() {
    let at = "/parameters/required:";
    check(&[
        (
            plain(&json!({"properties": {"path": {}}, "required": ["path", "pth", "mode"]})),
            &[
                &format!(
                    "warning required-unknown {at} `pth` is required, and there is no such property; did you mean `path`?"
                ),
                &format!(
                    "warning required-unknown {at} `mode` is required, and there is no such property; describe `mode` \
                     among the properties, or do not require it"
                ),
            ],
        ),
        (
            plain(&json!({"required": ["mode"], "additionalProperties": false})),
            &[&format!(
                "error required-unknown {at} `mode` is required, and no member of that name is allowed; describe `mode` \
                 among the properties, or do not require it"
            )],
        ),
        (
            plain(&json!({"properties": {"o": {"required": ["x"], "additionalProperties": {}}}})),
            &[
                "warning required-unknown /parameters/properties/o/required: `x` is required, and there is no such \
               property; describe `x` among the properties, or do not require it",
            ],
        ),
        // These may have it from elsewhere.
        (plain(&json!({"required": ["x"], "$ref": "#/$defs/d", "$defs": {"d": {}}})), &[]),
        (plain(&json!({"required": ["x"], "oneOf": [{}]})), &[]),
        (plain(&json!({"required": ["x"], "patternProperties": {"^x": {}}})), &[]),
        (plain(&json!({"properties": {"x": {}}, "anyOf": [{"required": ["x"]}]})), &[]),
        (plain(&json!({"if": {"required": ["x"]}, "then": {"required": ["y"]}})), &[]),
    ]);
}

#[test]
fn names_that_cannot_be_told_apart_are_told() {
    let tools = ["read_file", "readFile", "write", "run", "run"].map(|name| json!({"name": name}));
    let found = lint(&tools, Flatten::Off);
    let alike = "a name in any third spelling is refused: rename one to have it mended";
    let twice = "error same-name : another tool is called `run` too; a call cannot say which of \
                 them it means: rename one";
    let of = |n: usize| found[n].findings.iter().map(told).collect::<Vec<_>>();
    let collides = |other| {
        format!(
            "warning names-collide : but for case and separators it is called as `{other}`; {alike}"
        )
    };
    assert_eq!(of(0), [collides("readFile")]);
    assert_eq!(of(1), [collides("read_file")]);
    assert_eq!(of(2), [""; 0]);
    assert_eq!((of(3), of(4)), (vec![twice.to_owned()], vec![twice.to_owned()]));
}

#[test]
fn a_tool_in_which_models_lose_their_way_is_told() {
    let deep = json!({"properties": {"a": {"properties": {"b": {"properties": {"c": {}}}}}}});
    let dotted = json!({"properties": {"a": {"properties": {"b": {"properties": {"c.d": {}}}}}}});
    let large = "warning large /parameters: 1 leaf, depth 3: small models lose their way in it; \
                 show it with flat names, or split the tool";
    let not_flat = "warning not-flat /parameters: 1 leaf, depth 3, and no flat names: a name has a \
                    dot or a bracket of its own; nothing is lost; models that lose their way in \
                    deep objects will here too";
    for (schema, flatten, wanted) in [
        (&deep, Flatten::Off, Some(large)),
        (&deep, Flatten::default(), None),
        (&deep, Flatten::Always, None),
        // What a host bounds differently is as it wants it.
        (&deep, Flatten::Over { leaves: 9, depth: 9 }, None),
        (&dotted, Flatten::Always, Some(not_flat)),
        (&dotted, Flatten::Off, None),
        (&json!({"properties": {"a": {}}}), Flatten::Off, None),
    ] {
        let found = lint_one(&plain(schema), flatten);
        let found: Vec<String> = found.findings.iter().map(told).collect();
        assert_eq!(found.first().map(String::as_str), wanted, "{schema} {flatten:?}");
        assert!(found.len() <= 1);
    }
}
