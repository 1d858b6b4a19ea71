//! A scripted agent for the demo: it talks to the demo model through the proxy, so that there is
//! something to watch.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::demo::MODEL;

/// How long it thinks between two requests.
const PAUSE: Duration = Duration::from_millis(600);
/// It does not wait longer than this for an answer: the next errand may fare better.
const PATIENCE: Duration = Duration::from_secs(10);

/// What it asks, and the tool it offers: name, and the schemas of its parameters.
const ERRANDS: [(&str, &str, &str); 6] = [
    (
        "Find a way to Graz with three stops.",
        "find_route",
        r#"{"to": {"type": "string"}, "stops": {"type": "integer"}}"#,
    ),
    (
        "Look for the places where the port is read.",
        "search_files",
        r#"{"pattern": {"type": "string"}, "folder": {"type": "string"}}"#,
    ),
    (
        "Switch the lamp in the hall on.",
        "set_lamp",
        r#"{"room": {"type": "string"}, "is_on": {"type": "boolean"}, "level": {"type": "number"}}"#,
    ),
    (
        "What did we sell in May?",
        "run_report",
        r#"{"month": {"type": "string", "enum": ["april", "may"]}, "columns": {"type": "array", "items": {"type": "string"}}}"#,
    ),
    ("Read me the note on the harbour.", "read_note", r#"{"title": {"type": "string"}}"#),
    (
        "Close the ticket about the lamp.",
        "close_ticket",
        r#"{"ticket": {"type": "string", "pattern": "^[A-Z]{2,5}-[0-9]+$"}}"#,
    ),
];

/// Works until the runtime ends. `proxy` is where the proxy listens.
pub async fn work(proxy: String) {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    for turn in 0.. {
        // The model goes wrong in as many ways by turns: each round starts one errand later, so that
        // each meets every way.
        let errand = (turn + turn / ERRANDS.len()) % ERRANDS.len();
        let Some((wish, tool, parameters)) = ERRANDS.get(errand) else { return };
        let body = ask(wish, tool, parameters, turn % 2 == 0);
        let request = Request::post(format!("{proxy}/v1/chat/completions"))
            .header("content-type", "application/json")
            .body(Full::from(body.to_string()));
        let Ok(request) = request else { return };
        // What the model says does not matter: the next errand is another one.
        let heard = async { client.request(request).await.ok()?.into_body().collect().await.ok() };
        let _ = timeout(PATIENCE, heard).await;
        sleep(PAUSE).await;
    }
}

fn ask(wish: &str, tool: &str, parameters: &str, is_stream: bool) -> Value {
    let properties: Value = serde_json::from_str(parameters).unwrap_or_default();
    let required: Vec<&String> =
        properties.as_object().into_iter().flat_map(|p| p.keys()).collect();
    json!({
        "model": MODEL,
        "stream": is_stream,
        "messages": [{"role": "user", "content": wish}],
        "tools": [{"type": "function", "function": {"name": tool, "parameters":
            {"type": "object", "properties": properties, "required": required}}}],
    })
}
