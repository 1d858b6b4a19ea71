//! Events into what they say.

use super::{Block, Kind, Made, Messages, Tag, reason_of};
use crate::channel::Channel;
use crate::frame::Frame;
use crate::json::Json;
use crate::named::kind_of;
use crate::protocol::{Entry, Event, Place, Told, Wait};
use crate::rule::StreamRule;
use crate::turn::{CallState, Delta, Reason, Turns};

impl Messages {
    pub(super) fn read_frame(
        &mut self,
        frame: Frame,
        data: &str,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        if data.trim() == "[DONE]" {
            return told.hold(Entry::new(Some(frame), Tag::Plain));
        }
        let Some(json) = Json::read_object(data) else { return told.broken(&frame) };
        let error = json.given("error").filter(|error| !error.is_falsy());
        let kind = kind_of(json, &frame).unwrap_or_default();
        if let (Some(error), "error" | "") = (error, kind.as_str()) {
            turns.open(0);
            told.hold(Entry::new(Some(frame), Tag::End));
            told.events.push(Event::Failed(crate::error::message(error)));
            return;
        }
        let is_of_message = kind.starts_with("content_block_") || kind.starts_with("message_");
        if is_of_message && kind != "message_start" && !self.has_start {
            self.has_start = true;
            told.note(StreamRule::StartMissing);
            told.hold(Entry::new(None, Tag::Made(Made::Start)));
        }
        turns.open(0);
        if self.has_reason && matches!(kind.as_str(), "content_block_start" | "content_block_delta")
        {
            return told.events.push(Event::Cut(StreamRule::BlockLate));
        }
        match kind.as_str() {
            "message_start" => self.read_start(frame, json, told),
            "content_block_start" => self.read_block_start(frame, json, turns, told),
            "content_block_delta" => self.read_block_delta(frame, json, turns, told),
            "content_block_stop" => self.read_block_stop(frame, json, told),
            "message_delta" => self.read_delta(frame, json, told),
            "message_stop" => self.read_stop(frame, turns, told),
            _ => told.hold(Entry::new(Some(frame), Tag::Plain)),
        }
    }

    fn read_start(&mut self, frame: Frame, json: Json<'_>, told: &mut Told<Tag>) {
        if self.has_start {
            told.note(StreamRule::StartRepeated);
            return told.hold(Entry::new(Some(frame), Tag::Gone));
        }
        self.has_start = true;
        if let Some(message) = json.given("message") {
            self.seed = message.word("id").unwrap_or_default();
            let usage = message.given("usage").and_then(|usage| usage.get("output_tokens"));
            self.output_tokens = usage.and_then(Json::number).unwrap_or_default();
        }
        told.delta(0, Delta::Role);
        told.hold(Entry::new(Some(frame), Tag::Start));
    }

    fn read_block_start(
        &mut self,
        frame: Frame,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        self.leave_open(told);
        let content = json.given("content_block");
        let kind = match content.and_then(|content| content.word("type")).as_deref() {
            Some("text") => Kind::Text(Channel::Content),
            Some("thinking") => Kind::Text(Channel::Reasoning),
            Some("tool_use") => Kind::Call(turns.open(0).calls.len()),
            _ => Kind::Other,
        };
        let block = self.open_block(json.get("index").and_then(Json::number), kind);
        let mut entry = Entry::new(Some(frame), Tag::BlockStart(block));
        if let (Kind::Call(call), Some(content)) = (kind, content) {
            let input = content.given("input").filter(|input| input.members().next().is_some());
            turns.open(0).calls.push(CallState {
                id: content.word("id"),
                name: content.word("name").unwrap_or_default(),
                arguments: input.map(|input| input.raw().to_owned()).unwrap_or_default(),
                ..CallState::default()
            });
            told.delta(0, Delta::CallStart(call));
            entry.waits.push(Wait::Call(0, call));
        }
        told.hold(entry);
    }

    fn open_block(&mut self, index: Option<u64>, kind: Kind) -> usize {
        self.blocks.push(Block {
            index,
            kind,
            is_closed: false,
            written: None,
            is_emptied: false,
            has_arguments: false,
        });
        self.blocks.len() - 1
    }

    /// Closes what is open before another block starts. The frames of a call that is open are still
    /// held: what comes of it goes to where they are.
    fn leave_open(&mut self, told: &mut Told<Tag>) {
        for at in 0..self.blocks.len() {
            let Some(block) = self.blocks.get_mut(at).filter(|block| !block.is_closed) else {
                continue;
            };
            told.note(StreamRule::BlockOverlap);
            if !matches!(block.kind, Kind::Call(_)) {
                block.is_closed = true;
                told.hold(Entry::new(None, Tag::Made(Made::BlockStop(at))));
            }
        }
    }

    /// The open block that an event names; the last open one if it names none.
    fn find_block(&self, json: Json<'_>) -> Option<usize> {
        let index = json.get("index").and_then(Json::number);
        self.blocks
            .iter()
            .rposition(|block| !block.is_closed && (index.is_none() || block.index == index))
    }

    fn read_block_delta(
        &mut self,
        frame: Frame,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        let delta = json.given("delta");
        let text_of = |field| delta.and_then(|delta| delta.word(field));
        let said = match delta.and_then(|delta| delta.word("type")).as_deref() {
            Some("text_delta") => Some((Channel::Content, text_of("text"))),
            Some("thinking_delta") => Some((Channel::Reasoning, text_of("thinking"))),
            _ => None,
        };
        let index = json.get("index").and_then(Json::number);
        let found = self.find_block(json).or_else(|| {
            let (channel, _) = said.as_ref()?;
            told.note(StreamRule::BlockStartMissing);
            self.leave_open(told);
            let block = self.open_block(index, Kind::Text(*channel));
            told.hold(Entry::new(None, Tag::Made(Made::BlockStart(block))));
            Some(block)
        });
        let Some(block) = found else {
            // A piece of arguments for a call that nobody named.
            told.events.push(Event::Cut(StreamRule::CallCut));
            return;
        };
        let kind = self.blocks.get(block).map_or(Kind::Other, |block| block.kind);
        let mut entry = Entry::new(Some(frame), Tag::BlockDelta(block, None));
        let mut place = Place::Last;
        match (kind, said) {
            (Kind::Text(_), Some((channel, Some(text)))) => {
                let stretch = turns.arrive(0, channel, &text);
                entry.tag = Tag::BlockDelta(block, Some((channel, stretch)));
                entry.waits.push(Wait::Text(0, channel, stretch));
                told.delta(0, Delta::Text(channel, text));
            }
            (Kind::Call(call), _) => {
                entry.waits.push(Wait::Call(0, call));
                place = self.place_of(block, call);
                add_arguments(call, delta, turns, told);
            }
            _ => {}
        }
        told.entries.push((place, entry));
    }

    /// Where a frame of a call goes: behind the others of it, if another block started since.
    fn place_of(&self, block: usize, call: usize) -> Place {
        match block + 1 == self.blocks.len() {
            true => Place::Last,
            false => Place::WithCall(0, call),
        }
    }

    fn read_block_stop(&mut self, frame: Frame, json: Json<'_>, told: &mut Told<Tag>) {
        let Some(at) = self.find_block(json) else {
            told.note(StreamRule::BlockStopStray);
            return told.hold(Entry::new(Some(frame), Tag::Gone));
        };
        self.close_block(at, Entry::new(Some(frame), Tag::BlockStop(at)), told);
    }

    fn close_block(&mut self, at: usize, mut entry: Entry<Tag>, told: &mut Told<Tag>) {
        let Some(block) = self.blocks.get_mut(at) else { return };
        block.is_closed = true;
        let place = match block.kind {
            Kind::Call(call) => {
                entry.waits.push(Wait::Call(0, call));
                told.delta(0, Delta::CallEnd(call));
                self.place_of(at, call)
            }
            _ => Place::Last,
        };
        told.entries.push((place, entry));
    }

    fn close_blocks(&mut self, told: &mut Told<Tag>) {
        for at in 0..self.blocks.len() {
            if self.blocks.get(at).is_some_and(|block| !block.is_closed) {
                told.note(StreamRule::BlockStopMissing);
                self.close_block(at, Entry::new(None, Tag::Made(Made::BlockStop(at))), told);
            }
        }
    }

    fn read_delta(&mut self, frame: Frame, json: Json<'_>, told: &mut Told<Tag>) {
        let reason = json.given("delta").and_then(|delta| delta.word("stop_reason"));
        told.delta(0, Delta::Usage);
        let Some(reason) = reason.filter(|_| !self.has_reason) else {
            return told.hold(Entry::new(Some(frame), Tag::Plain));
        };
        self.close_blocks(told);
        self.has_reason = true;
        let mut entry = Entry::new(Some(frame), Tag::Finish);
        entry.waits.push(Wait::Turn(0));
        told.hold(entry);
        told.delta(0, Delta::Finish(reason_of(&reason)));
    }

    fn read_stop(&mut self, frame: Frame, turns: &mut Turns, told: &mut Told<Tag>) {
        self.close_blocks(told);
        if !self.has_reason {
            told.note(StreamRule::FinishMissing);
            let state = turns.open(0);
            if !state.calls_are_whole() {
                told.events.push(Event::Cut(StreamRule::StreamCut));
                return;
            }
            let reason = if state.calls.is_empty() { Reason::Stop } else { Reason::Calls };
            self.has_reason = true;
            let mut entry = Entry::new(None, Tag::Made(Made::Finish));
            entry.waits.push(Wait::Turn(0));
            told.hold(entry);
            told.delta(0, Delta::Finish(reason));
        }
        told.hold(Entry::new(Some(frame), Tag::End));
        told.events.push(Event::Done);
    }
}

fn add_arguments(call: usize, delta: Option<Json<'_>>, turns: &mut Turns, told: &mut Told<Tag>) {
    let piece = delta.and_then(|delta| delta.get("partial_json"));
    let text = piece.and_then(Json::text);
    let Some(state) = turns.call_mut(0, call) else { return };
    match text {
        Some(text) => {
            state.arguments.push_str(&text);
            told.delta(0, Delta::CallArguments(call, text));
        }
        None => state.is_opaque |= piece.is_some_and(Json::is_string),
    }
}
