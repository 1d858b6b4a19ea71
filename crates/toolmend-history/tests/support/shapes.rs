//! A history in a few words, written in any of the four shapes.

use serde_json::{Value, json};
use toolmend_history::Api;

/// What happened, in order.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    User(String),
    /// A turn of the assistant.
    Turn {
        text: String,
        calls: Vec<Made>,
    },
    Result {
        id: String,
        name: String,
        text: String,
    },
}

/// A call.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) id: String,
    pub(crate) name: String,
    /// The text of the arguments, JSON or not.
    pub(crate) arguments: String,
}

/// The list of messages or items.
pub(crate) fn write(events: &[Event], api: Api) -> String {
    let items: Vec<Value> = events.iter().flat_map(|event| item(event, api)).collect();
    Value::Array(items).to_string()
}

fn item(event: &Event, api: Api) -> Vec<Value> {
    match event {
        Event::User(text) => vec![json!({"role": "user", "content": text})],
        Event::Turn { text, calls } => turn(text, calls, api),
        Event::Result { id, name, text } => vec![match api {
            Api::Chat => json!({"role": "tool", "tool_call_id": id, "content": text}),
            Api::Ollama => json!({"role": "tool", "tool_name": name, "content": text}),
            Api::Responses => {
                json!({"type": "function_call_output", "call_id": id, "output": text})
            }
            Api::Anthropic => json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": text}]}),
        }],
    }
}

fn turn(text: &str, calls: &[Made], api: Api) -> Vec<Value> {
    let calls = calls.iter().map(|Made { id, name, arguments }| match api {
        Api::Chat => json!({"id": id, "type": "function",
            "function": {"name": name, "arguments": arguments}}),
        Api::Ollama => json!({"function": {"name": name, "arguments": in_place(arguments)}}),
        Api::Anthropic => {
            json!({"type": "tool_use", "id": id, "name": name, "input": in_place(arguments)})
        }
        Api::Responses => {
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
        }
    });
    let calls: Vec<Value> = calls.collect();
    match api {
        Api::Chat | Api::Ollama if calls.is_empty() => {
            vec![json!({"role": "assistant", "content": text})]
        }
        Api::Chat | Api::Ollama => {
            vec![json!({"role": "assistant", "content": text, "tool_calls": calls})]
        }
        Api::Anthropic => {
            let text = (!text.is_empty()).then(|| json!({"type": "text", "text": text}));
            let blocks: Vec<Value> = text.into_iter().chain(calls).collect();
            vec![json!({"role": "assistant", "content": blocks})]
        }
        Api::Responses => {
            let text = json!([{"type": "output_text", "text": text}]);
            let message = json!({"type": "message", "role": "assistant", "content": text});
            std::iter::once(message).chain(calls).collect()
        }
    }
}

/// Arguments as an object where they are one, else as the text that they are.
fn in_place(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| arguments.into())
}
