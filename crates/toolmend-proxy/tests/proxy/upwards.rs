//! What goes up: tools as the model should see them, notes, keys.

use serde_json::{Value, json};
use toolmend::{Layer, Layers, Profile, Settings, When};
use toolmend_proxy::Credentials;

use crate::CHAT;
use crate::support::{Script, post, proxy, proxy_with, upstream};

/// The body of a request as the server got it.
fn body(asked: &str) -> Value {
    serde_json::from_str(asked.split_once("\r\n\r\n").unwrap().1).unwrap()
}

fn reply(arguments: &Value) -> Script {
    let call = json!({"id": "call_1", "type": "function",
        "function": {"name": "deploy", "arguments": arguments.to_string()}});
    let reply = json!({"id": "c", "choices": [{"index": 0, "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": null, "tool_calls": [call]}}]});
    Script::json("200 OK", &reply.to_string())
}

fn arguments(reply: &str) -> Value {
    let reply: Value = serde_json::from_str(reply).unwrap();
    let call = &reply["choices"][0]["message"]["tool_calls"][0];
    serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn hints_stay_here_and_what_they_filled_in_is_told_with_the_result() {
    let (url, asked) = upstream(reply(&json!({"limit": 30}))).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let schema = json!({"type": "object",
        "properties": {"limit": {"type": "integer"}, "offset": {"type": "integer"}},
        "x-toolmend": {"relational": [{"requires": ["offset", "limit"], "defaults": {"offset": 0, "limit": 100}}]}});
    let tool = json!({"type": "function", "function": {"name": "deploy", "parameters": schema,
        "contract_hint": "Give both."}});
    let user = json!({"role": "user", "content": "Go on."});
    let first = json!({"model": "m", "messages": [user], "tools": [tool]});
    let heard = post(&format!("{}{CHAT}", proxy.url), &[], &first.to_string()).await;
    assert_eq!(heard.headers["x-toolmend"], "mended;n=1", "{}", heard.body);
    assert_eq!(heard.headers["x-toolmend-report"].len(), 16);
    let call = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_1",
        "type": "function", "function": {"name": "deploy", "arguments": "{\"limit\":30,\"offset\":0}"}}]});
    let result = json!({"role": "tool", "tool_call_id": "call_1", "content": "done"});
    let second = json!({"model": "m", "messages": [user, call, result], "tools": [tool]});
    post(&format!("{}{CHAT}", proxy.url), &[], &second.to_string()).await;
    let asked = asked.lock().await;
    assert!(!asked[0].contains("x-toolmend"), "{}", asked[0]);
    let shown = &body(&asked[0])["tools"][0]["function"];
    assert_eq!(shown["description"], "Give both.");
    let told = body(&asked[1])["messages"][2]["content"].clone();
    assert!(told.as_str().unwrap().starts_with("done\n\nNote: `offset`"), "{told}");
}

#[tokio::test]
async fn a_model_that_needs_it_sees_flat_tools_and_the_client_gets_objects() {
    let sent = json!({"config.retry.max": 3, "name": "a"});
    let (url, asked) = upstream(reply(&sent)).await;
    let mut settings = Settings::default();
    let profile = Profile { flatten: Some(When::Always), ..Profile::default() };
    settings.models.insert("small*".to_owned(), profile);
    let proxy = proxy(&url, None, settings).await;
    let retry = json!({"type": "object", "properties": {"max": {"type": "integer"}}});
    let config = json!({"type": "object", "properties": {"retry": retry}});
    let schema =
        json!({"type": "object", "properties": {"config": config, "name": {"type": "string"}}});
    let tool = json!({"type": "function", "function": {"name": "deploy", "parameters": schema}});
    for (model, is_flat) in [("small-model", true), ("large-model", false)] {
        let request = json!({"model": model, "messages": [], "tools": [tool]}).to_string();
        let heard = post(&format!("{}{CHAT}", proxy.url), &[], &request).await;
        let asked = asked.lock().await;
        let asked = asked.last().unwrap();
        assert_eq!(asked.contains("config.retry.max"), is_flat, "{model}");
        if is_flat {
            assert_eq!(
                arguments(&heard.body),
                json!({"config": {"retry": {"max": 3}}, "name": "a"})
            );
        } else {
            assert!(asked.ends_with(&request), "{asked}");
        }
    }
}

/// The settings as a file would say them.
fn settings(said: &str) -> Settings {
    Layers::new().over(Layer::file("toolmend.toml", said).unwrap()).settings().unwrap()
}

#[tokio::test]
async fn a_model_that_wants_its_thinking_back_gets_it() {
    let call = json!({"id": "call_1", "type": "function",
        "function": {"name": "deploy", "arguments": "{}"}});
    let messages = json!([{"role": "user", "content": "Go on."},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "done"}]);
    let request = json!({"model": "tern-think", "messages": messages}).to_string();
    for (wants, has) in [(true, true), (false, false)] {
        let (url, asked) = upstream(Script::json("200 OK", "{}")).await;
        let said = format!("models.'*-think'.needs_reasoning = {wants}");
        let proxy = proxy(&url, None, settings(&said)).await;
        post(&format!("{}{CHAT}", proxy.url), &[], &request).await;
        let asked = asked.lock().await;
        let turn = &body(&asked[0])["messages"][1];
        assert_eq!(turn.get("reasoning_content").is_some(), has, "{turn}");
    }
}

#[tokio::test]
async fn the_server_sees_the_keys_that_are_meant_for_it() {
    let shown = [("authorization", "Bearer of-the-client"), ("cookie", "a=b")];
    let named = [("x-api-key", "of-the-client"), ("anthropic-version", "2023-06-01")];
    for (credentials, headers, wanted, unwanted) in [
        (Credentials::Passed, shown, "authorization: Bearer of-the-client", "x-api-key"),
        (Credentials::Withheld, shown, "POST", "of-the-client"),
        (Credentials::Withheld, shown, "POST", "cookie"),
        (Credentials::Own("own".into()), shown, "authorization: Bearer own", "of-the-client"),
        (Credentials::Own("own".into()), named, "x-api-key: own", "of-the-client"),
    ] {
        let (url, asked) = upstream(Script::json("200 OK", "{}")).await;
        let proxy = proxy_with(&url, None, credentials, Settings::default()).await;
        post(&format!("{}/v1/embeddings", proxy.url), &headers, "{}").await;
        let asked = asked.lock().await;
        assert!(asked[0].contains(wanted), "{}", asked[0]);
        assert!(!asked[0].contains(unwanted), "{}", asked[0]);
    }
}

#[tokio::test]
async fn the_key_of_the_upstream_goes_to_no_other_server() {
    let (default, _) = upstream(Script::json("200 OK", "{}")).await;
    let (other, asked) = upstream(Script::json("200 OK", "{}")).await;
    let settings = settings(&format!("proxy.upstreams.'far-*' = '{other}'"));
    let proxy = proxy_with(&default, None, Credentials::Own("own-key".into()), settings).await;
    let body = json!({"model": "far-1", "messages": []}).to_string();
    post(&format!("{}{CHAT}", proxy.url), &[("authorization", "Bearer mine")], &body).await;
    let asked = asked.lock().await;
    assert!(asked[0].contains("authorization: Bearer mine"), "{}", asked[0]);
    assert!(!asked[0].contains("own-key"), "{}", asked[0]);
}

#[tokio::test]
async fn a_client_that_shows_two_keys_shows_one_to_the_server() {
    let (url, asked) = upstream(Script::json("200 OK", "{}")).await;
    let proxy = proxy(&url, Some("of-the-proxy"), Settings::default()).await;
    let headers = [("authorization", "Bearer of-the-proxy"), ("x-api-key", "of-the-server")];
    post(&format!("{}/v1/embeddings", proxy.url), &headers, "{}").await;
    let asked = asked.lock().await;
    assert!(asked[0].contains("x-api-key: of-the-server"), "{}", asked[0]);
    assert!(!asked[0].contains("of-the-proxy"), "{}", asked[0]);
}
