//! Replies that no server sent.

use super::Reply;
use crate::api::Api;
use crate::channel::{Channel, Flow};
use crate::draft::{Draft, at};
use crate::encode::Encoder;
use crate::mender::{Closing, Mender, Next, Verdict, WireCall};
use crate::protocol::Envelope;
use crate::turn::{End, Reason};

/// A reply that no server sent, with these calls.
#[must_use]
pub fn reply_of(api: Api, envelope: &Envelope, calls: &[WireCall]) -> String {
    let body = body(api, envelope);
    let Some(mut reply) = Reply::read(api, body.as_bytes()) else { return body };
    let _ = reply.mend(0, &mut Caller { calls });
    reply.write()
}

/// A stream that no server sent, with these calls.
#[must_use]
pub fn stream_of(api: Api, envelope: &Envelope, calls: &[WireCall]) -> Vec<u8> {
    let mut encoder = Encoder::new(api);
    encoder.start(envelope);
    for call in calls {
        encoder.call(call);
    }
    encoder.finish(&Reason::Calls);
    encoder.take()
}

/// Makes calls.
struct Caller<'c> {
    calls: &'c [WireCall],
}

impl Mender for Caller<'_> {
    fn text(&mut self, _: Channel, _: &str, flow: &mut Flow<'_>) {
        flow.keep_all();
    }

    fn call(&mut self, _: usize, _: &WireCall) -> Verdict {
        Verdict::Keep
    }

    fn finish(&mut self, _: &End, closing: &mut Closing<'_>) -> Next {
        for call in self.calls {
            closing.add_call(call.clone());
        }
        closing.set_reason(Reason::Calls);
        Next::Done
    }
}

/// The body of a reply that says nothing.
fn body(api: Api, envelope: &Envelope) -> String {
    let bare = match api {
        Api::Chat => {
            r#"{"id":"","object":"chat.completion","created":0,"model":"","choices":[{"index":0,"message":{"role":"assistant","content":null},"finish_reason":"stop"}]}"#
        }
        Api::Responses => {
            r#"{"id":"","object":"response","created_at":0,"status":"completed","model":"","output":[],"error":null,"incomplete_details":null}"#
        }
        Api::Messages => {
            r#"{"id":"","type":"message","role":"assistant","model":"","content":[],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0}}"#
        }
        Api::Ollama => {
            r#"{"model":"","created_at":"","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}"#
        }
    };
    let mut draft = Draft::new(bare);
    draft.set_text(at!["model"], &envelope.model);
    if api != Api::Ollama {
        draft.set_text(at!["id"], &envelope.id);
    }
    let seconds = envelope.created.parse::<u64>().unwrap_or_default().to_string();
    match api {
        Api::Chat => draft.set(at!["created"], &seconds),
        Api::Responses => draft.set(at!["created_at"], &seconds),
        Api::Ollama => draft.set_text(at!["created_at"], &envelope.created),
        Api::Messages => {}
    }
    draft.into_text()
}
