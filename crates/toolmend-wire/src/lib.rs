//! Four wire APIs.

mod api;
mod channel;
mod chat;
mod decode;
mod encode;
mod error;
mod frame;
mod id;
mod json;
mod mender;
mod messages;
mod ollama;
mod patch;
mod protocol;
mod relay;
mod reply;
mod request;
mod responses;
mod rule;
mod turn;

pub use api::{Api, Framing};
pub use channel::{Channel, Flow};
pub use decode::Decoder;
pub use encode::Encoder;
pub use error::{error_body, error_message};
pub use frame::{Body, Frame, Framer};
pub use mender::{Closing, Mender, Next, Untouched, Verdict, WireCall};
pub use protocol::Envelope;
pub use relay::{LegacyCalls, Normalizer, Options, Relay};
pub use reply::{Reply, Turn};
pub use request::{Request, ToolChoice};
pub use rule::StreamRule;
pub use turn::{Delta, End, Reason};
