//! Schemas as tools have them, and values that satisfy them.

use serde_json::{Map, Value, json};

/// A seeded generator: the same seed gives the same schemas.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(1);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }

    pub(crate) fn one_in(&mut self, odds: usize) -> bool {
        self.below(odds) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

const NAMES: [&str; 16] = [
    "query",
    "max_results",
    "verbose",
    "tags",
    "item_name",
    "options",
    "retry_count",
    "mode",
    "user_id",
    "items_list",
    "start_line",
    "config",
    "label",
    "ratio",
    "include_hidden",
    "targets",
];

/// Texts that look like something else.
const TEXTS: [&str; 18] = [
    "hello",
    "0123",
    "null",
    "true",
    "[1,2]",
    "{\"a\":1}",
    "5",
    "a, b",
    "",
    "x</arg_value>",
    "None",
    "-1.5",
    "['a']",
    "two\nlines",
    "NaN",
    "grüße",
    "[a](http://a)",
    "1e3",
];

const WORDS: [&str; 8] =
    ["active", "idle", "Paused", "in_progress", "done", "by-name", "ASC", "none"];

/// A schema of arguments.
pub(crate) fn arguments(rng: &mut Rng) -> Value {
    let mut schema = object(rng, 3);
    let defs = json!({"word": {"type": "string", "enum": ["red", "green", "blue"]},
        "point": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
            "required": ["x", "y"], "additionalProperties": false}});
    schema["$defs"] = defs;
    schema
}

fn object(rng: &mut Rng, depth: usize) -> Value {
    let mut properties = Map::new();
    for _ in 0..=rng.below(5) {
        properties.insert((*rng.pick(&NAMES)).to_owned(), value(rng, depth));
    }
    let required: Vec<String> = properties.keys().filter(|_| !rng.one_in(3)).cloned().collect();
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    match rng.below(4) {
        0 => schema["additionalProperties"] = json!(false),
        1 => schema["additionalProperties"] = json!(true),
        _ => {}
    }
    schema
}

fn value(rng: &mut Rng, depth: usize) -> Value {
    let kinds = if depth == 0 { 9 } else { 16 };
    match rng.below(kinds) {
        0 | 1 => json!({"type": "string"}),
        2 => json!({"type": "integer", "minimum": -100}),
        3 => json!({"type": "number"}),
        4 => json!({"type": "boolean"}),
        5 => {
            let at = rng.below(4);
            json!({"type": "string", "enum": WORDS[at..at + 4]})
        }
        6 => json!({"$ref": "#/$defs/word"}),
        7 => json!({"type": ["integer", "string"]}),
        8 => json!({"type": ["string", "null"]}),
        9 | 10 => json!({"type": "array", "items": value(rng, depth - 1)}),
        11 | 12 => object(rng, depth - 1),
        13 => json!({"anyOf": [value(rng, depth - 1), {"type": "null"}]}),
        14 => json!({"anyOf": [value(rng, depth - 1), value(rng, depth - 1)]}),
        _ => json!({"$ref": "#/$defs/point"}),
    }
}

/// A value that satisfies a schema made here; `root` has the definitions.
pub(crate) fn instance(rng: &mut Rng, schema: &Value, root: &Value) -> Value {
    if let Some(target) = schema["$ref"].as_str() {
        return instance(rng, root.pointer(&target[1..]).unwrap(), root);
    }
    if let Some(branches) = schema["anyOf"].as_array() {
        let branch = rng.below(branches.len());
        return instance(rng, &branches[branch], root);
    }
    if let Some(words) = schema["enum"].as_array() {
        return rng.pick(words).clone();
    }
    let kind = match &schema["type"] {
        Value::Array(names) => rng.pick(names).as_str().unwrap_or_default().to_owned(),
        name => name.as_str().unwrap_or_default().to_owned(),
    };
    let small = |rng: &mut Rng| i64::try_from(rng.below(300)).unwrap() - 100;
    match kind.as_str() {
        "string" => json!(*rng.pick(&TEXTS)),
        "integer" => json!(small(rng)),
        "number" if rng.one_in(2) => json!(small(rng)),
        "number" => serde_json::from_str(&format!("{}.25", small(rng))).unwrap(),
        "boolean" => json!(rng.one_in(2)),
        "null" => Value::Null,
        "array" => {
            let items = rng.below(4);
            (0..items).map(|_| instance(rng, &schema["items"], root)).collect()
        }
        _ => members(rng, schema, root),
    }
}

fn members(rng: &mut Rng, schema: &Value, root: &Value) -> Value {
    let mut members = Map::new();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        if required.iter().any(|r| r == name) || rng.one_in(2) {
            members.insert(name.clone(), instance(rng, inner, root));
        }
    }
    if schema["additionalProperties"] != false && rng.one_in(6) {
        members.insert("extraKey".to_owned(), json!(*rng.pick(&TEXTS)));
    }
    Value::Object(members)
}
