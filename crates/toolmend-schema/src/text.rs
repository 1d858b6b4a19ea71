//! Types for raw text: bodies of markup have none, so the schema gives them.

use serde_json::Value;
use toolmend_json::Want;

use crate::graph::Graph;
use crate::kinds::Kinds;
use crate::node::NodeId;
use crate::rules::{read_boolean, read_container, read_integer, read_number};
use crate::tool::Inner;

/// The value that a text is to the schema of a property.
pub(crate) fn typed(tool: &Inner, key: &str, text: &str) -> Value {
    let Some(graph) = &tool.graph else { return Value::String(text.to_owned()) };
    let simple = graph.simple_member(key).and_then(|kinds| simple(kinds, text));
    simple.unwrap_or_else(|| looked_up(tool, graph, key, text))
}

/// The value that a text is to all that the schema says of a property.
fn looked_up(tool: &Inner, graph: &Graph, key: &str, text: &str) -> Value {
    let verbatim = || Value::String(text.to_owned());
    let ids = graph.member(&graph.reachable(Graph::ROOT), key);
    let kinds = ids.iter().fold(Kinds::NONE, |kinds, id| kinds.or(graph.all_kinds(*id)));
    if ids.is_empty() || kinds == Kinds::ANY || kinds == Kinds::STRING {
        return trimmed_choice(graph, &ids, text).unwrap_or_else(verbatim);
    }
    let readings = readings(tool, kinds, text);
    let fits = |value: &&Value| ids.iter().any(|id| graph.accepts(*id, value));
    if let Some(value) = readings.iter().find(fits) {
        return value.clone();
    }
    if kinds.has(Kinds::STRING) {
        return trimmed_choice(graph, &ids, text).unwrap_or_else(verbatim);
    }
    readings.into_iter().next().unwrap_or_else(verbatim)
}

/// So many digits are a number of 64 bits, whatever they are.
const DIGITS_MAX: usize = 18;

/// The value that a text is to a schema that says nothing but these types, where there is one reading.
fn simple(kinds: Kinds, text: &str) -> Option<Value> {
    let is_whole = || {
        matches!(text.as_bytes(), [b'0'] | [b'1'..=b'9', ..])
            && text.len() <= DIGITS_MAX
            && text.bytes().all(|digit| digit.is_ascii_digit())
    };
    match kinds {
        Kinds::STRING | Kinds::ANY => Some(Value::from(text)),
        Kinds::INTEGER if is_whole() => text.parse::<u64>().ok().map(Value::from),
        _ => None,
    }
}

/// The listed word that the text is without the space around it.
fn trimmed_choice(graph: &Graph, ids: &[NodeId], text: &str) -> Option<Value> {
    let all = ids.iter().flat_map(|id| graph.reachable(*id));
    let mut choices = all.flat_map(|id| &graph.node(id).choices).filter_map(Value::as_str);
    choices.find(|choice| *choice == text.trim()).map(Value::from)
}

/// What the text can be, other than a string.
fn readings(tool: &Inner, kinds: Kinds, text: &str) -> Vec<Value> {
    let plain = text.trim();
    // Where a string is right as well, only what JSON would write so is something else: `0123` and
    // `True` are text then.
    let is_text = kinds.has(Kinds::STRING);
    let is_literal = !is_text || toolmend_json::is_valid(plain);
    let mut found = Vec::new();
    if kinds.has(Kinds::NULL) && matches!(plain, "null" | "None") && is_literal {
        found.push(Value::Null);
    }
    if kinds.has(Kinds::BOOLEAN) && is_literal {
        found.extend(read_boolean(plain).map(Value::Bool));
    }
    let number = match kinds {
        _ if !is_literal => None,
        _ if kinds.has(Kinds::FRACTION) => read_number(plain),
        _ if kinds.has(Kinds::INTEGER) => read_integer(plain),
        _ => None,
    };
    found.extend(number.map(|(number, _)| Value::Number(number)));
    for (kind, want) in [(Kinds::OBJECT, Want::Object), (Kinds::ARRAY, Want::Array)] {
        if kinds.has(kind) && is_literal {
            found.extend(read_container(tool, plain, want).map(|(value, _)| value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{looked_up, typed};
    use crate::tool::Tool;

    #[test]
    fn a_simple_property_is_read_as_any_other_is() {
        let texts = [
            "",
            "0",
            "7",
            "07",
            "-7",
            " 7",
            "7.0",
            "123456789012345678",
            "1234567890123456789",
            "99999999999999999999999",
            "x",
            " x ",
            "\u{664}",
            "null",
            "true",
            "[1]",
            "{}",
        ];
        let properties = json!({
            "s": {"type": "string"}, "i": {"type": "integer", "title": "t"}, "n": {"type": "number"},
            "any": {}, "word": {"type": "string", "enum": ["x"]}, "const": {"const": "x"},
            "ref": {"$ref": "#/$defs/i"}, "union": {"anyOf": [{"type": "integer"}, {"const": "x"}]},
            "if": {"type": "string", "if": {"enum": ["y"]}, "then": {"enum": ["x"]}},
            "bounded": {"type": "integer", "minimum": 5}, "list": {"type": "array"},
        });
        let root = json!({"type": "object", "$defs": {"i": {"type": "integer"}}});
        let more = json!({"properties": {"s": {"enum": ["x"]}, "any": {"type": "integer"}}});
        let mut taken = 0;
        for (keyword, value) in [
            ("title", json!("t")),
            ("allOf", json!([more])),
            ("anyOf", json!([more])),
            ("if", json!({"required": ["s"]})),
            ("patternProperties", json!({"^(s|any)$": {"enum": ["x", 7]}})),
        ] {
            let mut schema = root.clone();
            schema["properties"] = properties.clone();
            schema[keyword] = value;
            schema["then"] = more.clone();
            let tool = Tool::read(&json!({"name": "f", "parameters": schema})).unwrap();
            let (inner, graph) = (&*tool.inner, tool.graph().unwrap());
            for key in properties.as_object().unwrap().keys() {
                for text in texts {
                    let wanted = looked_up(inner, graph, key, text);
                    assert_eq!(typed(inner, key, text), wanted, "{keyword} {key} {text:?}");
                    let simple = graph.simple_member(key);
                    taken += usize::from(simple.is_some_and(|k| super::simple(k, text).is_some()));
                }
            }
        }
        // All texts for a string, three of them for an integer.
        assert_eq!(taken, texts.len() + 3);
    }
}
