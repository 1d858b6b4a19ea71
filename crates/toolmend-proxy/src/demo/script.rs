//! What the demo model says.

use serde_json::{Map, Value, json};

use super::MODEL;

/// How a call goes wrong, in turn.
const WAYS: [Way; 6] =
    [Way::Tagged, Way::Quoted, Way::Fenced, Way::Typed, Way::Special, Way::Python];

/// One way in which a call goes wrong.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// As text in a tag.
    Tagged,
    /// As a call whose arguments have single quotes and a comma too many.
    Quoted,
    /// As text in a fence that announces it.
    Fenced,
    /// As a call in which every value is a string.
    Typed,
    /// As text with the special tokens of another model.
    Special,
    /// As Python.
    Python,
}

/// A turn of the demo model.
#[derive(Clone, Debug)]
pub(super) struct Said {
    content: String,
    /// Name and arguments of a call that is declared.
    call: Option<(String, String)>,
}

/// Answers a request: with a call of the first tool until there is a result, then with a sentence.
pub(super) fn say(asked: &Value, turn: usize) -> Said {
    let messages = asked.get("messages").and_then(Value::as_array);
    let last = messages.and_then(|messages| messages.last());
    let is_result = last.and_then(|last| last.get("role")?.as_str()) == Some("tool");
    let tool = asked.get("tools").and_then(|tools| tools.get(0));
    let tool = tool.map(|tool| tool.get("function").unwrap_or(tool));
    let Some(name) = tool.and_then(|tool| tool.get("name")?.as_str()).filter(|_| !is_result) else {
        let content = match is_result {
            true => "The tool has answered; the work is done.",
            false => "I am the demo model of toolmend. Offer me a tool, and I will call it badly.",
        };
        return Said { content: content.to_owned(), call: None };
    };
    let arguments = sample(tool.and_then(|tool| tool.get("parameters")));
    wrong(WAYS.get(turn % WAYS.len()).copied().unwrap_or(Way::Tagged), name, &arguments)
}

fn wrong(way: Way, name: &str, arguments: &Map<String, Value>) -> Said {
    let json = Value::Object(arguments.clone()).to_string();
    let text = |content: String| Said { content, call: None };
    let call = |arguments: String| Said {
        content: String::new(),
        call: Some((name.to_owned(), arguments)),
    };
    match way {
        Way::Tagged => text(format!(
            "Let me look.\n<tool_call>\n{{\"name\": \"{name}\", \"arguments\": {json}}}\n</tool_call>"
        )),
        Way::Quoted => call(json.replace('"', "'").replace('}', ",}")),
        Way::Fenced => text(format!(
            "I will call the tool now:\n\n```json\n{{\"name\": \"{name}\", \"arguments\": {json}}}\n```"
        )),
        Way::Typed => {
            let all = arguments.iter().map(|(key, value)| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                (key.clone(), Value::String(text))
            });
            call(Value::Object(all.collect()).to_string())
        }
        Way::Special => text(format!("[TOOL_CALLS]{name}[ARGS]{json}")),
        Way::Python => {
            let all = arguments.iter().map(|(key, value)| format!("{key}={value}"));
            text(format!("[{name}({})]", all.collect::<Vec<_>>().join(", ")))
        }
    }
}

/// Arguments that the schema accepts.
fn sample(schema: Option<&Value>) -> Map<String, Value> {
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    let all = properties.into_iter().flatten();
    all.map(|(key, schema)| (key.clone(), value(key, schema))).collect()
}

fn value(key: &str, schema: &Value) -> Value {
    if let Some(first) = schema.get("enum").and_then(|values| values.get(0)) {
        return first.clone();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => json!(3),
        Some("number") => json!(1.5),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => json!({}),
        _ => Value::String(format!("a {key}")),
    }
}

/// Text is streamed in pieces of so many characters.
const PIECE: usize = 6;

impl Said {
    fn finish(&self) -> &'static str {
        if self.call.is_some() { "tool_calls" } else { "stop" }
    }

    fn call(&self, turn: usize) -> Option<Value> {
        let (name, arguments) = self.call.as_ref()?;
        let function = json!({"name": name, "arguments": arguments});
        Some(json!({"id": format!("demo_{turn}"), "type": "function", "function": function}))
    }

    /// The turn as one reply.
    pub(super) fn whole(&self, turn: usize) -> String {
        let mut message = json!({"role": "assistant", "content": self.content});
        if let (Some(call), Some(message)) = (self.call(turn), message.as_object_mut()) {
            message.insert("tool_calls".to_owned(), json!([call]));
        }
        json!({
            "id": format!("demo-{turn}"), "object": "chat.completion", "created": 0, "model": MODEL,
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish()}],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
        })
        .to_string()
    }

    /// The turn as a stream.
    pub(super) fn stream(&self, turn: usize) -> String {
        let chunk = |delta: Value, finish: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            let chunk = json!({
                "id": format!("demo-{turn}"), "object": "chat.completion.chunk", "created": 0,
                "model": MODEL, "choices": [choice],
            });
            format!("data: {chunk}\n\n")
        };
        let mut out = chunk(json!({"role": "assistant", "content": ""}), Value::Null);
        let letters: Vec<char> = self.content.chars().collect();
        for piece in letters.chunks(PIECE) {
            let piece: String = piece.iter().collect();
            out.push_str(&chunk(json!({"content": piece}), Value::Null));
        }
        if let Some(mut call) = self.call(turn) {
            if let Some(call) = call.as_object_mut() {
                call.insert("index".to_owned(), json!(0));
            }
            out.push_str(&chunk(json!({"tool_calls": [call]}), Value::Null));
        }
        out.push_str(&chunk(json!({}), json!(self.finish())));
        out.push_str("data: [DONE]\n\n");
        out
    }
}
