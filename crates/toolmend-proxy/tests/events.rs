//! What a turn tells the log: each event by its name, with its fields, and no value in any of them.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop where it fails")]

mod support;

use serde_json::{Value, json};
use support::log::Log;
use support::{Script, nobody, post, proxy, upstream_at, upstream_in_turn};
use toolmend::{Layer, Layers, Settings};

const CHAT: &str = "/v1/chat/completions";

/// A reply with this message.
fn reply(message: &Value, finish: &str) -> Script {
    let choice = json!({"index": 0, "message": message, "finish_reason": finish});
    Script::json("200 OK", &json!({"id": "c", "model": "tern", "choices": [choice]}).to_string())
}

fn call(arguments: &str) -> Value {
    let function = json!({"name": "read_log", "arguments": arguments});
    json!({"role": "assistant", "content": null,
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}]})
}

/// What is told of these replies to one request, behind the level and the target.
async fn told(said: &str, messages: Value, replies: Vec<Script>) -> Vec<String> {
    let (log, _guard) = Log::of_thread();
    let (up, _) = upstream_in_turn(replies).await;
    let layer = Layer::file("toolmend.toml", said).unwrap();
    let proxy = proxy(&up, None, Layers::new().over(layer).settings().unwrap()).await;
    let schema = json!({"type": "object", "required": ["day"],
        "properties": {"day": {"type": "string"}, "lines": {"type": "integer"}}});
    let tool = json!({"type": "function", "function": {"name": "read_log", "parameters": schema}});
    let body = json!({"model": "tern", "messages": messages, "tools": [tool]});
    post(&format!("{}{CHAT}", proxy.url), &[], &body.to_string()).await;
    let log = log.text();
    assert!(!log.contains("monday"), "{log}");
    let events = log.lines().map(str::trim_start).filter(|line| line.contains(": event="));
    events.map(str::to_owned).collect()
}

fn user() -> Value {
    json!([{"role": "user", "content": "What does the log say?"}])
}

#[tokio::test]
async fn a_call_that_is_found_and_mended() {
    let text = "<tool_call>{\"name\": \"read_log\", \"arguments\": {\"day\": \"monday\", \"lines\": \"4\"}}</tool_call>";
    let message = json!({"role": "assistant", "content": text});
    let told = told("", user(), vec![reply(&message, "stop")]).await;
    let [found, repaired, call] = told.as_slice() else { panic!("{told:?}") };
    let of = "tool=\"read_log\" model=\"tern\"";
    assert_eq!(
        *found,
        format!(
            "INFO tool_repair: event=\"tool_call_scavenged\" {of} channel=\"content\" dialect=\"hermes_json\""
        )
    );
    assert_eq!(
        *repaired,
        format!(
            "INFO tool_repair: event=\"tool_input_repaired\" {of} repair_kind=\"string-to-integer\" trust=\"exact\""
        )
    );
    let start = format!(
        "INFO tool_repair: event=\"tool.call_repaired\" outcome=\"local-salvage\" {of} call_id=\"call_"
    );
    assert!(call.starts_with(&start) && call.ends_with("rules=\"string-to-integer\""), "{call}");
}

#[tokio::test]
async fn a_call_that_nothing_mends() {
    let replies = vec![reply(&call("{\"lines\": 4}"), "tool_calls")];
    let told = told("", user(), replies).await;
    let asked =
        "INFO tool_repair: event=\"tool_call_ask\" model=\"tern\" kind=\"correct\" attempt=1";
    let invalid = "WARN tool_input_invalid: event=\"tool_input_invalid\" tool=\"read_log\" model=\"tern\" reason=\"mismatch\"";
    assert_eq!(told, [asked, invalid]);
}

#[tokio::test]
async fn a_call_that_comes_again_and_again() {
    let mut messages = user();
    for _ in 0..2 {
        let past = messages.as_array_mut().unwrap();
        past.push(call("{\"day\": \"monday\"}"));
        past.push(json!({"role": "tool", "tool_call_id": "call_1", "content": "quiet"}));
    }
    let said = "storm.mode = 'stop'\nstorm.repeat.threshold = 3";
    let replies = vec![reply(&call("{\"day\": \"monday\"}"), "tool_calls")];
    let told = told(said, messages, replies).await;
    let storm = "WARN tool_call_storm: event=\"tool_call_storm\" tool=\"read_log\" model=\"tern\"";
    assert!(told.iter().any(|line| line == storm), "{told:?}");
}

/// Told when it changes, not with each request; and of the URL no more than where it is.
#[tokio::test]
async fn a_server_that_is_away_and_comes_back() {
    let (log, _guard) = Log::of_thread();
    let up = nobody().await;
    let proxy = proxy(&format!("{up}/token-in-path?key=k"), None, Settings::default()).await;
    let ask = async || post(&format!("{}{CHAT}", proxy.url), &[], "{}").await.status;
    assert_eq!([ask().await, ask().await, ask().await], [502; 3]);
    upstream_at(up.trim_start_matches("http://"), Script::json("200 OK", "{}")).await;
    assert_eq!([ask().await, ask().await], [200; 2]);
    let log = log.text();
    let told: Vec<&str> = log.lines().map(str::trim_start).collect();
    let told: Vec<&str> =
        told.into_iter().filter(|line| line.contains("toolmend_upstream: ")).collect();
    let wanted = [
        format!(
            "WARN toolmend_upstream: event=\"upstream_away\" server=\"{up}\" kind=\"unreachable\""
        ),
        format!("INFO toolmend_upstream: event=\"upstream_back\" server=\"{up}\""),
    ];
    assert_eq!(told, wanted);
}
