//! What a host can ask of a history: who speaks, what was called, what came of it.

use serde_json::{Value, json};
use toolmend_history::{Api, History, Options, Role, check};

/// The calls of all messages: id, name, arguments.
fn calls(history: &History<'_>) -> Vec<(Option<String>, String, Value)> {
    let calls = history.messages().iter().flat_map(toolmend_history::Message::calls);
    calls
        .map(|c| (c.id().map(str::to_owned), c.name().to_owned(), c.arguments().to_value()))
        .collect()
}

/// The results of all messages: id, text, and whether they are marked as errors.
fn results(history: &History<'_>) -> Vec<(Option<String>, String, bool)> {
    let results = history.messages().iter().flat_map(toolmend_history::Message::results);
    results
        .map(|r| (r.call_id().map(str::to_owned), r.text().into_owned(), r.is_marked_error()))
        .collect()
}

#[test]
fn calls_and_results_are_read_in_each_shape() {
    let called = |id: &str, arguments: Value| (Some(id.to_owned()), "f".to_owned(), arguments);
    let said = |id: &str, text: &str, is_error| (Some(id.to_owned()), text.to_owned(), is_error);
    let function = |arguments: Value| json!({"name": "f", "arguments": arguments});
    let blocks = json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]);
    for (api, messages, wanted_calls, wanted_results) in [
        (
            Api::Chat,
            json!([
                {"role": "assistant", "tool_calls": [{"id": "a", "function": function(json!("{\"x\":1}"))},
                    {"id": "b", "function": function(json!(""))}]},
                {"role": "tool", "tool_call_id": "a", "content": blocks},
                {"role": "tool", "tool_call_id": "b", "content": [{"type": "image"}]},
            ]),
            vec![called("a", json!({"x": 1})), called("b", json!({}))],
            vec![said("a", "one\ntwo", false), said("b", "[{\"type\":\"image\"}]", false)],
        ),
        (
            Api::Anthropic,
            json!([
                {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {"x": 1}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "no", "is_error": true},
                    {"type": "tool_result", "tool_use_id": "b", "content": blocks, "is_error": false},
                ]},
            ]),
            vec![called("a", json!({"x": 1}))],
            vec![said("a", "no", true), said("b", "one\ntwo", false)],
        ),
        (
            Api::Responses,
            json!([
                {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{\"x\":1}"},
                {"type": "custom_tool_call", "call_id": "b", "name": "f", "input": "ls -l"},
                {"type": "function_call_output", "call_id": "a", "output": "yes"},
            ]),
            vec![called("a", json!({"x": 1})), called("b", json!("ls -l"))],
            vec![said("a", "yes", false)],
        ),
    ] {
        let text = messages.to_string();
        let history = History::read(&text, api).unwrap();
        assert_eq!(calls(&history), wanted_calls, "{api:?}");
        assert_eq!(results(&history), wanted_results, "{api:?}");
    }
}

#[test]
fn who_speaks_is_known() {
    let names = ["system", "developer", "user", "assistant", "tool", "critic"];
    let messages: Vec<Value> =
        names.iter().map(|role| json!({"role": role, "content": "x"})).collect();
    let text = Value::from(messages).to_string();
    let history = History::read(&text, Api::Chat).unwrap();
    let roles: Vec<Role> = history.messages().iter().map(toolmend_history::Message::role).collect();
    let wanted = [Role::System, Role::System, Role::User, Role::Assistant, Role::Tool, Role::Other];
    assert_eq!(roles, wanted);
}

#[test]
fn what_is_no_list_is_not_read() {
    for text in ["", "{}", "[", "[{\"role\":\"user\"},]", "[1] 2", "['a']"] {
        let error = History::read(text, Api::Chat).unwrap_err();
        assert_eq!(error.to_string(), "a history is a JSON list of messages", "{text}");
    }
    assert!(History::read("[]", Api::Chat).is_ok());
}

#[test]
fn a_finding_says_where_and_what() {
    let text = json!([{"role": "tool", "tool_call_id": "a", "content": "x"}]).to_string();
    let history = History::read(&text, Api::Chat).unwrap();
    let found: Vec<String> =
        check(&history, Options::default()).iter().map(ToString::to_string).collect();
    assert_eq!(found, ["message 0: A result belongs to no call."]);
}
