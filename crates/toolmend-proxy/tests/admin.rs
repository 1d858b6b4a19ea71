//! The listener for operators: what is kept and shown, and above all what is not.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop where it fails")]

#[path = "support/listen.rs"]
mod listen;
#[path = "support/stand.rs"]
mod stand;
mod support;

use listen::{get, listen};
use serde_json::{Value, json};
use stand::{Stand, bytes_of, has};
use support::{Script, nobody, post, upstream, upstream_at, upstream_in_turn};
use toolmend::{Keep, Settings};

/// A whole reply with these calls and this content.
fn reply(content: &str, calls: &[(&str, &str)]) -> String {
    let calls: Vec<Value> = calls
        .iter()
        .map(|(name, arguments)| {
            json!({"id": "c", "type": "function",
                "function": {"name": name, "arguments": arguments}})
        })
        .collect();
    json!({"id": "r", "object": "chat.completion", "choices": [{"index": 0, "message":
        {"role": "assistant", "content": content, "tool_calls": calls},
        "finish_reason": "tool_calls"}]})
    .to_string()
}

fn request() -> String {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"},
        "days": {"type": "integer"}, "tags": {"type": "object",
            "additionalProperties": {"type": "integer"}}}, "required": ["city"]});
    let tool =
        json!({"type": "function", "function": {"name": "get_weather", "parameters": schema}});
    json!({"model": "m", "messages": [{"role": "user", "content": "canary-question"}],
        "tools": [tool]})
    .to_string()
}

/// Sends the request through the proxy.
async fn send(stand: &Stand) {
    post(&format!("{}/v1/chat/completions", stand.proxy), &[], &request()).await;
}

/// Turns that go wrong in many ways, each with something that must not be kept.
fn canaries() -> Vec<String> {
    vec![
        reply("", &[("get_weather", r#"{'city': 'canary-one', "days": "3",}"#)]),
        reply("", &[("get_weather", r#"{"city": "canary-two", "tags": {"canary-key": "5"}}"#)]),
        reply("", &[("get_weather", r#"{"city": ["canary-three", 1], "days": {"canary": 1}}"#)]),
        reply("", &[("get_weather(canary-name)", r#"{"city": "canary-four"}"#)]),
        reply("", &[("get_weather", r#"{"city": "canary-five"#)]),
        reply("", &[("get_weather", "canary prose instead of arguments")]),
        reply("", &[("get_weather", r#"{"city": "canary-right"}"#)]),
        reply(
            "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"canary-six\"}}</tool_call>",
            &[],
        ),
        reply("For example: `get_weather(city=\"canary-seven\")` asks.", &[]),
        reply("<tool_call>{\"name\": \"canary_tool\", \"arguments\": {}}</tool_call>", &[]),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_value_is_kept_or_shown_where_nobody_asks_for_it() {
    for turn in canaries() {
        let (url, _) = upstream(Script::json("200 OK", &turn)).await;
        let stand = Stand::start(&url, Settings::default()).await;
        send(&stand).await;
        stand.store.flush();
        assert_eq!(stand.store.stats().written, 1, "{turn}");
        assert!(!has(&bytes_of(&stand.folder), "canary"), "kept: {turn}");
        let page = stand.ask("calls").await;
        let mut shown = vec![page.clone(), stand.ask("overview").await, stand.ask("status").await];
        for row in page["rows"].as_array().unwrap() {
            let detail = stand.ask(&format!("calls/{}", row["id"])).await;
            assert_eq!(detail["texts"], Value::Null);
            shown.push(detail);
        }
        shown.push(get(&format!("{}/api/export", stand.admin), &[]).await.body.into());
        shown.push(get(&format!("{}/metrics", stand.admin), &[]).await.body.into());
        for value in shown {
            assert!(!value.to_string().contains("canary"), "shown: {value}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_kept_with_their_texts_and_without_keys() {
    let mut settings = Settings::default();
    settings.store.keep = Keep::Failures;
    settings.store.redact = vec!["canary-[a-z]+".to_owned()];
    let turn = reply(
        "",
        &[(
            "get_weather",
            r#"{'city': 'canary-one', 'tags': {}, "days": "3", // sk-abcdefghij0123456789
        }"#,
        )],
    );
    let (url, _) = upstream(Script::json("200 OK", &turn)).await;
    let stand = Stand::start(&url, settings.clone()).await;
    send(&stand).await;
    stand.store.flush();
    let row = stand.ask("calls?outcome=mended&texts=1").await["rows"][0].clone();
    assert_eq!(row["rules"], json!(["string-to-integer"]));
    let detail = stand.ask(&format!("calls/{}", row["id"])).await;
    let said = &detail["texts"]["in"];
    assert!(said["tool_calls"][0]["arguments"].as_str().unwrap().contains("'city': '**********'"));
    assert_eq!(said["tools"][0]["function"]["name"], "get_weather");
    assert_eq!(detail["texts"]["out"]["tool_calls"][0]["outcome"], "mended");
    for word in ["canary", "sk-abc"] {
        assert!(!has(&bytes_of(&stand.folder), word), "{word}");
        assert!(!detail.to_string().contains(word), "{word}");
    }
    // What was right is not kept.
    let (url, _) =
        upstream(Script::json("200 OK", &reply("", &[("get_weather", r#"{"city":"a"}"#)]))).await;
    let stand = Stand::start(&url, settings).await;
    send(&stand).await;
    stand.store.flush();
    assert_eq!(stand.ask("calls").await["rows"][0]["outcome"], "untouched");
    assert_eq!(stand.ask("calls?texts=1").await["rows"], json!([]));
}

/// What was delivered as it came is kept once, and shown as in any other turn.
#[tokio::test(flavor = "multi_thread")]
async fn right_turns_are_kept_with_what_was_delivered() {
    let mut settings = Settings::default();
    settings.store.keep = Keep::All;
    let turn = reply("Let me look.", &[("get_weather", r#"{"city":"Lima"}"#)]);
    let (url, _) = upstream(Script::json("200 OK", &turn)).await;
    let stand = Stand::start(&url, settings).await;
    send(&stand).await;
    stand.store.flush();
    let row = stand.ask("calls").await["rows"][0].clone();
    assert_eq!(row["outcome"], "untouched");
    let texts = stand.ask(&format!("calls/{}", row["id"])).await["texts"].clone();
    let came = &texts["in"]["tool_calls"][0];
    assert_eq!(came["arguments"], r#"{"city":"Lima"}"#);
    let out = json!({"content": "Let me look.", "kept": 0, "refused": [], "notes": [],
        "tool_calls": [{"id": came["id"], "name": "get_weather", "arguments": came["arguments"],
            "outcome": "untouched", "lossy": false, "channel": "tool_calls", "index": 0}]});
    assert_eq!(texts["out"], out);
    let kept = bytes_of(&stand.folder);
    assert!(has(&kept, r#""out":null"#), "it is kept once");
}

/// Of a turn that is too large the messages are not kept, and of one that is larger still no text.
#[tokio::test(flavor = "multi_thread")]
async fn texts_are_kept_up_to_their_limit() {
    for (bytes_max, has_texts, has_messages) in
        [(256 << 10, true, true), (1200, true, false), (100, false, false)]
    {
        let mut settings = Settings::default();
        settings.store.keep = Keep::All;
        settings.store.text_bytes_max = bytes_max;
        let turn = reply("", &[("get_weather", r#"{"city":"Lima"}"#)]);
        let (url, _) = upstream(Script::json("200 OK", &turn)).await;
        let stand = Stand::start(&url, settings).await;
        let mut body: Value = serde_json::from_str(&request()).unwrap();
        body["messages"][0]["content"] = "How is the weather? ".repeat(60).into();
        post(&format!("{}/v1/chat/completions", stand.proxy), &[], &body.to_string()).await;
        stand.store.flush();
        let row = stand.ask("calls").await["rows"][0].clone();
        let texts = stand.ask(&format!("calls/{}", row["id"])).await["texts"].clone();
        assert_eq!(!texts.is_null(), has_texts, "{bytes_max}: {texts}");
        assert_eq!(texts["in"].get("messages").is_some(), has_messages, "{bytes_max}: {texts}");
    }
}

/// A turn that nothing could mend is asked for again; all that was said is kept, in order.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_asked_again_is_kept_with_what_came_of_it() {
    let mut settings = Settings::default();
    settings.store.keep = Keep::Failures;
    let replies = [
        Script::json("200 OK", &reply("", &[("get_weather", r#"{"days": 3}"#)])),
        Script::json("200 OK", &reply("", &[("get_weather", r#"{"city": "Lima", "days": 3}"#)])),
    ];
    let (url, _) = upstream_in_turn(replies.to_vec()).await;
    let stand = Stand::start(&url, settings).await;
    send(&stand).await;
    stand.store.flush();
    let rows = stand.ask("calls").await["rows"].clone();
    let row = rows.as_array().unwrap().iter().find(|row| row["outcome"] == "untouched").unwrap();
    let detail = stand.ask(&format!("calls/{}", row["id"])).await;
    assert_eq!((&detail["asks"], &detail["label"]), (&json!(1), &json!("re-prompt")), "{detail}");
    let texts = &detail["texts"];
    assert_eq!(texts["in"]["tool_calls"][0]["arguments"], r#"{"days": 3}"#);
    let ask = &texts["asks"][0];
    assert_eq!(ask["kind"], "correct");
    assert!(
        ask["messages"].to_string().contains("city"),
        "the model is told what is missing: {ask}"
    );
    assert_eq!(ask["came"]["tool_calls"][0]["arguments"], r#"{"city": "Lima", "days": 3}"#);
    assert_eq!(texts["out"]["tool_calls"][0]["arguments"], r#"{"city": "Lima", "days": 3}"#);
    assert_eq!(stand.ask("overview").await["helped"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn new_calls_are_told_as_they_come() {
    let turn = reply("", &[("get_weather", r#"{"city": "a", "days": "3"}"#)]);
    let (url, _) = upstream(Script::json("200 OK", &turn)).await;
    let stand = Stand::start(&url, Settings::default()).await;
    let heard = tokio::spawn(listen(format!("{}/api/live", stand.admin), "event: calls"));
    // The listener may not be there yet; another call comes soon.
    while !heard.is_finished() {
        send(&stand).await;
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let heard = heard.await.unwrap();
    assert!(heard.contains(r#""outcome":"mended""#), "{heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_between_the_list_and_the_stream_are_told() {
    let turn = reply("", &[("get_weather", r#"{"city": "a", "days": "3"}"#)]);
    let (url, _) = upstream(Script::json("200 OK", &turn)).await;
    let stand = Stand::start(&url, Settings::default()).await;
    send(&stand).await;
    stand.store.flush();
    let listed = stand.ask("calls").await["latest"].clone();
    send(&stand).await;
    stand.store.flush();
    let live = format!("{}/api/live?after={listed}", stand.admin);
    let heard = listen(live, "event: calls").await;
    let latest = stand.ask("calls").await["latest"].clone();
    assert_ne!(latest, listed);
    assert!(heard.contains(&format!(r#""id":{latest}"#)), "{heard}");
    assert!(!heard.contains(&format!(r#""id":{listed}"#)), "{heard}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_this_machine_sees_the_page_and_its_data() {
    let (url, _) = upstream(Script::json("200 OK", "{}")).await;
    let stand = Stand::start(&url, Settings::default()).await;
    for path in ["/", "/page.js", "/api/status", "/api/calls", "/api/live", "/metrics"] {
        for (name, value) in [("host", "evil.example"), ("origin", "http://evil.example")] {
            let heard = get(&format!("{}{path}", stand.admin), &[(name, value)]).await;
            assert_eq!(heard.status, 403, "{path} {name}");
        }
    }
    let heard = get(&format!("{}/", stand.admin), &[]).await;
    assert!(heard.body.contains("<title>toolmend</title>"));
    let policy = heard.headers["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let heard = post(&format!("{}/api/status", stand.admin), &[], "{}").await;
    assert_eq!(heard.status, 405);
    let heard = get(&format!("{}/api/calls/99", stand.admin), &[]).await;
    assert_eq!(heard.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn counters_tell_of_the_store_and_of_time() {
    let turn = reply("", &[("get_weather", r#"{"city": "a", "days": "3"}"#)]);
    let (url, _) = upstream(Script::json("200 OK", &turn)).await;
    let stand = Stand::start(&url, Settings::default()).await;
    send(&stand).await;
    stand.store.flush();
    let body = get(&format!("{}/metrics", stand.admin), &[]).await.body;
    for line in [
        "toolmend_calls_total{model=\"m\",outcome=\"mended\"} 1",
        "toolmend_tool_calls_total{tool=\"get_weather\",outcome=\"mended\"} 1",
        "toolmend_store_turns_total{fate=\"written\"} 1",
        "toolmend_store_turns_total{fate=\"dropped\"} 0",
        "toolmend_alert{alert=\"storms\"} 0",
        "toolmend_work_seconds_count 1",
    ] {
        assert!(body.lines().any(|own| own == line), "{line}\n{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_do_not_answer_are_counted_and_shown() {
    let url = nobody().await;
    let stand = Stand::start(&format!("{url}/token-in-path"), Settings::default()).await;
    send(&stand).await;
    let metrics = async || get(&format!("{}/metrics", stand.admin), &[]).await.body;
    let count = |metrics: &str, kind: &str| -> u64 {
        let name = format!("toolmend_upstream_failures_total{{kind=\"{kind}\"}} ");
        metrics.lines().find_map(|line| line.strip_prefix(&name)).unwrap().parse().unwrap()
    };
    let told = metrics().await;
    assert!(count(&told, "unreachable") >= 1, "{told}");
    let away = stand.ask("status").await["away"].clone();
    assert_eq!(away, json!([{"server": url, "kind": "unreachable"}]));

    // One that takes requests and says nothing.
    let mut silent = Script::json("200 OK", "");
    silent.head = String::new();
    silent.pieces.clear();
    let address = url.trim_start_matches("http://");
    let listening = upstream_at(address, silent).await;
    send(&stand).await;
    assert_eq!(stand.ask("status").await["away"][0]["kind"], "broke-off", "{listening:?}");
    let told = metrics().await;
    assert_eq!((count(&told, "broke-off"), count(&told, "late")), (1, 0), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_answers_again_is_not_away() {
    let url = nobody().await;
    let stand = Stand::start(&url, Settings::default()).await;
    send(&stand).await;
    assert_ne!(stand.ask("status").await["away"], json!([]));
    upstream_at(url.trim_start_matches("http://"), Script::json("200 OK", "{}")).await;
    send(&stand).await;
    assert_eq!(stand.ask("status").await["away"], json!([]));
}
