//! Chunks as they leave.

use super::made::{self, reason_text};
use super::{CallPlace, Chat, Part, Tag};
use crate::draft::{Draft, Step, at};
use crate::json::{Json, quote};
use crate::mender::{Verdict, WireCall};
use crate::protocol::{Entry, Protocol, Sink};
use crate::relay::{LegacyCalls, write_added};
use crate::rule::StreamRule;
use crate::turn::{CallState, Reason, Turns};

impl Chat {
    pub(super) fn write_entry(
        &mut self,
        entry: Entry<Tag>,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) {
        let parts = match entry.tag {
            Tag::Plain => Vec::new(),
            Tag::Chunk(parts) => parts,
        };
        let Some(frame) = entry.frame else {
            for part in parts {
                self.write_made_end(part.turn, turns, sink);
            }
            return;
        };
        let crate::frame::Body::Data(data) = &frame.body else {
            return frame.write_closed(sink.out);
        };
        if is_untouched(&parts, turns) {
            return frame.write_closed(sink.out);
        }
        let mut draft = Draft::new(data);
        let mut is_emptied = false;
        let mut ends = Vec::new();
        let is_error = |json: Json<'_>| json.get("error").is_some_and(|error| !error.is_falsy());
        if Json::read_object(data).is_some_and(|json| !is_error(json)) {
            if draft.get(at!["choices"]).is_none_or(|choices| !choices.is_array()) {
                let rule = StreamRule::ChoicesMissing;
                sink.mend(&mut draft, rule, |draft| draft.set(at!["choices"], "[]"));
            }
            for (at, part) in parts.iter().enumerate() {
                is_emptied |= self.patch_part(&mut draft, at, part, turns, sink);
                ends.extend(self.patch_end(&mut draft, at, part, turns, sink));
            }
        }
        if !(is_emptied && is_void(&draft)) {
            match draft.is_changed() {
                true => frame.rewrite(draft.text(), None, sink.out),
                false => frame.write_closed(sink.out),
            }
        }
        for (turn, reason) in ends {
            write_added(self, turn, turns, sink);
            self.write_finish(turn, &reason, turns, sink);
        }
    }

    /// The end of a turn that came without one.
    fn write_made_end(&mut self, turn: usize, turns: &mut Turns, sink: &mut Sink<'_>) {
        let state = turns.open(turn);
        let reason = state.reason_leaving(&state.reason_of_calls());
        write_added(self, turn, turns, sink);
        self.write_finish(turn, &reason, turns, sink);
    }

    /// Puts right what one choice says. Tells whether something was taken out.
    fn patch_part(
        &mut self,
        draft: &mut Draft,
        at: usize,
        part: &Part,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) -> bool {
        let key = self.choices.get(part.turn).map_or(0, |choice| choice.key);
        sink.mend(draft, StreamRule::ChoiceIncomplete, |draft| {
            if draft.get(at!["choices", at, "index"]).and_then(Json::number).is_none() {
                draft.set(at!["choices", at, "index"], &key.to_string());
            }
            if !draft.get(at!["choices", at, "delta"]).is_some_and(Json::is_object) {
                draft.set(at!["choices", at, "delta"], "{}");
            }
        });
        if part.names_role {
            sink.mend(draft, StreamRule::RoleMissing, |draft| {
                draft.set(at!["choices", at, "delta", "role"], "\"assistant\"");
            });
        }
        let mut is_emptied = false;
        for (field, channel, stretch) in &part.texts {
            let path = at!["choices", at, "delta", *field];
            let text = draft.get(path).and_then(Json::text).unwrap_or_default();
            match turns.changed(part.turn, *channel, *stretch, &text) {
                Some(text) if text.is_empty() => {
                    draft.remove(path);
                    is_emptied = true;
                }
                Some(text) => draft.set_text(path, &text),
                None => {}
            }
        }
        if let Some(call) = part.legacy {
            sink.mend(draft, StreamRule::LegacyCall, |draft| move_legacy(draft, at));
            is_emptied |= self.patch_calls(draft, at, part.turn, &[call], turns, sink);
        } else {
            is_emptied |= self.patch_calls(draft, at, part.turn, &part.calls, turns, sink);
        }
        is_emptied
    }

    fn patch_calls(
        &mut self,
        draft: &mut Draft,
        at: usize,
        turn: usize,
        calls: &[usize],
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) -> bool {
        let mut kept = 0;
        for call in calls {
            let entry = at!["choices", at, "delta", "tool_calls", kept];
            if self.patch_call(draft, entry, turn, *call, turns, sink) {
                kept += 1;
            } else {
                draft.remove(entry);
            }
        }
        if kept == 0 && !calls.is_empty() {
            draft.remove(at!["choices", at, "delta", "tool_calls"]);
        }
        kept < calls.len()
    }

    /// Puts right one entry of `tool_calls`. Tells whether it stays.
    fn patch_call(
        &mut self,
        draft: &mut Draft,
        entry: &[Step<'_>],
        turn: usize,
        call: usize,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) -> bool {
        let place = self.choices.get_mut(turn).and_then(|choice| choice.calls.get_mut(call));
        let Some(place) = place else { return true };
        let is_first = place.written.is_none();
        let Some(state) = turns.call(turn, call) else { return true };
        match &state.verdict {
            Some(Verdict::Drop) => return false,
            Some(Verdict::Change(_)) if !is_first => return false,
            _ => {}
        }
        let written = turns.get(turn).map_or(0, |turn| turn.calls_written);
        let index = *place.written.get_or_insert(written);
        let rule = match (place.index, place.is_shared) {
            (None, _) => StreamRule::IndexMissing,
            (Some(_), true) => StreamRule::IndexShared,
            (Some(_), false) => StreamRule::IndexGap,
        };
        let own = |key: &'static str| within(entry, [key]);
        sink.mend(draft, rule, |draft| draft.set(&own("index"), &index.to_string()));
        match is_first {
            true => place.is_name_split = patch_first(draft, entry, state, sink),
            false => patch_later(draft, entry, place, state, sink),
        }
        if is_first {
            turns.open(turn).calls_written += 1;
        }
        true
    }

    /// Puts right the finish reason. The turn and its reason, if the end must leave on its own.
    fn patch_end(
        &mut self,
        draft: &mut Draft,
        at: usize,
        part: &Part,
        turns: &mut Turns,
        sink: &mut Sink<'_>,
    ) -> Option<(usize, Reason)> {
        let number = part.finish?;
        let path = at!["choices", at, "finish_reason"];
        let choice = self.choices.get(part.turn)?;
        // Where a relay gave up, what came last is the end.
        let closed = turns.get(part.turn).and_then(|turn| turn.closed());
        let is_pending = choice.pending.as_ref().is_some_and(|pending| pending.number == number)
            && closed.is_some_and(|closed| closed.is_finished);
        if choice.finish != Some(number) && !is_pending {
            sink.mend(draft, StreamRule::FinishRepeated, |draft| draft.set(path, "null"));
            return None;
        }
        let text = draft.get(path).and_then(Json::text).unwrap_or_default();
        let is_old = text == "function_call";
        let was_legacy = choice.is_legacy;
        // Calls of the old form that stay are not read, and nothing is known against their end.
        let is_kept = self.legacy == LegacyCalls::Keep
            && is_old
            && closed.is_some_and(|closed| closed.reason.is_none());
        let state = turns.get(part.turn)?;
        let given = match text.is_empty() {
            true => state.reason_of_calls(),
            false => made::reason(&text),
        };
        let reason = match is_kept {
            true => given.clone(),
            false => state.reason_leaving(&given),
        };
        if let Some(rule) = state.finish_rule(&given, &reason) {
            sink.note(rule);
        }
        // Agents look for today's word, in whichever form the call came.
        let is_renamed = is_old && !is_kept && reason == Reason::Calls;
        if is_renamed && !was_legacy {
            sink.note(StreamRule::LegacyCall);
        }
        let closed = state.closed()?;
        let has_added = !closed.texts.is_empty() || !closed.calls.is_empty();
        if has_added && (!part.texts.is_empty() || !part.calls.is_empty() || part.legacy.is_some())
        {
            draft.set(path, "null");
            return Some((part.turn, reason));
        }
        write_added(self, part.turn, turns, sink);
        if given != reason || text.is_empty() || is_renamed {
            draft.set_text(path, reason_text(&reason));
        }
        None
    }
}

/// Whether all that these choices say is text that stays as it came.
fn is_untouched(parts: &[Part], turns: &mut Turns) -> bool {
    let mut stays = |part: &Part| {
        let mut texts = part.texts.iter();
        !texts.any(|(_, channel, stretch)| turns.is_changed(part.turn, *channel, *stretch))
    };
    !parts.is_empty() && parts.iter().all(|part| part.is_plain && stays(part))
}

/// Puts right the first piece of a call. Tells whether its name did not stand there whole.
fn patch_first(
    draft: &mut Draft,
    entry: &[Step<'_>],
    state: &CallState,
    sink: &mut Sink<'_>,
) -> bool {
    let own = |key: &'static str| within(entry, [key]);
    if let Some(id) = &state.id {
        let is_given = draft.get(&own("id")).is_some_and(|id| id.is_string() && !id.is_falsy());
        let rule = if is_given { StreamRule::IdShared } else { StreamRule::IdMissing };
        sink.mend(draft, rule, |draft| draft.set_text(&own("id"), id));
    }
    let kind = draft.get(&own("type")).and_then(Json::text);
    if kind.is_none_or(|kind| kind.is_empty()) {
        sink.mend(draft, StreamRule::TypeMissing, |draft| draft.set_text(&own("type"), "function"));
    }
    let edits = draft.edits();
    if !state.name.is_empty() {
        sink.mend(draft, StreamRule::NameSplit, |draft| set_name(draft, entry, &state.name));
    }
    let is_name_split = draft.edits() > edits;
    patch_arguments(draft, entry, state, sink);
    if let Some(Verdict::Change(WireCall { id, name, arguments })) = &state.verdict {
        let function = |key: &'static str| within(entry, ["function", key]);
        draft.set_text(&own("id"), id);
        draft.set_text(&function("name"), name);
        draft.set_text(&function("arguments"), arguments);
    }
    is_name_split
}

/// Sets the name of a call in a piece that may have no place for it.
fn set_name(draft: &mut Draft, entry: &[Step<'_>], name: &str) {
    let function = within(entry, ["function"]);
    if !draft.get(&function).is_some_and(Json::is_object) {
        draft.set(&function, r#"{"arguments":""}"#);
    }
    draft.set_text(&within(entry, ["function", "name"]), name);
}

/// Puts right a piece of a call that is not its first: what that has is not said again.
fn patch_later(
    draft: &mut Draft,
    entry: &[Step<'_>],
    place: &CallPlace,
    state: &CallState,
    sink: &mut Sink<'_>,
) {
    let name = within(entry, ["function", "name"]);
    let rule = if place.is_name_split { StreamRule::NameSplit } else { StreamRule::NameRepeated };
    sink.mend(draft, rule, |draft| remove_word(draft, &name));
    let id = within(entry, ["id"]);
    sink.mend(draft, StreamRule::IdRepeated, |draft| remove_word(draft, &id));
    patch_arguments(draft, entry, state, sink);
}

fn patch_arguments(draft: &mut Draft, entry: &[Step<'_>], state: &CallState, sink: &mut Sink<'_>) {
    let path = within(entry, ["function", "arguments"]);
    let value = draft.get(&path).filter(|value| !value.is_string() && !state.is_opaque);
    let Some(value) = value else { return };
    let text = if value.is_null() { String::new() } else { value.raw().to_owned() };
    sink.mend(draft, StreamRule::ArgumentsNotText, |draft| draft.set(&path, &quote(&text)));
}

/// Writes a call of the form that came before as an entry of `tool_calls`.
fn move_legacy(draft: &mut Draft, at: usize) {
    let path = at!["choices", at, "delta", "function_call"];
    let Some(function) = draft.get(path).map(|json| json.raw().to_owned()) else { return };
    draft.remove(path);
    let calls = format!("[{{\"function\":{function}}}]");
    draft.set(at!["choices", at, "delta", "tool_calls"], &calls);
}

/// The path of something in an entry of `tool_calls`.
fn within<'s, const N: usize>(entry: &[Step<'s>], keys: [&'s str; N]) -> Vec<Step<'s>> {
    entry.iter().copied().chain(keys.map(Step::Key)).collect()
}

/// Takes out a string that says something; an empty one hurts nobody.
fn remove_word(draft: &mut Draft, path: &[Step<'_>]) {
    if draft.get(path).is_some_and(|value| value.is_string() && !value.is_falsy()) {
        draft.remove(path);
    }
}

/// Whether a chunk that lost something says nothing any more.
fn is_void(draft: &Draft) -> bool {
    let choices = draft.get(at!["choices"]).into_iter().flat_map(Json::items);
    let is_silent = |choice: Json<'_>| {
        let delta = choice.get("delta").into_iter().flat_map(Json::members);
        delta.into_iter().all(|(_, value)| value.is_falsy() || value.raw() == "[]")
            && choice.given("finish_reason").is_none()
    };
    choices.into_iter().all(is_silent) && draft.get(at!["usage"]).is_none_or(Json::is_null)
}
