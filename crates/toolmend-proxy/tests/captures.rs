//! What real servers send, in the words of `tests/captures`: llama.cpp 0.7.0 and vLLM 0.32.0, each API,
//! streamed and whole. A file is one turn with holes: `$NAME$` and `$WHOLE$` for a call or a text, `$OBJECT$`
//! for arguments that are JSON and no text, `$PIECE$` in the event behind `*`, which is there once for each
//! piece, and `$SEQ$` for a number that grows.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may stop where it fails")]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use support::{Script, path, post, proxy, upstream};
use toolmend::{Mode, Settings};
use toolmend_proxy::{Api, Exchange};
use toolmend_wire::{Decoder, Delta, Reply};

const SERVERS: [&str; 2] = ["llama_cpp", "vllm"];
const APIS: [Api; 3] = [Api::Chat, Api::Responses, Api::Messages];
/// So many characters come in one event.
const PIECE_CHARS: usize = 4;
/// Streams over this size are not split everywhere.
const SPLIT_EVERYWHERE_MAX: usize = 2048;
const SPLITS_SAMPLED: usize = 400;

/// Calls as models write them as text when their server does not know their dialect: what stood in
/// the captures, with other tools and values. Each means `find_berth {"pier":4}`.
const TEXT_CALLS: [&str; 8] = [
    "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"find_berth\">\n<｜DSML｜parameter name=\"pier\" string=\"false\">4</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    "<function_calls>\n<invoke name=\"find_berth\">\n<parameter name=\"pier\">4</parameter>\n</invoke>\n</function_calls>",
    "<|start|>assistant<|channel|>commentary to=functions.find_berth<|constrain|>json<|message|>{\"pier\":4}",
    "[TOOL_CALLS][{\"name\": \"find_berth\", \"arguments\": {\"pier\": 4}}]",
    "[find_berth(pier=4)]",
    "<function=find_berth>\n<parameter=pier>\n4\n</parameter>\n</function>\n</tool_call>",
    "I will look it up now.\n```json\n{\"name\": \"find_berth\", \"arguments\": {\"pier\": 4}}\n```",
    "<think>I should look it up.</think><tool_call>\n{\"name\": \"find_berth\", \"arguments\": {\"pier\": \"4\"}}\n</tool_call>",
];

/// Text that shows a call and makes none, and text that is none.
const TEXTS: [&str; 4] = [
    "Boats wait – łódź, барка, 船 😀 – at the pier.",
    "For example, to find a berth one writes:\n\n```json\n{\"name\": \"find_berth\", \"arguments\": {\"pier\": 4}}\n```\n\nThat is the format.",
    "> <tool_call>{\"name\": \"find_berth\", \"arguments\": {\"pier\": 4}}</tool_call>\n\nThis is what the log says.",
    "The mark `<tool_call>` opens a call, and `[TOOL_CALLS]` does so elsewhere.",
];

/// Arguments of a declared call that are right.
const ARGUMENTS: [&str; 2] = [r#"{"pier": 4}"#, r#"{"pier": 4, "note": "Łódź 😀 \"{[,]}\""}"#];

fn capture(server: &str, api: Api, kind: &str, form: &str) -> String {
    let name = format!("{server}.{}.{kind}.{form}.txt", api.as_str());
    let path = Path::new("tests/captures").join(&name);
    fs::read_to_string(path).unwrap()
}

/// The turn of a capture with this text, or these arguments, in it.
fn filled(capture: &str, name: &str, text: &str) -> String {
    let object: Value = serde_json::from_str(text).unwrap_or_default();
    capture
        .replace("$NAME$", name)
        .replace("$WHOLE$", &json!(text).to_string())
        .replace("$OBJECT$", &object.to_string())
}

fn whole(server: &str, api: Api, kind: &str, name: &str, text: &str) -> String {
    filled(capture(server, api, kind, "whole").trim_end(), name, text)
}

fn stream(server: &str, api: Api, kind: &str, name: &str, text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for frame in filled(&capture(server, api, kind, "stream"), name, text).trim_end().split("\n\n")
    {
        match frame.strip_prefix('*') {
            Some(piece) => {
                for part in characters.chunks(PIECE_CHARS) {
                    let part: String = part.iter().collect();
                    out += &piece.replace("$PIECE$", &json!(part).to_string());
                    out += "\n\n";
                }
            }
            None => out.extend([frame, "\n\n"]),
        }
    }
    let mut parts = out.split("$SEQ$");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.enumerate().fold(first, |out, (number, part)| format!("{out}{number}{part}"))
}

fn exchange(api: Api) -> Exchange {
    let asked = asked(api).to_string();
    Exchange::read(api, asked.as_bytes(), &Arc::new(Settings::default())).unwrap()
}

/// A request that offers the tool.
fn asked(api: Api) -> Value {
    let parameters = json!({"type": "object", "required": ["pier"],
        "properties": {"pier": {"type": "integer"}, "note": {"type": "string"}}});
    let (messages, tool) = match api {
        Api::Messages => ("messages", json!({"name": "find_berth", "input_schema": parameters})),
        Api::Responses => {
            ("input", json!({"type": "function", "name": "find_berth", "parameters": parameters}))
        }
        _ => (
            "messages",
            json!({"type": "function", "function": {"name": "find_berth", "parameters": parameters}}),
        ),
    };
    json!({"model": "tern-8b", messages: [{"role": "user", "content": "Any berth?"}],
        "tools": [tool]})
}

fn played<'p>(exchange: &Exchange, pieces: impl Iterator<Item = &'p [u8]>) -> String {
    let (mut stream, mut out) = (exchange.stream(), Vec::new());
    for piece in pieces {
        stream.push(piece, &mut out);
    }
    stream.finish(&mut out);
    String::from_utf8(out).unwrap()
}

/// Name and arguments of each call of a stream.
fn calls_of_stream(api: Api, stream: &str) -> Vec<(String, Value)> {
    let (mut decoder, mut deltas) = (Decoder::new(api), Vec::new());
    decoder.push(stream.as_bytes(), &mut deltas);
    decoder.finish(&mut deltas);
    deltas
        .into_iter()
        .filter_map(|(_, delta)| match delta {
            Delta::Call(_, call) => {
                Some((call.name, serde_json::from_str(&call.arguments).unwrap()))
            }
            _ => None,
        })
        .collect()
}

fn calls_of_reply(api: Api, reply: &str) -> Vec<(String, Value)> {
    let reply = Reply::read(api, reply.as_bytes()).unwrap();
    let calls = reply.turns().into_iter().flat_map(|turn| turn.calls);
    calls.map(|call| (call.name, serde_json::from_str(&call.arguments).unwrap())).collect()
}

/// Whether a capture is healthy: llama.cpp does not number the events of Responses.
fn is_healthy(server: &str, api: Api) -> bool {
    (server, api) != ("llama_cpp", Api::Responses)
}

fn each(mut run: impl FnMut(&str, Api)) {
    for server in SERVERS {
        for api in APIS {
            run(server, api);
        }
    }
}

/// Every healthy turn: kind, name, text.
fn healthy() -> impl Iterator<Item = (&'static str, &'static str)> {
    let texts = TEXTS.into_iter().map(|text| ("text", text));
    texts.chain(ARGUMENTS.into_iter().map(|arguments| ("call", arguments)))
}

#[test]
fn healthy_streams_pass_byte_for_byte_at_every_split() {
    each(|server, api| {
        if !is_healthy(server, api) {
            return;
        }
        let exchange = exchange(api);
        for (kind, text) in healthy() {
            let sent = stream(server, api, kind, "find_berth", text);
            let bytes = sent.as_bytes();
            let step = match bytes.len() {
                0..=SPLIT_EVERYWHERE_MAX => 1,
                length => length.div_ceil(SPLITS_SAMPLED),
            };
            for at in (0..=bytes.len()).step_by(step) {
                let (head, tail) = bytes.split_at(at);
                let got = played(&exchange, [head, tail].into_iter());
                assert_eq!(got, sent, "{server} {} split at {at}", api.as_str());
            }
            assert_eq!(played(&exchange, bytes.chunks(1)), sent, "byte by byte");
        }
    });
}

#[test]
fn healthy_replies_pass_byte_for_byte() {
    each(|server, api| {
        for (kind, text) in healthy() {
            let sent = whole(server, api, kind, "find_berth", text);
            let got = exchange(api).reply(sent.as_bytes()).unwrap();
            assert_eq!(got, sent, "{server} {}", api.as_str());
        }
    });
}

/// Whoever only watches, or is off, changes nothing: not what is healthy, not a call in text.
#[tokio::test]
async fn nothing_is_changed_by_who_is_off_or_only_observes() {
    for mode in [Mode::Off, Mode::Observe] {
        let mut settings = Settings::default();
        settings.proxy.mode = mode;
        for (server, api) in SERVERS.into_iter().flat_map(|server| APIS.map(|api| (server, api))) {
            let texts = TEXT_CALLS.into_iter().map(|text| ("text", text));
            for (kind, text) in healthy().chain(texts) {
                let sent = stream(server, api, kind, "find_berth", text);
                let reply = whole(server, api, kind, "find_berth", text);
                let scripts =
                    [(true, Script::events(&sent, 61)), (false, Script::json("200 OK", &reply))];
                for ((is_stream, script), wanted) in scripts.into_iter().zip([&sent, &reply]) {
                    let (url, _) = upstream(script).await;
                    let proxy = proxy(&url, None, settings.clone()).await;
                    let mut asked = asked(api);
                    asked["stream"] = is_stream.into();
                    let address = format!("{}{}", proxy.url, path(api));
                    let heard = post(&address, &[], &asked.to_string()).await;
                    assert_eq!(heard.body, *wanted, "{mode:?} {server} {}", api.as_str());
                }
            }
        }
    }
}

#[test]
fn what_is_not_numbered_keeps_its_text_and_calls() {
    let exchange = exchange(Api::Responses);
    for (kind, text) in healthy() {
        let sent = stream("llama_cpp", Api::Responses, kind, "find_berth", text);
        let got = played(&exchange, sent.as_bytes().chunks(7));
        let calls = calls_of_stream(Api::Responses, &got);
        assert_eq!(calls, calls_of_stream(Api::Responses, &sent));
        assert_eq!(calls.len(), usize::from(kind == "call"));
        assert_eq!(played(&exchange, got.as_bytes().chunks(9)), got, "twice is once");
    }
}

#[test]
fn calls_in_text_arrive_as_calls() {
    let wanted = vec![("find_berth".to_owned(), json!({"pier": 4}))];
    each(|server, api| {
        let exchange = exchange(api);
        for text in TEXT_CALLS {
            let sent = stream(server, api, "text", "find_berth", text);
            let told = format!("{server} {} {text}", api.as_str());
            for size in [1, 30, usize::MAX] {
                let got = played(&exchange, sent.as_bytes().chunks(size.min(sent.len())));
                assert_eq!(calls_of_stream(api, &got), wanted, "{told}\n{got}");
            }
            let sent = whole(server, api, "text", "find_berth", text);
            let got = exchange.reply(sent.as_bytes()).unwrap();
            assert_eq!(calls_of_reply(api, &got), wanted, "{told}\n{got}");
        }
    });
}

#[test]
fn wrong_names_and_arguments_in_a_string_are_mended() {
    let wanted = vec![("find_berth".to_owned(), json!({"pier": 4}))];
    each(|server, api| {
        let exchange = exchange(api);
        for (name, arguments) in
            [("findBerth", r#"{"pier": 4}"#), ("find_berth", r#""{\"pier\": 4}""#)]
        {
            let sent = stream(server, api, "call", name, arguments);
            let got = played(&exchange, sent.as_bytes().chunks(50));
            assert_eq!(calls_of_stream(api, &got), wanted, "{server} {}\n{got}", api.as_str());
            let sent = whole(server, api, "call", name, arguments);
            let got = exchange.reply(sent.as_bytes()).unwrap();
            assert_eq!(calls_of_reply(api, &got), wanted, "{server} {}\n{got}", api.as_str());
        }
    });
}
