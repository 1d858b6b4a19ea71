//! The arguments of a call that was written as text, as one object: what is text is typed by the
//! schema, what has no key is placed by the order of the properties.

use serde_json::{Map, Value};
use toolmend_dialect::{Arguments, Field, Value as Written};
use toolmend_json::Trust;
use toolmend_schema::Tool;

use crate::refusal::Reason;

/// An object, how sure its reading is, and whether positions gave names.
#[derive(Debug)]
pub(crate) struct Object {
    pub(crate) value: Value,
    pub(crate) trust: Trust,
    pub(crate) is_positional: bool,
}

/// Makes one object of what was read.
pub(crate) fn object(arguments: &Arguments, tool: &Tool) -> Result<Object, Reason> {
    let mut object = read(arguments, tool)?;
    if let Value::Object(members) = &mut object.value {
        for (key, value) in members {
            whole_number(tool, key, value);
        }
    }
    Ok(object)
}

/// A number in text has no spelling to keep: where the schema wants an integer, `4.0` is 4.
fn whole_number(tool: &Tool, key: &str, value: &mut Value) {
    let Value::Number(number) = value else { return };
    let text = number.to_string();
    let Some((whole, fraction)) = text.split_once('.') else { return };
    let is_whole = fraction.bytes().all(|digit| digit == b'0');
    let wants_integer =
        property(tool, key).and_then(|schema| schema.get("type")) == Some(&Value::from("integer"));
    if let (true, Ok(whole)) = (is_whole && wants_integer, serde_json::from_str(whole)) {
        *value = Value::Number(whole);
    }
}

fn read(arguments: &Arguments, tool: &Tool) -> Result<Object, Reason> {
    match arguments {
        Arguments::None => Ok(exact(Value::Object(Map::new()))),
        Arguments::Object(json, trust) => {
            let value = serde_json::from_str(json).map_err(|_| Reason::Unreadable)?;
            Ok(Object { value, trust: *trust, is_positional: false })
        }
        Arguments::Fields(fields) => from_fields(fields, tool),
        Arguments::Text(text) => from_text(text, tool),
        _ => Err(Reason::Unreadable),
    }
}

fn exact(value: Value) -> Object {
    Object { value, trust: Trust::Exact, is_positional: false }
}

/// Text that is no object fits a tool with one parameter.
fn from_text(text: &str, tool: &Tool) -> Result<Object, Reason> {
    let (([one], _) | (_, [one])) = (tool.properties(), tool.required()) else {
        return Err(Reason::NotAnObject);
    };
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
    let value = Value::Object(Map::from_iter([(one.clone(), tool.type_text(one, text))]));
    Ok(Object { value, trust: Trust::Likely, is_positional: true })
}

fn from_fields(fields: &[Field], tool: &Tool) -> Result<Object, Reason> {
    let mut object = Map::new();
    let mut trust = Trust::Exact;
    let mut is_positional = false;
    for (position, field) in fields.iter().enumerate() {
        let key = match &field.key {
            Some(key) => key.clone(),
            None => {
                is_positional = true;
                let key = tool.properties().get(position).ok_or(Reason::Mismatch)?;
                if object.contains_key(key) {
                    return Err(Reason::Mismatch);
                }
                key.clone()
            }
        };
        let (value, needed) = typed(&key, &field.value, tool)?;
        trust = trust.max(needed);
        match object.get_mut(&key) {
            // MiniMax M3 writes the items of a list as siblings.
            Some(Value::Array(items)) => items.push(value),
            Some(before) => *before = Value::Array(vec![before.take(), value]),
            None => drop(object.insert(key, value)),
        }
    }
    if is_positional {
        trust = trust.max(Trust::Likely);
    }
    Ok(Object { value: Value::Object(object), trust, is_positional })
}

fn typed(key: &str, written: &Written, tool: &Tool) -> Result<(Value, Trust), Reason> {
    match written {
        Written::Text(text) => Ok((tool.type_text(key, text), Trust::Exact)),
        Written::Json(json, trust) => {
            let value = serde_json::from_str(json).map_err(|_| Reason::Unreadable)?;
            Ok((value, *trust))
        }
        Written::Words(words) => Ok((tool.type_text(key, words), Trust::Likely)),
        // A word that the schema lists is meant; any other is a variable.
        Written::Variable(word) if lists(tool, key, word) => {
            Ok((Value::String(word.clone()), Trust::Likely))
        }
        Written::Nested(fields) => Ok((nested(fields), Trust::Exact)),
        _ => Err(Reason::Unreadable),
    }
}

/// Elements inside an element: an object, or a list where all are called `item`.
fn nested(fields: &[Field]) -> Value {
    let value = |written: &Written| match written {
        Written::Text(text) => Value::String(text.clone()),
        Written::Json(json, _) => serde_json::from_str(json).unwrap_or(Value::Null),
        // Deeper nesting is left to the text it was.
        Written::Nested(fields) => Value::Object(
            fields
                .iter()
                .map(|field| (field.key.clone().unwrap_or_default(), text_of(&field.value)))
                .collect(),
        ),
        _ => Value::Null,
    };
    let is_list = fields.iter().all(|field| field.key.as_deref() == Some("item"));
    if is_list {
        return Value::Array(fields.iter().map(|field| value(&field.value)).collect());
    }
    let members =
        fields.iter().map(|field| (field.key.clone().unwrap_or_default(), value(&field.value)));
    Value::Object(members.collect())
}

fn text_of(written: &Written) -> Value {
    match written {
        Written::Text(text) => Value::String(text.clone()),
        _ => Value::Null,
    }
}

/// Whether the schema lists this word for a property.
fn lists(tool: &Tool, key: &str, word: &str) -> bool {
    let values = property(tool, key).and_then(|schema| schema.get("enum")?.as_array());
    values.is_some_and(|values| values.iter().any(|value| value == word))
}

/// The schema of a property of the root.
fn property<'t>(tool: &'t Tool, key: &str) -> Option<&'t Value> {
    let tool = tool.source();
    let holder = tool.get("function").unwrap_or(tool);
    let schemas = ["parameters", "input_schema", "inputSchema"];
    let schema = schemas.iter().find_map(|name| holder.get(name))?;
    schema.get("properties")?.get(key)
}
