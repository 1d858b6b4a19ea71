//! Tools in one line each: `find_route(to: string, stops: integer?, kind: "fast"|"short")`.
//! A parameter is required unless its type ends in `?`.

use serde_json::{Map, Value, json};

/// Reads a list of tools: JSON, or one tool per line.
pub(crate) fn read(text: &str) -> Result<Vec<Value>, String> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text).map_err(|error| format!("tools: {error}"));
    }
    text.lines().map(|line| tool(line).ok_or_else(|| format!("this is no tool: {line}"))).collect()
}

fn tool(line: &str) -> Option<Value> {
    let (name, parameters) = line.trim().strip_suffix(')')?.split_once('(')?;
    let mut properties = Map::new();
    let mut required = Vec::new();
    for parameter in parameters.split(", ").filter(|parameter| !parameter.is_empty()) {
        let (key, kind) = parameter.split_once(": ")?;
        let needed = kind.strip_suffix('?');
        if needed.is_none() {
            required.push(key);
        }
        properties.insert(key.to_owned(), schema(needed.unwrap_or(kind))?);
    }
    let parameters = json!({"type": "object", "properties": properties, "required": required});
    Some(json!({"name": name, "parameters": parameters}))
}

fn schema(kind: &str) -> Option<Value> {
    if let Some(items) = kind.strip_suffix("[]") {
        return Some(json!({"type": "array", "items": schema(items)?}));
    }
    if kind.starts_with('"') {
        let words: Result<Vec<Value>, _> = kind.split('|').map(serde_json::from_str).collect();
        return Some(json!({"type": "string", "enum": words.ok()?}));
    }
    let known = ["string", "integer", "number", "boolean", "array", "object"];
    known.contains(&kind).then(|| json!({"type": kind}))
}
