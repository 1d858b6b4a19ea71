//! Replies that come packed.

use async_compression::tokio::write::{BrotliEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use toolmend::{Mode, Settings};

use crate::support::{Script, post_bytes, proxy, upstream};
use crate::{CHAT, chat_text, request};

async fn packed(way: &str, text: &str) -> Vec<u8> {
    macro_rules! pack {
        ($encoder:ident) => {{
            let mut encoder = $encoder::new(Vec::new());
            encoder.write_all(text.as_bytes()).await.unwrap();
            encoder.shutdown().await.unwrap();
            encoder.into_inner()
        }};
    }
    match way {
        "gzip" => pack!(GzipEncoder),
        "deflate" => pack!(ZlibEncoder),
        "br" => pack!(BrotliEncoder),
        _ => pack!(ZstdEncoder),
    }
}

fn script(kind: &str, way: &str, body: &[u8], size: usize) -> Script {
    let mut script = Script::stream(kind, "", 1);
    script.head.extend(["content-encoding: ", way, "\r\n"]);
    script.pieces = body.chunks(size).map(<[u8]>::to_vec).collect();
    script
}

#[tokio::test]
async fn packed_streams_are_mended() {
    let text = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Lima\"}}\n</tool_call>";
    for way in ["gzip", "deflate", "br", "zstd"] {
        let body = packed(way, &chat_text(text)).await;
        let (url, _) = upstream(script("text/event-stream", way, &body, 10)).await;
        let proxy = proxy(&url, None, Settings::default()).await;
        let heard = post_bytes(&format!("{}{CHAT}", proxy.url), &[], &request(CHAT, true)).await;
        let told = String::from_utf8(heard.body).unwrap();
        assert!(!heard.headers.contains_key("content-encoding"), "{way}");
        assert!(told.contains(r#""finish_reason":"tool_calls""#), "{way}: {told}");
    }
}

#[tokio::test]
async fn packed_replies_are_mended() {
    let call = json!({"id": "a", "type": "function",
        "function": {"name": "get_weather", "arguments": "{'city': 'Lima',}"}});
    let reply = json!({"choices": [{"index": 0, "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": null, "tool_calls": [call]}}]});
    let body = packed("br", &reply.to_string()).await;
    let (url, _) = upstream(script("application/json", "br", &body, 1000)).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let heard = post_bytes(&format!("{}{CHAT}", proxy.url), &[], &request(CHAT, false)).await;
    let told = String::from_utf8(heard.body).unwrap();
    assert!(told.contains(r#"{\"city\":\"Lima\"}"#), "{told}");
    assert_eq!(heard.headers["content-length"], told.len().to_string());
}

#[tokio::test]
async fn what_is_not_mended_stays_packed() {
    let body = packed("gzip", &chat_text("Hi")).await;
    let (url, _) = upstream(script("text/event-stream", "gzip", &body, 7)).await;
    let mut settings = Settings::default();
    settings.proxy.mode = Mode::Observe;
    let proxy = proxy(&url, None, settings).await;
    for (path, headers) in
        [(CHAT, vec![]), (CHAT, vec![("x-toolmend", "off")]), ("/v1/files", vec![])]
    {
        let heard =
            post_bytes(&format!("{}{path}", proxy.url), &headers, &request(CHAT, true)).await;
        assert_eq!(heard.body, body, "{path}");
        assert_eq!(heard.headers["content-encoding"], "gzip");
    }
}

#[tokio::test]
async fn a_packet_that_is_damaged_ends_as_an_error() {
    let mut body = packed("gzip", &chat_text("Hi")).await;
    body.truncate(body.len() / 2);
    let (url, _) = upstream(script("text/event-stream", "gzip", &body, 7)).await;
    let proxy = proxy(&url, None, Settings::default()).await;
    let heard = post_bytes(&format!("{}{CHAT}", proxy.url), &[], &request(CHAT, true)).await;
    let told = String::from_utf8(heard.body).unwrap();
    assert!(told.contains("\"error\""), "{told}");
}
