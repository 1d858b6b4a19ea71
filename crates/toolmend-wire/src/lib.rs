//! Four wire APIs of language models: requests, whole replies and streams, read and mended.
//!
//! A [`Relay`] stands between a server and a client. Bytes go in as they come, a [`Mender`] for each
//! choice decides what becomes of text, calls and the end, and bytes come out. Where no mender and no
//! [`StreamRule`] changes anything, they are the bytes that went in. A [`Normalizer`] is a relay whose
//! menders change nothing. A [`Reply`] does the same for replies that are not streamed.
//!
//! ```
//! use toolmend_wire::{Api, Channel, Closing, End, Flow, Mender, Next, Options, Relay, Verdict, WireCall};
//!
//! /// Shouts, and lets calls pass.
//! struct Loud;
//!
//! impl Mender for Loud {
//!     fn text(&mut self, _: Channel, text: &str, flow: &mut Flow<'_>) {
//!         flow.replace(text.len(), &text.to_uppercase());
//!     }
//!     fn call(&mut self, _: usize, _: &WireCall) -> Verdict {
//!         Verdict::Keep
//!     }
//!     fn finish(&mut self, _: &End, _: &mut Closing<'_>) -> Next {
//!         Next::Done
//!     }
//! }
//!
//! let mut relay = Relay::new(Api::Ollama, Options::default(), |_choice| Loud);
//! let mut out = Vec::new();
//! relay.push(b"{\"message\": {\"content\":\"hi\"}, \"x\":1, \"done\":true}\n", &mut out);
//! relay.finish(&mut out);
//! assert_eq!(out, b"{\"message\": {\"content\":\"HI\"}, \"x\":1, \"done\":true}\n");
//! ```

mod api;
mod channel;
mod chat;
mod decode;
mod draft;
mod encode;
mod error;
mod frame;
mod id;
mod json;
mod mender;
mod messages;
mod named;
mod ollama;
mod protocol;
mod relay;
mod reply;
mod request;
mod responses;
mod rule;
mod turn;
mod usage;

pub use api::{Api, Framing};
pub use channel::{Channel, Flow};
pub use decode::Decoder;
pub use encode::Encoder;
pub use error::{Blame, error_body, error_message, rejected_text};
pub use frame::{Body, Frame, Framer};
pub use mender::{Closing, Mender, Next, Untouched, Verdict, WireCall};
pub use protocol::Envelope;
pub use relay::{LegacyCalls, Normalizer, Options, Relay};
pub use reply::{Reply, Turn, reply_of, stream_of};
pub use request::{Request, ToolChoice, glance, is_json, is_talk};
pub use rule::{StreamRule, rules_document};
pub use turn::{Delta, End, Reason};
pub use usage::Usage;
