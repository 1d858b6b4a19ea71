//! Whether one value is the beginning of another.

use serde_json::{Map, Value};

/// What the beginning may miss.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slack {
    /// Members and items at the end.
    TrailingMembers,
    /// Those, and the end of the last string or number.
    CutTokens,
}

/// Whether `part` is `whole` with its end left out: the same members in the same order, of which
/// only the last may itself be a beginning.
pub(crate) fn is_within(part: &Value, whole: &Value, slack: Slack) -> bool {
    let can_cut = slack == Slack::CutTokens;
    match (part, whole) {
        (Value::Array(part), Value::Array(whole)) => is_list_within(part, whole, slack),
        (Value::Object(part), Value::Object(whole)) => is_object_within(part, whole, slack),
        (Value::String(part), Value::String(whole)) => {
            part == whole || can_cut && whole.starts_with(part.as_str())
        }
        (Value::Number(part), Value::Number(whole)) => {
            part == whole || can_cut && whole.to_string().starts_with(&part.to_string())
        }
        _ => part == whole,
    }
}

fn is_list_within(part: &[Value], whole: &[Value], slack: Slack) -> bool {
    let Some((last, before)) = part.split_last() else { return true };
    part.len() <= whole.len()
        && before.iter().zip(whole).all(|(part, whole)| part == whole)
        && whole.get(before.len()).is_some_and(|whole| is_within(last, whole, slack))
}

fn is_object_within(part: &Map<String, Value>, whole: &Map<String, Value>, slack: Slack) -> bool {
    part.len() <= whole.len()
        && part.iter().zip(whole).enumerate().all(|(index, ((key, value), (name, original)))| {
            let is_last = index + 1 == part.len();
            let is_same = value == original || is_last && is_within(value, original, slack);
            key == name && is_same
        })
}
