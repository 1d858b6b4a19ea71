//! The inverse of each rule: what a model does to good arguments.

use serde_json::{Map, Value, json};
use toolmend_schema::Trust;

use crate::generate::{Made, Rng};

/// One kind of damage.
pub(crate) struct Damage {
    /// The rule that takes it back.
    pub(crate) rule: &'static str,
    /// How far that must be trusted.
    pub(crate) trust: Trust,
    /// Does it to a value, if it can be done: given the subschema and the value.
    pub(crate) to: fn(&Value, &Value) -> Option<Value>,
}

const fn exact(rule: &'static str, to: fn(&Value, &Value) -> Option<Value>) -> Damage {
    Damage { rule, trust: Trust::Exact, to }
}

const fn likely(rule: &'static str, to: fn(&Value, &Value) -> Option<Value>) -> Damage {
    Damage { rule, trust: Trust::Likely, to }
}

const fn guess(rule: &'static str, to: fn(&Value, &Value) -> Option<Value>) -> Damage {
    Damage { rule, trust: Trust::Guess, to }
}

pub(crate) const DAMAGES: &[Damage] = &[
    exact("null-stripped", |schema, value| {
        let absent = |name: &&String| value.get(name.as_str()).is_none();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        let optional = |name: &&String| !required.iter().any(|r| r == name.as_str());
        let name = schema["properties"].as_object()?.keys().filter(absent).find(optional)?;
        let mut members = value.as_object()?.clone();
        members.insert(name.clone(), Value::Null);
        Some(Value::Object(members))
    }),
    exact("string-to-null", |_, value| value.is_null().then(|| json!("null"))),
    exact("json-string-to-array", |_, value| value.is_array().then(|| json!(value.to_string()))),
    exact("json-string-to-object", |_, value| value.is_object().then(|| json!(value.to_string()))),
    exact("string-to-integer", |_, value| value.is_i64().then(|| json!(value.to_string()))),
    exact("string-to-number", |_, value| value.is_f64().then(|| json!(value.to_string()))),
    exact("string-to-boolean", |_, value| {
        Some(json!(if value.as_bool()? { "True" } else { "false" }))
    }),
    likely("object-to-array", |_, value| value.as_array()?.is_empty().then(|| json!({}))),
    likely("keyed-object-to-array", |_, value| {
        let items = value.as_array().filter(|items| !items.is_empty())?;
        let keyed = items.iter().enumerate().map(|(index, item)| (index.to_string(), item.clone()));
        Some(Value::Object(keyed.collect::<Map<_, _>>()))
    }),
    likely("bare-value-to-array", |_, value| {
        let [item] = value.as_array()?.as_slice() else { return None };
        // What these look like is told in the rule: they have two readings.
        let is_plain = match item {
            Value::String(text) => {
                !text.trim().is_empty()
                    && !text.contains([',', '\n'])
                    && !text.starts_with(['[', '{'])
            }
            Value::Object(members) => !members.is_empty(),
            Value::Null | Value::Array(_) => false,
            _ => true,
        };
        is_plain.then(|| item.clone())
    }),
    likely("single-item-unwrapped", |_, value| {
        let is_plain = !value.is_null() && !value.is_array() && !value.is_object();
        is_plain.then(|| json!([value]))
    }),
    likely("number-to-string", |_, value| {
        let number: Value = serde_json::from_str(value.as_str()?).ok()?;
        (number.is_number() && value == &number.to_string()).then_some(number)
    }),
    likely("boolean-to-string", |_, value| match value.as_str()? {
        "true" => Some(json!(true)),
        _ => None,
    }),
    likely("enum-case", |schema, value| {
        schema["enum"].as_array()?;
        Some(json!(value.as_str()?.to_uppercase().replace(['_', '-'], " ")))
    }),
    likely("markup-trimmed", |schema, value| {
        schema["enum"].as_array()?;
        Some(json!(format!("{}</arg_value>", value.as_str()?)))
    }),
    likely("key-renamed", |schema, value| {
        let names = schema["required"].as_array()?.iter().filter_map(Value::as_str);
        let name =
            names.into_iter().find(|name| name.contains('_') && value.get(*name).is_some())?;
        let camel: String = name.split('_').enumerate().map(|(at, word)| camel(at, word)).collect();
        let renamed = value.as_object()?.iter().map(|(key, value)| {
            (if key == name { camel.clone() } else { key.clone() }, value.clone())
        });
        Some(Value::Object(renamed.collect::<Map<_, _>>()))
    }),
    exact("arguments-renested", |schema, value| {
        let is_whole = |name: &String| {
            schema["required"].as_array().is_some_and(|r| r.iter().any(|r| r == name.as_str()))
                && schema["properties"][name]["properties"].is_object()
        };
        let members = value.as_object()?;
        let (name, inner) = members.iter().find(|(name, inner)| is_whole(name) && holds(inner))?;
        let known = &schema["properties"][name]["properties"];
        if inner.as_object()?.keys().any(|key| known.get(key).is_none()) {
            return None;
        }
        let mut flat = members.clone();
        flat.shift_remove(name);
        let inner = inner.as_object()?.iter();
        flat.extend(inner.map(|(key, value)| (format!("{name}.{key}"), value.clone())));
        Some(Value::Object(flat))
    }),
    exact("md-link-unwrapped", |schema, value| {
        schema["x-toolmend"].as_object()?;
        Some(json!(value.as_str()?.replace("notes.md", "[notes.md](http://notes.md)")))
    }),
    likely("arguments-unwrapped", |schema, value| {
        // Only the arguments as a whole are ever wrapped; their schema has the definitions.
        let is_root = schema.get("$defs").or(schema.get("definitions")).is_some();
        is_root.then(|| json!({"arguments": value}))
    }),
    guess("enum-nearest", |schema, value| {
        schema["enum"].as_array()?;
        let word = value.as_str().filter(|word| word.len() > 4)?;
        Some(json!(word[..word.len() - 1]))
    }),
    guess("schema-default", |schema, value| {
        let mut members = value.as_object()?.clone();
        let mut names = schema["required"].as_array()?.iter().filter_map(Value::as_str);
        let is_default = |name: &str, value: &Value| {
            schema["properties"][name].get("default").is_some_and(|default| default == value)
        };
        let name = names.find(|name| is_default(name, &value[*name]))?;
        members.shift_remove(name);
        Some(Value::Object(members))
    }),
    guess("unknown-key-dropped", |schema, value| {
        let mut members =
            value.as_object().filter(|_| schema["additionalProperties"] == false)?.clone();
        members.insert("zzz_reason".to_owned(), json!("because"));
        Some(Value::Object(members))
    }),
    likely("object-to-json-string", |schema, value| {
        // Where nothing says that a text is JSON, an object is no text.
        schema["description"].as_str()?;
        let object: Value = serde_json::from_str(value.as_str()?).ok()?;
        object.is_object().then_some(object)
    }),
    likely("single-member-unwrapped", |schema, value| {
        let text = value.as_str().unwrap_or("text");
        let is_plain = !value.is_null() && !value.is_array() && !value.is_object();
        // What may be JSON may be this object, and the name of a type is no value.
        let is_sure = !text.trim().is_empty() && schema["description"].is_null();
        (is_plain && is_sure).then(|| json!({"value": value}))
    }),
];

fn holds(value: &Value) -> bool {
    value.as_object().is_some_and(|members| !members.is_empty())
}

fn camel(at: usize, word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) if at > 0 => first.to_uppercase().chain(letters).collect(),
        _ => word.to_owned(),
    }
}

/// A value that was damaged at one place.
pub(crate) struct Damaged {
    pub(crate) value: Value,
    pub(crate) path: String,
}

/// Damages a value at one of the places where that can be done.
pub(crate) fn corrupt(rng: &mut Rng, damage: &Damage, made: &Made<'_>) -> Option<Damaged> {
    let able = made.places.iter().filter_map(|(path, schema)| {
        let damaged = (damage.to)(schema, made.value.pointer(path)?)?;
        Some((path, damaged))
    });
    let mut able: Vec<(&String, Value)> = able.collect();
    if able.is_empty() {
        return None;
    }
    let at = rng.below(able.len());
    let (path, damaged) = able.swap_remove(at);
    let mut value = made.value.clone();
    *value.pointer_mut(path)? = damaged;
    Some(Damaged { value, path: path.clone() })
}

/// Every way to read one value otherwise, likely or not: the schema is not asked.
pub(crate) fn readings(value: &Value, words: &[Value]) -> Vec<Value> {
    let mut found: Vec<Value> = words.to_vec();
    if let Value::String(text) = value {
        let text = text.trim();
        let plain = text.split("</").next().unwrap_or(text);
        let python = text.to_lowercase();
        for text in [text, plain, &python] {
            found.extend(serde_json::from_str::<Value>(text).ok());
        }
        found.push(json!(plain));
    }
    if !value.is_string() {
        found.push(json!(value.to_string()));
    }
    if let Some([item]) = value.as_array().map(Vec::as_slice) {
        found.push(item.clone());
    }
    if let Some(members) = value.as_object() {
        found.push(members.values().cloned().collect());
        found.extend(members.values().filter(|_| members.len() == 1).cloned());
    }
    let wrapped: Vec<Value> = [value].into_iter().chain(&found).map(|item| json!([item])).collect();
    found.extend(wrapped);
    found
}
