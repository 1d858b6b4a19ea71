//! Healthy streams of every API, written here and not by the crate under test.

use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use serde_json::{Value, json};
use toolmend_wire::Api;

/// A stream, shown as text.
#[derive(Clone)]
pub(crate) struct Bytes(pub(crate) Vec<u8>);

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

/// What a turn says.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) reasoning: Vec<String>,
    pub(crate) content: Vec<String>,
    /// Names, and arguments in pieces.
    pub(crate) calls: Vec<(String, Vec<String>)>,
    pub(crate) is_cut: bool,
    pub(crate) style: Style,
}

/// How a server writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    line_end: &'static str,
    has_space: bool,
    has_comments: bool,
    has_more_keys: bool,
}

fn pieces() -> impl Strategy<Value = Vec<String>> {
    let text = prop_oneof![
        "[ -~]{1,12}",
        "\\PC{1,6}",
        Just("\n\n```\n".to_owned()),
        Just("😀é\u{1}\"\\".to_owned())
    ];
    vec(text, 0..4)
}

/// The arguments of a call: any JSON object, cut into pieces between characters.
fn arguments() -> impl Strategy<Value = Vec<String>> {
    (vec(("[a-z]{1,6}", "\\PC{0,8}"), 0..4), 1..9usize).prop_map(|(members, size)| {
        let object: serde_json::Map<String, Value> =
            members.into_iter().map(|(key, value)| (key, Value::from(value))).collect();
        let text: Vec<char> = Value::Object(object).to_string().chars().collect();
        text.chunks(size).map(|piece| piece.iter().collect()).collect()
    })
}

fn style() -> impl Strategy<Value = Style> {
    let line_end = prop_oneof![3 => Just("\n"), 1 => Just("\r\n"), 1 => Just("\r")];
    (line_end, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(line_end, has_space, has_comments, has_more_keys)| Style {
            line_end,
            has_space,
            has_comments,
            has_more_keys,
        },
    )
}

pub(crate) fn plans() -> impl Strategy<Value = Plan> {
    let calls = vec(("[a-z_]{1,10}", arguments()), 0..3);
    (pieces(), pieces(), calls, any::<bool>(), style()).prop_map(
        |(reasoning, content, calls, is_cut, style)| Plan {
            reasoning,
            content,
            calls,
            is_cut,
            style,
        },
    )
}

pub(crate) fn streams() -> BoxedStrategy<(Api, Plan, Bytes)> {
    let api =
        prop_oneof![Just(Api::Chat), Just(Api::Messages), Just(Api::Responses), Just(Api::Ollama)];
    let written = (api, plans()).prop_map(|(api, plan)| {
        let bytes = write(api, &plan);
        (api, plan, Bytes(bytes))
    });
    written.boxed()
}

pub(crate) fn write(api: Api, plan: &Plan) -> Vec<u8> {
    match api {
        Api::Chat => chat(plan),
        Api::Messages => named(plan, messages(plan)),
        Api::Responses => named(plan, responses(plan)),
        Api::Ollama => ollama(plan),
    }
}

impl Style {
    fn event(self, name: Option<&str>, data: &str, out: &mut String) {
        let (end, space) = (self.line_end, if self.has_space { " " } else { "" });
        if self.has_comments {
            let _ = write!(out, ": ping{end}{end}");
        }
        if let Some(name) = name {
            let _ = write!(out, "event:{space}{name}{end}");
        }
        let _ = write!(out, "data:{space}{data}{end}{end}");
    }
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(key.to_owned(), value);
    }
}

fn chat(plan: &Plan) -> Vec<u8> {
    let mut out = String::new();
    let mut say = |delta: Value, reason: Option<&str>| {
        let mut chunk = json!({"id": "c1", "object": "chat.completion.chunk", "created": 1,
            "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]});
        if plan.style.has_more_keys {
            set(&mut chunk, "usage", Value::Null);
        }
        plan.style.event(None, &chunk.to_string(), &mut out);
    };
    say(json!({"role": "assistant", "content": null}), None);
    for text in &plan.reasoning {
        say(json!({"reasoning_content": text}), None);
    }
    for text in &plan.content {
        say(json!({"content": text}), None);
    }
    for (index, (name, pieces)) in plan.calls.iter().enumerate() {
        let id = format!("call_{index}");
        let function = json!({"name": name, "arguments": ""});
        let first = json!({"index": index, "id": id, "type": "function", "function": function});
        say(json!({"tool_calls": [first]}), None);
        for piece in pieces {
            let later = json!({"index": index, "function": {"arguments": piece}});
            say(json!({"tool_calls": [later]}), None);
        }
    }
    let reason = match (plan.is_cut, plan.calls.is_empty()) {
        (true, _) => "length",
        (false, true) => "stop",
        (false, false) => "tool_calls",
    };
    say(json!({}), Some(reason));
    plan.style.event(None, "[DONE]", &mut out);
    out.into_bytes()
}

fn named(plan: &Plan, events: Vec<Value>) -> Vec<u8> {
    let mut out = String::new();
    for event in events {
        let name = event.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
        plan.style.event(Some(&name), &event.to_string(), &mut out);
    }
    out.into_bytes()
}

fn messages(plan: &Plan) -> Vec<Value> {
    let mut events =
        vec![json!({"type": "message_start", "message": {"id": "m1", "type": "message",
        "role": "assistant", "content": [], "model": "m", "usage": {"output_tokens": 1}}})];
    if plan.style.has_more_keys {
        events.push(json!({"type": "ping"}));
    }
    let mut blocks = Vec::new();
    let text = |kind: &str, field: &str, pieces: &[String]| {
        let deltas =
            pieces.iter().map(|text| json!({"type": format!("{kind}_delta"), field: text}));
        (json!({"type": kind, field: ""}), deltas.collect::<Vec<_>>())
    };
    if !plan.reasoning.is_empty() {
        blocks.push(text("thinking", "thinking", &plan.reasoning));
    }
    if !plan.content.is_empty() {
        blocks.push(text("text", "text", &plan.content));
    }
    for (number, (name, pieces)) in plan.calls.iter().enumerate() {
        let start =
            json!({"type": "tool_use", "id": format!("t{number}"), "name": name, "input": {}});
        let delta = |piece| json!({"type": "input_json_delta", "partial_json": piece});
        blocks.push((start, pieces.iter().map(delta).collect()));
    }
    for (index, (start, deltas)) in blocks.into_iter().enumerate() {
        events.push(json!({"type": "content_block_start", "index": index, "content_block": start}));
        for delta in deltas {
            events.push(json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let reason = match (plan.is_cut, plan.calls.is_empty()) {
        (true, _) => "max_tokens",
        (false, true) => "end_turn",
        (false, false) => "tool_use",
    };
    events.push(json!({"type": "message_delta", "delta": {"stop_reason": reason},
        "usage": {"output_tokens": 9}}));
    events.push(json!({"type": "message_stop"}));
    events
}

fn responses(plan: &Plan) -> Vec<Value> {
    let response = json!({"id": "r1", "object": "response", "created_at": 1, "model": "m",
        "status": "in_progress", "output": []});
    let mut events = vec![json!({"type": "response.created", "response": response})];
    let mut output = Vec::new();
    if !plan.content.is_empty() {
        let text = plan.content.concat();
        let place = json!({"item_id": "msg_1", "output_index": 0, "content_index": 0});
        let at = |kind: &str, key: &str, value: Value| {
            let mut event = place.clone();
            set(&mut event, "type", json!(kind));
            set(&mut event, key, value);
            event
        };
        let item = |parts: Value| json!({"id": "msg_1", "type": "message", "content": parts});
        let part = |text: &str| json!({"type": "output_text", "text": text});
        events.push(json!({"type": "response.output_item.added", "output_index": 0, "item": item(json!([]))}));
        events.push(at("response.content_part.added", "part", part("")));
        for piece in &plan.content {
            events.push(at("response.output_text.delta", "delta", json!(piece)));
        }
        events.push(at("response.output_text.done", "text", json!(text)));
        events.push(at("response.content_part.done", "part", part(&text)));
        let done = item(json!([part(&text)]));
        events.push(json!({"type": "response.output_item.done", "output_index": 0, "item": done}));
        output.push(done);
    }
    for (number, (name, pieces)) in plan.calls.iter().enumerate() {
        let (index, id) = (output.len(), format!("fc_{number}"));
        let item = |arguments: &str| {
            json!({"id": id, "type": "function_call", "call_id": format!("call_{number}"),
                "name": name, "arguments": arguments})
        };
        let whole = pieces.concat();
        events.push(
            json!({"type": "response.output_item.added", "output_index": index, "item": item("")}),
        );
        for piece in pieces {
            events.push(json!({"type": "response.function_call_arguments.delta",
                "item_id": id, "output_index": index, "delta": piece}));
        }
        events.push(json!({"type": "response.function_call_arguments.done",
            "item_id": id, "output_index": index, "arguments": whole}));
        events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item(&whole)}));
        output.push(item(&whole));
    }
    let mut whole = response;
    set(&mut whole, "output", json!(output));
    set(&mut whole, "status", json!("completed"));
    events.push(json!({"type": "response.completed", "response": whole}));
    for (number, event) in events.iter_mut().enumerate() {
        set(event, "sequence_number", json!(number));
    }
    events
}

fn ollama(plan: &Plan) -> Vec<u8> {
    let mut out = String::new();
    let end = if plan.style.line_end == "\r" { "\n" } else { plan.style.line_end };
    let mut say = |message: Value| {
        let line = json!({"model": "m", "created_at": "t", "message": message, "done": false});
        let _ = write!(out, "{line}{end}");
    };
    for text in &plan.reasoning {
        say(json!({"role": "assistant", "content": "", "thinking": text}));
    }
    for text in &plan.content {
        say(json!({"role": "assistant", "content": text}));
    }
    for (name, pieces) in &plan.calls {
        let arguments: Value = serde_json::from_str(&pieces.concat()).unwrap_or_default();
        let call = json!({"function": {"name": name, "arguments": arguments}});
        say(json!({"role": "assistant", "content": "", "tool_calls": [call]}));
    }
    let reason = if plan.is_cut { "length" } else { "stop" };
    let line = json!({"model": "m", "message": {"role": "assistant", "content": ""}, "done": true,
        "done_reason": reason});
    let _ = write!(out, "{line}{end}");
    out.into_bytes()
}
