//! What a host asks of a relay, and the streams that it writes itself.

use std::sync::{Arc, Mutex, PoisonError};

use toolmend_wire::{
    Api, Channel, Closing, Decoder, Delta, Encoder, End, Envelope, Flow, Framer, Framing,
    LegacyCalls, Mender, Next, Options, Reason, Relay, Reply, Usage, Verdict, WireCall, reply_of,
};

/// Holds what it is told to hold.
#[derive(Clone, Copy, Default)]
struct Holder {
    text: bool,
    end: bool,
}

impl Mender for Holder {
    fn text(&mut self, _: Channel, _: &str, flow: &mut Flow<'_>) {
        if !self.text {
            flow.keep_all();
        }
    }

    fn call(&mut self, _: usize, _: &WireCall) -> Verdict {
        Verdict::Keep
    }

    fn finish(&mut self, _: &End, _: &mut Closing<'_>) -> Next {
        if std::mem::take(&mut self.end) { Next::Wait } else { Next::Done }
    }
}

fn relay(api: Api, holder: Holder, change: impl FnOnce(&mut Options)) -> Relay<Holder> {
    let mut options = Options::default();
    change(&mut options);
    Relay::new(api, options, move |_| holder)
}

const LINE: &[u8] = b"{\"message\":{\"content\":\"Hi\"},\"done\":false}\n";
const LAST: &[u8] = b"{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":5,\"eval_count\":2}\n";

#[test]
fn held_bytes_are_counted_until_they_leave() {
    let mut relay = relay(Api::Ollama, Holder { text: true, end: false }, |_| {});
    let mut out = Vec::new();
    assert_eq!(relay.bytes_held(), 0);
    relay.push(LINE, &mut out);
    assert_eq!((relay.bytes_held(), out.len()), (LINE.len(), 0));
    assert!(!relay.is_waiting());
    relay.push(LINE, &mut out);
    assert_eq!((relay.bytes_held(), out.len()), (2 * LINE.len(), 0));
    relay.push(LAST, &mut out);
    assert_eq!((relay.bytes_held(), out), (0, [LINE, LINE, LAST].concat()));
}

#[test]
fn an_error_that_a_mender_waits_for_is_not_counted_as_held() {
    let mut relay = relay(Api::Ollama, Holder { text: false, end: true }, |_| {});
    let mut out = Vec::new();
    relay.push(LINE, &mut out);
    relay.push(b"{\"error\":\"out of memory\"}\n", &mut out);
    assert!(relay.is_waiting());
    assert_eq!((relay.bytes_held(), out.as_slice()), (0, LINE));
    relay.resume(&mut out);
    assert_eq!(out, [LINE, b"{\"error\":\"out of memory\"}\n"].concat());
}

#[test]
fn too_much_that_is_held_leaves_as_it_came() {
    let most = 2 * LINE.len();
    let mut relay =
        relay(Api::Ollama, Holder { text: true, end: false }, |o| o.held_bytes_max = most);
    let mut out = Vec::new();
    relay.push(LINE, &mut out);
    relay.push(LINE, &mut out);
    assert_eq!((relay.bytes_held(), out.len()), (most, 0));
    relay.push(LINE, &mut out);
    assert_eq!((relay.bytes_held(), out), (0, LINE.repeat(3)));
}

#[test]
fn too_much_behind_an_end_that_waits_leaves_as_it_came() {
    const CHUNKS: &[u8] = b"data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"finish_reason\":null}]}\n\n\
        data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
        data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n\
        data: [DONE]\n\n";
    for (api, stream) in [(Api::Ollama, [LINE, LAST].concat()), (Api::Chat, CHUNKS.to_vec())] {
        let holder = Holder { text: false, end: true };
        let mut relay = relay(api, holder, |options| options.held_bytes_max = 20);
        let mut out = Vec::new();
        relay.push(&stream, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&stream));
    }
}

#[test]
fn lines_end_with_a_return_a_feed_or_both() {
    let cut = |bytes: &[u8]| {
        let mut cutter = Framer::new(Framing::Events, 1 << 10);
        let mut frames = Vec::new();
        // Piece by piece, so that each end has to be waited for.
        for byte in bytes.chunks(1) {
            cutter.push(byte);
            frames.extend(std::iter::from_fn(|| cutter.next_frame()));
        }
        frames.extend(std::iter::from_fn(|| cutter.finish()));
        let told = frames
            .iter()
            .map(|frame| (String::from_utf8_lossy(&frame.raw).into_owned(), frame.is_closed));
        told.collect::<Vec<_>>()
    };
    let closed =
        |frames: &[&str]| frames.iter().map(|&raw| (raw.to_owned(), true)).collect::<Vec<_>>();
    assert_eq!(cut(b"data: 1\n\n\ndata: 2\n\n"), closed(&["data: 1\n\n", "\n", "data: 2\n\n"]));
    // A feed behind a return that ended an event belongs to that return.
    let frames = cut(b"data: 1\r\r\ndata: 2\r\r");
    assert_eq!(frames, closed(&["data: 1\r\r", "\ndata: 2\r\r"]));
    assert_eq!(cut(b"data: 1\n\r"), closed(&["data: 1\n\r"]));
    assert_eq!(cut(b"data: 1\r"), [("data: 1\r".to_owned(), false)]);
}

#[test]
fn a_frame_over_the_limit_passes_with_all_that_follows_in_any_pieces() {
    let long = [b"{\"message\":{\"content\":\"".as_slice(), &[b'x'; 80], b"\"}}\n"].concat();
    let stream = [LINE, &long, b"no JSON\n"].concat();
    for size in 1..=stream.len() {
        let holder = Holder { text: true, end: false };
        let mut relay = relay(Api::Ollama, holder, |options| options.frame_bytes_max = 60);
        let mut out = Vec::new();
        for piece in stream.chunks(size) {
            relay.push(piece, &mut out);
        }
        relay.finish(&mut out);
        assert_eq!(out, stream, "{size}");
    }
    // One byte less, and it is read.
    let mut relay =
        relay(Api::Ollama, Holder { text: true, end: false }, |o| o.frame_bytes_max = LINE.len());
    let mut out = Vec::new();
    relay.push(LINE, &mut out);
    assert_eq!(out, b"");
}

#[test]
fn tokens_that_are_held_are_told() {
    let mut relay = relay(Api::Ollama, Holder { text: false, end: true }, |_| {});
    let mut out = Vec::new();
    relay.push(LINE, &mut out);
    assert_eq!(relay.usage_held(), Usage::default());
    relay.push(LAST, &mut out);
    assert!(relay.is_waiting());
    let told = Usage { input: 5, output: 2 };
    assert_eq!(relay.usage_held(), told);
    // What follows and tells of none takes nothing away.
    relay.push(b"{\"x\":1}\n\n", &mut out);
    assert_eq!(relay.usage_held(), told);
    relay.resume(&mut out);
    assert_eq!(relay.usage_held(), Usage::default());
}

fn decoded(api: Api, bytes: &[u8]) -> Vec<Delta> {
    let mut decoder = Decoder::new(api);
    let mut deltas = Vec::new();
    decoder.push(bytes, &mut deltas);
    decoder.finish(&mut deltas);
    deltas.into_iter().map(|(_, delta)| delta).collect()
}

fn begun(api: Api) -> Encoder {
    let mut encoder = Encoder::new(api);
    let created = match api {
        Api::Ollama => "2026-11-18T00:00:00Z",
        _ => "1790000000",
    };
    encoder.start(&Envelope { id: "x1".into(), model: "tern".into(), created: created.into() });
    encoder
}

#[test]
fn each_reason_is_told_and_heard() {
    let other = || Reason::Other("odd".to_owned());
    for (api, reasons) in [
        (Api::Chat, vec![Reason::Stop, Reason::Length, Reason::Filter, other()]),
        (Api::Responses, vec![Reason::Stop, Reason::Length, Reason::Filter, other()]),
        (Api::Messages, vec![Reason::Stop, Reason::Length, Reason::Filter, other()]),
        (Api::Ollama, vec![Reason::Stop, Reason::Length, other()]),
    ] {
        for reason in reasons {
            let mut encoder = begun(api);
            encoder.text(Channel::Content, "Hi");
            encoder.finish(&reason);
            let deltas = decoded(api, &encoder.take());
            assert!(
                deltas.contains(&Delta::Finish(reason.clone())),
                "{api:?} {reason:?} {deltas:?}"
            );
        }
    }
}

#[test]
fn a_stream_that_is_written_says_who_speaks() {
    for api in Api::ALL {
        let mut encoder = begun(api);
        encoder.text(Channel::Reasoning, "Hm.");
        encoder.text(Channel::Content, "Hi");
        encoder.finish(&Reason::Stop);
        let text = String::from_utf8(encoder.take()).unwrap();
        assert!(text.contains("\"tern\""), "{text}");
        assert!(api == Api::Ollama || text.contains("\"x1\""), "{text}");
        let deltas = decoded(api, text.as_bytes());
        for said in [(Channel::Reasoning, "Hm."), (Channel::Content, "Hi")] {
            assert!(deltas.contains(&Delta::Text(said.0, said.1.to_owned())), "{deltas:?}");
        }
        assert_eq!(encoder.take(), b"");
    }
}

#[test]
fn an_error_that_is_written_is_heard() {
    for api in Api::ALL {
        let mut encoder = begun(api);
        encoder.text(Channel::Content, "Hi");
        encoder.error("out of memory");
        let deltas = decoded(api, &encoder.take());
        assert!(deltas.contains(&Delta::Error("out of memory".to_owned())), "{api:?} {deltas:?}");
    }
}

#[test]
fn a_decoder_holds_nothing_back() {
    // More than a relay may hold.
    let long =
        format!("{{\"message\":{{\"content\":\"{}\"}},\"done\":false}}\n", "x".repeat(1 << 20));
    let mut decoder = Decoder::new(Api::Ollama);
    let mut deltas = Vec::new();
    for _ in 0..40 {
        deltas.clear();
        decoder.push(long.as_bytes(), &mut deltas);
    }
    assert_eq!(deltas.len(), 1);
}

#[test]
fn a_decoder_tells_what_is_wrong() {
    let mut decoder = Decoder::new(Api::Ollama);
    decoder.push(b"\n", &mut Vec::new());
    let rules: Vec<_> = decoder.rules().iter().map(|(rule, count)| (rule.id(), *count)).collect();
    assert_eq!(rules, [("blank-line", 1)]);
}

#[test]
fn a_whole_reply_says_why_it_ended() {
    let response = |status: &str, details: &str| {
        format!(r#"{{"id":"r","status":"{status}","incomplete_details":{details},"output":[]}}"#)
    };
    for (body, expected) in [
        (response("completed", "null"), Reason::Stop),
        (response("incomplete", "null"), Reason::Length),
        (response("incomplete", r#"{"reason":"max_output_tokens"}"#), Reason::Length),
        (response("incomplete", r#"{"reason":"content_filter"}"#), Reason::Filter),
        (response("incomplete", r#"{"reason":"odd"}"#), Reason::Other("odd".to_owned())),
    ] {
        let reply = Reply::read(Api::Responses, body.as_bytes()).unwrap();
        assert_eq!(reply.turns()[0].reason, Some(expected), "{body}");
    }
    for (end, expected) in [("", Reason::Stop), (r#","done_reason":"length""#, Reason::Length)] {
        let body = format!(r#"{{"message":{{"content":"Hi"}},"done":true{end}}}"#);
        let reply = Reply::read(Api::Ollama, body.as_bytes()).unwrap();
        assert_eq!(reply.turns()[0].reason, Some(expected), "{body}");
    }
}

#[test]
fn a_reply_that_no_server_sent_says_who_calls() {
    let envelope = Envelope { id: "x1".into(), model: "tern".into(), created: "7".into() };
    let (name, arguments) = ("find_route".to_owned(), r#"{"to":"Zadar"}"#.to_owned());
    let call = WireCall { id: "call_1".to_owned(), name, arguments };
    for api in Api::ALL {
        let body = reply_of(api, &envelope, std::slice::from_ref(&call));
        assert_eq!(body.contains("\"x1\""), api != Api::Ollama, "{body}");
        assert!(body.contains("\"tern\""), "{body}");
        let turns = Reply::read(api, body.as_bytes()).unwrap().turns();
        assert_eq!((&turns[0].calls[0], &turns[0].reason), (&call, &Some(Reason::Calls)), "{body}");
    }
}

/// Counts what it is asked, and waits at the first end.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<Vec<String>>>);

impl Asked {
    fn note(&self, what: String) {
        let mut asked = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(what);
    }
}

impl Mender for Asked {
    fn text(&mut self, _: Channel, text: &str, flow: &mut Flow<'_>) {
        self.note(format!("text {text}"));
        flow.keep_all();
    }

    fn call(&mut self, _: usize, call: &WireCall) -> Verdict {
        self.note(format!("call {}", call.name));
        Verdict::Keep
    }

    fn finish(&mut self, end: &End, _: &mut Closing<'_>) -> Next {
        let asked = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let before = asked.iter().filter(|one| one.starts_with("end")).count();
        self.note(format!("end {end:?}"));
        if before == 0 { Next::Wait } else { Next::Done }
    }
}

#[test]
fn a_mender_that_waits_is_asked_about_the_end_alone() {
    let body = r#"{"message":{"content":"Hi","tool_calls":[{"function":{"name":"find_route","arguments":{}}}]},"done":true,"done_reason":"stop"}"#;
    let mut reply = Reply::read(Api::Ollama, body.as_bytes()).unwrap();
    let mut asked = Asked::default();
    assert_eq!(reply.mend(0, &mut asked), Next::Wait);
    assert_eq!(reply.mend(0, &mut asked), Next::Done);
    let end = "end Finished(Calls)";
    assert_eq!(*asked.0.lock().unwrap(), ["text Hi", "call find_route", end, end]);
}

#[test]
fn an_error_behind_an_end_that_waits_is_not_the_end() {
    let chunks = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"finish_reason\":null}]}\n\n\
        data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
        data: {\"error\":{\"message\":\"out of memory\"}}\n\n";
    let asked = Asked::default();
    let own = asked.clone();
    let mut relay = Relay::new(Api::Chat, Options::default(), move |_| own.clone());
    let mut out = Vec::new();
    relay.push(chunks.as_bytes(), &mut out);
    assert!(relay.is_waiting());
    relay.resume(&mut out);
    assert_eq!(String::from_utf8_lossy(&out), chunks);
    let end = "end Finished(Stop)";
    assert_eq!(*asked.0.lock().unwrap(), ["text Hi", end, end]);
}

#[test]
fn calls_of_the_old_form_leave_byte_for_byte_where_they_are_kept() {
    let chunks = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null,\"function_call\":{\"name\":\"find_route\",\"arguments\":\"{}\"}},\"finish_reason\":null}]}\n\n\
        data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"function_call\"}]}\n\n\
        data: [DONE]\n\n";
    let keep = |options: &mut Options| options.legacy_calls = LegacyCalls::Keep;
    let mut relay = relay(Api::Chat, Holder::default(), keep);
    let mut out = Vec::new();
    relay.push(chunks.as_bytes(), &mut out);
    relay.finish(&mut out);
    assert_eq!(String::from_utf8_lossy(&out), chunks);
    assert_eq!(relay.rules(), []);
}
