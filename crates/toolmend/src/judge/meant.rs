//! The gates of the tool: its effect, and whether it accepts the arguments.

use std::ops::Range;

use serde_json::Value;
use toolmend_dialect::{Body, Ending, Found};
use toolmend_json::Trust;
use toolmend_schema::{Effect, Mismatch, Tool};

use super::Judge;
use crate::arguments;
use crate::evidence::{Lead, Order, find_placeholder, lead};
use crate::name::Match;
use crate::refusal::{No, Reason};
use crate::report::Change;
use crate::search::Meant;

impl Judge<'_, '_> {
    /// The gates that depend on the place and the tool.
    pub(super) fn place(
        &self,
        at: usize,
        around: Option<&Range<usize>>,
        tool: &Tool,
        is_thought: bool,
    ) -> Result<(), No> {
        if is_thought && !(self.is_content_empty && self.is_whole()) {
            let message = "a call without marks in the reasoning is no call".to_owned();
            return Err((Reason::InReasoning, message));
        }
        let is_mutating = self.search.settings.effect_of(tool) == Effect::Mutating;
        let is_whole = || self.is_whole() || self.is_led_by_thought();
        if is_mutating && !is_whole() && !self.is_last_word(at, around) {
            let message =
                format!("{} changes things, and this is not the whole message", tool.name());
            return Err((Reason::NotAlone, message));
        }
        Ok(())
    }

    /// Whether the message is the thought that belongs to an action and the action, and the thought says
    /// nothing against it.
    fn is_led_by_thought(&self) -> bool {
        let [region] = self.regions else { return false };
        let start = self.layout.header_start(region.start);
        let is_blank = |range: Range<usize>| self.layout.slice(range).trim().is_empty();
        let thought = self.layout.slice(start..region.start).trim_start_matches('*');
        let said = thought.split_once(':').filter(|(word, _)| word.starts_with("Thought"));
        let is_plain = |said: &str| {
            let lead = lead(said.trim_start_matches('*'), false, Order::First);
            matches!(lead, Lead::Announced | Lead::Silent | Lead::Unclear)
        };
        is_blank(0..start)
            && is_blank(region.end..self.text.len())
            && said.is_some_and(|(_, said)| is_plain(said))
    }

    /// Whether the message says what it is about to do, does it in a fenced block, and ends.
    fn is_last_word(&self, at: usize, around: Option<&Range<usize>>) -> bool {
        around.is_some_and(|fence| {
            self.layout.slice(fence.clone()).trim_start().starts_with("```")
                && self.lead(at, fence.start) == Lead::Announced
                && self.layout.slice(fence.end..self.text.len()).trim().is_empty()
        })
    }

    /// The call as the tool accepts it, by repairs that are trusted so much.
    pub(super) fn meant(
        &self,
        at: usize,
        call: &mut Found,
        (tool, how): (&Tool, Match),
        trust: Trust,
    ) -> Result<Meant, No> {
        // More parameters may have been to come, or more of the last one.
        let is_open = call.ending == Ending::Unclosed
            && matches!(call.dialect.call.body, Body::Tags | Body::Map)
            && self.ends(at);
        // What stands behind a value without a closer may be more of it, unless it is another call.
        let goes_on = call.is_loose && self.is_last(at, call);
        // What lacks only the brackets around its arguments is whole if nothing was to come.
        let lacks_end = call.ending == Ending::Open && !self.search.is_turn_over;
        let is_cut = call.ending == Ending::Cut
            || lacks_end
            || self.search.is_turn_cut && (is_open || goes_on)
            || is_open && arguments::end_in_a_list(&call.arguments, tool);
        if is_cut {
            return Err((Reason::Cut, "the text ends inside the call".to_owned()));
        }
        let object = arguments::object(call.arguments.take(), tool).map_err(|reason| {
            (reason, format!("the arguments of {} cannot be read", tool.name()))
        })?;
        if object.trust > trust {
            let message = format!("reading the arguments is only {}", object.trust.as_str());
            return Err((Reason::Untrusted, message));
        }
        let repaired = tool.repair(object.value, trust);
        if let Some(mismatch) = repaired.mismatches.first() {
            return Err((Reason::Mismatch, sentence(mismatch)));
        }
        let schema = |key: &str| arguments::property(tool, key);
        if let Some(value) = find_placeholder(&repaired.arguments, schema) {
            return Err((Reason::Placeholder, format!("`{value}` only stands for a value")));
        }
        let mut changes = object.changes;
        changes.extend(repaired.repairs.into_iter().map(Change::of));
        let name = match how {
            Match::Exact => std::mem::take(&mut call.name),
            _ => tool.name().to_owned(),
        };
        Ok(Meant {
            name,
            named: how,
            arguments: repaired.arguments,
            id: call.id.take(),
            channel: self.channel,
            dialect: call.dialect.id,
            changes,
        })
    }

    /// Behind words that the model puts into another's mouth, only what the user asked for as well is
    /// meant: a tool that was not called yet, with values from the request.
    pub(super) fn asked(&self, at: usize, meant: &Meant) -> Result<(), No> {
        let start = self.regions.get(at).map_or(0, |region| region.start);
        let Some((_, called)) = self.invented.as_ref().filter(|(from, _)| *from <= start) else {
            return Ok(());
        };
        let resolved = called.iter().filter_map(|name| self.search.tools.resolve(name));
        let is_again = resolved.map(|(tool, _)| tool.name()).any(|name| name == meant.name)
            || self.search.declared.iter().any(|(name, _)| *name == meant.name);
        if is_again || !leaves(&meant.arguments).iter().all(|leaf| self.search.echo.has(leaf)) {
            let message = "it stands behind words that the model puts into another's mouth";
            return Err((Reason::Quoted, message.to_owned()));
        }
        Ok(())
    }

    /// Whether no other call stands behind this one.
    fn is_last(&self, at: usize, call: &Found) -> bool {
        self.regions.get(at).is_none_or(|region| call.span.end >= region.len())
            && self.regions.get(at + 1).is_none()
    }

    /// Whether the text ends with this region, or with the start of a mark behind it.
    fn ends(&self, at: usize) -> bool {
        let end = self.regions.get(at).map_or(0, |region| region.end);
        let after = self.layout.slice(end..self.text.len()).trim();
        after.is_empty() || after.starts_with(['<', '[', ']', '✿', '&'])
    }
}

/// The texts and numbers in arguments.
fn leaves(arguments: &Value) -> Vec<String> {
    let mut leaves = Vec::new();
    let mut open = vec![arguments];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => leaves.push(text.clone()),
            Value::Number(number) => leaves.push(number.to_string()),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            Value::Null | Value::Bool(_) => {}
        }
    }
    leaves
}

/// A mismatch for a person; values stay out of it.
pub(crate) fn sentence(mismatch: &Mismatch) -> String {
    let place = if mismatch.path.is_empty() { "the arguments" } else { &mismatch.path };
    format!("{place}: expected {}, got {}", mismatch.expected, mismatch.got)
}
