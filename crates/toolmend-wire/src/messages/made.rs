//! Events that no server sent.

use super::{Messages, Writer, reason_text};
use crate::channel::Channel;
use crate::json::quote;
use crate::mender::WireCall;
use crate::protocol::{Envelope, Sink};
use crate::turn::Reason;

impl Messages {
    /// Writes text: to the block that was made for it, as long as nothing else comes.
    pub(super) fn make_text(&mut self, channel: Channel, text: &str, sink: &mut Sink<'_>) {
        if self.writer.made != Some(channel) {
            self.begin(sink);
            let index = self.writer.start();
            start(index, text_block(channel), sink);
            self.writer.made = Some(channel);
        }
        let text = quote(text);
        let delta = match channel {
            Channel::Content => format!(r#"{{"type":"text_delta","text":{text}}}"#),
            Channel::Reasoning => format!(r#"{{"type":"thinking_delta","thinking":{text}}}"#),
        };
        self::delta(self.writer.open.unwrap_or_default(), &delta, sink);
    }

    /// Writes a block that is a call.
    pub(super) fn make_call(&mut self, call: &WireCall, sink: &mut Sink<'_>) {
        self.begin(sink);
        let index = self.writer.start();
        let (id, name) = (quote(&call.id), quote(&call.name));
        let block = format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{{}}}}"#);
        start(index, &block, sink);
        arguments(index, &call.arguments, sink);
        self.writer.stop(sink);
    }

    pub(super) fn make_finish(&mut self, reason: &Reason, sink: &mut Sink<'_>) {
        self.begin(sink);
        let (reason, tokens) = (quote(reason_text(reason)), self.output_tokens);
        let data = format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":{reason},"stop_sequence":null}},"usage":{{"output_tokens":{tokens}}}}}"#
        );
        sink.event("message_delta", &data);
    }

    /// Makes sure that the message has begun, and that no block is open.
    fn begin(&mut self, sink: &mut Sink<'_>) {
        self.writer.flush(sink);
        self.make_start(&Envelope::default(), sink);
        self.writer.stop(sink);
    }

    pub(super) fn make_start(&mut self, envelope: &Envelope, sink: &mut Sink<'_>) {
        if std::mem::replace(&mut self.writer.is_started, true) {
            return;
        }
        let id = if envelope.id.is_empty() { "msg_toolmend" } else { &envelope.id };
        let (id, model) = (quote(id), quote(&envelope.model));
        sink.event("message_start", &format!(
            r#"{{"type":"message_start","message":{{"id":{id},"type":"message","role":"assistant","content":[],"model":{model},"stop_reason":null,"stop_sequence":null,"usage":{{"input_tokens":0,"output_tokens":0}}}}}}"#
        ));
    }
}

impl Writer {
    /// The index of a block that starts now.
    pub(super) fn start(&mut self) -> usize {
        let index = self.blocks;
        self.made = None;
        self.blocks += 1;
        self.open = Some(index);
        index
    }

    /// Closes the block that is open.
    pub(super) fn stop(&mut self, sink: &mut Sink<'_>) {
        self.made = None;
        if let Some(index) = self.open.take() {
            stop(index, sink);
        }
    }

    /// Writes the start that was held.
    pub(super) fn flush(&mut self, sink: &mut Sink<'_>) {
        if let Some(stash) = self.stash.take() {
            sink.out.extend_from_slice(&stash.start);
            sink.out.extend_from_slice(&stash.others);
        }
    }
}

pub(super) fn text_block(channel: Channel) -> &'static str {
    match channel {
        Channel::Content => r#"{"type":"text","text":""}"#,
        Channel::Reasoning => r#"{"type":"thinking","thinking":"","signature":""}"#,
    }
}

pub(super) fn start(index: usize, block: &str, sink: &mut Sink<'_>) {
    let data =
        format!(r#"{{"type":"content_block_start","index":{index},"content_block":{block}}}"#);
    sink.event("content_block_start", &data);
}

fn delta(index: usize, delta: &str, sink: &mut Sink<'_>) {
    let data = format!(r#"{{"type":"content_block_delta","index":{index},"delta":{delta}}}"#);
    sink.event("content_block_delta", &data);
}

pub(super) fn arguments(index: usize, text: &str, sink: &mut Sink<'_>) {
    let text = quote(text);
    delta(index, &format!(r#"{{"type":"input_json_delta","partial_json":{text}}}"#), sink);
}

pub(super) fn stop(index: usize, sink: &mut Sink<'_>) {
    let data = format!(r#"{{"type":"content_block_stop","index":{index}}}"#);
    sink.event("content_block_stop", &data);
}
