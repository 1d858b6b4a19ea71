//! What the proxy does to one request and its reply, for programs that send and receive themselves.

use std::sync::Arc;

use toolmend::Settings;
use toolmend_wire::{Api, Options, Relay, Reply};

use crate::Sinks;
use crate::exchange::{Context, Recorder, TurnMender, prepare};

/// One request and its reply. No IO: bytes go in, bytes come out.
///
/// ```
/// use std::sync::Arc;
/// use toolmend::Settings;
/// use toolmend_proxy::{Api, Exchange};
///
/// let asked = br#"{"model": "m", "messages": [{"role": "user", "content": "Any berth?"}],
///     "tools": [{"type": "function", "function": {"name": "find_berth",
///         "parameters": {"type": "object", "properties": {"pier": {"type": "integer"}}}}}]}"#;
/// let exchange = Exchange::read(Api::Chat, asked, &Arc::new(Settings::default())).unwrap();
/// assert!(exchange.request().is_none(), "nothing had to change on its way up");
///
/// let reply = br#"{"id": "r1", "choices": [{"index": 0, "message": {"role": "assistant", "content":
///     "<tool_call>{\"name\": \"find_berth\", \"arguments\": {\"pier\": \"4\"}}</tool_call>"},
///     "finish_reason": "stop"}]}"#;
/// let mended = exchange.reply(reply).unwrap();
/// assert!(mended.contains(r#""arguments":"{\"pier\":4}""#), "{mended}");
/// assert!(mended.contains(r#""finish_reason": "tool_calls""#), "{mended}");
/// ```
#[derive(Debug)]
pub struct Exchange {
    api: Api,
    request: Option<Vec<u8>>,
    context: Arc<Context>,
    recorder: Arc<Recorder>,
}

impl Exchange {
    /// Reads the body of a request; `None` where it is nothing that can be understood, and both it
    /// and its reply are to pass as they are.
    #[must_use]
    pub fn read(api: Api, body: &[u8], settings: &Arc<Settings>) -> Option<Self> {
        let prepared = prepare(api, body, settings).filter(|prepared| !prepared.is_legacy)?;
        let context = prepared.context;
        let sinks = Arc::new(Sinks::new(settings, None, None));
        let recorder = Arc::new(Recorder::new(Arc::clone(&context), api, sinks));
        Some(Self { api, request: prepared.body, context, recorder })
    }

    /// The body that goes up, where something in it had to change.
    #[must_use]
    pub fn request(&self) -> Option<&[u8]> {
        self.request.as_deref()
    }

    /// A reply that is streamed.
    #[must_use]
    pub fn stream(&self) -> ExchangeStream {
        let (context, recorder) = (Arc::clone(&self.context), Arc::clone(&self.recorder));
        let relay = Relay::new(self.api, Options::default(), move |choice| {
            TurnMender::new(Arc::clone(&context), &choice.to_string(), Arc::clone(&recorder))
        });
        ExchangeStream { relay }
    }

    /// A reply that came whole, mended; `None` where it is nothing that can be read.
    #[must_use]
    pub fn reply(&self, body: &[u8]) -> Option<String> {
        let mut reply = Reply::read(self.api, body)?;
        for choice in 0..reply.choices() {
            let (context, recorder) = (Arc::clone(&self.context), Arc::clone(&self.recorder));
            let mut mender = TurnMender::new(context, &choice.to_string(), recorder);
            let _ = reply.mend(choice, &mut mender);
        }
        Some(reply.write())
    }
}

/// A reply that is streamed, mended as it comes.
#[derive(Debug)]
pub struct ExchangeStream {
    relay: Relay<TurnMender>,
}

impl ExchangeStream {
    /// Takes what the server sent, and writes what the client gets so far.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.relay.push(bytes, out);
    }

    /// The server's stream is over: writes the rest.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.relay.finish(out);
    }
}
