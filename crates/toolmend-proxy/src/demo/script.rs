//! What the demo model says.

use serde_json::{Map, Value, json};
use toolmend_wire::Api;

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
    pub(super) content: String,
    /// Name and arguments of a call that is declared.
    pub(super) call: Option<(String, String)>,
}

/// Answers a request: with a call of the first tool until there is a result, then with a sentence.
pub(super) fn say(api: Api, asked: &Value, turn: usize) -> Said {
    let said = asked.get(if api == Api::Responses { "input" } else { "messages" });
    let last = said.and_then(Value::as_array).and_then(|said| said.last());
    let is_result = last.is_some_and(|last| is_result(api, last));
    let tool = asked.get("tools").and_then(|tools| tools.get(0));
    let tool = tool.map(|tool| tool.get("function").unwrap_or(tool));
    let Some(name) = tool.and_then(|tool| tool.get("name")?.as_str()).filter(|_| !is_result) else {
        let content = match is_result {
            true => "The tool has answered; the work is done.",
            false => "I am the demo model of toolmend. Offer me a tool, and I will call it badly.",
        };
        return Said { content: content.to_owned(), call: None };
    };
    let schema = tool.and_then(|tool| tool.get("parameters").or_else(|| tool.get("input_schema")));
    let arguments = sample(schema);
    wrong(WAYS.get(turn % WAYS.len()).copied().unwrap_or(Way::Tagged), name, &arguments)
}

/// Whether the last thing that was said is what a tool answered.
fn is_result(api: Api, last: &Value) -> bool {
    match api {
        Api::Chat | Api::Ollama => last.get("role").is_some_and(|role| role == "tool"),
        Api::Responses => last.get("type").is_some_and(|kind| kind == "function_call_output"),
        Api::Messages => {
            let blocks = last.get("content").and_then(Value::as_array);
            let mut kinds = blocks.into_iter().flatten().filter_map(|block| block.get("type"));
            kinds.any(|kind| kind == "tool_result")
        }
    }
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
