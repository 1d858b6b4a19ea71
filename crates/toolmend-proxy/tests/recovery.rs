//! Asking the model again over real sockets: the client sees one clean turn, nothing twice, and no
//! more asks than the settings allow.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop where it fails")]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use support::log::Log;
use support::{Asked, Heard, Script, post, proxy, upstream_in_turn, upstream_of};
use toolmend::{AskLimits, Continuation, Profile, Settings};

const CHAT: &str = "/v1/chat/completions";

fn schema() -> Value {
    json!({"type": "object", "properties": {"city": {"type": "string"},
        "days": {"type": "integer"}}, "required": ["city", "days"]})
}

fn request(path: &str, is_stream: bool) -> Value {
    let user = json!({"role": "user", "content": "How is it in Lima?"});
    let tool = match path {
        "/v1/messages" => json!({"name": "get_weather", "input_schema": schema()}),
        "/v1/responses" => {
            json!({"type": "function", "name": "get_weather", "parameters": schema()})
        }
        _ => {
            json!({"type": "function", "function": {"name": "get_weather", "parameters": schema()}})
        }
    };
    let key = if path == "/v1/responses" { "input" } else { "messages" };
    json!({"model": "m", "stream": is_stream, "max_tokens": 99, key: [user], "tools": [tool]})
}

/// A whole reply of a chat.
fn chat(content: impl Into<Value>, calls: &[(&str, &str)], finish: &str) -> String {
    let mut message = json!({"role": "assistant", "content": content.into()});
    if !calls.is_empty() {
        message["tool_calls"] = calls
            .iter()
            .enumerate()
            .map(|(at, (name, arguments))| {
                json!({"id": format!("call_{at}"), "type": "function",
                    "function": {"name": name, "arguments": arguments}})
            })
            .collect();
    }
    json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}})
    .to_string()
}

/// The events of a chat: pieces of text, calls, and the end, if there is one.
fn events(texts: &[&str], calls: &[(&str, &str)], finish: Option<&str>) -> String {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!(
            "data: {}\n\n",
            json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
                "choices": [choice]})
        )
    };
    let mut out = chunk(json!({"role": "assistant", "content": ""}), Value::Null);
    for text in texts {
        out += &chunk(json!({"content": text}), Value::Null);
    }
    for (at, (name, arguments)) in calls.iter().enumerate() {
        let call = json!({"index": at, "id": format!("call_{at}"), "type": "function",
            "function": {"name": name, "arguments": arguments}});
        out += &chunk(json!({"tool_calls": [call]}), Value::Null);
    }
    if let Some(finish) = finish {
        out += &chunk(json!({}), finish.into());
        let usage = json!({"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10});
        let last = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [], "usage": usage});
        out += &["data: ", &last.to_string(), "\n\ndata: [DONE]\n\n"].concat();
    }
    out
}

/// What a client of a chat makes of a stream.
#[derive(Debug, Default, PartialEq)]
struct Told {
    text: String,
    calls: Vec<(String, String)>,
    finish: Vec<String>,
    tokens: u64,
    errors: usize,
    done: usize,
}

fn told(heard: &Heard) -> Told {
    let mut told = Told::default();
    let data = heard.body.lines().filter_map(|line| line.strip_prefix("data: "));
    for data in data {
        if data == "[DONE]" {
            told.done += 1;
            continue;
        }
        let chunk: Value = serde_json::from_str(data).unwrap();
        told.errors += usize::from(chunk.get("error").is_some());
        told.tokens = chunk["usage"]["total_tokens"].as_u64().unwrap_or(told.tokens);
        let Some(choice) = chunk["choices"].get(0) else { continue };
        told.text += choice["delta"]["content"].as_str().unwrap_or_default();
        for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
            let index = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            if index >= told.calls.len() {
                assert_eq!(index, told.calls.len());
                told.calls.push((call["function"]["name"].as_str().unwrap().into(), String::new()));
            }
            told.calls[index].1 += call["function"]["arguments"].as_str().unwrap_or_default();
        }
        told.finish.extend(choice["finish_reason"].as_str().map(str::to_owned));
    }
    told
}

fn call(arguments: &str) -> (String, String) {
    ("get_weather".to_owned(), arguments.to_owned())
}

async fn ask(path: &str, is_stream: bool, scripts: Vec<Script>) -> (Heard, Vec<Value>) {
    ask_with(path, is_stream, scripts, Settings::default()).await
}

async fn ask_with(
    path: &str,
    is_stream: bool,
    scripts: Vec<Script>,
    settings: Settings,
) -> (Heard, Vec<Value>) {
    let (up, asked) = upstream_in_turn(scripts).await;
    let proxy = proxy(&up, None, settings).await;
    let body = request(path, is_stream).to_string();
    let heard = post(&format!("{}{path}", proxy.url), &[], &body).await;
    (heard, bodies(&asked).await)
}

async fn bodies(asked: &Asked) -> Vec<Value> {
    let asked = asked.lock().await;
    let body =
        |request: &String| serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
    asked.iter().map(body).collect()
}

const WRONG: &str = r#"{"place": [1], "days": "soon"}"#;
const RIGHT: &str = r#"{"city":"Lima","days":2}"#;

#[tokio::test]
async fn a_wrong_call_is_corrected_and_tokens_add_up() {
    let (heard, asked) = ask(
        CHAT,
        true,
        vec![
            Script::events(
                &events(&["I look."], &[("get_weather", WRONG)], Some("tool_calls")),
                50,
            ),
            Script::json("200 OK", &chat("Sorry, again.", &[("get_weather", RIGHT)], "tool_calls")),
        ],
    )
    .await;
    let told = told(&heard);
    assert_eq!(told.calls, [call(RIGHT)], "{}", heard.body);
    assert_eq!((told.text.as_str(), told.done, told.errors), ("I look.", 1, 0));
    assert_eq!((told.finish, told.tokens), (vec!["tool_calls".to_owned()], 25));
    assert_eq!(asked.len(), 2);
    let last = asked[1]["messages"].as_array().unwrap().last().unwrap();
    assert_eq!((last["role"].as_str(), asked[1]["stream"].as_bool()), (Some("tool"), Some(false)));
    assert_eq!(asked[1]["tool_choice"]["function"]["name"], "get_weather");
}

/// The ask for a correction, by a proxy that knows what the server is.
async fn correction(owner: &str) -> Value {
    let list = json!({"object": "list", "data": [{"id": "m", "owned_by": owner}]}).to_string();
    let wrong = chat(Value::Null, &[("get_weather", WRONG)], "tool_calls");
    let scripts = vec![Script::json("200 OK", &wrong); 2];
    let (up, asked) = upstream_of(scripts, Script::json("200 OK", &list)).await;
    let proxy = proxy(&up, None, Settings::default()).await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    let mut body = request(CHAT, false);
    body.as_object_mut().unwrap().remove("max_tokens");
    post(&format!("{}{CHAT}", proxy.url), &[], &body.to_string()).await;
    bodies(&asked).await.pop().unwrap()
}

#[tokio::test]
async fn a_call_is_demanded_as_the_server_understands_it() {
    let named = json!({"type": "function", "function": {"name": "get_weather"}});
    for owner in ["vllm", "sglang", "someone"] {
        let asked = correction(owner).await;
        assert_eq!((&asked["tool_choice"], &asked["max_tokens"]), (&named, &Value::Null));
    }
    for owner in ["llamacpp", "organization_owner"] {
        let mut asked = Value::Null;
        // A proxy on a busy machine does not wait until a server has said what it is.
        for _ in 0..5 {
            asked = correction(owner).await;
            if asked["tool_choice"] == "required" {
                break;
            }
        }
        assert_eq!(asked["tool_choice"], "required", "{owner}");
        // Who must call and cannot would write for ever.
        assert_eq!(asked["max_tokens"], 8192, "{owner}");
    }
}

#[tokio::test]
async fn a_whole_reply_is_corrected_too() {
    let (heard, asked) = ask(
        CHAT,
        false,
        vec![
            Script::json("200 OK", &chat(Value::Null, &[("get_weather", WRONG)], "tool_calls")),
            Script::json("200 OK", &chat(Value::Null, &[("get_weather", RIGHT)], "tool_calls")),
        ],
    )
    .await;
    let reply: Value = serde_json::from_str(&heard.body).unwrap();
    let message = &reply["choices"][0]["message"];
    assert_eq!(message["tool_calls"].as_array().unwrap().len(), 1, "{}", heard.body);
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], RIGHT);
    assert_eq!((reply["usage"]["total_tokens"].as_u64(), asked.len()), (Some(30), 2));
}

#[tokio::test]
async fn who_cannot_be_corrected_leaves_as_it_came() {
    let wrong = Script::json("200 OK", &chat(Value::Null, &[("get_weather", WRONG)], "tool_calls"));
    let (heard, asked) = ask(
        CHAT,
        true,
        vec![
            Script::events(&events(&[], &[("get_weather", WRONG)], Some("tool_calls")), 50),
            wrong,
        ],
    )
    .await;
    let told_ = told(&heard);
    assert_eq!((told_.calls, asked.len()), (vec![call(WRONG)], 2), "{}", heard.body);
    // A server that cannot be asked changes nothing either.
    let (heard, asked) = ask(
        CHAT,
        true,
        vec![
            Script::events(&events(&[], &[("get_weather", WRONG)], Some("tool_calls")), 50),
            Script::json("503 Service Unavailable", "{}"),
        ],
    )
    .await;
    assert_eq!((told(&heard).calls, asked.len()), (vec![call(WRONG)], 2), "{}", heard.body);
}

#[tokio::test]
async fn a_broken_stream_is_fetched_again_and_nothing_is_sent_twice() {
    let whole = chat("I look it up now.", &[("get_weather", RIGHT)], "tool_calls");
    let broken = events(&["I look", " it up"], &[("get_weather", r#"{"city":"Li"#)], None);
    let (heard, asked) =
        ask(CHAT, true, vec![Script::events(&broken, 50), Script::json("200 OK", &whole)]).await;
    let told_ = told(&heard);
    assert_eq!(told_.text, "I look it up now.", "{}", heard.body);
    assert_eq!((told_.calls, told_.done, told_.errors), (vec![call(RIGHT)], 1, 0));
    assert_eq!((told_.finish, asked.len()), (vec!["tool_calls".to_owned()], 2));
    // Another answer comes behind a blank line; other words beside calls are left out.
    let answer = chat("Lima is dry.", &[], "stop");
    let (heard, _) =
        ask(CHAT, true, vec![Script::events(&broken, 50), Script::json("200 OK", &answer)]).await;
    assert_eq!(told(&heard).text, "I look it up\n\nLima is dry.", "{}", heard.body);
    let other = chat("Let me see.", &[("get_weather", RIGHT)], "tool_calls");
    let (heard, _) =
        ask(CHAT, true, vec![Script::events(&broken, 50), Script::json("200 OK", &other)]).await;
    assert_eq!(told(&heard).text, "I look it up", "{}", heard.body);
    assert_eq!(told(&heard).calls, [call(RIGHT)]);
}

/// What was told of the chain while a request was answered, without the id, which is the same in all.
async fn told_of_chain(body: &Value, scripts: Vec<Script>) -> Vec<String> {
    let (log, _guard) = Log::of_thread();
    let (up, _) = upstream_in_turn(scripts).await;
    let proxy = proxy(&up, None, Settings::default()).await;
    post(&format!("{}{CHAT}", proxy.url), &[], &body.to_string()).await;
    let log = log.text();
    let mut ids = BTreeSet::new();
    let told = log.lines().filter(|line| line.contains(" tool_chain: ")).map(|line| {
        let (start, rest) = line.split_once(" connection_id=").unwrap();
        let (id, end) = rest.split_once(' ').unwrap();
        ids.insert(id);
        format!("{} {end}", start.trim_start())
    });
    let told = told.collect();
    assert!(ids.len() <= 1 && !ids.contains("\"\""), "{log}");
    told
}

#[tokio::test]
async fn a_stream_that_breaks_is_told_and_how_the_chain_stands_then() {
    let broken = Script::events(&events(&["I look"], &[], None), 50);
    let whole = Script::json("200 OK", &chat("I look it up.", &[], "stop"));
    let down = Script::json("503 Service Unavailable", "{}");
    let incomplete = "WARN tool_chain: event=\"tool_chain_incomplete_on_stream\"";
    let status = "INFO tool_chain: event=\"tool_chain_status\"";
    let body = request(CHAT, true);
    // Fetched again, and there.
    let told = told_of_chain(&body, vec![broken.clone(), whole]).await;
    let chain = "tool_calls=0 tool_returns=0";
    let after = format!("{status} {chain} attempt=1 fallback_used=true is_complete=true");
    assert_eq!(told, [format!("{incomplete} {chain} attempt=1"), after]);
    // Tried as often as is allowed, in vain, after a call that has its result.
    let mut body = body;
    let function = json!({"name": "get_weather", "arguments": RIGHT});
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": null,
        "tool_calls": [{"id": "call_a", "type": "function", "function": function}]}));
    messages.push(json!({"role": "tool", "tool_call_id": "call_a", "content": "dry"}));
    let told = told_of_chain(&body, vec![broken, down]).await;
    let chain = "tool_calls=1 tool_returns=1";
    let tries = (1..=4).map(|attempt| format!("{incomplete} {chain} attempt={attempt}"));
    let after = format!("{status} {chain} attempt=4 fallback_used=false is_complete=true");
    assert_eq!(told, tries.chain([after]).collect::<Vec<_>>());
    // A stream that ends as it should is no news.
    let healthy = Script::events(&events(&["I look it up."], &[], Some("stop")), 50);
    assert_eq!(told_of_chain(&body, vec![healthy]).await, [""; 0]);
}

#[tokio::test]
async fn no_turn_asks_more_often_than_is_allowed() {
    let broken = Script::events(&events(&["I"], &[], None), 50);
    let down = Script::json("503 Service Unavailable", "{}");
    let (heard, asked) = ask(CHAT, true, vec![broken.clone(), down.clone()]).await;
    assert_eq!(asked.len(), 1 + 4, "three more tries, and one word to go on");
    assert_eq!((told(&heard).errors, told(&heard).done), (1, 0), "{}", heard.body);
    let ask = AskLimits { max_reprompts: 0, ..AskLimits::default() };
    for first in [
        broken,
        Script::events(&events(&[], &[("get_weather", WRONG)], Some("tool_calls")), 50),
        Script::events(&events(&[], &[], Some("stop")), 50),
    ] {
        let settings = Settings { ask, ..Settings::default() };
        let (_, asked) = ask_with(CHAT, true, vec![first, down.clone()], settings).await;
        assert_eq!(asked.len(), 1);
    }
}

#[tokio::test]
async fn a_reply_that_the_server_emptied_is_fetched_once() {
    let call =
        r"<tool_call>{'name': 'get_weather', 'arguments': {'city': 'Lima', 'days': 2}}</tool_call>";
    let (heard, asked) = ask(
        CHAT,
        true,
        vec![
            Script::events(&events(&[], &[], Some("stop")), 50),
            Script::json("200 OK", &chat(call, &[], "stop")),
        ],
    )
    .await;
    let told = told(&heard);
    assert_eq!(told.calls.len(), 1, "{}", heard.body);
    assert_eq!((told.text.as_str(), asked.len()), ("", 2));
    assert_eq!(told.finish, ["tool_calls"]);
}

#[tokio::test]
async fn a_cut_call_is_continued_where_the_server_can() {
    let profile = Profile { continuation: Some(Continuation::Prefill), ..Profile::default() };
    let settings =
        || Settings { models: [("m".to_owned(), profile)].into(), ..Settings::default() };
    let rest =
        Script::json("200 OK", &chat(r#"ma","days":2}}</tool_call>"#.to_owned(), &[], "stop"));
    // In text.
    let cut = "I look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\":\"Li";
    let first = Script::events(&events(&[cut], &[], Some("length")), 50);
    let (heard, asked) = ask_with(CHAT, true, vec![first, rest.clone()], settings()).await;
    let told_ = told(&heard);
    assert_eq!(told_.calls, [call(RIGHT)], "{}", heard.body);
    assert_eq!((told_.text.trim(), told_.finish), ("I look.", vec!["tool_calls".to_owned()]));
    let last = asked[1]["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last, json!({"role": "assistant", "content": cut}));
    // As a call that the server made out.
    let first = events(&[], &[("get_weather", r#"{"city":"Li"#)], Some("length"));
    let (heard, asked) =
        ask_with(CHAT, true, vec![Script::events(&first, 50), rest], settings()).await;
    assert_eq!(told(&heard).calls, [call(RIGHT)], "{}", heard.body);
    assert_eq!(asked.len(), 2);
    // A rest that is none leaves the call out, and never runs the half.
    let nothing = Script::json("200 OK", &chat("", &[], "stop"));
    let (heard, _) =
        ask_with(CHAT, true, vec![Script::events(&first, 50), nothing], settings()).await;
    let told = told(&heard);
    assert_eq!((told.calls, told.finish), (vec![], vec!["length".to_owned()]), "{}", heard.body);
}

#[tokio::test]
async fn what_a_server_could_not_read_becomes_the_call() {
    let ollama = r#"{"error":"error parsing tool call: raw='{\"city\":\"Lima\",\"days\":2}]', err=invalid character ']' after top-level value"}"#;
    let llama = r#"{"error":{"code":500,"message":"Failed to parse input at pos 0: <function=get_weather>\n<parameter=city>\nLima\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>","type":"server_error"}}"#;
    for error in [ollama, llama] {
        for path in [CHAT, "/v1/messages", "/v1/responses", "/api/chat"] {
            for is_stream in [false, true] {
                let script = Script::json("500 Internal Server Error", error);
                let (heard, asked) = ask(path, is_stream, vec![script]).await;
                assert_eq!((heard.status.as_u16(), asked.len()), (200, 1), "{}", heard.body);
                let kind = heard.headers["content-type"].to_str().unwrap();
                assert_eq!(kind == "application/json", !is_stream);
                let plain = heard.body.replace('\\', "");
                assert!(plain.contains("get_weather"), "{path} {}", heard.body);
                assert!(plain.contains(RIGHT), "{path} {}", heard.body);
            }
        }
    }
    // What is no call stays an error.
    let other = r#"{"error":"error parsing tool call: raw='ls -R', err=invalid character 'l'"}"#;
    let script = Script::json("500 Internal Server Error", other);
    let (heard, _) = ask(CHAT, false, vec![script]).await;
    assert_eq!((heard.status.as_u16(), heard.body.as_str()), (500, other));
}

#[tokio::test]
async fn an_error_in_the_stream_may_quote_the_call() {
    let line =
        r#"{"error":"error parsing tool call: raw='{\"city\":\"Lima\",\"days\":2}]', err=x"}"#;
    let body = format!(
        "{}\n{line}\n",
        json!({"model": "m", "created_at": "t", "message": {"role": "assistant", "content": "",
            "thinking": "Hm."}, "done": false})
    );
    let script = Script::stream("application/x-ndjson", &body, 40);
    let (heard, _) = ask("/api/chat", true, vec![script]).await;
    let last: Vec<Value> =
        heard.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let calls: Vec<&Value> =
        last.iter().filter(|line| line["message"]["tool_calls"].is_array()).collect();
    assert_eq!(calls.len(), 1, "{}", heard.body);
    assert_eq!(last.last().unwrap()["done"], true);
    assert!(!heard.body.contains("error"));
}

#[tokio::test]
async fn a_storm_is_asked_about_once() {
    let storm = |count: usize| {
        let mut body = request(CHAT, true);
        let messages = body["messages"].as_array_mut().unwrap();
        for at in 0..count {
            let id = format!("call_{at}");
            let function = json!({"name": "get_weather", "arguments": RIGHT});
            messages.push(json!({"role": "assistant", "content": null,
                "tool_calls": [{"id": id, "type": "function", "function": function}]}));
            messages.push(json!({"role": "tool", "tool_call_id": id, "content": "dry"}));
        }
        body.to_string()
    };
    let again = Script::events(&events(&[], &[("get_weather", RIGHT)], Some("tool_calls")), 50);
    let answer = Script::json("200 OK", &chat("It is dry.", &[], "stop"));
    let silent =
        Script::json("200 OK", &chat(Value::Null, &[("get_weather", RIGHT)], "tool_calls"));
    let waits = chat("I wait for rain.", &[("get_weather", RIGHT)], "tool_calls");
    let stopped =
        "(toolmend: `get_weather` came again and again with the same result, so it was not run.)";
    for (reply, text, calls) in [
        (answer, "It is dry.", vec![]),
        (silent, stopped, vec![]),
        (Script::json("200 OK", &waits), "I wait for rain.", vec![call(RIGHT)]),
    ] {
        let (up, asked) = upstream_in_turn(vec![again.clone(), reply]).await;
        let proxy = proxy(&up, None, Settings::default()).await;
        let heard = post(&format!("{}{CHAT}", proxy.url), &[], &storm(4)).await;
        let told = told(&heard);
        assert_eq!((told.text.as_str(), told.calls), (text, calls), "{}", heard.body);
        let asked = bodies(&asked).await;
        let last = asked[1]["messages"].as_array().unwrap().last().unwrap().clone();
        assert!(last["content"].as_str().unwrap().contains("what are you trying to achieve"));
    }
}

#[tokio::test]
async fn other_apis_are_asked_in_their_own_words() {
    let message = |input: Value| {
        json!({"id": "m", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": input}],
            "stop_reason": "tool_use", "stop_sequence": null,
            "usage": {"input_tokens": 1, "output_tokens": 1}})
        .to_string()
    };
    let right: Value = serde_json::from_str(RIGHT).unwrap();
    let wrong: Value = serde_json::from_str(WRONG).unwrap();
    let replies = |wrong: String, right: String| {
        vec![Script::json("200 OK", &wrong), Script::json("200 OK", &right)]
    };
    let (heard, asked) =
        ask("/v1/messages", false, replies(message(wrong.clone()), message(right.clone()))).await;
    let reply: Value = serde_json::from_str(&heard.body).unwrap();
    assert_eq!(reply["content"][0]["input"], right, "{}", heard.body);
    assert_eq!(reply["content"].as_array().unwrap().len(), 1);
    let messages = asked[1]["messages"].as_array().unwrap();
    assert_eq!(messages[messages.len() - 2]["content"][0]["type"], "tool_use");
    assert_eq!(messages[messages.len() - 1]["content"][0]["type"], "tool_result");

    let response = |arguments: &str| {
        json!({"id": "r", "object": "response", "status": "completed", "model": "m",
            "output": [{"type": "function_call", "id": "fc_1", "call_id": "call_1",
                "name": "get_weather", "arguments": arguments, "status": "completed"}]})
        .to_string()
    };
    let (heard, asked) =
        ask("/v1/responses", false, replies(response(WRONG), response(RIGHT))).await;
    let reply: Value = serde_json::from_str(&heard.body).unwrap();
    assert_eq!(reply["output"][0]["arguments"], RIGHT, "{}", heard.body);
    let input = asked[1]["input"].as_array().unwrap();
    assert_eq!(input[input.len() - 1]["type"], "function_call_output");

    let line = |arguments: Value| {
        json!({"model": "m", "created_at": "t", "done": true, "done_reason": "stop",
            "message": {"role": "assistant", "content": "", "tool_calls":
                [{"function": {"name": "get_weather", "arguments": arguments}}]}})
        .to_string()
    };
    let (heard, asked) = ask("/api/chat", false, replies(line(wrong), line(right.clone()))).await;
    let reply: Value = serde_json::from_str(&heard.body).unwrap();
    assert_eq!(reply["message"]["tool_calls"][0]["function"]["arguments"], right, "{}", heard.body);
    let messages = asked[1]["messages"].as_array().unwrap();
    assert_eq!(messages[messages.len() - 1]["role"], "tool");
}

#[tokio::test]
async fn a_call_in_the_thinking_is_not_asked_for_again() {
    let thought = "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Lima\", \"days\": 2}}</tool_call>";
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        let chunk = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 30, "total_tokens": 37}});
        format!("data: {chunk}\n\n")
    };
    let delta = json!({"role": "assistant", "reasoning_content": thought});
    let body = chunk(delta, Value::Null) + &chunk(json!({}), "stop".into()) + "data: [DONE]\n\n";
    let other = chat("Something else.", &[], "stop");
    let (heard, asked) =
        ask(CHAT, true, vec![Script::events(&body, 50), Script::json("200 OK", &other)]).await;
    let told = told(&heard);
    assert_eq!((told.calls, asked.len()), (vec![call(RIGHT)], 1), "{}", heard.body);
}

#[tokio::test]
async fn what_cannot_be_read_is_withheld_whatever_its_name() {
    let ask = AskLimits { max_reprompts: 0, ..AskLimits::default() };
    let settings = Settings { ask, ..Settings::default() };
    let first = events(&[], &[("sail_home", "{\"a\": ][")], Some("tool_calls"));
    let (heard, _) = ask_with(CHAT, true, vec![Script::events(&first, 50)], settings).await;
    let told = told(&heard);
    assert_eq!((told.calls, told.finish), (vec![], vec!["length".to_owned()]), "{}", heard.body);
}
