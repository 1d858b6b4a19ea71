//! Keys and what people say appear in nothing that is written: no event at any level, no counter, no
//! error of the proxy.

use std::sync::Arc;

use serde_json::json;
use toolmend::Settings;
use toolmend_proxy::{Admin, Credentials, Guide, Proxy, Setup};

use crate::support::log::Log;
use crate::support::{Script, get, post, proxy, upstream};
use crate::{CHAT, tools};

const CANARY: &str = "canary-5506";

const HEADERS: [&str; 7] = [
    "authorization",
    "x-api-key",
    "api-key",
    "cookie",
    "proxy-authorization",
    "x-goog-api-key",
    "x-anything",
];

/// A request with the canary in every field that can hold it.
fn asked(is_stream: bool) -> String {
    let call = json!({"id": "call_a", "type": "function",
        "function": {"name": "get_weather", "arguments": json!({"city": CANARY}).to_string()}});
    let mut tools = tools(CHAT);
    tools[0]["function"]["description"] = json!(CANARY);
    json!({"model": "m", "stream": is_stream, "user": CANARY, "metadata": {"key": CANARY},
        "messages": [{"role": "system", "content": CANARY}, {"role": "user", "content": CANARY},
            {"role": "assistant", "content": null, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_a", "content": CANARY},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "b", "type": "function",
                "function": {"name": "get_weather", "arguments": "{\"city\": \"canary-5506\""}}]}],
        "tools": tools, CANARY: 1})
    .to_string()
}

/// Replies with the canary in them: calls that are right, mended, refused; text; errors; nonsense.
fn replies() -> Vec<Script> {
    let with = |arguments: &str, content: &str| {
        // Events tell the ids of calls, and must.
        let call = json!({"id": "call_b", "type": "function",
            "function": {"name": "get_weather", "arguments": arguments}});
        let reply = json!({"id": CANARY, "choices": [{"index": 0, "finish_reason": "tool_calls",
            "message": {"role": "assistant", "content": content, "tool_calls": [call]}}]});
        Script::json("200 OK", &reply.to_string())
    };
    let mut replies = vec![
        with(r#"{"city": "canary-5506"}"#, CANARY),
        with(r"{'city': 'canary-5506',}", CANARY),
        with(r#"{"city": "canary-5506"#, CANARY),
        with(r#"{"city": 5, "canary-5506": "canary-5506"}"#, CANARY),
        with(
            "canary-5506",
            "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"canary-5506\"}}</tool_call>",
        ),
        Script::json("500 Internal Server Error", r#"{"error": {"message": "canary-5506"}}"#),
        Script::json("200 OK", "canary-5506"),
        Script::events("data: {canary-5506\n\n", 5),
        Script::events("data: {\"choices\": [{\"delta\": {\"content\": \"canary-5506\"}}]}\n\n", 5),
    ];
    for reply in &mut replies {
        reply.head.push_str("set-cookie: canary-5506\r\n");
    }
    replies
}

#[tokio::test]
async fn keys_and_what_people_say_are_written_nowhere() {
    let log = Log::of_process();
    let bearer = format!("Bearer {CANARY}");
    let headers: Vec<(&str, &str)> =
        HEADERS.into_iter().map(|name| (name, bearer.as_str())).collect();
    for script in replies() {
        let (url, _) = upstream(script).await;
        let proxy = proxy(&url, None, Settings::default()).await;
        for is_stream in [false, true] {
            let address = format!("{}{CHAT}?key={CANARY}", proxy.url);
            post(&address, &headers, &asked(is_stream)).await;
        }
    }
    // What the proxy itself has to say.
    let mut settings = Settings::default();
    settings.proxy.body_bytes_max = 4000;
    "127.0.0.1:0".clone_into(&mut settings.proxy.listen);
    let setup = Setup {
        upstream: "http://127.0.0.1:9".to_owned(),
        key: Some(CANARY.to_owned()),
        credentials: Credentials::Own(CANARY.to_owned()),
        observer: None,
        store: None,
    };
    assert!(!format!("{setup:?}").contains(CANARY));
    let proxy = Proxy::bind(Arc::new(settings), setup).await.unwrap();
    assert!(!format!("{proxy:?}").contains(CANARY));
    let admin = Admin::bind("127.0.0.1:0", proxy.sinks(), Guide::default()).await.unwrap();
    let (url, metrics) = (proxy.address().unwrap(), admin.address().unwrap());
    tokio::spawn(proxy.serve(std::future::pending()));
    tokio::spawn(admin.serve(std::future::pending()));
    let address = format!("http://{url}{CHAT}?key={CANARY}");
    let too_large = format!("{}{}", asked(false), CANARY.repeat(500));
    let mode = [("authorization", bearer.as_str()), ("x-toolmend", CANARY)];
    for (headers, body) in [
        (headers.as_slice(), asked(true)),
        (headers.as_slice(), too_large),
        (&mode, asked(false)),
        (&[("x-api-key", "canary-5506-not")], asked(false)),
    ] {
        let heard = post(&address, headers, &body).await;
        assert!(heard.status.is_client_error() || heard.status.is_server_error());
        assert!(!heard.body.contains(CANARY), "{}", heard.body);
    }
    let counted = get(&format!("http://{metrics}/metrics")).await;
    assert!(!counted.contains(CANARY), "{counted}");
    let log = log.text();
    assert!(log.contains("tool"), "nothing was written at all");
    let leak = log.lines().find(|line| line.contains(CANARY));
    assert_eq!(leak, None);
}
