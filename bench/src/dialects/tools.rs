//! The tools that are offered: a dozen, as an agent offers them.

use serde_json::{Value, json};

/// Each tool's name, and its parameters with their types; the first one is required.
const TOOLS: &[(&str, &[(&str, &str)])] = &[
    ("get_weather", &[("city", "string"), ("days", "integer")]),
    ("brave_search", &[("query", "string")]),
    ("read_file", &[("path", "string"), ("offset", "integer"), ("limit", "integer")]),
    ("write_file", &[("path", "string"), ("content", "string")]),
    ("edit_file", &[("path", "string"), ("old_string", "string"), ("new_string", "string")]),
    ("list_directory", &[("path", "string")]),
    ("search_files", &[("pattern", "string"), ("path", "string")]),
    ("run_command", &[("command", "string"), ("timeout", "integer")]),
    ("fetch_url", &[("url", "string")]),
    ("create_issue", &[("title", "string"), ("body", "string")]),
    ("send_message", &[("recipient", "string"), ("text", "string")]),
    ("get_time", &[("timezone", "string")]),
];

/// Names, and the names of parameters.
pub(crate) fn names() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    TOOLS.iter().map(|(name, keys)| (*name, keys.iter().map(|(key, _)| *key).collect()))
}

/// Names and schemas.
pub(crate) fn schemas() -> impl Iterator<Item = (&'static str, Value)> {
    TOOLS.iter().map(|(name, keys)| {
        let properties: serde_json::Map<String, Value> =
            keys.iter().map(|(key, kind)| ((*key).into(), json!({ "type": kind }))).collect();
        let required: Vec<&str> = keys.iter().take(1).map(|(key, _)| *key).collect();
        (*name, json!({ "type": "object", "properties": properties, "required": required }))
    })
}

/// As the `OpenAI` API takes them.
pub(crate) fn openai() -> Vec<Value> {
    let tool = |(name, parameters)| {
        json!({
            "type": "function",
            "function": { "name": name, "description": "", "parameters": parameters },
        })
    };
    schemas().map(tool).collect()
}
