//! The arguments of a call that was written as text, as one object: what is text is typed by the
//! schema, what has no key is placed by the order of the properties.

use serde_json::{Map, Value};
use toolmend_dialect::{Arguments, Field, Value as Written, fold_name};
use toolmend_json::Trust;
use toolmend_schema::{Rule, Tool};

use crate::refusal::Reason;
use crate::report::Change;

/// So deep elements may stand in elements.
const DEPTH_MAX: usize = 16;

/// An object, how sure its reading is, and what was changed to make one of it.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) value: Value,
    pub(crate) trust: Trust,
    pub(crate) changes: Vec<Change>,
}

/// Makes one object of what was read.
pub(crate) fn object(arguments: Arguments, tool: &Tool) -> Result<Object, Reason> {
    let mut object = read(arguments, tool)?;
    if let Value::Object(members) = &mut object.value {
        for (key, value) in members {
            if whole_number(tool, key, value) {
                object.changes.push(change(Rule::INTEGRAL_FLOAT, key, Trust::Exact));
            }
        }
    }
    Ok(object)
}

/// Whether they end with an item of a list that is written item by item: more may have been to come.
pub(crate) fn end_in_a_list(arguments: &Arguments, tool: &Tool) -> bool {
    let Arguments::Fields(fields) = arguments else { return false };
    let Some((key, value)) = fields.last().and_then(|last| Some((last.key.as_ref()?, &last.value)))
    else {
        return false;
    };
    let is_item = || typed(key, value.clone(), tool).is_ok_and(|(value, _)| !value.is_array());
    wants_list(tool, key) && is_item()
}

/// Whether the members beside the name are of something else: none is a parameter of the tool, but for
/// case and separators, and no repair that is more than a guess makes one of them.
pub(crate) fn are_of_others(arguments: &Arguments, tool: &Tool) -> bool {
    let Arguments::Beside(members, _) = arguments else { return false };
    let is_own = |key: &String| {
        let properties = tool.properties();
        properties.contains(key) || {
            let folded = fold_name(key);
            properties.iter().any(|known| fold_name(known) == folded)
        }
    };
    let has_own =
        |members: &Value| members.as_object().is_some_and(|members| members.keys().any(is_own));
    !has_own(members) && !has_own(&tool.repair(members.clone(), Trust::Likely).arguments)
}

fn change(rule: &Rule, key: &str, trust: Trust) -> Change {
    let path = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
    Change { rule: rule.id, path, trust, call: 0 }
}

/// A number in text has no spelling to keep: where the schema wants an integer, `4.0` is 4.
fn whole_number(tool: &Tool, key: &str, value: &mut Value) -> bool {
    let Value::Number(number) = value else { return false };
    // Most are written without a fraction.
    if !number.as_str().as_bytes().contains(&b'.') {
        return false;
    }
    let Some((whole, fraction)) = number.as_str().split_once('.') else { return false };
    let is_whole = fraction.bytes().all(|digit| digit == b'0');
    let wants_integer =
        property(tool, key).and_then(|schema| schema.get("type")) == Some(&Value::from("integer"));
    match (is_whole && wants_integer, serde_json::from_str(whole)) {
        (true, Ok(whole)) => {
            *value = Value::Number(whole);
            true
        }
        _ => false,
    }
}

fn read(arguments: Arguments, tool: &Tool) -> Result<Object, Reason> {
    match arguments {
        Arguments::None => Ok(exact(Value::Object(Map::new()))),
        Arguments::Object(value, trust) | Arguments::Beside(value, trust) => {
            Ok(Object { value, trust, changes: Vec::new() })
        }
        Arguments::Fields(fields) => from_fields(fields, tool),
        Arguments::Text(text) => from_text(&text, tool),
        _ => Err(Reason::Unreadable),
    }
}

fn exact(value: Value) -> Object {
    Object { value, trust: Trust::Exact, changes: Vec::new() }
}

/// Text that is no object fits a tool with one parameter.
fn from_text(text: &str, tool: &Tool) -> Result<Object, Reason> {
    let (([one], _) | (_, [one])) = (tool.properties(), tool.required()) else {
        return Err(Reason::NotAnObject);
    };
    // What starts like an object or a list was meant as one, and is broken.
    if text.trim_start_matches(['"', ' ', '\n']).starts_with(['{', '[']) {
        return Err(Reason::Unreadable);
    }
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let value = Value::Object(Map::from_iter([(one.clone(), tool.type_text(one, text))]));
    let changes = vec![change(Rule::POSITIONAL_ARGUMENTS, one, Trust::Likely)];
    Ok(Object { value, trust: Trust::Likely, changes })
}

fn from_fields(fields: Vec<Field>, tool: &Tool) -> Result<Object, Reason> {
    let mut object = Map::with_capacity(fields.len());
    let mut trust = Trust::Exact;
    let mut changes = Vec::new();
    for (position, field) in fields.into_iter().enumerate() {
        let is_placed = field.key.is_none();
        let key = match field.key {
            Some(key) => key,
            None => {
                let key = tool.properties().get(position).ok_or(Reason::Mismatch)?;
                if object.contains_key(key) {
                    return Err(Reason::Mismatch);
                }
                changes.push(change(Rule::POSITIONAL_ARGUMENTS, key, Trust::Likely));
                trust = trust.max(Trust::Likely);
                key.clone()
            }
        };
        let (value, needed) = typed(&key, field.value, tool)?;
        // Objects in a row may be calls in a row: the name of a member inside does not place them.
        if is_placed && value.is_object() && !takes_objects(tool, &key) {
            return Err(Reason::Mismatch);
        }
        trust = trust.max(needed);
        insert(&mut object, key, value, tool)?;
    }
    Ok(Object { value: Value::Object(object), trust, changes })
}

/// `MiniMax` M3 writes the items of a list as siblings; for what is no list, a key that comes twice
/// leaves two readings.
fn insert(
    object: &mut Map<String, Value>,
    key: String,
    value: Value,
    tool: &Tool,
) -> Result<(), Reason> {
    let Some(before) = object.get_mut(&key) else {
        object.insert(key, value);
        return Ok(());
    };
    let is_list = wants_list(tool, &key);
    match before {
        before if *before == value && !is_list => {}
        Value::Array(items) if is_list && !value.is_array() => items.push(value),
        before if is_list && !before.is_array() && !value.is_array() => {
            *before = Value::Array(vec![before.take(), value]);
        }
        _ => return Err(Reason::Unreadable),
    }
    Ok(())
}

/// Whether an object may be meant for a property: its type is none that has no objects.
fn takes_objects(tool: &Tool, key: &str) -> bool {
    let kind = property(tool, key).and_then(|schema| schema.get("type")?.as_str());
    kind.is_none_or(|kind| matches!(kind, "object" | "array"))
}

fn wants_list(tool: &Tool, key: &str) -> bool {
    let schema = property(tool, key);
    schema.is_some_and(|schema| {
        schema.get("type") == Some(&Value::from("array")) || schema.get("items").is_some()
    })
}

fn typed(key: &str, written: Written, tool: &Tool) -> Result<(Value, Trust), Reason> {
    match written {
        Written::Text(text) => Ok((tool.type_text(key, &text), Trust::Exact)),
        Written::Json(value, trust) => Ok((value, trust)),
        Written::Words(words) => Ok((tool.type_text(key, &words), Trust::Likely)),
        // A word that the schema lists is meant; any other is a variable.
        Written::Variable(word) if lists(tool, key, &word) => {
            Ok((Value::String(word), Trust::Likely))
        }
        Written::Nested(fields) => nested(fields, DEPTH_MAX),
        _ => Err(Reason::Unreadable),
    }
}

/// Elements inside an element: an object, or a list where all are called `item`. What their texts
/// are is for the schema to say.
fn nested(fields: Vec<Field>, depth: usize) -> Result<(Value, Trust), Reason> {
    let Some(depth) = depth.checked_sub(1) else { return Err(Reason::TooDeep) };
    let mut trust = Trust::Exact;
    let mut members = Vec::with_capacity(fields.len());
    for field in fields {
        let key = field.key.ok_or(Reason::Unreadable)?;
        let (value, needed) = match field.value {
            Written::Text(text) => (Value::String(text), Trust::Exact),
            Written::Words(words) => (Value::String(words), Trust::Likely),
            Written::Json(value, trust) => (value, trust),
            Written::Nested(fields) => nested(fields, depth)?,
            _ => return Err(Reason::Unreadable),
        };
        trust = trust.max(needed);
        members.push((key, value));
    }
    if members.iter().all(|(key, _)| key == "item") {
        return Ok((members.into_iter().map(|(_, value)| value).collect(), trust));
    }
    let count = members.len();
    let object: Map<String, Value> = members.into_iter().collect();
    // A name that comes twice would lose one of its values.
    if object.len() < count { Err(Reason::Unreadable) } else { Ok((Value::Object(object), trust)) }
}

/// Whether the schema lists this word for a property.
fn lists(tool: &Tool, key: &str, word: &str) -> bool {
    let values = property(tool, key).and_then(|schema| schema.get("enum")?.as_array());
    values.is_some_and(|values| values.iter().any(|value| value == word))
}

/// The schema of a property of the root.
pub(crate) fn property<'t>(tool: &'t Tool, key: &str) -> Option<&'t Value> {
    let tool = tool.source();
    let holder = tool.get("function").unwrap_or(tool);
    let schemas = ["parameters", "input_schema", "inputSchema"];
    let schema = schemas.iter().find_map(|name| holder.get(name))?;
    schema.get("properties")?.get(key)
}
