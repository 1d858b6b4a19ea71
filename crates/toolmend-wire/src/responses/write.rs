//! Events as they leave.

use super::items::Kind;
use super::read::known_name;
use super::text::part_index;
use super::{Responses, Tag, What, made};
use crate::channel::Channel;
use crate::draft::{Draft, at};
use crate::frame::{Body, Frame};
use crate::json::Json;
use crate::mender::{Verdict, WireCall};
use crate::named;
use crate::protocol::{Entry, Sink};
use crate::relay::write_added;
use crate::rule::StreamRule;
use crate::turn::{Reason, Turns};

/// What becomes of the pieces of a call's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pieces {
    AsTheyCame,
    /// The first has all, the others go.
    Anew,
    /// They cannot be told as text, and are left alone.
    Opaque,
}

impl Responses {
    pub(super) fn write_entry(
        &mut self,
        entry: Entry<Tag>,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) {
        let Tag { item, what } = entry.tag;
        if item.is_some_and(|item| self.is_dropped(item, turns)) {
            self.writer.is_changed = true;
            return;
        }
        if matches!(what, What::Gone) {
            return;
        }
        let Some(frame) = entry.frame else {
            return self.write_made(item.unwrap_or_default(), &what, turns, sink);
        };
        let Body::Data(data) = &frame.body else { return frame.write_closed(sink.out) };
        let Some(json) = Json::read_object(data) else { return frame.write_closed(sink.out) };
        let mut draft = Draft::new(data);
        let mut name = named::kind_of(json, &frame).as_deref().and_then(known_name);
        if let Some(name) = name {
            sink.mend(&mut draft, StreamRule::EventRenamed, |draft| {
                draft.set_text(at!["type"], name);
            });
        }
        let stays = item.is_none_or(|item| self.patch_item(&mut draft, item, &what, turns, sink));
        if !stays {
            return;
        }
        match &what {
            What::Created => patch_created(&mut draft, sink),
            What::End(given) => name = self.patch_end(&mut draft, given, turns, sink),
            _ => {}
        }
        self.emit(&frame, draft, name, sink);
    }

    fn call_of(&self, item: usize) -> Option<usize> {
        match self.items.get(item)?.kind {
            Kind::Call(call) => Some(call),
            _ => None,
        }
    }

    fn is_dropped(&self, item: usize, turns: &Turns) -> bool {
        let call = self.call_of(item).and_then(|call| turns.call(0, call));
        call.is_some_and(|call| call.verdict == Some(Verdict::Drop))
    }

    /// The call as it leaves, and what becomes of its pieces.
    fn leaving(&mut self, item: usize, turns: &Turns) -> Option<(WireCall, Pieces)> {
        let state = turns.call(0, self.call_of(item)?)?;
        Some(match &state.verdict {
            Some(Verdict::Change(wire)) => {
                self.writer.is_changed = true;
                (wire.clone(), Pieces::Anew)
            }
            _ if state.is_opaque => (state.as_wire(), Pieces::Opaque),
            _ if state.is_rewritten => (state.as_wire(), Pieces::Anew),
            _ => (state.as_wire(), Pieces::AsTheyCame),
        })
    }

    /// Closes the items that were announced.
    pub(super) fn make_items_done(&mut self, turns: &mut Turns, sink: &mut Sink<'_>) {
        for at in 0..self.items.len() {
            let item = self.items.get(at);
            let is_open = item.is_some_and(|item| {
                item.written.is_some() && !item.is_done && item.kind != Kind::Other
            });
            let has_arguments = item.is_some_and(|item| item.came.arguments);
            if is_open {
                if self.call_of(at).is_some() && !has_arguments {
                    self.write_made(at, &What::MadeArgumentsDone, turns, sink);
                }
                self.write_made(at, &What::MadeItemDone, turns, sink);
            }
        }
    }

    fn write_made(&mut self, item: usize, what: &What, turns: &mut Turns, sink: &mut Sink<'_>) {
        let leaving = self.leaving(item, turns);
        let made_id = self.item_id(item);
        let Some(state) = self.items.get_mut(item) else { return };
        let output = state.written;
        match (what, leaving) {
            (What::MadeItemAdded, Some((call, _))) => {
                let output = self.writer.next_item();
                state.written = Some(output);
                self.writer.added(output, &made::call_item(&made_id, &call, ""), sink);
                turns.open(0).calls_written += 1;
            }
            (What::MadeItemAdded, None) => {
                let output = self.writer.next_item();
                state.written = Some(output);
                let mut item = Draft::new(&state.raw);
                item.set_text(at!["id"], &made_id);
                if state.kind == Kind::Message {
                    item.set(at!["content"], "[]");
                }
                self.writer.added(output, item.text(), sink);
            }
            (What::MadePartAdded, None) => {
                let channel = match state.kind {
                    Kind::Reasoning => Channel::Reasoning,
                    _ => Channel::Content,
                };
                self.writer.part_added(output.unwrap_or_default(), &made_id, channel, sink);
            }
            (What::MadeArgumentsDelta, Some((call, _))) if !call.arguments.is_empty() => {
                sink.note(StreamRule::ArgumentsDeltaMissing);
                state.has_written_delta = true;
                self.writer.arguments(output.unwrap_or_default(), &made_id, &call.arguments, sink);
            }
            (What::MadeArgumentsDone, Some((call, _))) => {
                self.writer.arguments_done(output.unwrap_or_default(), &made_id, &call, sink);
            }
            (What::MadeItemDone, Some((call, _))) => {
                // One that was never announced is known by its pieces alone.
                let raw = match state.raw.is_empty() {
                    true => made::call_item(&made_id, &call, &call.arguments),
                    false => state.raw.clone(),
                };
                let mut draft = Draft::new(&raw);
                draft.set_text(at!["id"], &made_id);
                draft.set_text(at!["call_id"], &call.id);
                draft.set_text(at!["name"], &call.name);
                draft.set_text(at!["arguments"], &call.arguments);
                draft.set_text(at!["status"], "completed");
                self.writer.done(output.unwrap_or_default(), draft.text(), sink);
            }
            (What::MadeItemDone, None) => {
                let item = state.whole();
                self.writer.done(output.unwrap_or_default(), &item, sink);
            }
            _ => {}
        }
    }

    fn item_id(&mut self, item: usize) -> String {
        let known = self.items.get(item);
        let known = known.and_then(|item| item.id_written.as_ref().or(item.id.as_ref()));
        let id = known.cloned().unwrap_or_else(|| {
            let is_call = self.call_of(item).is_some();
            self.make_id(if is_call { "fc_" } else { "msg_" })
        });
        if let Some(item) = self.items.get_mut(item) {
            item.id_written = Some(id.clone());
        }
        id
    }

    /// Puts right what an event says about its item. Tells whether the event stays.
    fn patch_item(
        &mut self,
        draft: &mut Draft,
        item: usize,
        what: &What,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) -> bool {
        let leaving = self.leaving(item, turns);
        let id = self.item_id(item);
        let Some(state) = self.items.get_mut(item) else { return true };
        if matches!(what, What::ItemAdded) {
            state.written = Some(self.writer.next_item());
            if leaving.is_some() {
                turns.open(0).calls_written += 1;
            }
        }
        if let Some(output) = state.written {
            let came = draft.get(at!["output_index"]).and_then(Json::number);
            if came.and_then(|came| usize::try_from(came).ok()) != Some(output) {
                sink.note(StreamRule::OutputIndex);
                draft.set(at!["output_index"], &output.to_string());
            }
        }
        let path: &[_] = match what {
            What::ItemAdded | What::ItemDone => at!["item", "id"],
            _ => at!["item_id"],
        };
        sink.mend(draft, StreamRule::IdMissing, |draft| draft.set_text(path, &id));
        let Some((call, pieces)) = leaving else {
            return self.patch_text(draft, item, what, turns, sink);
        };
        let is_later_piece = matches!(what, What::ArgumentsDelta)
            && pieces == Pieces::Anew
            && std::mem::replace(&mut state.has_written_delta, true);
        let state = self.call_of(item).and_then(|call| turns.call(0, call));
        let is_mended = state.is_some_and(|s| matches!(s.verdict, Some(Verdict::Change(_))));
        if is_later_piece {
            if !is_mended {
                sink.note(StreamRule::ArgumentsDisagree);
            }
            return false;
        }
        let before = (draft.edits(), sink.rules.len());
        patch_call(draft, what, &call, pieces, sink);
        if draft.edits() > before.0 && sink.rules.len() == before.1 && !is_mended {
            sink.note(StreamRule::ArgumentsDisagree);
        }
        true
    }

    /// Puts right the last event. Its name, if that is another now.
    fn patch_end(
        &mut self,
        draft: &mut Draft,
        given: &Reason,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) -> Option<&'static str> {
        let closed = turns.get(0).and_then(|turn| turn.closed());
        let reason = closed.and_then(|closed| closed.reason.clone());
        write_added(self, 0, turns, sink);
        self.close_text(sink);
        let is_whole = |reason: &Reason| matches!(reason, Reason::Stop | Reason::Calls);
        let reason = reason.unwrap_or_else(|| given.clone());
        let is_other = is_whole(&reason) != is_whole(given) || !is_whole(given) && reason != *given;
        let name = is_other.then(|| made::set_status(draft, at!["response"], &reason));
        if let Some(name) = name {
            draft.set_text(at!["type"], name);
        }
        if !is_whole(&reason) && draft.get(at!["response"]).is_some_and(Json::is_object) {
            add_details(draft, &reason, sink);
        }
        let sent = format!("[{}]", self.writer.done.join(","));
        if !draft.get(at!["response"]).is_some_and(Json::is_object) {
            let response = self.whole(given);
            let rule = StreamRule::OutputDisagrees;
            sink.mend(draft, rule, |draft| draft.set(at!["response"], &response));
        }
        let output = draft.get(at!["response", "output"]).map_or("[]", Json::raw);
        let differs = summary(output) != summary(&sent);
        if differs && (self.writer.is_changed || is_whole(given)) {
            let before = draft.edits();
            draft.set(at!["response", "output"], &sent);
            if !self.writer.is_changed && draft.edits() > before {
                sink.note(StreamRule::OutputDisagrees);
            }
        }
        name
    }

    /// Writes an event with its number, and with its name if it had none.
    fn emit(&mut self, frame: &Frame, mut draft: Draft, name: Option<&str>, sink: &mut Sink<'_>) {
        let Some(kind) = named::kind_in(&draft, frame) else { return frame.write_closed(sink.out) };
        // One that was given another name has it in its data already.
        if name.is_none() {
            named::set_kind(&mut draft, &kind, frame, sink);
        }
        if let Some(index) = part_index(&kind)
            .filter(|index| draft.get(at![*index]).and_then(Json::number).is_none())
        {
            sink.note(StreamRule::ContentIndex);
            draft.set(at![index], "0");
        }
        let came = draft.get(at!["sequence_number"]).and_then(Json::number);
        let grows = came.is_some_and(|came| self.writer.came.is_none_or(|last| last < came));
        self.writer.came = came.max(self.writer.came);
        if !grows {
            sink.note(StreamRule::SequenceMissing);
        }
        match came.filter(|came| self.writer.sequence.is_none_or(|last| last < *came)) {
            Some(came) => self.writer.sequence = Some(came),
            None => {
                let number = self.writer.next_sequence();
                draft.set(at!["sequence_number"], &number.to_string());
            }
        }
        if kind == "response.output_item.done" {
            let item = draft.get(at!["item"]).map(|item| item.raw().to_owned());
            self.writer.done.extend(item);
        }
        named::write(frame, &draft, &kind, sink);
    }
}

/// Makes an event agree with the call as it leaves.
fn patch_call(
    draft: &mut Draft,
    what: &What,
    call: &WireCall,
    pieces: Pieces,
    sink: &mut Sink<'_>,
) {
    match what {
        What::ItemAdded => {
            set_call_id(draft, call, sink);
            draft.set_text(at!["item", "name"], &call.name);
            draft.set_text(at!["item", "arguments"], "");
        }
        What::ArgumentsDelta if pieces == Pieces::Anew => {
            draft.set_text(at!["delta"], &call.arguments);
        }
        What::ArgumentsDone => {
            if pieces != Pieces::Opaque {
                draft.set_text(at!["arguments"], &call.arguments);
            }
            if draft.get(at!["name"]).is_some() {
                draft.set_text(at!["name"], &call.name);
            }
        }
        What::ItemDone => {
            set_call_id(draft, call, sink);
            draft.set_text(at!["item", "name"], &call.name);
            if pieces != Pieces::Opaque {
                draft.set_text(at!["item", "arguments"], &call.arguments);
            }
        }
        _ => {}
    }
}

fn set_call_id(draft: &mut Draft, call: &WireCall, sink: &mut Sink<'_>) {
    let path = at!["item", "call_id"];
    let given = draft.get(path).and_then(Json::text);
    if given.as_ref() != Some(&call.id) {
        let is_given = given.is_some_and(|given| !given.is_empty());
        let rule = if is_given { StreamRule::IdShared } else { StreamRule::IdMissing };
        sink.mend(draft, rule, |draft| draft.set_text(path, &call.id));
    }
}

/// What clients take from a list of output, in whichever order: the calls and the texts.
fn summary(output: &str) -> Vec<[String; 4]> {
    let items = Json::read(output).into_iter().flat_map(Json::items);
    let told = items.filter_map(|item| {
        let kind = item.word("type")?;
        let word = |name| item.word(name).unwrap_or_default();
        match kind.as_str() {
            "function_call" => Some([kind, word("call_id"), word("name"), word("arguments")]),
            "message" => {
                let parts = item.given("content").into_iter().flat_map(Json::items);
                let text = parts.filter_map(|part| part.word("text")).collect::<String>();
                Some([kind, String::new(), String::new(), text])
            }
            _ => None,
        }
    });
    let mut told: Vec<_> = told.collect();
    told.sort_unstable();
    told
}

/// Says of a response that was cut by what, where it does not.
fn add_details(draft: &mut Draft, reason: &Reason, sink: &mut Sink<'_>) {
    let details = draft.get(at!["response", "incomplete_details"]);
    if details.is_none_or(|details| details.word("reason").is_none()) {
        sink.mend(draft, StreamRule::DetailsMissing, |draft| {
            made::set_status(draft, at!["response"], reason);
        });
    }
}

/// Puts into a bare response what clients need of one. When it was created and by which model is
/// told at its end; until then there is no better word than none.
fn patch_created(draft: &mut Draft, sink: &mut Sink<'_>) {
    if !draft.get(at!["response"]).is_some_and(Json::is_object) {
        return;
    }
    let is_listed = draft.get(at!["response", "output"]).is_some_and(Json::is_array);
    if !is_listed {
        sink.note(StreamRule::OutputMissing);
        draft.set(at!["response", "output"], "[]");
    }
    let edits = draft.edits();
    let is_dated = draft.get(at!["response", "created_at"]).is_some_and(Json::is_number);
    if !is_dated {
        draft.set(at!["response", "created_at"], "0");
    }
    let is_named = draft.get(at!["response", "model"]).is_some_and(Json::is_string);
    if !is_named {
        draft.set(at!["response", "model"], "\"\"");
    }
    if draft.edits() > edits {
        sink.note(StreamRule::ResponseIncomplete);
    }
}
