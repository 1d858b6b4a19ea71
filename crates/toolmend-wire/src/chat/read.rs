//! Chunks into what they say.

use super::calls::{self, Piece};
use super::{Chat, Choice, Part, Pending, TEXT_FIELDS, Tag, finish, made};
use crate::frame::Frame;
use crate::json::Json;
use crate::protocol::{Entry, Event, Told, Wait};
use crate::relay::LegacyCalls;
use crate::rule::StreamRule;
use crate::turn::{Delta, Turns};

impl Chat {
    pub(super) fn read_frame(
        &mut self,
        frame: Frame,
        data: &str,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        if data.trim() == "[DONE]" {
            return self.read_done(frame, turns, told);
        }
        let Some(json) = Json::read_object(data) else {
            self.settle_told(turns, told);
            return told.broken(&frame);
        };
        let [error, id, choices, usage] = json.pick(["error", "id", "choices", "usage"]);
        if let Some(error) = error.filter(|error| !error.is_falsy()) {
            self.settle_told(turns, told);
            told.hold(Entry::new(Some(frame), Tag::Plain));
            told.events.push(Event::Failed(crate::error::message(error)));
            return;
        }
        if self.seed.is_empty() {
            self.seed = id.and_then(Json::text).unwrap_or_default();
        }
        let choices: Vec<Json<'_>> = choices.into_iter().flat_map(Json::items).collect();
        self.settle_finishes(&choices, turns, told);
        if self.template.is_none() && choices.first().is_some_and(|choice| choice.is_object()) {
            self.keep_template(data);
        }
        let mut entry = Entry::new(Some(frame), Tag::Plain);
        let mut parts = Vec::new();
        for (at, choice) in choices.iter().enumerate() {
            parts.push(self.read_choice(*choice, at, turns, told, &mut entry.waits));
        }
        if usage.is_some_and(|usage| !usage.is_null()) {
            told.delta(0, Delta::Usage);
        }
        entry.tag = Tag::Chunk(parts);
        told.hold(entry);
    }

    fn read_done(&mut self, frame: Frame, turns: &mut Turns, told: &mut Told<Tag>) {
        if self.choices.is_empty() {
            // Nothing was said: clients fail, each in a way of its own.
            return told.events.push(Event::Cut(StreamRule::StreamCut));
        }
        for turn in 0..self.choices.len() {
            self.settle_finish(turn, turns, told);
            if self.choices.get(turn).is_some_and(|choice| choice.finish.is_none()) {
                self.make_finish(turn, turns, told);
            }
        }
        let is_cut = told.events.iter().any(|event| matches!(event, Event::Cut(_)));
        if !is_cut {
            told.hold(Entry::new(Some(frame), Tag::Plain));
            told.events.push(Event::Done);
        }
    }

    /// A stream that is done without a reason gets the one that its calls tell.
    fn make_finish(&mut self, turn: usize, turns: &mut Turns, told: &mut Told<Tag>) {
        let Some(reason) = super::derive(turn, turns, told) else {
            told.events.push(Event::Cut(StreamRule::StreamCut));
            return;
        };
        if let Some(choice) = self.choices.get_mut(turn) {
            choice.finish = Some(choice.finishes);
        }
        let mut entry = Entry::new(None, Tag::Chunk(vec![Part::end(turn)]));
        entry.waits.push(Wait::Turn(turn));
        told.hold(entry);
        finish(turn, reason, turns, told);
    }

    /// What breaks off behind a finish reason does not make the turn a cut one.
    pub(super) fn settle_told(&mut self, turns: &mut Turns, told: &mut Told<Tag>) {
        for turn in 0..self.choices.len() {
            let pending = self.choices.get(turn).and_then(|choice| choice.pending.as_ref());
            if pending.is_some_and(|pending| pending.reason.is_some()) {
                self.settle_finish(turn, turns, told);
            }
        }
    }

    /// A finish reason counts unless its choice goes on in the next chunk.
    fn settle_finishes(&mut self, choices: &[Json<'_>], turns: &mut Turns, told: &mut Told<Tag>) {
        for turn in 0..self.choices.len() {
            let Some(choice) = self.choices.get_mut(turn).filter(|c| c.pending.is_some()) else {
                continue;
            };
            let key = choice.key;
            let goes_on = choices.iter().enumerate().any(|(at, json)| {
                key_of(json.get("index"), at) == key && json.given("delta").is_some_and(speaks)
            });
            if goes_on {
                choice.pending = None;
            } else {
                self.settle_finish(turn, turns, told);
            }
        }
    }

    /// Keeps a chunk to copy: without what is said only once.
    fn keep_template(&mut self, data: &str) {
        let mut draft = crate::draft::Draft::new(data);
        for field in ["usage", "timings"] {
            let is_given = draft.get(crate::draft::at![field]).is_some_and(|json| !json.is_null());
            if is_given {
                draft.remove(crate::draft::at![field]);
            }
        }
        self.template = Some(draft.into_text());
    }

    fn choice_of(&mut self, key: u64) -> usize {
        let found = self.choices.iter().position(|choice| choice.key == key);
        found.unwrap_or_else(|| {
            self.choices.push(Choice { key, ..Choice::default() });
            self.choices.len() - 1
        })
    }

    fn read_choice(
        &mut self,
        json: Json<'_>,
        at: usize,
        turns: &mut Turns,
        told: &mut Told<Tag>,
        waits: &mut Vec<Wait>,
    ) -> Part {
        let [delta, index, reason] = json.pick(["delta", "index", "finish_reason"]);
        let delta = delta.filter(|delta| delta.is_object());
        let turn = self.choice_of(key_of(index, at));
        let legacy_calls = self.legacy;
        let mut part = Part::end(turn);
        part.finish = None;
        let Some(choice) = self.choices.get_mut(turn) else { return part };
        turns.open(turn);
        let has_role = delta.is_some_and(|delta| delta.word("role").is_some());
        if has_role {
            told.delta(turn, Delta::Role);
        }
        part.names_role = !choice.has_spoken && !has_role;
        choice.has_spoken = true;
        if let Some(delta) = delta.filter(|_| choice.finish.is_none()) {
            read_texts(delta, &mut part, turns, told);
            read_calls(delta, choice, legacy_calls, &mut part, turns, told);
        }
        let texts =
            part.texts.iter().map(|(_, channel, stretch)| Wait::Text(turn, *channel, *stretch));
        waits.extend(texts);
        waits.extend(part.calls.iter().chain(&part.legacy).map(|call| Wait::Call(turn, *call)));
        if let Some(reason) = reason.and_then(Json::text) {
            choice.read_finish(&reason, &mut part);
            // A reason that does not count need not wait.
            if choice.pending.as_ref().map(|pending| Some(pending.number)) == Some(part.finish) {
                waits.push(Wait::Turn(turn));
            }
        }
        let is_whole = delta.is_some() && index.and_then(Json::number).is_some();
        part.is_plain = is_whole && part.has_texts_only();
        part
    }
}

impl Choice {
    fn read_finish(&mut self, reason: &str, part: &mut Part) {
        let number = self.finishes;
        self.finishes += 1;
        part.finish = Some(number);
        if self.finish.is_some() || self.pending.is_some() {
            return;
        }
        let reason = (!reason.is_empty()).then(|| made::reason(reason));
        self.pending = Some(Pending { number, reason });
    }
}

impl Part {
    fn has_texts_only(&self) -> bool {
        let has_calls = !self.calls.is_empty() || self.legacy.is_some();
        !has_calls && !self.names_role && self.finish.is_none()
    }

    /// The made end of a turn.
    fn end(turn: usize) -> Self {
        Self {
            turn,
            is_plain: false,
            names_role: false,
            texts: Vec::new(),
            calls: Vec::new(),
            legacy: None,
            finish: Some(0),
        }
    }
}

fn read_texts(delta: Json<'_>, part: &mut Part, turns: &mut Turns, told: &mut Told<Tag>) {
    let found = delta.pick(TEXT_FIELDS.map(|(field, _)| field));
    for ((field, channel), value) in TEXT_FIELDS.into_iter().zip(found) {
        // Some servers write the thinking to both of its fields: the first counts.
        let is_read = part.texts.iter().any(|(_, read, _)| *read == channel);
        let text = value.and_then(Json::text).filter(|text| !text.is_empty() && !is_read);
        if let Some(text) = text {
            part.texts.push((field, channel, turns.arrive(part.turn, channel, &text)));
            told.delta(part.turn, Delta::Text(channel, text));
        }
    }
}

fn read_calls(
    delta: Json<'_>,
    choice: &mut Choice,
    legacy: LegacyCalls,
    part: &mut Part,
    turns: &mut Turns,
    told: &mut Told<Tag>,
) {
    let [calls, function] = delta.pick(["tool_calls", "function_call"]);
    for entry in calls.into_iter().flat_map(Json::items) {
        part.calls.push(calls::add(&Piece::read(entry), choice, part.turn, turns, told));
    }
    let function = function.filter(|function| !function.is_null());
    if let Some(function) = function.filter(|_| legacy == LegacyCalls::Convert) {
        choice.is_legacy = true;
        part.legacy =
            Some(calls::add(&Piece::read_function(Some(function)), choice, part.turn, turns, told));
    }
}

/// Whether a delta says something that belongs before the end of a turn.
fn speaks(delta: Json<'_>) -> bool {
    TEXT_FIELDS.iter().any(|(field, _)| delta.word(field).is_some())
        || delta.given("tool_calls").is_some_and(|calls| calls.items().next().is_some())
        || delta.given("function_call").is_some()
}

fn key_of(index: Option<Json<'_>>, at: usize) -> u64 {
    index.and_then(Json::number).or(u64::try_from(at).ok()).unwrap_or_default()
}
