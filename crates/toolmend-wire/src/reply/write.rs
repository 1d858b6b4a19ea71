//! A reply as it leaves.

use super::{Path, Reply, leaves};
use crate::api::Api;
use crate::channel::Channel;
use crate::draft::{Draft, Step, at};
use crate::id;
use crate::json::{Json, quote};
use crate::mender::{Verdict, WireCall};
use crate::rule::StreamRule;
use crate::turn::{Closed, Reason, Stage};

impl Reply {
    pub(super) fn write_body(&mut self) -> String {
        let mut draft = Draft::new(&self.body);
        for number in 0..self.choices.len() {
            let mut gone = self.write_texts(number, &mut draft);
            gone.extend(self.write_calls(number, &mut draft));
            let calls = self.turns.get(number).map_or(0, crate::turn::TurnState::calls_leaving);
            let closed = self.take_closed(number);
            self.write_reason(number, calls, closed.reason.clone(), &mut draft);
            self.add(number, &closed, &mut draft);
            closed.usage.add_to(&mut draft);
            // From the last to the first, so that those before keep their places.
            gone.sort_by_key(|path| path.last().map(Step::item));
            for path in gone.iter().rev() {
                draft.remove(path);
            }
            self.tidy(number, calls, &mut draft);
        }
        draft.into_text()
    }

    fn take_closed(&mut self, number: usize) -> Closed {
        match self.turns.list.get_mut(number).map(|turn| &mut turn.stage) {
            Some(Stage::Closed(closed)) => std::mem::take(closed),
            _ => Closed::default(),
        }
    }

    /// Sets texts that changed. What must go because nothing is left of it.
    fn write_texts(&mut self, number: usize, draft: &mut Draft) -> Vec<Path> {
        let mut gone = Vec::new();
        let Some(choice) = self.choices.get(number) else { return gone };
        for slot in &choice.texts {
            let changed = self.turns.changed(number, slot.channel, slot.stretch, &slot.text);
            let Some(text) = changed else { continue };
            let block = slot.path.get(..2).unwrap_or_default();
            match (self.api, text.is_empty()) {
                (Api::Chat, true) => draft.set(&slot.path, "null"),
                // Empty blocks are refused when they come back in the next request.
                (Api::Messages, true) => gone.push(block.to_vec()),
                (Api::Responses, true) => {
                    draft.set_text(&slot.path, "");
                    gone.push(block.to_vec());
                }
                _ => draft.set_text(&slot.path, &text),
            }
        }
        gone.retain(|path| self.api != Api::Responses || is_silent(draft, path));
        gone.dedup_by_key(|path| path.last().map(Step::item));
        gone
    }

    /// Sets calls that changed. Which of them must go.
    fn write_calls(&self, number: usize, draft: &mut Draft) -> Vec<Path> {
        let mut gone = Vec::new();
        let (Some(choice), Some(turn)) = (self.choices.get(number), self.turns.get(number)) else {
            return gone;
        };
        for (slot, state) in choice.calls.iter().zip(&turn.calls) {
            if !leaves(state.verdict.as_ref()) {
                gone.push(slot.path.clone());
                continue;
            }
            let call = match &state.verdict {
                Some(Verdict::Change(call)) => call.clone(),
                _ => state.as_wire(),
            };
            if slot.is_legacy {
                draft.remove(&slot.path);
                self.push_call(number, &call, draft);
            } else {
                self.set_call(draft, &slot.path, &call);
            }
        }
        gone
    }

    fn set_call(&self, draft: &mut Draft, path: &[Step<'static>], call: &WireCall) {
        let own = |keys: &[&'static str]| {
            let keys = keys.iter().map(|key| Step::Key(key));
            path.iter().copied().chain(keys).collect::<Path>()
        };
        let (id, name, arguments): (_, &[&'static str], &[&'static str]) = match self.api {
            Api::Chat | Api::Ollama => ("id", &["function", "name"], &["function", "arguments"]),
            Api::Messages => ("id", &["name"], &["input"]),
            Api::Responses => ("call_id", &["name"], &["arguments"]),
        };
        let given = draft.get(&own(&[id])).and_then(Json::text).unwrap_or_default();
        if given != call.id {
            draft.set_text(&own(&[id]), &call.id);
        }
        draft.set_text(&own(name), &call.name);
        let arguments = own(arguments);
        let given = draft.get(&arguments);
        let is_given = given.is_some_and(|given| {
            !given.is_string() && given.raw() == call.arguments || given.is_null()
        });
        let is_object = Json::read_object(&call.arguments).is_some();
        match self.api {
            Api::Messages | Api::Ollama if is_given => {}
            Api::Messages | Api::Ollama if is_object => draft.set(&arguments, &call.arguments),
            _ => draft.set_text(&arguments, &call.arguments),
        }
    }

    fn write_reason(
        &mut self,
        number: usize,
        calls: usize,
        wanted: Option<Reason>,
        draft: &mut Draft,
    ) {
        let Some(choice) = self.choices.get(number) else { return };
        let Some(given) = choice.reason.clone().or_else(|| wanted.clone()) else { return };
        let has_own = !choice.calls.is_empty();
        let reason = wanted.unwrap_or_else(|| match (&given, calls) {
            (Reason::Stop, 1..) => Reason::Calls,
            (Reason::Calls, 0) => Reason::Stop,
            _ => given.clone(),
        });
        let is_told = matches!(self.api, Api::Chat | Api::Messages);
        match (&given, &reason) {
            (Reason::Stop, Reason::Calls) if has_own && is_told => {
                self.rules.push(StreamRule::FinishWithCall);
            }
            (Reason::Calls, Reason::Stop) if !has_own && is_told => {
                self.rules.push(StreamRule::FinishWithoutCall);
            }
            _ => {}
        }
        let at = choice.own.get(1).copied().unwrap_or(Step::Item(number));
        let chat = [Step::Key("choices"), at, Step::Key("finish_reason")];
        // Agents look for today's word, in whichever form the call came.
        let is_renamed = self.api == Api::Chat
            && reason == Reason::Calls
            && draft.get(&chat).and_then(Json::text).is_some_and(|word| word == "function_call");
        if is_renamed && !choice.calls.iter().any(|call| call.is_legacy) {
            self.rules.push(StreamRule::LegacyCall);
        }
        if reason == given && !is_renamed && choice.reason.is_some() {
            return;
        }
        match self.api {
            Api::Chat => draft.set_text(&chat, crate::chat::reason_text(&reason)),
            Api::Messages => {
                draft.set_text(at!["stop_reason"], crate::messages::reason_text(&reason));
            }
            Api::Responses => drop(crate::responses::set_status(draft, at![], &reason)),
            Api::Ollama => {
                draft.set_text(at!["done_reason"], crate::ollama::reason_text(&reason));
            }
        }
    }

    /// Writes what a mender added.
    fn add(&mut self, number: usize, closed: &Closed, draft: &mut Draft) {
        for (channel, text) in &closed.texts {
            self.push_text(number, *channel, text, draft);
        }
        for call in &closed.calls {
            self.push_call(number, call, draft);
        }
    }

    fn push_text(&self, number: usize, channel: Channel, text: &str, draft: &mut Draft) {
        let Some(choice) = self.choices.get(number) else { return };
        match self.api {
            Api::Chat | Api::Ollama => {
                let slot = choice.texts.iter().find(|slot| slot.channel == channel);
                let field = match (self.api, channel) {
                    (_, Channel::Content) => "content",
                    (Api::Ollama, Channel::Reasoning) => "thinking",
                    (_, Channel::Reasoning) => "reasoning_content",
                };
                let fallback = choice.own.iter().copied().chain([Step::Key(field)]).collect();
                let path: Path = slot.map_or(fallback, |slot| slot.path.clone());
                let before = draft.get(&path).and_then(Json::text).unwrap_or_default();
                draft.set_text(&path, &(before + text));
            }
            Api::Messages => {
                let text = quote(text);
                let block = match channel {
                    Channel::Content => format!(r#"{{"type":"text","text":{text}}}"#),
                    Channel::Reasoning => {
                        format!(r#"{{"type":"thinking","thinking":{text},"signature":""}}"#)
                    }
                };
                draft.push(at!["content"], &block);
            }
            Api::Responses => {
                let id = id::make("msg_", &self.seed, number, draft.text().len());
                let (id, text) = (quote(&id), quote(text));
                draft.push(at!["output"], &format!(
                    r#"{{"type":"message","id":{id},"role":"assistant","status":"completed","content":[{{"type":"output_text","text":{text},"annotations":[]}}]}}"#
                ));
            }
        }
    }

    fn push_call(&self, number: usize, call: &WireCall, draft: &mut Draft) {
        let Some(choice) = self.choices.get(number) else { return };
        match self.api {
            Api::Chat | Api::Ollama => {
                let list: Path =
                    choice.own.iter().copied().chain([Step::Key("tool_calls")]).collect();
                if draft.get(&list).is_none_or(|list| !list.is_array()) {
                    draft.set(&list, "[]");
                }
                let json = match self.api {
                    Api::Ollama => crate::ollama::call_json(call),
                    _ => crate::chat::call_json(call),
                };
                draft.push(&list, &json);
            }
            Api::Messages => {
                let (id, name) = (quote(&call.id), quote(&call.name));
                let input = match Json::read_object(&call.arguments) {
                    Some(input) => input.raw().to_owned(),
                    None => quote(&call.arguments),
                };
                draft.push(
                    at!["content"],
                    &format!(r#"{{"type":"tool_use","id":{id},"name":{name},"input":{input}}}"#),
                );
            }
            Api::Responses => {
                let id = id::make("fc_", &self.seed, number, draft.text().len());
                let item = crate::responses::call_item(&id, call, &call.arguments);
                draft.push(at!["output"], &item);
            }
        }
    }

    /// Takes out a list of calls that became empty; content that became empty beside calls is null.
    fn tidy(&self, number: usize, calls: usize, draft: &mut Draft) {
        let Some(choice) = self.choices.get(number).filter(|choice| !choice.calls.is_empty())
        else {
            return;
        };
        if calls == 0 && matches!(self.api, Api::Chat | Api::Ollama) {
            let list: Path = choice.own.iter().copied().chain([Step::Key("tool_calls")]).collect();
            draft.remove(&list);
        }
    }
}

/// Whether nothing is left in the parts of an item.
fn is_silent(draft: &Draft, item: &[Step<'_>]) -> bool {
    let Some(item) = draft.get(item) else { return true };
    let mut parts = item.given("content").into_iter().flat_map(Json::items);
    parts.all(|part| part.get("text").is_some_and(Json::is_falsy))
}
