//! Heals a history: the fewest edits after which nothing is wrong with it.

mod answers;
mod ids;
mod plan;
mod write;

use std::borrow::Cow;

use crate::chain::Chain;
use crate::check::{empty_turns, without_reasoning};
use crate::history::Role;
use crate::{Api, Edit, History, Options, Place, Rule, node};
use plan::Plan;

/// What is said where an empty turn keeps two messages of the user apart. Templates of several
/// models refuse those side by side.
const EMPTY_TURN: &str = "(no reply)";

/// A history that was healed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Healed<'t> {
    /// The list of messages: the text that was read, if nothing was wrong with it.
    pub text: Cow<'t, str>,
    /// What was changed, in the order of the history.
    pub edits: Vec<Edit>,
}

/// Heals the copy of a history that goes to a server. What is right keeps its bytes; each change has
/// a name. Healing twice is healing once, and [`crate::check`] finds nothing afterwards.
#[must_use]
pub fn heal<'t>(history: &History<'t>, options: Options) -> Healed<'t> {
    let chain = Chain::of(history);
    let mut plan = Plan::default();
    let ids = ids::heal(history, &chain, &mut plan);
    heal_arguments(history, &chain, &mut plan);
    answers::heal(history, &chain, options, &ids, &mut plan);
    heal_turns(history, &mut plan);
    heal_reasoning(history, options, &mut plan);
    plan.edits.sort();
    let text = match plan.edits.is_empty() {
        true => Cow::Borrowed(history.text),
        false => Cow::Owned(write::write(history, &chain, &mut plan)),
    };
    Healed { text, edits: plan.edits }
}

fn heal_arguments(history: &History<'_>, chain: &Chain<'_, '_>, plan: &mut Plan) {
    let api = history.api;
    for link in chain.calls.iter().filter(|link| link.of.arguments.fault(api).is_some()) {
        let (rule, json) = link.of.arguments.mended(api);
        let splice = node::set(history.text, link.part.span, api.arguments_path(), &json);
        plan.splice(splice, Edit { place: link.place(), rule });
    }
}

fn heal_turns(history: &History<'_>, plan: &mut Plan) {
    // An empty message at the end is to be gone on with, but not once a result comes behind it.
    if let Some((last, message)) = history.messages.iter().enumerate().next_back()
        && plan.behind.contains_key(&last)
        && !message.has_answer()
    {
        plan.edits.push(whole(last, Rule::TurnDropped));
        plan.dropped.insert(last);
    }
    let is_user = |at: Option<usize>| {
        at.and_then(|at| history.messages.get(at)).is_some_and(|m| m.role == Role::User)
    };
    for turn in empty_turns(history) {
        let parts_users = is_user(turn.start.checked_sub(1)) && is_user(Some(turn.end));
        let message = history.messages.get(turn.start);
        match (history.api, message) {
            (Api::Chat | Api::Ollama, Some(message)) if parts_users => {
                let text = serde_json::Value::from(EMPTY_TURN).to_string();
                let splice = node::set(history.text, message.span, &["content"], &text);
                plan.splice(splice, whole(turn.start, Rule::TurnFilled));
            }
            _ => {
                plan.edits.extend(turn.clone().map(|at| whole(at, Rule::TurnDropped)));
                plan.dropped.extend(turn);
            }
        }
    }
}

fn heal_reasoning(history: &History<'_>, options: Options, plan: &mut Plan) {
    for at in without_reasoning(history, options) {
        let Some(message) = history.messages.get(at).filter(|_| !plan.dropped.contains(&at)) else {
            continue;
        };
        let splice = node::set(history.text, message.span, &["reasoning_content"], "\"\"");
        plan.splice(splice, whole(at, Rule::ReasoningFilled));
    }
}

fn whole(message: usize, rule: Rule) -> Edit {
    Edit { place: Place { message, part: None }, rule }
}
