//! Puts results where their calls want them, makes those that are missing, drops those of no call.

use serde_json::json;

use super::plan::{Answer, Plan};
use crate::api::Behind;
use crate::chain::{Chain, Link, Pairing, Turn};
use crate::check::{answers_none, drops_orphans};
use crate::history::{Call, Message};
use crate::{Api, Arguments, Edit, History, Options, Rule};

/// What stands in a result that was made. It must not say that the call failed: nobody knows.
pub(crate) const PLACEHOLDER: &str = "no result was recorded; it may or may not have run. \
                                      Check its effect before you call it again.";

pub(super) fn heal(
    history: &History<'_>,
    chain: &Chain<'_, '_>,
    options: Options,
    ids: &[String],
    plan: &mut Plan,
) {
    for turn in chain.turns.iter().filter(|turn| !turn.is_pending) {
        let is_whole = turn.calls.clone().all(|call| is_in_place(chain, call));
        if !is_whole {
            heal_turn(history, chain, turn, ids, plan);
        }
    }
    // A result may answer a call that only the server has.
    let drops_all = drops_orphans(history, options);
    for (number, (link, pairing)) in chain.results.iter().zip(&chain.pairings).enumerate() {
        if *pairing == Pairing::Orphan && (drops_all || answers_none(history, link.of)) {
            plan.removed.insert(number);
            plan.edits.push(Edit { place: link.place(), rule: Rule::OrphanDropped });
        }
    }
}

fn is_in_place(chain: &Chain<'_, '_>, call: usize) -> bool {
    let result = chain.result_of.get(call).copied().flatten();
    let pairing = result.and_then(|result| chain.pairings.get(result));
    matches!(pairing, Some(Pairing::InPlace(_)))
}

/// Writes the results of a turn behind it, in the order of its calls. Where results may stand
/// anywhere behind their calls, those that do stay.
fn heal_turn(
    history: &History<'_>,
    chain: &Chain<'_, '_>,
    turn: &Turn,
    ids: &[String],
    plan: &mut Plan,
) {
    let mut answers = Vec::new();
    let mut last_in_place = None;
    for (call, link) in chain.calls_of(turn) {
        let Some(result) = chain.result_of.get(call).copied().flatten() else {
            let id = ids.get(call).map_or("", String::as_str);
            answers.push(Answer::Made(placeholder(history, link, id)));
            plan.edits.push(Edit { place: link.place(), rule: Rule::PlaceholderResult });
            continue;
        };
        let stays = is_in_place(chain, call);
        if stays && history.api.behind() == Behind::Anywhere {
            continue;
        }
        // A result that stood behind one of a later call changes places with it.
        let is_moved = !stays || last_in_place.is_some_and(|last| result < last);
        if stays {
            last_in_place = last_in_place.max(Some(result));
        }
        let place = chain.results.get(result).map(Link::place).filter(|_| is_moved);
        plan.edits.extend(place.map(|place| Edit { place, rule: Rule::ResultMoved }));
        plan.removed.insert(result);
        answers.push(Answer::Moved(result));
    }
    if let Some(last) = last_message(history, chain, turn) {
        plan.behind.entry(last).or_default().extend(answers);
    }
}

/// The message that results of a turn come right behind. Where neighbouring items may be of several
/// turns, what is said behind the calls is an answer to their results.
fn last_message(history: &History<'_>, chain: &Chain<'_, '_>, turn: &Turn) -> Option<usize> {
    let end = turn.messages.end.checked_sub(1);
    let last_call = chain.calls_of(turn).map(|(_, link)| link.message).last()?;
    let said = history.messages.get(last_call + 1..turn.messages.end).unwrap_or_default();
    match history.api.behind() {
        Behind::Anywhere if said.iter().any(Message::has_answer) => Some(last_call),
        Behind::Anywhere | Behind::Right => end,
    }
}

/// A result in the API's own form. The mark of an error keeps a model from reading it as an answer.
fn placeholder(history: &History<'_>, link: &Link<'_, '_, Call<'_>>, id: &str) -> String {
    let call = link.of;
    let object = match history.api {
        Api::Chat => json!({"role": "tool", "tool_call_id": id, "content": PLACEHOLDER}),
        Api::Anthropic => json!({
            "type": "tool_result", "tool_use_id": id, "content": PLACEHOLDER, "is_error": true,
        }),
        Api::Responses => {
            let kind = match call.arguments {
                Arguments::Free(_) => "custom_tool_call_output",
                _ => "function_call_output",
            };
            json!({"type": kind, "call_id": id, "output": PLACEHOLDER})
        }
        Api::Ollama => match id {
            "" => json!({"role": "tool", "tool_name": call.name(), "content": PLACEHOLDER}),
            id => json!({
                "role": "tool", "tool_name": call.name(), "tool_call_id": id,
                "content": PLACEHOLDER,
            }),
        },
    };
    object.to_string()
}
