//! Several values, or several faults at once.

use serde_json::Value;

use super::{
    Damage, calls, commas, comments, fences, literals, numbers, prose, quotes, signs, strings,
};
use crate::draft::Draft;
use crate::payload::{Family, payload};
use crate::token::lay_out;

pub(super) fn same_twice(draft: &mut Draft) -> Option<()> {
    let body = draft.body();
    let text = match draft.rng.below(9) {
        0 => format!("```json\n{body}\n```\n\n```json\n{body}\n```"),
        1 => format!("{body}\n\nHere it is again:\n\n{body}"),
        2 => format!("{body}, {body}"),
        3 => format!("{body}{body}{body}"),
        4 => format!("<tool_call>\n{body}\n</tool_call>\n<tool_call>\n{body}\n</tool_call>"),
        5 => format!("{body}\n\n{body}"),
        6 => format!("{body} {}", draft.value),
        7 => format!("{body}\n{body}"),
        _ => format!("{body}{body}"),
    };
    draft.set_body(text);
    Some(())
}

pub(super) fn two_objects(draft: &mut Draft) -> Option<()> {
    let second = if draft.rng.chance(60) {
        prose::another(draft)
    } else {
        let family = draft.rng.pick(&[0, 1, 2, 4]);
        payload(Family::ALL.get(family).copied()?, 120, &mut draft.rng)
    };
    let first = draft.body();
    let other: String = lay_out(&second, draft.layout, draft.escapes)
        .iter()
        .map(|token| token.text.as_str())
        .collect();
    let text = match draft.rng.below(9) {
        0 => format!("{first}, {other}"),
        1 => format!("{first};\n{other};"),
        2 => format!("```json\n{first}\n```\n```json\n{other}\n```"),
        3 => format!("<tool_call>\n{first}\n</tool_call>\n<tool_call>\n{other}\n</tool_call>"),
        4 => format!("First: {first}\nThen: {other}"),
        5 => format!("{first}\n\n{other}"),
        6 => format!("{first}\n{other}\n"),
        _ => format!("{first}{other}"),
    };
    draft.set_body(text);
    draft.several = vec![draft.value.clone(), second];
    draft.value = Value::Array(draft.several.clone());
    Some(())
}

/// Two to four faults together, as small models make them.
pub(super) fn at_once(draft: &mut Draft) -> Option<()> {
    let recipes: &[&[Damage]] = &[
        &[calls::object, comments::js, fences::plain],
        &[literals::python_repr, commas::trailing, prose::around],
        &[quotes::keys_unquoted, commas::missing_at_newline, literals::python_literals],
        &[commas::trailing, fences::with_prose],
        &[quotes::smart, literals::python_literals, commas::trailing],
        &[quotes::single, numbers::plus, commas::doubled],
        &[strings::raw_newlines, commas::trailing, fences::plain],
        &[commas::trailing, fences::plain, prose::think_block],
        &[signs::equals, quotes::keys_unquoted, signs::semicolons],
        &[literals::python_literals, commas::trailing, comments::hash],
        &[strings::escaped_single_quote, quotes::keys_unquoted, commas::trailing],
        &[quotes::keys_unquoted, quotes::values_unquoted, commas::trailing],
        &[quotes::single, commas::missing_at_newline, fences::unclosed],
        &[strings::raw_newlines, quotes::keys_unquoted, prose::around],
        &[literals::python_literals, calls::function_call],
        &[calls::object, calls::assignment],
        &[commas::trailing, prose::tool_call_tag],
        &[commas::trailing, literals::python_literals, numbers::underscores, fences::no_language],
    ];
    let recipe = recipes.get(draft.rng.below(recipes.len()))?;
    let applied = recipe.iter().filter(|damage| damage(draft).is_some()).count();
    (applied > 1).then_some(())
}
