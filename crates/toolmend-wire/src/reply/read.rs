//! Where the parts of a reply stand.

use super::{CallSlot, Choice, Path, Reply, TextSlot};
use crate::api::Api;
use crate::channel::Channel;
use crate::draft::{Step, at};
use crate::json::Json;
use crate::rule::StreamRule;
use crate::turn::{CallState, IdFate, Reason};

impl Reply {
    /// Reads what the model says, which stands in this member.
    pub(super) fn read_choices(&mut self, json: Json<'_>, said: Json<'_>) -> Option<()> {
        let is_known = match self.api {
            Api::Ollama => said.is_object(),
            Api::Chat | Api::Messages | Api::Responses => said.is_array(),
        };
        if !is_known {
            return None;
        }
        match self.api {
            Api::Chat => {
                for (number, choice) in said.items().enumerate() {
                    self.read_chat(number, choice);
                }
            }
            Api::Messages => self.read_messages(json, said),
            Api::Responses => self.read_responses(json, said),
            Api::Ollama => self.read_ollama(json, said),
        }
        Some(())
    }

    fn open(&mut self, own: &[Step<'static>], reason: Option<Reason>) -> usize {
        self.choices.push(Choice { own: own.to_vec(), reason, ..Choice::default() });
        let number = self.choices.len() - 1;
        self.turns.open(number);
        number
    }

    fn text(
        &mut self,
        number: usize,
        path: &[Step<'static>],
        channel: Channel,
        json: Option<Json<'_>>,
    ) {
        let Some(text) = json.and_then(Json::text).filter(|text| !text.is_empty()) else { return };
        let stretch = self.turns.arrive(number, channel, &text);
        if let Some(choice) = self.choices.get_mut(number) {
            choice.texts.push(TextSlot { path: path.to_vec(), channel, text, stretch });
        }
    }

    fn call(&mut self, number: usize, path: Path, is_legacy: bool, call: CallState) {
        let place = self.turns.open(number).calls.len();
        self.turns.open(number).calls.push(call);
        if self.api != Api::Ollama {
            match self.turns.settle_id(number, place, self.api.id_prefix(), &self.seed) {
                IdFate::Given => {}
                IdFate::Missing => self.rules.push(StreamRule::IdMissing),
                IdFate::Shared => self.rules.push(StreamRule::IdShared),
            }
        }
        if let Some(choice) = self.choices.get_mut(number) {
            choice.calls.push(CallSlot { path, is_legacy });
        }
    }

    fn read_chat(&mut self, at: usize, json: Json<'_>) {
        let [reason, message] = json.pick(["finish_reason", "message"]);
        let reason = reason.and_then(Json::filled).map(|reason| crate::chat::reason_of(&reason));
        let number = self.open(at!["choices", at, "message"], reason);
        let Some(message) = message.filter(|message| !message.is_null()) else { return };
        let [first, second, third] = crate::chat::TEXT_FIELDS.map(|(field, _)| field);
        let [first, second, third, calls, legacy] =
            message.pick([first, second, third, "tool_calls", "function_call"]);
        let texts = crate::chat::TEXT_FIELDS.into_iter().zip([first, second, third]);
        for ((field, channel), text) in texts {
            let is_read = self
                .choices
                .get(number)
                .is_some_and(|choice| choice.texts.iter().any(|slot| slot.channel == channel));
            if !is_read {
                self.text(number, at!["choices", at, "message", field], channel, text);
            }
        }
        for (item, call) in calls.into_iter().flat_map(Json::items).enumerate() {
            let path = at!["choices", at, "message", "tool_calls", item].to_vec();
            let state = self.read_call(call.word("id"), call.given("function"));
            self.call(number, path, false, state);
        }
        if let Some(function) = legacy.filter(|function| !function.is_null()) {
            self.rules.push(StreamRule::LegacyCall);
            let path = at!["choices", at, "message", "function_call"].to_vec();
            let state = self.read_call(None, Some(function));
            self.call(number, path, true, state);
        }
    }

    /// Reads a name and arguments, which should be text; Ollama's should be an object.
    fn read_call(&mut self, id: Option<String>, function: Option<Json<'_>>) -> CallState {
        let value = function.and_then(|function| function.get("arguments"));
        let text = value.and_then(Json::text);
        let is_object_text = text.as_deref().is_some_and(|text| Json::read_object(text).is_some());
        let is_value = value.is_some_and(|value| !value.is_string());
        match self.api {
            Api::Ollama if is_object_text => self.rules.push(StreamRule::ArgumentsNotObject),
            Api::Chat if is_value => self.rules.push(StreamRule::ArgumentsNotText),
            _ => {}
        }
        let raw = value.filter(|value| !value.is_null()).map(|value| value.raw().to_owned());
        CallState {
            id,
            name: function.and_then(|function| function.word("name")).unwrap_or_default(),
            arguments: text.or(raw).unwrap_or_default(),
            ..CallState::default()
        }
    }

    fn read_messages(&mut self, json: Json<'_>, blocks: Json<'_>) {
        let reason = json.word("stop_reason").map(|reason| crate::messages::reason_of(&reason));
        let number = self.open(at![], reason);
        for (at, block) in blocks.items().enumerate() {
            match block.word("type").as_deref() {
                Some("text") => {
                    let path = at!["content", at, "text"];
                    self.text(number, path, Channel::Content, block.get("text"));
                }
                Some("thinking") => {
                    let path = at!["content", at, "thinking"];
                    self.text(number, path, Channel::Reasoning, block.get("thinking"));
                }
                Some("tool_use") => {
                    let input = block.given("input").map(|input| input.raw().to_owned());
                    let state = CallState {
                        id: block.word("id"),
                        name: block.word("name").unwrap_or_default(),
                        arguments: input.unwrap_or_default(),
                        ..CallState::default()
                    };
                    self.call(number, at!["content", at].to_vec(), false, state);
                }
                _ => {}
            }
        }
    }

    fn read_responses(&mut self, json: Json<'_>, output: Json<'_>) {
        let details = json.given("incomplete_details").and_then(|details| details.word("reason"));
        let items = || output.items().enumerate();
        let is_call = |item: Json<'_>| item.word("type").as_deref() == Some("function_call");
        let reason = match (json.word("status").as_deref(), details.as_deref()) {
            (Some("incomplete"), Some("content_filter")) => Reason::Filter,
            (Some("incomplete"), Some("max_output_tokens") | None) => Reason::Length,
            (Some("incomplete"), Some(other)) => Reason::Other(other.to_owned()),
            _ if items().any(|(_, item)| is_call(item)) => Reason::Calls,
            _ => Reason::Stop,
        };
        let number = self.open(at![], Some(reason));
        for (at, item) in items() {
            match item.word("type").as_deref() {
                Some("function_call") => {
                    let state = self.read_call(item.word("call_id"), Some(item));
                    self.call(number, at!["output", at].to_vec(), false, state);
                }
                Some("message") => {
                    self.read_parts(number, at, "content", Channel::Content, item);
                }
                Some("reasoning") => {
                    self.read_parts(number, at, "summary", Channel::Reasoning, item);
                    self.read_parts(number, at, "content", Channel::Reasoning, item);
                }
                _ => {}
            }
        }
    }

    fn read_parts(
        &mut self,
        number: usize,
        at: usize,
        list: &'static str,
        channel: Channel,
        item: Json<'_>,
    ) {
        for (part, json) in item.given(list).into_iter().flat_map(Json::items).enumerate() {
            let path = at!["output", at, list, part, "text"];
            self.text(number, path, channel, json.get("text"));
        }
    }

    fn read_ollama(&mut self, json: Json<'_>, message: Json<'_>) {
        let calls = || message.given("tool_calls").into_iter().flat_map(Json::items);
        let reason = match json.word("done_reason").as_deref() {
            Some("length") => Reason::Length,
            Some("stop") | None if calls().next().is_some() => Reason::Calls,
            Some("stop") | None => Reason::Stop,
            Some(other) => Reason::Other(other.to_owned()),
        };
        let number = self.open(at!["message"], Some(reason));
        for (field, channel) in crate::ollama::TEXT_FIELDS {
            self.text(number, at!["message", field], channel, message.get(field));
        }
        for (item, call) in calls().enumerate() {
            let state = self.read_call(call.word("id"), call.given("function"));
            self.call(number, at!["message", "tool_calls", item].to_vec(), false, state);
        }
    }
}
