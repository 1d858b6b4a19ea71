//! A turn of the demo model in the words of each API.

use serde_json::{Value, json};
use toolmend_wire::{Api, Channel, Encoder, Envelope, Reason, WireCall};

use super::MODEL;
use super::script::Said;

/// Text is streamed in pieces of so many characters.
const PIECE_CHARS: usize = 6;

/// The turn as a stream.
pub(super) fn stream(api: Api, said: &Said, turn: usize) -> Vec<u8> {
    let mut encoder = Encoder::new(api);
    let created = match api {
        Api::Ollama => "1970-01-01T00:00:00Z".to_owned(),
        _ => "0".to_owned(),
    };
    encoder.start(&Envelope { id: format!("demo-{turn}"), model: MODEL.to_owned(), created });
    let letters: Vec<char> = said.content.chars().collect();
    for piece in letters.chunks(PIECE_CHARS) {
        encoder.text(Channel::Content, &piece.iter().collect::<String>());
    }
    let mut reason = Reason::Stop;
    if let Some((name, arguments)) = &said.call {
        let (name, arguments) = (name.clone(), arguments.clone());
        encoder.call(&WireCall { id: format!("demo_{turn}"), name, arguments });
        reason = Reason::Calls;
    }
    encoder.finish(&reason);
    encoder.take()
}

/// The turn as one reply.
pub(super) fn whole(api: Api, said: &Said, turn: usize) -> Value {
    let (id, content) = (format!("demo-{turn}"), &said.content);
    let call_id = format!("demo_{turn}");
    let call = said.call.as_ref();
    match api {
        Api::Chat => {
            let calls: Vec<Value> = call
                .into_iter()
                .map(|(name, arguments)| {
                    let function = json!({"name": name, "arguments": arguments});
                    json!({"id": call_id, "type": "function", "function": function})
                })
                .collect();
            let mut message = json!({"role": "assistant", "content": content});
            if let Some(message) = message.as_object_mut().filter(|_| !calls.is_empty()) {
                message.insert("tool_calls".to_owned(), json!(calls));
            }
            let finish = if call.is_some() { "tool_calls" } else { "stop" };
            json!({"id": id, "object": "chat.completion", "created": 0, "model": MODEL,
                "choices": [{"index": 0, "message": message, "finish_reason": finish}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}})
        }
        Api::Responses => {
            let item = match call {
                Some((name, arguments)) => {
                    json!({"type": "function_call", "id": format!("fc_{turn}"),
                    "call_id": call_id, "name": name, "arguments": arguments, "status": "completed"})
                }
                None => json!({"type": "message", "id": format!("msg_{turn}"), "role": "assistant",
                    "status": "completed",
                    "content": [{"type": "output_text", "text": content, "annotations": []}]}),
            };
            json!({"id": id, "object": "response", "created_at": 0, "status": "completed",
                "model": MODEL, "output": [item], "error": null, "incomplete_details": null,
                "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}})
        }
        Api::Messages => {
            let block = match call {
                Some((name, arguments)) => json!({"type": "tool_use", "id": call_id, "name": name,
                    "input": object(arguments)}),
                None => json!({"type": "text", "text": content}),
            };
            let reason = if call.is_some() { "tool_use" } else { "end_turn" };
            json!({"id": id, "type": "message", "role": "assistant", "model": MODEL,
                "content": [block], "stop_reason": reason, "stop_sequence": null,
                "usage": {"input_tokens": 1, "output_tokens": 1}})
        }
        Api::Ollama => {
            let calls: Vec<Value> = call.into_iter().map(|(name, arguments)| {
                json!({"function": {"name": name, "arguments": object(arguments)}})
            }).collect();
            json!({"model": MODEL, "created_at": "1970-01-01T00:00:00Z", "done": true,
                "done_reason": "stop",
                "message": {"role": "assistant", "content": content, "tool_calls": calls}})
        }
    }
}

/// Arguments where the API wants JSON; what is none is a text, as servers send it then.
fn object(arguments: &str) -> Value {
    serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments))
}
