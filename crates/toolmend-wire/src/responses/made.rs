//! Events that no server sent.

use super::{Responses, Writer};
use crate::channel::Channel;
use crate::draft::{Draft, at};
use crate::id;
use crate::json::quote;
use crate::mender::WireCall;
use crate::protocol::{Envelope, Sink};
use crate::turn::Reason;

/// What a response is made from if none was created.
const BARE: &str = r#"{"id":"resp_toolmend","object":"response","created_at":0,"status":"in_progress","model":"","output":[],"error":null,"incomplete_details":null,"usage":null}"#;

impl Writer {
    pub(super) fn next_sequence(&mut self) -> u64 {
        let next = self.sequence.map_or(0, |last| last.saturating_add(1));
        self.sequence = Some(next);
        next
    }

    /// The `output_index` of an item that is announced now.
    pub(super) fn next_item(&mut self) -> usize {
        self.items += 1;
        self.items - 1
    }

    /// Writes an event of this type with these members.
    pub(super) fn event(&mut self, kind: &str, members: &str, sink: &mut Sink<'_>) {
        let number = self.next_sequence();
        let data = format!(r#"{{"type":"{kind}","sequence_number":{number},{members}}}"#);
        sink.event(kind, &data);
    }

    pub(super) fn added(&mut self, output: usize, item: &str, sink: &mut Sink<'_>) {
        let members = format!(r#""output_index":{output},"item":{item}"#);
        self.event("response.output_item.added", &members, sink);
    }

    /// Announces the first part of a text.
    pub(super) fn part_added(
        &mut self,
        output: usize,
        item: &str,
        channel: Channel,
        sink: &mut Sink<'_>,
    ) {
        let (item, part) = (quote(item), part(channel, ""));
        let members =
            format!(r#""item_id":{item},"output_index":{output},"content_index":0,"part":{part}"#);
        self.event("response.content_part.added", &members, sink);
    }

    pub(super) fn arguments(&mut self, output: usize, item: &str, text: &str, sink: &mut Sink<'_>) {
        let (item, text) = (quote(item), quote(text));
        let members = format!(r#""item_id":{item},"output_index":{output},"delta":{text}"#);
        self.event("response.function_call_arguments.delta", &members, sink);
    }

    pub(super) fn arguments_done(
        &mut self,
        output: usize,
        item: &str,
        call: &WireCall,
        sink: &mut Sink<'_>,
    ) {
        let (item, name, text) = (quote(item), quote(&call.name), quote(&call.arguments));
        let members =
            format!(r#""item_id":{item},"output_index":{output},"name":{name},"arguments":{text}"#);
        self.event("response.function_call_arguments.done", &members, sink);
    }

    pub(super) fn done(&mut self, output: usize, item: &str, sink: &mut Sink<'_>) {
        let members = format!(r#""output_index":{output},"item":{item}"#);
        self.event("response.output_item.done", &members, sink);
        self.done.push(item.to_owned());
    }
}

impl Responses {
    /// An id for an item that has none.
    pub(super) fn make_id(&mut self, prefix: &str) -> String {
        self.writer.ids += 1;
        id::make(prefix, &self.seed, 0, self.writer.ids)
    }

    pub(super) fn make_start(&mut self, envelope: &Envelope, sink: &mut Sink<'_>) {
        let mut response = Draft::new(BARE);
        response.set_text(at!["id"], &envelope.id);
        response.set_text(at!["model"], &envelope.model);
        let created = envelope.created.parse::<u64>().unwrap_or_default();
        response.set(at!["created_at"], &created.to_string());
        self.seed.clone_from(&envelope.id);
        for kind in ["response.created", "response.in_progress"] {
            self.writer.event(kind, &format!(r#""response":{}"#, response.text()), sink);
        }
        self.created = Some(response.into_text());
    }

    /// Makes sure that the response has begun.
    pub(super) fn begin(&mut self, sink: &mut Sink<'_>) {
        if self.created.is_none() {
            let id = "resp_toolmend".to_owned();
            self.make_start(&Envelope { id, ..Envelope::default() }, sink);
        }
    }

    pub(super) fn make_call(&mut self, call: &WireCall, sink: &mut Sink<'_>) {
        self.close_text(sink);
        self.writer.is_changed = true;
        let id = self.make_id("fc_");
        let output = self.writer.next_item();
        self.writer.added(output, &call_item(&id, call, ""), sink);
        self.writer.arguments(output, &id, &call.arguments, sink);
        self.writer.arguments_done(output, &id, call, sink);
        self.writer.done(output, &call_item(&id, call, &call.arguments), sink);
    }

    /// Writes text: to the item that was made for it, as long as nothing else comes.
    pub(super) fn make_text(&mut self, channel: Channel, text: &str, sink: &mut Sink<'_>) {
        self.writer.is_changed = true;
        if self.writer.made.as_ref().is_none_or(|made| made.channel != channel) {
            self.close_text(sink);
            let id = self.make_id(if channel == Channel::Content { "msg_" } else { "rs_" });
            let output = self.writer.next_item();
            let made = MadeText { id, output, channel, text: String::new() };
            self.writer.added(output, &made.item("in_progress", ""), sink);
            self.writer.part_added(output, &made.id, channel, sink);
            self.writer.made = Some(made);
        }
        let Some(mut made) = self.writer.made.take() else { return };
        made.text.push_str(text);
        let members = format!(r#"{},"delta":{}"#, made.place(), quote(text));
        self.writer.event(&format!("response.{}.delta", made.kind()), &members, sink);
        self.writer.made = Some(made);
    }

    /// Closes the item that was made for text.
    pub(super) fn close_text(&mut self, sink: &mut Sink<'_>) {
        let Some(made) = self.writer.made.take() else { return };
        let (place, part) = (made.place(), made.part());
        let members = format!(r#"{place},"text":{}"#, quote(&made.text));
        self.writer.event(&format!("response.{}.done", made.kind()), &members, sink);
        let members = format!(r#"{place},"part":{part}"#);
        self.writer.event("response.content_part.done", &members, sink);
        self.writer.done(made.output, &made.item("completed", &part), sink);
    }

    pub(super) fn make_end(&mut self, reason: &Reason, sink: &mut Sink<'_>) {
        self.close_text(sink);
        let kind = match reason {
            Reason::Stop | Reason::Calls => "response.completed",
            _ => "response.incomplete",
        };
        let response = self.whole(reason);
        self.writer.event(kind, &format!(r#""response":{response}"#), sink);
    }

    /// The response as it ends, with what was sent of it.
    pub(super) fn whole(&self, reason: &Reason) -> String {
        let mut response = Draft::new(self.created.as_deref().unwrap_or(BARE));
        response.set(at!["output"], &format!("[{}]", self.writer.done.join(",")));
        set_status(&mut response, at![], reason);
        response.into_text()
    }

    pub(super) fn make_failure(&mut self, message: &str, sink: &mut Sink<'_>) {
        let mut response = Draft::new(self.created.as_deref().unwrap_or(BARE));
        response.set(at!["output"], &format!("[{}]", self.writer.done.join(",")));
        response.set(at!["status"], "\"failed\"");
        let error = format!(r#"{{"code":"server_error","message":{}}}"#, quote(message));
        response.set(at!["error"], &error);
        self.writer.event("response.failed", &format!(r#""response":{}"#, response.text()), sink);
    }
}

/// Sets the status of the response at a path by its reason. The event that says so.
pub(crate) fn set_status(
    draft: &mut Draft,
    response: &[crate::draft::Step<'_>],
    reason: &Reason,
) -> &'static str {
    let own = |key: &'static str| [response, &[key.into()]].concat();
    let details = match reason {
        Reason::Stop | Reason::Calls => None,
        Reason::Length => Some("max_output_tokens"),
        Reason::Filter => Some("content_filter"),
        Reason::Other(other) => Some(other.as_str()),
    };
    match details {
        None => {
            draft.set(&own("status"), "\"completed\"");
            if draft.get(&own("incomplete_details")).is_some() {
                draft.set(&own("incomplete_details"), "null");
            }
            "response.completed"
        }
        Some(details) => {
            draft.set(&own("status"), "\"incomplete\"");
            let details = format!(r#"{{"reason":{}}}"#, quote(details));
            draft.set(&own("incomplete_details"), &details);
            "response.incomplete"
        }
    }
}

pub(crate) fn call_item(id: &str, call: &WireCall, arguments: &str) -> String {
    let (id, call_id, name) = (quote(id), quote(&call.id), quote(&call.name));
    let status = if arguments.is_empty() { "in_progress" } else { "completed" };
    let arguments = quote(arguments);
    format!(
        r#"{{"type":"function_call","id":{id},"call_id":{call_id},"name":{name},"arguments":{arguments},"status":"{status}"}}"#
    )
}

/// The type of a part with the text of a channel.
fn kind(channel: Channel) -> &'static str {
    match channel {
        Channel::Content => "output_text",
        Channel::Reasoning => "reasoning_text",
    }
}

fn part(channel: Channel, text: &str) -> String {
    let (kind, text) = (kind(channel), quote(text));
    match channel {
        Channel::Content => {
            format!(r#"{{"type":"{kind}","text":{text},"annotations":[],"logprobs":[]}}"#)
        }
        Channel::Reasoning => format!(r#"{{"type":"{kind}","text":{text}}}"#),
    }
}

/// An item that was made for text, and is open.
#[derive(Debug)]
pub(super) struct MadeText {
    id: String,
    output: usize,
    channel: Channel,
    text: String,
}

impl MadeText {
    fn kind(&self) -> &'static str {
        kind(self.channel)
    }

    fn place(&self) -> String {
        let (id, output) = (quote(&self.id), self.output);
        format!(r#""item_id":{id},"output_index":{output},"content_index":0"#)
    }

    fn part(&self) -> String {
        part(self.channel, &self.text)
    }

    fn item(&self, status: &str, part: &str) -> String {
        let id = quote(&self.id);
        match self.channel {
            Channel::Content => format!(
                r#"{{"type":"message","id":{id},"role":"assistant","status":"{status}","content":[{part}]}}"#
            ),
            Channel::Reasoning => format!(
                r#"{{"type":"reasoning","id":{id},"summary":[],"content":[{part}],"status":"{status}"}}"#
            ),
        }
    }
}
