//! Schemas as tools have them, in two drafts, and values that satisfy them.

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
        usize::try_from((self.next() >> 11) % bound).unwrap_or_default()
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

/// How deep a schema that refers to itself is filled in.
const DEPTH_MAX: usize = 6;

/// The drafts that write some things differently.
#[derive(Clone, Copy, PartialEq)]
enum Draft {
    Seven,
    Newest,
}

impl Draft {
    fn definitions(self) -> &'static str {
        if self == Self::Seven { "definitions" } else { "$defs" }
    }

    fn reference(self, name: &str) -> Value {
        json!({"$ref": format!("#/{}/{name}", self.definitions())})
    }
}

/// A schema of arguments.
pub(crate) fn arguments(rng: &mut Rng) -> Value {
    let draft = if rng.one_in(3) { Draft::Seven } else { Draft::Newest };
    let mut schema = object(rng, draft, 3, &NAMES);
    if draft == Draft::Seven {
        schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    }
    schema[draft.definitions()] = json!({
        "word": {"type": "string", "enum": ["red", "green", "blue"]},
        "point": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}},
            "required": ["x", "y"], "additionalProperties": false},
        "tree": {"type": "object", "properties": {"label": {"type": "string"}, "size": {"type": "integer"},
            "children": {"type": "array", "items": draft.reference("tree")}}, "required": ["label"]},
    });
    schema
}

fn object(rng: &mut Rng, draft: Draft, depth: usize, names: &[&str]) -> Value {
    let mut properties = Map::new();
    for _ in 0..=rng.below(5) {
        properties.insert((*rng.pick(names)).to_owned(), value(rng, draft, depth));
    }
    let required: Vec<String> = properties.keys().filter(|_| !rng.one_in(3)).cloned().collect();
    let mut schema = json!({"type": "object", "properties": properties, "required": required});
    match rng.below(8) {
        0 | 1 => schema["additionalProperties"] = json!(false),
        2 => schema["additionalProperties"] = json!(true),
        3 => schema["additionalProperties"] = leaf(rng, draft),
        4 => {
            schema["patternProperties"] = json!({"^x_": leaf(rng, draft)});
            schema["additionalProperties"] = json!(false);
        }
        _ => {}
    }
    schema
}

fn leaf(rng: &mut Rng, draft: Draft) -> Value {
    match rng.below(20) {
        0 | 1 => json!({"type": "string", "description": "A text, or a value as JSON"}),
        2 => json!({"type": "integer", "minimum": -100}),
        3 => json!({"type": "number"}),
        4 => json!({"type": "boolean"}),
        5 => {
            let at = rng.below(4);
            json!({"type": "string", "enum": WORDS[at..at + 4]})
        }
        6 => draft.reference("word"),
        7 => json!({"type": ["integer", "string"]}),
        8 => json!({"type": ["string", "null"]}),
        9 => json!({"type": "string", "minLength": 1, "maxLength": 12}),
        10 => json!({"type": "integer", "minimum": 0, "maximum": 50}),
        11 => json!({"type": "number", "exclusiveMinimum": -1, "multipleOf": 0.25}),
        12 => json!({"const": *rng.pick(&WORDS)}),
        13 => json!({"enum": [1, 2, 3]}),
        14 => json!({"type": "integer", "nullable": true}),
        15 => json!({"type": "string", "format": "date"}),
        16 => json!({"type": "string", "pattern": "^[A-Z]{2}[0-9]$"}),
        17 => json!({"type": "integer", "default": 10}),
        18 => json!({"type": "string", "x-toolmend": {"semantic": "path"}}),
        _ => json!(true),
    }
}

fn value(rng: &mut Rng, draft: Draft, depth: usize) -> Value {
    let Some(deeper) = depth.checked_sub(1) else { return leaf(rng, draft) };
    match rng.below(27) {
        0 | 1 => json!({"type": "array", "items": value(rng, draft, deeper)}),
        2 => {
            let items = value(rng, draft, deeper);
            json!({"type": "array", "items": items, "minItems": 1, "maxItems": 3})
        }
        3 => tuple(rng, draft, deeper),
        4 | 5 => object(rng, draft, deeper, &NAMES),
        6 => json!({"anyOf": [value(rng, draft, deeper), {"type": "null"}]}),
        7 => json!({"anyOf": [value(rng, draft, deeper), value(rng, draft, deeper)]}),
        8 => json!({"oneOf": [value(rng, draft, deeper), value(rng, draft, deeper)]}),
        9 => {
            let branch = |rng: &mut Rng, kind: &str| {
                let mut branch = object(rng, draft, deeper, &NAMES);
                branch["properties"]["kind"] = json!({"const": kind});
                branch["required"].as_array_mut().unwrap().push(json!("kind"));
                branch
            };
            json!({"oneOf": [branch(rng, "file"), branch(rng, "page")]})
        }
        10 => {
            let open = |rng: &mut Rng, names: &[&str]| {
                let mut part = object(rng, draft, deeper, names);
                for keyword in ["additionalProperties", "patternProperties"] {
                    part.as_object_mut().unwrap().shift_remove(keyword);
                }
                part
            };
            json!({"allOf": [open(rng, &NAMES[..8]), open(rng, &NAMES[8..])]})
        }
        11 => draft.reference("point"),
        12 => draft.reference("tree"),
        13 => json!({"type": "object", "additionalProperties": value(rng, draft, deeper)}),
        14 => json!({"allOf": [leaf(rng, draft), true]}),
        _ => leaf(rng, draft),
    }
}

fn tuple(rng: &mut Rng, draft: Draft, depth: usize) -> Value {
    let items: Vec<Value> = (0..=rng.below(2)).map(|_| value(rng, draft, depth)).collect();
    match draft {
        Draft::Seven => {
            json!({"type": "array", "items": items, "additionalItems": false, "minItems": items.len()})
        }
        Draft::Newest => {
            json!({"type": "array", "prefixItems": items, "items": false, "minItems": items.len()})
        }
    }
}

/// A value, and the subschemas that it was made by, with their places.
pub(crate) struct Made<'s> {
    pub(crate) value: Value,
    pub(crate) places: Vec<(String, &'s Value)>,
}

/// A value that satisfies a schema made here; where branches of a union overlap, perhaps not.
pub(crate) fn instance<'s>(rng: &mut Rng, schema: &'s Value) -> Made<'s> {
    let mut maker = Maker { rng, root: schema, places: Vec::new() };
    let value = maker.make(schema, "", 0);
    Made { value, places: maker.places }
}

struct Maker<'m, 's> {
    rng: &'m mut Rng,
    root: &'s Value,
    places: Vec<(String, &'s Value)>,
}

impl<'s> Maker<'_, 's> {
    fn make(&mut self, schema: &'s Value, path: &str, depth: usize) -> Value {
        if let Some(target) = schema["$ref"].as_str() {
            return self.make(self.root.pointer(&target[1..]).unwrap(), path, depth);
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(branches) = schema[union].as_array() {
                let branch = self.rng.below(branches.len());
                return self.make(&branches[branch], path, depth);
            }
        }
        if let Some(parts) = schema["allOf"].as_array() {
            return self.make_parts(parts, path, depth);
        }
        self.places.push((path.to_owned(), schema));
        if let Some(word) = schema.get("const") {
            return word.clone();
        }
        if let Some(words) = schema["enum"].as_array() {
            return self.rng.pick(words).clone();
        }
        if schema["nullable"] == true && self.rng.one_in(3) {
            return Value::Null;
        }
        let kind = match &schema["type"] {
            Value::Array(names) => self.rng.pick(names).as_str().unwrap().to_owned(),
            Value::String(name) => name.clone(),
            _ => (*self.rng.pick(&["string", "integer", "null", "boolean"])).to_owned(),
        };
        match kind.as_str() {
            "array" => self.items(schema, path, depth),
            "object" => self.members(schema, path, depth),
            kind => self.scalar(schema, kind),
        }
    }

    fn make_parts(&mut self, parts: &'s [Value], path: &str, depth: usize) -> Value {
        let mut made = parts.iter().filter(|part| part.is_object());
        let first = made.next().unwrap_or(&parts[0]);
        let mut whole = self.make(first, path, depth);
        for part in made {
            let more = self.make(part, path, depth);
            // What the parts allow beside their properties must not stand twice.
            let more = more.as_object().unwrap().iter().map(|(k, v)| (k.clone(), v.clone()));
            whole.as_object_mut().unwrap().extend(more);
        }
        whole
    }

    fn scalar(&mut self, schema: &Value, kind: &str) -> Value {
        let rng = &mut *self.rng;
        let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
        let least = if schema["exclusiveMinimum"].is_i64() { Some(0) } else { least };
        let least = least.unwrap_or(-100);
        let span = usize::try_from(most.unwrap_or(200) - least).unwrap();
        let small = |rng: &mut Rng| least + i64::try_from(rng.below(span)).unwrap();
        match kind {
            "string" if schema["x-toolmend"].is_object() => json!("src/notes.md"),
            "integer" if schema["default"].is_i64() && rng.one_in(2) => schema["default"].clone(),
            "string" if schema["format"] == "date" => json!("2026-05-04"),
            "string" if schema["pattern"].is_string() => json!("AB7"),
            "string" if schema["minLength"].is_u64() => {
                let fits = |text: &&str| (1..=12).contains(&text.chars().count());
                json!(*rng.pick(&TEXTS.into_iter().filter(|text| fits(text)).collect::<Vec<_>>()))
            }
            "string" => json!(*rng.pick(&TEXTS)),
            "integer" => json!(small(rng)),
            "number" if rng.one_in(2) => json!(small(rng)),
            "number" => serde_json::from_str(&format!("{}.25", small(rng))).unwrap(),
            "boolean" => json!(rng.one_in(2)),
            _ => Value::Null,
        }
    }

    fn items(&mut self, schema: &'s Value, path: &str, depth: usize) -> Value {
        let tuple = schema["prefixItems"].as_array().or(schema["items"].as_array());
        let least = usize::try_from(schema["minItems"].as_u64().unwrap_or(0)).unwrap();
        let count = if depth > DEPTH_MAX { least } else { least.max(self.rng.below(4)) };
        let count = tuple.map_or(count, Vec::len);
        let item = |index: usize| match tuple {
            Some(tuple) => &tuple[index],
            None => &schema["items"],
        };
        (0..count).map(|at| self.make(item(at), &format!("{path}/{at}"), depth + 1)).collect()
    }

    fn members(&mut self, schema: &'s Value, path: &str, depth: usize) -> Value {
        let mut members = Map::new();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            let is_wanted = depth <= DEPTH_MAX && self.rng.one_in(2);
            if is_wanted || required.iter().any(|r| r == name) {
                members
                    .insert(name.clone(), self.make(inner, &format!("{path}/{name}"), depth + 1));
            }
        }
        let patterned = schema["patternProperties"].get("^x_").map(|inner| ("x_first", inner));
        let others = match &schema["additionalProperties"] {
            Value::Object(_) => Some(("extraKey", &schema["additionalProperties"])),
            Value::Bool(false) => None,
            _ => {
                if self.rng.one_in(6) {
                    members.insert("extraKey".to_owned(), json!(*self.rng.pick(&TEXTS)));
                }
                None
            }
        };
        for (name, inner) in patterned.into_iter().chain(others).filter(|_| depth <= DEPTH_MAX) {
            if self.rng.one_in(2) {
                members.insert(
                    name.to_owned(),
                    self.make(inner, &format!("{path}/{name}"), depth + 1),
                );
            }
        }
        Value::Object(members)
    }
}
