//! No value of an argument, and nothing that anyone said, is kept or shown unless settings ask for it: every
//! API, streamed and whole, in calls, in text, in the thinking, in errors. What is looked through is the file,
//! every answer of the listener for operators, and the log with all that there is to log.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop where it fails")]

#[path = "support/listen.rs"]
mod listen;
#[path = "support/stand.rs"]
mod stand;
mod support;

use listen::{get, listen};
use serde_json::{Value, json};
use stand::{Stand, bytes_of, has};
use support::log::Log;
use support::{Script, path, post, upstream};
use toolmend::{Keep, Settings};
use toolmend_proxy::Api;
use toolmend_wire::{Channel, Encoder, Envelope, Framing, Reason, WireCall};

const APIS: [Api; 4] = [Api::Chat, Api::Responses, Api::Messages, Api::Ollama];

/// What must not be found, in any spelling of it.
const CANARY: &str = "canary";

/// A turn: thinking, text, and calls by name and arguments.
struct Said {
    reasoning: &'static str,
    content: &'static str,
    calls: &'static [(&'static str, &'static str)],
}

const fn called(name_and_arguments: &'static [(&'static str, &'static str)]) -> Said {
    Said { reasoning: "canary thinks", content: "", calls: name_and_arguments }
}

const fn wrote(content: &'static str) -> Said {
    Said { reasoning: "", content, calls: &[] }
}

/// Turns that are right, mended, cut, refused, left as text, and in which something stands where it should not.
const TURNS: [Said; 14] = [
    called(&[("get_weather", r#"{"city": "canary-right"}"#)]),
    called(&[("get_weather", r#"{'city': 'canary-one', "days": "3",}"#)]),
    called(&[("get_weather", r#"{"city": "canary-two", "tags": {"canary-key": "5"}}"#)]),
    called(&[("get_weather", r#"{"city": ["canary-three", 1], "days": {"canary": 1}}"#)]),
    called(&[("get_weather(canary-name)", r#"{"city": "canary-four"}"#)]),
    called(&[("canary_tool", r#"{"canary": "canary"}"#)]),
    called(&[("get_weather", r#"{"city": "canary-five"#)]),
    called(&[("get_weather", "canary prose instead of arguments")]),
    called(&[
        ("get_weather", r#"{"town": "canary-six"}"#),
        ("get_weather", r#"{"city": "canary-seven", "days": "canary"}"#),
    ]),
    wrote(
        "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"canary-eight\", \"days\": \"2\"}}</tool_call>",
    ),
    wrote("<tool_call>{\"name\": \"canary_tool\", \"arguments\": {}}</tool_call>"),
    wrote("For example: `get_weather(city=\"canary-nine\")` asks."),
    Said {
        reasoning: "I call it. <tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"canary-ten\"}}</tool_call>",
        content: "",
        calls: &[],
    },
    Said { reasoning: "canary", content: "Only canary prose.", calls: &[] },
];

/// The turn as a stream of an API.
fn stream(api: Api, said: &Said) -> Vec<u8> {
    let mut encoder = Encoder::new(api);
    let created = if api == Api::Ollama { "1970-01-01T00:00:00Z" } else { "0" };
    let envelope =
        Envelope { id: "r".to_owned(), model: "m".to_owned(), created: created.to_owned() };
    encoder.start(&envelope);
    for (channel, text) in [(Channel::Reasoning, said.reasoning), (Channel::Content, said.content)]
    {
        for piece in text.as_bytes().chunks(7) {
            encoder.text(channel, std::str::from_utf8(piece).unwrap());
        }
    }
    for (number, (name, arguments)) in said.calls.iter().enumerate() {
        let (id, name, arguments) =
            (format!("call_{number}"), (*name).to_owned(), (*arguments).to_owned());
        encoder.call(&WireCall { id, name, arguments });
    }
    let reason = if said.calls.is_empty() { Reason::Stop } else { Reason::Calls };
    encoder.finish(&reason);
    encoder.take()
}

/// The turn as one reply of an API.
fn whole(api: Api, said: &Said) -> String {
    let Said { reasoning, content, calls } = said;
    let calls = calls.iter().enumerate();
    // Where an API wants JSON, what is none is a text.
    let object = |text: &str| serde_json::from_str(text).unwrap_or_else(|_| json!(text));
    let has_calls = !said.calls.is_empty();
    match api {
        Api::Chat => {
            let calls = calls.map(|(number, (name, arguments))| {
                json!({"id": format!("call_{number}"), "type": "function",
                    "function": {"name": name, "arguments": arguments}})
            });
            let message = json!({"role": "assistant", "content": content,
                "reasoning_content": reasoning, "tool_calls": calls.collect::<Vec<_>>()});
            let finish = if has_calls { "tool_calls" } else { "stop" };
            json!({"id": "r", "object": "chat.completion", "created": 0, "model": "m",
                "choices": [{"index": 0, "message": message, "finish_reason": finish}]})
        }
        Api::Responses => {
            let calls = calls.map(|(number, (name, arguments))| {
                json!({"type": "function_call", "id": format!("fc_{number}"), "name": name,
                    "call_id": format!("call_{number}"), "arguments": arguments,
                    "status": "completed"})
            });
            let thinking = json!({"type": "reasoning", "id": "rs", "summary": [],
                "content": [{"type": "reasoning_text", "text": reasoning}]});
            let text = json!({"type": "message", "id": "msg", "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": content, "annotations": []}]});
            let output: Vec<Value> = [thinking, text].into_iter().chain(calls).collect();
            json!({"id": "r", "object": "response", "created_at": 0, "status": "completed",
                "model": "m", "output": output, "error": null, "incomplete_details": null})
        }
        Api::Messages => {
            let calls = calls.map(|(number, (name, arguments))| {
                json!({"type": "tool_use", "id": format!("call_{number}"), "name": name,
                    "input": object(arguments)})
            });
            let thinking = json!({"type": "thinking", "thinking": reasoning, "signature": "s"});
            let text = json!({"type": "text", "text": content});
            let blocks: Vec<Value> = [thinking, text].into_iter().chain(calls).collect();
            let reason = if has_calls { "tool_use" } else { "end_turn" };
            json!({"id": "r", "type": "message", "role": "assistant", "model": "m",
                "content": blocks, "stop_reason": reason, "stop_sequence": null,
                "usage": {"input_tokens": 1, "output_tokens": 1}})
        }
        Api::Ollama => {
            let calls = calls.map(|(number, (name, arguments))| {
                json!({"function": {"index": number, "name": name, "arguments": object(arguments)}})
            });
            json!({"model": "m", "created_at": "1970-01-01T00:00:00Z", "done": true,
                "done_reason": "stop", "message": {"role": "assistant", "content": content,
                    "thinking": reasoning, "tool_calls": calls.collect::<Vec<_>>()}})
        }
    }
    .to_string()
}

/// A request with canaries wherever people write something.
fn asked(api: Api, is_stream: bool) -> String {
    let schema = json!({"type": "object", "required": ["city"], "properties": {
        "city": {"type": "string", "description": "canary-described"}, "days": {"type": "integer"},
        "tags": {"type": "object", "additionalProperties": {"type": "integer"}}}});
    let (name, about) = ("get_weather", "canary-tool");
    let tool = match api {
        Api::Chat | Api::Ollama => json!({"type": "function",
            "function": {"name": name, "description": about, "parameters": schema}}),
        Api::Responses => json!({"type": "function", "name": name, "description": about,
            "parameters": schema}),
        Api::Messages => json!({"name": name, "description": about, "input_schema": schema}),
    };
    let messages = if api == Api::Responses { "input" } else { "messages" };
    json!({"model": "m", "stream": is_stream, "max_tokens": 99, "tools": [tool],
        messages: [{"role": "user", "content": "canary-question"}]})
    .to_string()
}

/// Everything that the page can be told.
async fn shown(stand: &Stand) -> Vec<String> {
    let mut shown = Vec::new();
    for path in ["calls", "overview", "status", "words", "export"] {
        shown.push(get(&format!("{}/api/{path}", stand.admin), &[]).await.body);
    }
    let page = stand.ask("calls").await;
    for row in page["rows"].as_array().unwrap() {
        let detail = stand.ask(&format!("calls/{}", row["id"])).await;
        assert_eq!(detail["texts"], Value::Null);
        let case = format!("{}/api/calls/{}/case?values=real", stand.admin, row["id"]);
        shown.extend([detail.to_string(), get(&case, &[]).await.body]);
    }
    if !page["rows"].as_array().unwrap().is_empty() {
        shown.push(listen(format!("{}/api/live?after=0", stand.admin), "event: calls").await);
    }
    for path in ["/metrics", "/", "/page.js"] {
        shown.push(get(&format!("{}{path}", stand.admin), &[]).await.body);
    }
    shown
}

async fn send(script: Script, api: Api, is_stream: bool, keep: Keep) -> Stand {
    let (url, _) = upstream(script).await;
    let mut settings = Settings::default();
    settings.store.keep = keep;
    let stand = Stand::start(&url, settings).await;
    post(&format!("{}{}", stand.proxy, path(api)), &[], &asked(api, is_stream)).await;
    stand.store.flush();
    stand
}

/// Each turn in each API, as it comes from a server.
fn scripts() -> Vec<(Api, bool, Script)> {
    let mut scripts = Vec::new();
    for api in APIS {
        let kind = match api.framing() {
            Framing::Events => "text/event-stream",
            Framing::Lines => "application/x-ndjson",
        };
        for said in &TURNS {
            let sent = String::from_utf8(stream(api, said)).unwrap();
            scripts.push((api, true, Script::stream(kind, &sent, 41)));
            // A stream that breaks off.
            let half = sent.get(..sent.len() * 2 / 3).unwrap_or(&sent);
            scripts.push((api, true, Script::stream(kind, half, 41)));
            scripts.push((api, false, Script::json("200 OK", &whole(api, said))));
        }
        for (status, body) in [
            ("500 Internal Server Error", r#"{"error": {"message": "canary-error"}}"#),
            (
                "500 Internal Server Error",
                r#"{"error": "error parsing tool call: raw='{\"city\": \"canary\"', err=x"}"#,
            ),
            ("200 OK", "canary nonsense"),
        ] {
            scripts.push((api, false, Script::json(status, body)));
        }
    }
    scripts
}

#[tokio::test(flavor = "multi_thread")]
async fn no_value_is_kept_shown_or_logged_where_nobody_asks_for_it() {
    let log = Log::of_process();
    let default = Settings::default().store.keep;
    let mut kept = 0;
    for (api, is_stream, script) in scripts() {
        let told = format!(
            "{} {is_stream} {:?}",
            api.as_str(),
            String::from_utf8_lossy(&script.pieces.concat())
        );
        let stand = send(script, api, is_stream, default).await;
        kept += stand.ask("calls").await["rows"].as_array().unwrap().len();
        assert!(!has(&bytes_of(&stand.folder), CANARY), "kept: {told}");
        for text in shown(&stand).await {
            assert!(!text.to_lowercase().contains(CANARY), "shown: {told}\n{text}");
        }
    }
    assert!(kept > 100, "only {kept} calls were kept at all");
    let log = log.text();
    assert!(log.contains("tool"), "nothing was written at all");
    assert_eq!(log.lines().find(|line| line.contains(CANARY)), None);
}

/// The same turns are full of what is looked for: who asks for texts has it.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_looked_for_is_there_where_texts_are_kept() {
    for api in APIS {
        let script = Script::json("200 OK", &whole(api, &TURNS[1]));
        let stand = send(script, api, false, Keep::Failures).await;
        assert!(has(&bytes_of(&stand.folder), CANARY), "{}", api.as_str());
    }
}
