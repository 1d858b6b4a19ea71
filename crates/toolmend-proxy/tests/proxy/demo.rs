//! The built-in demo model, in the words of each API.

use serde_json::{Value, json};
use toolmend::Settings;
use toolmend_proxy::{Api, demo};
use toolmend_wire::{Decoder, Delta, Reply};

use crate::support::{path, post, proxy};
use crate::tools;

const APIS: [Api; 4] = [Api::Chat, Api::Responses, Api::Messages, Api::Ollama];

/// So many ways to go wrong there are.
const WAYS: usize = 6;

fn calls(api: Api, is_stream: bool, body: &str) -> Vec<(String, Value)> {
    let calls: Vec<_> = if is_stream {
        let (mut decoder, mut deltas) = (Decoder::new(api), Vec::new());
        decoder.push(body.as_bytes(), &mut deltas);
        decoder.finish(&mut deltas);
        let call = |(_, delta)| match delta {
            Delta::Call(_, call) => Some(call),
            _ => None,
        };
        deltas.into_iter().filter_map(call).collect()
    } else {
        let reply = Reply::read(api, body.as_bytes()).unwrap();
        reply.turns().into_iter().flat_map(|turn| turn.calls).collect()
    };
    calls
        .into_iter()
        .map(|call| (call.name, serde_json::from_str(&call.arguments).unwrap()))
        .collect()
}

#[tokio::test]
async fn each_way_to_go_wrong_is_mended_in_each_api() {
    let url = format!("http://{}", demo::start().await.unwrap());
    let proxy = proxy(&url, None, Settings::default()).await;
    for api in APIS {
        let path = path(api);
        for is_stream in [true, false] {
            for way in 0..WAYS {
                let said = if api == Api::Responses { "input" } else { "messages" };
                let asked = json!({"model": demo::MODEL, "stream": is_stream, "max_tokens": 99,
                    said: [{"role": "user", "content": "How is it?"}], "tools": tools(path)});
                let heard = post(&format!("{}{path}", proxy.url), &[], &asked.to_string()).await;
                let got = calls(api, is_stream, &heard.body);
                let [(name, arguments)] = got.as_slice() else {
                    panic!("{path} {is_stream} way {way}: {}", heard.body)
                };
                assert_eq!(name, "get_weather");
                assert_eq!(arguments["city"], "a city", "{path} {is_stream}: {}", heard.body);
                assert!(arguments["days"].is_number(), "{path} {is_stream}: {}", heard.body);
            }
        }
    }
}
