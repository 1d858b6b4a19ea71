//! One line of a corpus: a turn, and the calls that were meant.

use serde_json::{Map, Value, json};

/// One line of a corpus.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) id: String,
    pub(super) model: String,
    pub(super) class: String,
    /// The line as `fix --jsonl` reads it.
    pub(super) line: Value,
    /// The calls that were meant; `None` where nobody can know.
    pub(super) expected: Option<Vec<Value>>,
    /// The same with all values that are accepted.
    pub(super) accept: Option<Vec<Value>>,
    /// Whether no call is right, too.
    pub(super) is_either: bool,
}

/// What a line of `fix --jsonl` has.
const FIELDS: [&str; 8] = [
    "tools",
    "tool_choice",
    "model",
    "messages",
    "reasoning",
    "content",
    "tool_calls",
    "finish_reason",
];

impl Item {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let fields: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        let has_meant = fields.contains_key("expected") || fields.contains_key("accept");
        if !has_meant {
            return Err("nothing says which calls were meant (`expected`)".to_owned());
        }
        let word = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
        let list = |name: &str| fields.get(name).and_then(Value::as_array).cloned();
        let classes = ["class", "suite", "group"];
        let class = classes.iter().find_map(|name| word(name));
        Ok(Self {
            id: fields.get("id").map_or_else(String::new, plain),
            model: word("model").unwrap_or_else(|| "no name".to_owned()),
            class: class.unwrap_or_else(|| "all of one kind".to_owned()),
            line: line(&fields),
            expected: list("expected"),
            accept: list("accept").filter(|list| !list.is_empty()),
            is_either: fields.get("either") == Some(&Value::Bool(true))
                || word("label").as_deref() == Some("either"),
        })
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The turn: as it stands, in an object of channels, or one raw text and the channel it stood in.
fn line(fields: &Map<String, Value>) -> Value {
    let mut line = Map::new();
    line.insert("id".to_owned(), fields.get("id").cloned().unwrap_or_default());
    for name in FIELDS {
        if let Some(value) = fields.get(name) {
            line.insert(name.to_owned(), value.clone());
        }
    }
    match (fields.get("channel"), fields.get("raw").and_then(Value::as_str)) {
        (Some(Value::Object(channels)), _) => {
            for (name, value) in channels {
                line.insert(name.clone(), value.clone());
            }
        }
        (channel, Some(raw)) => {
            let channel = channel.and_then(Value::as_str).unwrap_or("content");
            place(raw, channel, &mut line);
        }
        _ => {}
    }
    Value::Object(line)
}

/// Puts a raw text where it stood.
fn place(raw: &str, channel: &str, line: &mut Map<String, Value>) {
    let first = line.get("tools").and_then(|tools| tools.get(0)).cloned().unwrap_or_default();
    let tool = first.get("function").unwrap_or(&first).get("name").cloned();
    let parts: Vec<&str> = channel.split(['.', ' ']).collect();
    let (name, value) = match parts.as_slice() {
        ["tool_calls", "arguments", ..] => {
            ("tool_calls", json!([{"name": tool.unwrap_or_default(), "arguments": raw}]))
        }
        ["tool_calls", "name", ..] => ("tool_calls", json!([{"name": raw, "arguments": "{}"}])),
        ["tool_calls", ..] => {
            // A call, several of them, or the arguments of one.
            let read: Option<Value> = serde_json::from_str(raw).ok();
            let read = read.filter(|value| value.is_array() || value.get("name").is_some());
            let calls = match read {
                Some(Value::Array(calls)) => Value::Array(calls),
                Some(call) => json!([call]),
                None => json!([{"name": tool.unwrap_or_default(), "arguments": raw}]),
            };
            ("tool_calls", calls)
        }
        ["reasoning" | "reasoning_content", ..] => ("reasoning", json!(raw)),
        _ => ("content", json!(raw)),
    };
    line.insert(name.to_owned(), value);
}

/// The calls in a line that came out.
pub(super) fn calls_of(out: &str) -> Vec<Value> {
    let out: Value = serde_json::from_str(out).unwrap_or_default();
    let calls = out.get("tool_calls").and_then(Value::as_array).into_iter().flatten();
    calls
        .map(|call| json!({"name": call.get("name"), "arguments": call.get("arguments")}))
        .collect()
}
