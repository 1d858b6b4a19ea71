//! An ask of the library, in the words of an API: a further request that a server understands.

use serde_json::{Value, json};
use toolmend::{Ask, Continuation, Message, Prefix};
use toolmend_wire::{Api, Request};

/// How a server is told that a call must come. Most then write the arguments by a grammar that they
/// make of the tool's schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// By the name of the tool.
    Named,
    /// By a word that leaves the tool open.
    Required,
}

/// A model that must call and does not may write no more than this, where its client sets no limit.
const DEMANDED_TOKENS_MAX: &str = "8192";

/// The request that asks this, made from the one that a client sent. `said` is the text of the turn
/// so far. `None` where it cannot be asked so.
pub(crate) fn request(
    api: Api,
    body: &[u8],
    ask: &Ask,
    said: &str,
    (continuation, demand): (Continuation, Demand),
) -> Option<Request> {
    let mut request = Request::read(api, body)?;
    // What comes is read as a whole.
    request.set_field("stream", "false");
    request.remove_field("stream_options");
    if let Some(prefix) = &ask.prefix {
        go_on(&mut request, api, &prefix_text(prefix, said), continuation)?;
    }
    for message in messages(api, &ask.messages) {
        request.push_message(&message.to_string());
    }
    if let Some(tool) = &ask.tool {
        insist(&mut request, api, tool, demand);
    }
    Some(request)
}

/// Demands a call of the tool.
fn insist(request: &mut Request, api: Api, tool: &str, demand: Demand) {
    let Some(choice) = tool_choice(api, tool, demand) else { return };
    request.set_field("tool_choice", &choice.to_string());
    if demand == Demand::Required && request.tokens_max().is_none() {
        let field = if api == Api::Responses { "max_output_tokens" } else { "max_tokens" };
        request.set_field(field, DEMANDED_TOKENS_MAX);
    }
}

/// What the reply goes on with. A server goes on from text alone, so a call that it made out is
/// written down as most models write one.
pub(crate) fn prefix_text(prefix: &Prefix, said: &str) -> String {
    match prefix {
        Prefix::Text => said.to_owned(),
        Prefix::Call { name, arguments } => {
            let name = Value::from(name.as_str());
            format!("{said}<tool_call>\n{{\"name\": {name}, \"arguments\": {arguments}")
        }
    }
}

/// Ends the request with the start of the assistant's own turn.
fn go_on(request: &mut Request, api: Api, text: &str, continuation: Continuation) -> Option<()> {
    if !can_continue(api, continuation) {
        return None;
    }
    let message = match (api, continuation) {
        (Api::Responses, _) => json!({"type": "message", "role": "assistant",
            "content": [{"type": "output_text", "text": text}]}),
        (_, Continuation::Prefix) => json!({"role": "assistant", "content": text, "prefix": true}),
        _ => json!({"role": "assistant", "content": text}),
    };
    if continuation == Continuation::ContinueFinal {
        request.set_field("add_generation_prompt", "false");
        request.set_field("continue_final_message", "true");
    }
    request.push_message(&message.to_string());
    Some(())
}

/// Whether a server that goes on in this way can be asked to on this API.
pub(crate) fn can_continue(api: Api, continuation: Continuation) -> bool {
    match continuation {
        Continuation::None => false,
        Continuation::Prefill => api != Api::Ollama,
        Continuation::Prefix | Continuation::ContinueFinal => api == Api::Chat,
    }
}

fn tool_choice(api: Api, tool: &str, demand: Demand) -> Option<Value> {
    match (api, demand) {
        (Api::Chat | Api::Responses, Demand::Required) => Some("required".into()),
        (Api::Chat, Demand::Named) => Some(json!({"type": "function", "function": {"name": tool}})),
        (Api::Responses, Demand::Named) => Some(json!({"type": "function", "name": tool})),
        (Api::Messages, _) => Some(json!({"type": "tool", "name": tool})),
        (Api::Ollama, _) => None,
    }
}

/// The messages as the API has them.
fn messages(api: Api, asked: &[Message]) -> Vec<Value> {
    match api {
        Api::Chat => asked.iter().map(Message::to_value).collect(),
        Api::Ollama => asked.iter().map(ollama_message).collect(),
        Api::Responses => asked.iter().flat_map(response_items).collect(),
        Api::Messages => blocks(asked),
    }
}

fn ollama_message(message: &Message) -> Value {
    match message {
        Message::Assistant { content, calls } => {
            let call = |(_, name, arguments): &(String, String, String)| json!({"function": {"name": name, "arguments": object(arguments)}});
            let calls: Value = calls.iter().map(call).collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        Message::Result { text, .. } => json!({"role": "tool", "content": text}),
        Message::User(text) => json!({"role": "user", "content": text}),
    }
}

fn response_items(message: &Message) -> Vec<Value> {
    match message {
        Message::Assistant { content, calls } => {
            let said = (!content.is_empty()).then(|| {
                json!({"type": "message", "role": "assistant",
                    "content": [{"type": "output_text", "text": content}]})
            });
            let calls = calls.iter().map(|(id, name, arguments)| {
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
            });
            said.into_iter().chain(calls).collect()
        }
        Message::Result { call, text } => {
            vec![json!({"type": "function_call_output", "call_id": call, "output": text})]
        }
        Message::User(text) => vec![json!({"type": "message", "role": "user", "content": text})],
    }
}

/// Messages whose roles take turns: results are blocks of one user message.
fn blocks(asked: &[Message]) -> Vec<Value> {
    let mut out: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in asked {
        let (role, blocks) = match message {
            Message::Assistant { content, calls } => {
                let said = (!content.is_empty()).then(|| json!({"type": "text", "text": content}));
                let calls = calls.iter().map(|(id, name, arguments)| {
                    json!({"type": "tool_use", "id": id, "name": name, "input": object(arguments)})
                });
                ("assistant", said.into_iter().chain(calls).collect())
            }
            Message::Result { call, text } => {
                let block = json!({"type": "tool_result", "tool_use_id": call, "content": text});
                ("user", vec![block])
            }
            Message::User(text) => ("user", vec![json!({"type": "text", "text": text})]),
        };
        match out.last_mut().filter(|(last, _)| *last == role) {
            Some((_, list)) => list.extend(blocks),
            None => out.push((role, blocks)),
        }
    }
    out.into_iter().map(|(role, blocks)| json!({"role": role, "content": blocks})).collect()
}

/// Arguments as an object: past calls that a server cannot read make it refuse the request.
fn object(arguments: &str) -> Value {
    serde_json::from_str(arguments).ok().filter(Value::is_object).unwrap_or_else(|| json!({}))
}
