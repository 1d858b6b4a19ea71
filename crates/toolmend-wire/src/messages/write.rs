//! Events as they leave.

use super::{Kind, Made, Messages, Stash, Tag, made, reason_of, reason_text};
use crate::channel::{Channel, Stretch};
use crate::draft::{Draft, at};
use crate::frame::{Body, Frame};
use crate::json::Json;
use crate::mender::Verdict;
use crate::named;
use crate::protocol::{Entry, Envelope, Sink};
use crate::relay::write_added;
use crate::rule::StreamRule;
use crate::turn::{Reason, Turns};

impl Messages {
    pub(super) fn write_entry(
        &mut self,
        entry: Entry<Tag>,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) {
        if let Tag::Made(made) = entry.tag {
            return self.write_made(made, turns, sink);
        }
        let Some(frame) = entry.frame else { return };
        let Body::Data(data) = &frame.body else { return self.write_aside(&frame, None, sink) };
        let mut draft = Draft::new(data);
        match entry.tag {
            Tag::Plain => self.write_aside(&frame, Some(draft), sink),
            Tag::Gone | Tag::Made(_) => {}
            Tag::Start => {
                self.writer.is_started = true;
                emit(&frame, draft, sink);
            }
            Tag::BlockStart(block) => self.write_block_start(&frame, draft, block, turns, sink),
            Tag::BlockDelta(block, said) => {
                self.write_block_delta(&frame, draft, block, said, turns, sink);
            }
            Tag::BlockStop(block) => {
                if self.close_block_writing(block, turns, sink) {
                    self.set_index(&mut draft, block, sink);
                    emit(&frame, draft, sink);
                }
            }
            Tag::Finish => {
                self.writer.flush(sink);
                let path = at!["delta", "stop_reason"];
                let text = draft.get(path).and_then(Json::text).unwrap_or_default();
                let reason = final_reason(&reason_of(&text), turns, Some(sink));
                write_added(self, 0, turns, sink);
                self.writer.stop(sink);
                if reason != reason_of(&text) {
                    draft.set_text(path, reason_text(&reason));
                }
                emit(&frame, draft, sink);
            }
            Tag::End => {
                self.writer.flush(sink);
                emit(&frame, draft, sink);
            }
        }
    }

    fn write_made(&mut self, made: Made, turns: &mut Turns, sink: &mut Sink<'_>) {
        match made {
            Made::Start => self.make_start(&Envelope::default(), sink),
            Made::BlockStart(block) => {
                let Some(state) = self.blocks.get_mut(block) else { return };
                let Kind::Text(channel) = state.kind else { return };
                let index = self.writer.start();
                state.written = Some(index);
                let mut start = Vec::new();
                let mut held = Sink { out: &mut start, rules: &mut *sink.rules };
                made::start(index, made::text_block(channel), &mut held);
                self.writer.stash = Some(Stash { start, others: Vec::new() });
            }
            Made::BlockStop(block) => {
                if self.close_block_writing(block, turns, sink) {
                    let index = self.blocks.get(block).and_then(|block| block.written);
                    made::stop(index.unwrap_or_default(), sink);
                }
            }
            Made::Finish => {
                self.writer.flush(sink);
                let given = turns.open(0).reason_of_calls();
                let reason = final_reason(&given, turns, None);
                write_added(self, 0, turns, sink);
                self.make_finish(&reason, sink);
            }
        }
    }

    /// What belongs to no block keeps its place, also beside a start that is held.
    fn write_aside(&mut self, frame: &Frame, draft: Option<Draft>, sink: &mut Sink<'_>) {
        let mut out = Vec::new();
        let mut aside = Sink { out: &mut out, rules: &mut *sink.rules };
        match draft {
            Some(draft) => emit(frame, draft, &mut aside),
            None => frame.write_closed(aside.out),
        }
        match &mut self.writer.stash {
            Some(stash) => stash.others.extend_from_slice(&out),
            None => sink.out.extend_from_slice(&out),
        }
    }

    fn write_block_start(
        &mut self,
        frame: &Frame,
        mut draft: Draft,
        block: usize,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) {
        self.writer.flush(sink);
        let Some(state) = self.blocks.get_mut(block) else { return };
        if let Kind::Call(call) = state.kind {
            let Some(call) = turns.call(0, call) else { return };
            if call.verdict == Some(Verdict::Drop) {
                return;
            }
            if let Some(id) = &call.id {
                let given = draft.get(at!["content_block", "id"]).and_then(Json::text);
                let rule = match given.is_some_and(|given| !given.is_empty()) {
                    true => StreamRule::IdShared,
                    false => StreamRule::IdMissing,
                };
                sink.mend(&mut draft, rule, |draft| {
                    draft.set_text(at!["content_block", "id"], id);
                });
            }
            if let Some(Verdict::Change(wire)) = &call.verdict {
                draft.set_text(at!["content_block", "id"], &wire.id);
                draft.set_text(at!["content_block", "name"], &wire.name);
                draft.set(at!["content_block", "input"], "{}");
            }
            turns.open(0).calls_written += 1;
        }
        state.written = Some(self.writer.start());
        let is_text = matches!(state.kind, Kind::Text(_));
        self.set_index(&mut draft, block, sink);
        if is_text {
            let mut start = Vec::new();
            emit(frame, draft, &mut Sink { out: &mut start, rules: &mut *sink.rules });
            self.writer.stash = Some(Stash { start, others: Vec::new() });
        } else {
            emit(frame, draft, sink);
        }
    }

    fn write_block_delta(
        &mut self,
        frame: &Frame,
        mut draft: Draft,
        block: usize,
        said: Option<(Channel, Stretch)>,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) {
        let Some(state) = self.blocks.get_mut(block).filter(|block| block.written.is_some()) else {
            return;
        };
        if let Some((channel, stretch)) = said {
            let field = if channel == Channel::Content { "text" } else { "thinking" };
            let text = draft.get(at!["delta", field]).and_then(Json::text).unwrap_or_default();
            match turns.changed(0, channel, stretch, &text) {
                Some(text) if text.is_empty() => {
                    state.is_emptied = true;
                    return;
                }
                Some(text) => draft.set_text(at!["delta", field], &text),
                None => {}
            }
        }
        let verdict = match state.kind {
            Kind::Call(call) => turns.call(0, call).and_then(|call| call.verdict.as_ref()),
            _ => None,
        };
        if let Some(Verdict::Change(wire)) = verdict {
            if std::mem::replace(&mut state.has_arguments, true) {
                return;
            }
            draft.set_text(at!["delta", "partial_json"], &wire.arguments);
        }
        self.writer.flush(sink);
        self.set_index(&mut draft, block, sink);
        emit(frame, draft, sink);
    }

    /// Prepares for the end of a block. Tells whether the end is to be written.
    fn close_block_writing(&mut self, block: usize, turns: &Turns, sink: &mut Sink<'_>) -> bool {
        let Some(state) = self.blocks.get(block) else { return false };
        let Some(index) = state.written else { return false };
        if let Some(stash) = self.writer.stash.take_if(|_| state.is_emptied) {
            // All of its text was taken out: it was never there.
            sink.out.extend_from_slice(&stash.others);
            self.writer.blocks -= 1;
            self.writer.open = None;
            return false;
        }
        self.writer.flush(sink);
        if let Kind::Call(call) = state.kind {
            let verdict = turns.call(0, call).and_then(|call| call.verdict.as_ref());
            if let (Some(Verdict::Change(wire)), false) = (verdict, state.has_arguments) {
                made::arguments(index, &wire.arguments, sink);
            }
        }
        self.writer.open = None;
        true
    }

    fn set_index(&self, draft: &mut Draft, block: usize, sink: &mut Sink<'_>) {
        let Some(block) = self.blocks.get(block) else { return };
        let Some(index) = block.written else { return };
        let came = draft.get(at!["index"]).and_then(Json::number);
        if came.and_then(|came| usize::try_from(came).ok()) != Some(index) {
            draft.set(at!["index"], &index.to_string());
            sink.note(StreamRule::BlockIndex);
        }
    }
}

/// The reason that leaves: the mender's, else the one that came if it agrees with the calls.
fn final_reason(given: &Reason, turns: &Turns, sink: Option<&mut Sink<'_>>) -> Reason {
    let Some(state) = turns.get(0) else { return given.clone() };
    let reason = state.reason_leaving(given);
    let is_menders = state.closed().is_some_and(|closed| closed.reason.is_some());
    let rule = state.finish_rule(given, &reason).filter(|_| !is_menders);
    if let (Some(sink), Some(rule)) = (sink, rule) {
        sink.note(rule);
    }
    reason
}

/// Writes an event; one that its name or its data does not name is named.
fn emit(frame: &Frame, mut draft: Draft, sink: &mut Sink<'_>) {
    let Some(kind) = named::kind_in(&draft, frame) else { return frame.write_closed(sink.out) };
    named::set_kind(&mut draft, &kind, frame, sink);
    named::write(frame, &draft, &kind, sink);
}
