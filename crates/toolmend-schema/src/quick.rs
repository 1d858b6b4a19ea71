//! Subschemas that say little are decided without their validator: by the type, a list of words, the
//! bounds of a number, the length of a text. The verdict is the validator's.

use serde_json::{Map, Value};

use crate::hints;
use crate::kinds::Kinds;

/// What decides.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Quick {
    /// The type alone.
    Type(Kinds),
    /// One of these texts.
    Words(Vec<String>),
    /// A whole number within these bounds; numbers of other forms are left to the validator.
    Range(i64, i64),
    /// A text of at least, and at most, so many characters.
    Text(usize, usize),
    /// A list whose items are decided so.
    List(Box<Quick>),
}

/// Keywords that only describe.
const SILENT: [&str; 5] = ["description", "title", "default", "examples", "$comment"];

impl Quick {
    /// What decides for a schema, if it is that simple. Draft 4 takes `1.0` for no integer, which our
    /// types do not tell: its schemas are not asked about here.
    pub(crate) fn of(schema: &Value) -> Option<Self> {
        let members = schema.as_object()?;
        let says = |keys: &[&str]| {
            let is_told = |key: &String| {
                SILENT.contains(&key.as_str())
                    || hints::KEYS.contains(&key.as_str())
                    || keys.contains(&key.as_str())
            };
            members.keys().all(is_told)
        };
        let kinds = Kinds::of_type(members.get("type"));
        match members.get("type").and_then(Value::as_str) {
            _ if says(&["anyOf"]) => either(members),
            _ if says(&["type"]) => Some(Self::Type(kinds)),
            Some("string") if says(&["type", "enum"]) => words(members),
            None if says(&["enum"]) => words(members),
            Some("string") if says(&["type", "minLength", "maxLength"]) => {
                let bound = |key, or| match members.get(key) {
                    Some(bound) => bound.as_u64().and_then(|bound| usize::try_from(bound).ok()),
                    None => Some(or),
                };
                Some(Self::Text(bound("minLength", 0)?, bound("maxLength", usize::MAX)?))
            }
            Some("integer" | "number") if says(&["type", "minimum", "maximum"]) => {
                let bound = |key, or| members.get(key).map_or(Some(or), Value::as_i64);
                Some(Self::Range(bound("minimum", i64::MIN)?, bound("maximum", i64::MAX)?))
            }
            Some("array") if says(&["type", "items"]) => match Self::of(members.get("items")?)? {
                // Deeper lists would have to be followed as deep as the arguments go.
                Self::List(_) => None,
                items => Some(Self::List(Box::new(items))),
            },
            _ => None,
        }
    }

    /// Whether a value is accepted; `None` where the validator has to tell.
    pub(crate) fn accepts(&self, value: &Value) -> Option<bool> {
        match (self, value) {
            (Self::Type(kinds), value) => Some(kinds.has(Kinds::of(value))),
            (Self::Words(words), Value::String(text)) => Some(words.contains(text)),
            (Self::Range(least, most), Value::Number(number)) => {
                number.as_i64().map(|number| *least <= number && number <= *most)
            }
            (Self::Text(least, most), Value::String(text)) => {
                // No text has more characters than bytes.
                let is_sure = text.is_ascii() || *least <= 1 && text.len() <= *most;
                let length = if is_sure { text.len() } else { text.chars().count() };
                Some(*least <= length && length <= *most)
            }
            (Self::List(quick), Value::Array(items)) => {
                items.iter().try_fold(true, |all, item| Some(quick.accepts(item)? && all))
            }
            _ => Some(false),
        }
    }
}

/// A union of types.
fn either(members: &Map<String, Value>) -> Option<Quick> {
    let branches = members.get("anyOf")?.as_array()?;
    let kinds = branches.iter().try_fold(Kinds::NONE, |any, branch| match Quick::of(branch)? {
        Quick::Type(kinds) => Some(any.or(kinds)),
        _ => None,
    });
    kinds.map(Quick::Type)
}

fn words(members: &Map<String, Value>) -> Option<Quick> {
    let words = members.get("enum")?.as_array()?.iter();
    let words: Option<Vec<String>> = words.map(|word| word.as_str().map(str::to_owned)).collect();
    words.map(Quick::Words)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Quick;

    /// Numbers in all their spellings, and some of everything else.
    const VALUES: &str = r#"[0, 1, -1, 2, 3, 4, 10, 1.0, 1.5, -2.50, 1e2, 1E+2, 1.5e1, 1.5e0, 100e-2, 100e-3, 15e-1, -10e-1, 1.0e-1, 0e-3, 0.0e-3,
        9223372036854775807, 9223372036854775808, -9223372036854775809, 4.00, true, false, null, "", "a", "b", "ab",
        "abc", "é", "éé", "ééé", "1", [], {}, [1], [1, "a"], ["a"], ["a", "b"], [[1]], {"a": 1}]"#;

    fn schemas() -> Vec<Value> {
        let alone = ["string", "integer", "number", "boolean", "array", "object", "null"];
        let mut schemas: Vec<Value> = alone.map(|name| json!({"type": name})).into();
        schemas.extend([
            json!({"type": ["string", "null"], "description": "d"}),
            json!({"anyOf": [{"type": "string"}, {"type": "null", "title": "t"}]}),
            json!({"type": "string", "anyOf": [{"type": "string"}, {"type": "null"}]}),
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "maximum": 2}),
            json!({"enum": ["a", "ab"]}),
            json!({"type": "string", "enum": ["a", "ab"], "default": "a"}),
            json!({"type": "string", "enum": ["a", "ab"], "maxLength": 1}),
            json!({"enum": ["a", "ab"], "maxLength": 1}),
            json!({"type": "integer", "minimum": 1, "maximum": 3}),
            json!({"type": "number", "minimum": 2}),
            json!({"type": "number", "maximum": 2}),
            json!({"type": "number", "maximum": 2, "multipleOf": 2}),
            json!({"type": "string", "minLength": 1}),
            json!({"type": "string", "minLength": 2}),
            json!({"type": "string", "maxLength": 2}),
            json!({"type": "string", "minLength": 2, "maxLength": 2, "pattern": "^a"}),
            json!({"type": "array", "items": {"type": "string"}}),
            json!({"type": "array", "items": {"enum": ["a"]}}),
            json!({"type": "array", "items": {"type": "string"}, "maxItems": 1}),
            json!({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
            json!({"type": "object", "required": ["a"]}),
        ]);
        schemas
    }

    #[test]
    fn the_verdict_is_that_of_the_validator() {
        let values: Vec<Value> = serde_json::from_str(VALUES).unwrap();
        let (mut quick_schemas, mut verdicts) = (0, 0);
        for schema in schemas() {
            let validator = jsonschema::validator_for(&schema).unwrap();
            let Some(quick) = Quick::of(&schema) else { continue };
            quick_schemas += 1;
            for value in &values {
                let Some(is_accepted) = quick.accepts(value) else { continue };
                verdicts += 1;
                assert_eq!(is_accepted, validator.is_valid(value), "{schema} {value}");
            }
        }
        assert_eq!((quick_schemas, verdicts), (19, 804));
    }
}
