//! Events into what they say.

use super::items::{Announced, Item, Kind};
use super::{Responses, Tag, What};
use crate::frame::Frame;
use crate::json::Json;
use crate::named::kind_of;
use crate::protocol::{Entry, Event, Place, Told, Wait};
use crate::rule::StreamRule;
use crate::turn::{CallState, Delta, Extent, Reason, Turns};

impl Responses {
    pub(super) fn read_frame(
        &mut self,
        frame: Frame,
        data: &str,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        if data.trim() == "[DONE]" {
            return told.hold(Entry::new(Some(frame), Tag::other()));
        }
        let Some(json) = Json::read_object(data) else { return told.broken(&frame) };
        turns.open(0);
        let kind = kind_of(json, &frame).unwrap_or_default();
        let kind = known_name(&kind).map_or(kind, str::to_owned);
        let (head, tail) = kind.rsplit_once('.').unwrap_or(("", &kind));
        match (head, tail) {
            ("", "error") | ("response", "failed") => {
                told.hold(Entry::new(Some(frame), Tag::other()));
                told.events.push(Event::Failed(failure(json)));
            }
            ("response", "created" | "in_progress" | "queued") => {
                self.read_created(json);
                told.hold(Entry::new(Some(frame), Tag { item: None, what: What::Created }));
            }
            ("response", "completed" | "incomplete") => {
                self.read_end_event(frame, json, turns, told);
            }
            ("response.output_item", _) if !json.get("item").is_some_and(Json::is_object) => {
                Self::leave_out(frame, StreamRule::ItemMissing, told);
            }
            ("response.output_item", "added") => self.read_added(frame, json, turns, told),
            ("response.output_item", "done") => self.read_item_done(frame, json, turns, told),
            ("response.function_call_arguments", "delta") => {
                self.read_arguments(frame, json, turns, told);
            }
            ("response.function_call_arguments", "done") => {
                self.read_arguments_done(frame, json, turns, told);
            }
            _ => self.read_part(frame, json, &kind, turns, told),
        }
    }

    fn read_created(&mut self, json: Json<'_>) {
        let Some(response) = json.given("response").filter(|response| response.is_object()) else {
            return;
        };
        if self.created.is_none() {
            self.seed = response.word("id").unwrap_or_default();
            self.created = Some(response.raw().to_owned());
        }
    }

    fn read_added(
        &mut self,
        frame: Frame,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        if self.find_same(json).is_some() {
            return Self::leave_out(frame, StreamRule::ItemRepeated, told);
        }
        let at = self.add_item(json, turns, told);
        self.hold(frame, at, What::ItemAdded, told);
    }

    pub(super) fn leave_out(frame: Frame, rule: StreamRule, told: &mut Told<Tag>) {
        told.note(rule);
        told.hold(Entry::new(Some(frame), Tag { item: None, what: What::Gone }));
    }

    /// Takes note of an item that is new, from the event that first tells of it.
    pub(super) fn add_item(
        &mut self,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) -> usize {
        let own = json.given("item");
        let is_call = own.is_none_or(|item| item.word("type").as_deref() == Some("function_call"));
        let kind = match own.and_then(|item| item.word("type")).as_deref() {
            Some("message") => Kind::Message,
            Some("reasoning") => Kind::Reasoning,
            _ if is_call => Kind::Call(turns.open(0).calls.len()),
            _ => Kind::Other,
        };
        if let Kind::Call(call) = kind {
            turns.open(0).calls.push(CallState::default());
            told.delta(0, Delta::CallStart(call));
            if let Some(item) = own {
                learn(item, call, turns);
            }
        }
        let content = own.and_then(|item| item.given("content"));
        let parts = content.map_or(0, |content| content.items().count());
        self.items.push(Item {
            announced: parts.checked_sub(1).map_or(Announced::Nobody, Announced::Server),
            id: own.and_then(|item| item.word("id")).or_else(|| json.word("item_id")),
            // Without a number it is the next one, as it will leave.
            index: json
                .get("output_index")
                .and_then(Json::number)
                .or(u64::try_from(self.items.len()).ok()),
            kind,
            raw: own.map(|item| item.raw().to_owned()).unwrap_or_default(),
            ..Item::default()
        });
        self.items.len() - 1
    }

    /// The call of an event; one that was not announced will be.
    fn find_call(
        &mut self,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) -> (usize, Option<usize>) {
        let at = self.find_item(json).unwrap_or_else(|| self.announce(json, turns, told));
        let call = self.items.get(at).and_then(|item| match item.kind {
            Kind::Call(call) => Some(call),
            _ => None,
        });
        (at, call)
    }

    pub(super) fn announce(
        &mut self,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) -> usize {
        told.note(StreamRule::ItemAddedMissing);
        let at = self.add_item(json, turns, told);
        self.make(at, What::MadeItemAdded, told);
        at
    }

    fn read_arguments(
        &mut self,
        frame: Frame,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        let (at, call) = self.find_call(json, turns, told);
        if self.items.get(at).is_some_and(|item| item.came.arguments) {
            // More of what was said to be whole: nobody can tell what the call is.
            return told.events.push(Event::Cut(StreamRule::CallCut));
        }
        let piece = json.get("delta");
        if let (Some(call), Some(item)) = (call, self.items.get_mut(at)) {
            item.came.deltas = true;
            if let Some(state) = turns.call_mut(0, call).filter(|call| call.extent == Extent::Open)
            {
                match piece.and_then(Json::text) {
                    Some(text) => {
                        state.arguments.push_str(&text);
                        told.delta(0, Delta::CallArguments(call, text));
                    }
                    None => state.is_opaque |= piece.is_some_and(Json::is_string),
                }
            }
        }
        self.hold(frame, at, What::ArgumentsDelta, told);
    }

    fn read_arguments_done(
        &mut self,
        frame: Frame,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        let (at, call) = self.find_call(json, turns, told);
        if let Some(call) = call {
            learn(json, call, turns);
            self.read_whole(at, call, json.get("arguments"), turns, told);
        }
        if let Some(item) = self.items.get_mut(at) {
            item.came.arguments = true;
        }
        self.hold(frame, at, What::ArgumentsDone, told);
    }

    /// Compares the whole of the arguments with their pieces: what is whole counts.
    fn read_whole(
        &mut self,
        at: usize,
        call: usize,
        whole: Option<Json<'_>>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        let Some(item) = self.items.get_mut(at) else { return };
        let Some(state) = turns.call_mut(0, call) else { return };
        let text = match whole {
            Some(whole) if whole.is_object() => Some(whole.raw().to_owned()),
            whole => whole.and_then(Json::text),
        };
        if state.is_opaque {
            state.arguments = text.unwrap_or_default();
            return;
        }
        let whole = text.filter(|text| !text.is_empty()).unwrap_or_else(|| state.arguments.clone());
        if !item.came.deltas {
            // If there are none after all, nothing is made.
            item.came.deltas = true;
            if !whole.is_empty() {
                told.delta(0, Delta::CallArguments(call, whole.clone()));
            }
            state.arguments = whole;
            return self.make(at, What::MadeArgumentsDelta, told);
        }
        let is_better =
            toolmend_json::is_valid(&whole) || !toolmend_json::is_valid(&state.arguments);
        if whole != state.arguments {
            if is_better {
                state.arguments = whole;
            }
            // The pieces are written anew, all in the first.
            state.is_rewritten = true;
        }
    }

    fn read_item_done(
        &mut self,
        frame: Frame,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        let same = self.find_same(json).and_then(|at| self.items.get(at));
        if same.is_some_and(|item| item.is_done) {
            return Self::leave_out(frame, StreamRule::ItemRepeated, told);
        }
        let at = self.find_item(json).unwrap_or_else(|| self.announce(json, turns, told));
        let Some(own) = json.given("item") else {
            return told.hold(Entry::new(Some(frame), Tag::other()));
        };
        if let Some(item) = self.items.get_mut(at) {
            item.is_done = true;
        }
        if let Some(Kind::Call(call)) = self.items.get(at).map(|item| item.kind) {
            learn(own, call, turns);
            self.read_whole(at, call, own.get("arguments"), turns, told);
            self.end_call(at, call, told);
        }
        self.hold(frame, at, What::ItemDone, told);
    }

    fn end_call(&mut self, at: usize, call: usize, told: &mut Told<Tag>) {
        if let Some(item) = self.items.get_mut(at).filter(|item| !item.came.arguments) {
            item.came.arguments = true;
            told.note(StreamRule::ArgumentsDoneMissing);
            self.make(at, What::MadeArgumentsDone, told);
        }
        told.delta(0, Delta::CallEnd(call));
    }

    fn read_end_event(
        &mut self,
        frame: Frame,
        json: Json<'_>,
        turns: &mut Turns,
        told: &mut Told<Tag>,
    ) {
        let response = json.given("response");
        let details = response.and_then(|response| response.given("incomplete_details"));
        let is_whole = kind_of(json, &frame).as_deref() == Some("response.completed");
        let reason = match details.and_then(|details| details.word("reason")).as_deref() {
            _ if is_whole => turns.open(0).reason_of_calls(),
            Some("content_filter") => Reason::Filter,
            Some("max_output_tokens") | None => Reason::Length,
            Some(other) => Reason::Other(other.to_owned()),
        };
        if is_whole && !self.close_items(turns, told) {
            told.events.push(Event::Cut(StreamRule::CallCut));
            return;
        }
        let mut entry =
            Entry::new(Some(frame), Tag { item: None, what: What::End(reason.clone()) });
        entry.waits.push(Wait::Turn(0));
        told.hold(entry);
        told.delta(0, Delta::Usage);
        told.delta(0, Delta::Finish(reason));
        told.events.push(Event::Done);
    }

    /// Closes the items of a response that is said to be whole. Tells whether they are.
    fn close_items(&mut self, turns: &mut Turns, told: &mut Told<Tag>) -> bool {
        for at in 0..self.items.len() {
            let Some(item) = self.items.get_mut(at).filter(|item| !item.is_done) else { continue };
            if item.kind == Kind::Other {
                continue;
            }
            told.note(StreamRule::ItemDoneMissing);
            item.is_done = true;
            if let Kind::Call(call) = item.kind {
                let state = turns.call(0, call);
                let is_whole = state.is_some_and(|state| {
                    !state.name.is_empty() && toolmend_json::is_valid(&state.arguments)
                });
                if !is_whole {
                    return false;
                }
                self.end_call(at, call, told);
            }
            self.make(at, What::MadeItemDone, told);
        }
        true
    }

    /// Holds a frame that belongs to an item.
    pub(super) fn hold(&self, frame: Frame, at: usize, what: What, told: &mut Told<Tag>) {
        self.hold_entry(Some(frame), at, what, told);
    }

    /// Holds the place of an event that did not come.
    pub(super) fn make(&self, at: usize, what: What, told: &mut Told<Tag>) {
        self.hold_entry(None, at, what, told);
    }

    fn hold_entry(&self, frame: Option<Frame>, at: usize, what: What, told: &mut Told<Tag>) {
        let mut entry = Entry::new(frame, Tag { item: Some(at), what });
        if let Some(Kind::Call(call)) = self.items.get(at).map(|item| item.kind) {
            entry.waits.push(Wait::Call(0, call));
        }
        told.entries.push((Place::Last, entry));
    }
}

/// Takes a call's name and id from where they stand.
fn learn(json: Json<'_>, call: usize, turns: &mut Turns) {
    let Some(state) = turns.call_mut(0, call).filter(|call| call.extent == Extent::Open) else {
        return;
    };
    if let Some(name) = json.word("name").filter(|_| state.name.is_empty()) {
        state.name = name;
    }
    if let Some(id) = json.word("call_id").filter(|_| state.id.is_none()) {
        state.id = Some(id);
    }
}

/// The name of the API for an event that has another one. vLLM announces and closes parts of thinking so,
/// and the client of `OpenAI` for Node ends at a name that it does not know.
pub(super) fn known_name(kind: &str) -> Option<&'static str> {
    match kind {
        "response.reasoning_part.added" => Some("response.content_part.added"),
        "response.reasoning_part.done" => Some("response.content_part.done"),
        _ => None,
    }
}

fn failure(json: Json<'_>) -> String {
    let response = json.given("response").and_then(|response| response.given("error"));
    crate::error::message(response.or_else(|| json.given("error")).unwrap_or(json))
}
