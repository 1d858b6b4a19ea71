//! The proxy between a real socket and another: what is right passes byte for byte, what is wrong is
//! mended, and nothing that must not get out does.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop where it fails")]

#[path = "proxy/canary.rs"]
mod canary;
#[path = "proxy/demo.rs"]
mod demo;
#[path = "proxy/limits.rs"]
mod limits;
#[path = "proxy/lines.rs"]
mod lines;
#[path = "proxy/packed.rs"]
mod packed;
mod support;
#[path = "proxy/upwards.rs"]
mod upwards;
#[path = "proxy/who.rs"]
mod who;

use serde_json::{Value, json};
use support::{Script, post, proxy, upstream};
use toolmend::{Mode, Settings};

const CHAT: &str = "/v1/chat/completions";

/// The path, the content type and a healthy stream of each API.
fn healthy() -> Vec<(&'static str, &'static str, String)> {
    let chat = [
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":null},"finish_reason":null}]}"#,
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"I look < 3 times: "},"finish_reason":null}]}"#,
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{"}}]},"finish_reason":null}]}"#,
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\"city\": \"Lima\"}"}}]},"finish_reason":null}]}"#,
        r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ];
    let chat = chat.map(|data| format!("data: {data}\n\n")).concat();
    let messages = [
        (
            "message_start",
            r#"{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#,
        ),
        (
            "content_block_start",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{}}}"#,
        ),
        (
            "content_block_delta",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"city\": \"Lima\"}"}}"#,
        ),
        ("content_block_stop", r#"{"type":"content_block_stop","index":0}"#),
        (
            "message_delta",
            r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":9}}"#,
        ),
        ("message_stop", r#"{"type":"message_stop"}"#),
    ];
    let messages = messages.iter().map(|(event, data)| format!("event: {event}\ndata: {data}\n\n"));
    let ollama = [
        r#"{"model":"m","created_at":"t","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"get_weather","arguments":{"city":"Lima"}}}]},"done":false}"#,
        r#"{"model":"m","created_at":"t","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}"#,
    ];
    let ollama = ollama.map(|line| format!("{line}\n")).concat();
    vec![
        ("/v1/chat/completions", "text/event-stream", chat),
        ("/v1/messages", "text/event-stream", messages.collect()),
        ("/api/chat", "application/x-ndjson", ollama),
    ]
}

fn tools(path: &str) -> Value {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"},
        "days": {"type": "integer"}}, "required": ["city"]});
    match path {
        "/v1/messages" => json!([{"name": "get_weather", "input_schema": schema}]),
        _ => {
            let function = json!({"name": "get_weather", "parameters": schema});
            json!([{"type": "function", "function": function}])
        }
    }
}

fn request(path: &str, is_stream: bool) -> String {
    let messages = json!([{"role": "user", "content": "How is it in Lima?"}]);
    json!({"model": "m", "stream": is_stream, "messages": messages, "tools": tools(path)})
        .to_string()
}

/// A chat of these deltas, and its end.
fn chat(deltas: Vec<Value>, finish: &str) -> String {
    let chunk = |(delta, finish): (Value, Option<&str>)| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 1,
            "model": "m", "choices": [choice]});
        format!("data: {chunk}\n\n")
    };
    let deltas = deltas.into_iter().map(|delta| (delta, None));
    let chunks = deltas.chain([(json!({}), Some(finish))]).map(chunk);
    chunks.chain(["data: [DONE]\n\n".to_owned()]).collect()
}

/// One chunk of a chat with this text, and the end.
fn chat_text(text: &str) -> String {
    let role = json!({"role": "assistant", "content": ""});
    chat(vec![role, json!({"content": text})], "stop")
}

#[tokio::test]
async fn healthy_streams_pass_byte_for_byte_in_any_pieces() {
    for (path, kind, body) in healthy() {
        for size in [1, 7, 64, 100_000] {
            let (url, _) = upstream(Script::stream(kind, &body, size)).await;
            let proxy = proxy(&url, None, Settings::default()).await;
            let heard = post(&format!("{}{path}", proxy.url), &[], &request(path, true)).await;
            assert_eq!(heard.body, body, "{path} in pieces of {size}");
            assert_eq!(heard.headers["content-type"], kind);
        }
    }
}

#[tokio::test]
async fn a_call_in_text_becomes_a_call() {
    let text = "Let me look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Lima\", \"days\": \"2\"}}\n</tool_call>";
    for size in [1, 9, 100_000] {
        let (url, _) = upstream(Script::events(&chat_text(text), size)).await;
        let proxy = proxy(&url, None, Settings::default()).await;
        let path = "/v1/chat/completions";
        let heard = post(&format!("{}{path}", proxy.url), &[], &request(path, true)).await;
        assert!(heard.body.contains(r#"{\"city\":\"Lima\",\"days\":2}"#), "{}", heard.body);
        assert!(heard.body.contains(r#""finish_reason":"tool_calls""#), "{}", heard.body);
        assert!(!heard.body.contains("tool_call>"), "{}", heard.body);
        let report = heard.headers["x-toolmend-report"].to_str().unwrap();
        let told = format!(": x-toolmend: mended;n=1; report={report}\n\n");
        assert!(heard.body.ends_with(&told), "{}", heard.body);
    }
}

#[tokio::test]
async fn a_name_in_pieces_names_its_tool() {
    let piece = |id: Value, function: Value| json!({"tool_calls": [{"index": 0, "id": id, "type": "function", "function": function}]});
    let role = json!({"role": "assistant", "content": null});
    let later = |function| piece(Value::Null, function);
    let pieces = vec![
        role,
        piece(json!("call_1"), json!({"name": "get_", "arguments": ""})),
        later(json!({"name": "weather", "arguments": ""})),
        later(json!({"arguments": "{'city': 'Lima', "})),
        later(json!({"arguments": "'days': '2'}"})),
    ];
    let stream = chat(pieces, "tool_calls");
    for size in [7, 100_000] {
        let (url, _) = upstream(Script::events(&stream, size)).await;
        let proxy = proxy(&url, None, Settings::default()).await;
        let heard = post(&format!("{}{CHAT}", proxy.url), &[], &request(CHAT, true)).await;
        let call = r#"{"name":"get_weather","arguments":"{\"city\":\"Lima\",\"days\":2}"}"#;
        assert_eq!(heard.body.matches("function\":").count(), 1, "{}", heard.body);
        assert!(heard.body.contains(call), "{}", heard.body);
    }
}

#[tokio::test]
async fn a_call_that_is_only_shown_stays_text() {
    let text = "For example:\n\n```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Lima\"}}\n```\n\nThat is the format.";
    let body = chat_text(text);
    let (url, _) = upstream(Script::events(&body, 11)).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let path = "/v1/chat/completions";
    let heard = post(&format!("{}{path}", proxy.url), &[], &request(path, true)).await;
    assert_eq!(heard.body, body);
}

#[tokio::test]
async fn off_and_observe_change_nothing() {
    let text =
        "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Lima\"}}</tool_call>";
    let body = chat_text(text).replace("data: [DONE]\n\n", "");
    for mode in [Mode::Off, Mode::Observe] {
        let (url, _) = upstream(Script::events(&body, 13)).await;
        let mut settings = Settings::default();
        settings.proxy.mode = mode;
        let proxy = proxy(&url, None, settings).await;
        let path = "/v1/chat/completions";
        let heard = post(&format!("{}{path}", proxy.url), &[], &request(path, true)).await;
        assert_eq!(heard.body, body, "{mode:?}");
    }
    let (url, _) = upstream(Script::events(&body, 13)).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let address = format!("{}/v1/chat/completions", proxy.url);
    let heard =
        post(&address, &[("x-toolmend", "off")], &request("/v1/chat/completions", true)).await;
    assert_eq!(heard.body, body, "by header");
    let heard = post(&address, &[("x-toolmend", "maybe")], "{}").await;
    assert_eq!(heard.status, 400);
}

/// Clients of the form that came before `tools` read `function_call`, and nothing else.
#[tokio::test]
async fn who_offers_functions_gets_what_the_server_said() {
    let call = json!({"name": "get_weather", "arguments": "{'city': 'Lima',}"});
    let message = json!({"role": "assistant", "content": null, "function_call": call});
    let choice = json!({"index": 0, "message": message, "finish_reason": "function_call"});
    let whole = json!({"id": "c", "object": "chat.completion", "choices": [choice]}).to_string();
    let delta = json!({"index": 0, "delta": message, "finish_reason": "function_call"});
    let stream = format!("data: {}\n\n", json!({"id": "c", "choices": [delta]}));
    let functions = [tools(CHAT)[0]["function"].clone()];
    let asked = json!({"model": "m", "functions": functions, "tools": null,
        "messages": [{"role": "user", "content": "How is it in Lima?"}]});
    for (script, said) in
        [(Script::json("200 OK", &whole), &whole), (Script::events(&stream, 9), &stream)]
    {
        let (url, _) = upstream(script).await;
        let proxy = proxy(&url, None, Settings::default()).await;
        let heard = post(&format!("{}{CHAT}", proxy.url), &[], &asked.to_string()).await;
        assert_eq!(heard.body, *said);
        assert!(!heard.headers.contains_key("x-toolmend-report"), "nothing was looked at");
    }
}

#[tokio::test]
async fn a_whole_reply_is_mended_and_says_so() {
    let reply = json!({"id": "c", "object": "chat.completion", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
            "function": {"name": "get_weather", "arguments": "{'city': 'Lima',}"}}]},
        "finish_reason": "tool_calls"}], "usage": {"total_tokens": 3}, "unknown": [1, 2]});
    let (url, _) = upstream(Script::json("200 OK", &reply.to_string())).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let path = "/v1/chat/completions";
    let heard = post(&format!("{}{path}", proxy.url), &[], &request(path, false)).await;
    let out: Value = serde_json::from_str(&heard.body).unwrap();
    let call = &out["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["function"]["arguments"], r#"{"city":"Lima"}"#);
    assert_eq!((call["id"].clone(), out["unknown"].clone()), (json!("a"), json!([1, 2])));
    assert_eq!(heard.headers["x-toolmend"], "mended;n=1");
}

#[tokio::test]
async fn a_right_reply_is_untouched() {
    let reply = r#"{"id": "c",  "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}"#;
    let (url, _) = upstream(Script::json("200 OK", reply)).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let path = "/v1/chat/completions";
    let heard = post(&format!("{}{path}", proxy.url), &[], &request(path, false)).await;
    assert_eq!(heard.body, reply);
    assert_eq!(heard.headers["x-toolmend"], "untouched");
}

#[tokio::test]
async fn a_stream_that_breaks_off_ends_as_an_error_of_its_api() {
    for (path, kind, body) in healthy() {
        let cut = body.get(..body.len() * 2 / 3).unwrap();
        let (url, _) = upstream(Script::stream(kind, cut, 50)).await;
        let proxy = proxy(&url, None, Settings::default()).await;
        let heard = post(&format!("{}{path}", proxy.url), &[], &request(path, true)).await;
        assert!(heard.body.contains("\"error\""), "{path}: {}", heard.body);
        assert!(!heard.body.contains("[DONE]"), "{path}: {}", heard.body);
    }
}

/// The limit is where it is in whatever pieces a stream comes; whoever only watches has none.
#[tokio::test]
async fn a_stream_that_is_too_long_ends_as_one_that_breaks_off() {
    for (path, kind, body) in healthy() {
        let bytes_max = body.len() * 2 / 3;
        let mut bodies = Vec::new();
        let start = body.get(..bytes_max).unwrap();
        for (sent, piece) in [(start, 50), (&*body, 7), (&*body, 50), (&*body, 9999)] {
            let (url, _) = upstream(Script::stream(kind, sent, piece)).await;
            let mut settings = Settings::default();
            settings.proxy.stream_bytes_max = bytes_max;
            let proxy = proxy(&url, None, settings).await;
            let url = format!("{}{path}", proxy.url);
            bodies.push(post(&url, &[], &request(path, true)).await.body);
            if sent == body {
                let heard = post(&url, &[("x-toolmend", "observe")], &request(path, true)).await;
                assert_eq!(heard.body, body, "{path}");
            }
        }
        let (broken, too_long) = bodies.split_first().unwrap();
        assert!(broken.contains("\"error\"") && !broken.contains("[DONE]"), "{path}: {broken}");
        assert!(too_long.iter().all(|heard| heard == broken), "{path}: {bodies:#?}");
    }
}

#[tokio::test]
async fn a_broken_history_is_healed_on_its_way_up_and_a_right_one_is_not_touched() {
    let (url, asked) = upstream(Script::json("200 OK", "{}")).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let address = format!("{}/v1/chat/completions", proxy.url);
    let right = r#"{"model": "m",  "messages": [{"role": "user", "content": "Hi"}], "x": 1}"#;
    post(&address, &[], right).await;
    let broken = json!({"model": "m", "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
            "function": {"name": "f", "arguments": "{}"}}]},
        {"role": "user", "content": "Well?"}]});
    post(&address, &[], &broken.to_string()).await;
    let asked = asked.lock().await;
    assert!(asked[0].ends_with(right), "{}", asked[0]);
    assert!(asked[1].contains("it may or may not have run"), "{}", asked[1]);
}

#[tokio::test]
async fn the_key_of_the_proxy_is_asked_for_and_goes_no_further() {
    let (url, asked) = upstream(Script::json("200 OK", "{}")).await;
    let proxy = proxy(&url, Some("canary-key"), Settings::default()).await;
    let address = format!("{}/v1/embeddings", proxy.url);
    let heard = post(&address, &[("authorization", "Bearer wrong")], "{}").await;
    assert_eq!(heard.status, 401);
    assert!(!heard.body.contains("canary"), "{}", heard.body);
    let heard = post(&address, &[("authorization", "Bearer canary-key")], "{}").await;
    assert_eq!(heard.status, 200);
    let asked = asked.lock().await;
    assert_eq!(asked.len(), 1);
    assert!(!asked[0].contains("canary"), "{}", asked[0]);
}

#[tokio::test]
async fn the_key_of_the_upstream_is_passed_on_where_the_proxy_has_none() {
    let (url, asked) = upstream(Script::json("200 OK", "{}")).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let headers = [("authorization", "Bearer upstream-key"), ("anthropic-beta", "a,b")];
    post(&format!("{}/v1/messages", proxy.url), &headers, &request("/v1/messages", false)).await;
    let asked = asked.lock().await;
    assert!(asked[0].contains("authorization: Bearer upstream-key"), "{}", asked[0]);
    assert!(asked[0].contains("anthropic-beta: a,b"), "{}", asked[0]);
}

#[tokio::test]
async fn what_goes_wrong_is_said_in_the_words_of_the_api() {
    let proxy = proxy("http://127.0.0.1:9", None, Settings::default()).await;
    let heard = post(&format!("{}/v1/messages", proxy.url), &[], "{}").await;
    assert_eq!(heard.status, 502);
    let body: Value = serde_json::from_str(&heard.body).unwrap();
    assert_eq!(body["type"], "error", "{}", heard.body);
    let socket = [("upgrade", "websocket"), ("sec-websocket-key", "x")];
    let heard = post(&format!("{}/v1/realtime", proxy.url), &socket, "").await;
    assert_eq!(heard.status, 501, "{}", heard.body);
}

#[tokio::test]
async fn a_request_that_is_too_large_is_refused() {
    let (url, asked) = upstream(Script::json("200 OK", "{}")).await;
    let mut settings = Settings::default();
    settings.proxy.body_bytes_max = 100;
    let proxy = proxy(&url, None, settings).await;
    let body = format!("{{\"model\": \"{}\"}}", "m".repeat(200));
    let heard = post(&format!("{}/v1/chat/completions", proxy.url), &[], &body).await;
    assert_eq!(heard.status, 413, "{}", heard.body);
    assert!(asked.lock().await.is_empty());
}

#[tokio::test]
async fn what_is_not_understood_passes_untouched() {
    let body = "any bytes \u{0} at all";
    let (url, asked) = upstream(Script::stream("application/octet-stream", body, 5)).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let heard =
        post(&format!("{}/v1/audio/speech?x=1", proxy.url), &[("te", "trailers")], "in").await;
    assert_eq!(heard.body, body);
    let asked = asked.lock().await;
    assert!(asked[0].starts_with("POST /v1/audio/speech?x=1 "), "{}", asked[0]);
    assert!(!asked[0].contains("te: trailers"), "{}", asked[0]);
}
