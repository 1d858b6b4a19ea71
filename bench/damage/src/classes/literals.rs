//! Literals of other languages, and things that stand for a value.

use serde_json::Value;

use super::marked;
use crate::draft::{Draft, neighbour};
use crate::quoting;
use crate::token::{Kind, Layout, Token};

fn python_word(text: &str) -> Option<&'static str> {
    match text {
        "true" => Some("True"),
        "false" => Some("False"),
        "null" => Some("None"),
        _ => None,
    }
}

pub(super) fn python_literals(draft: &mut Draft) -> Option<()> {
    if !draft.tokens.iter().any(|token| token.kind == Kind::Literal)
        && let Value::Object(members) = &mut draft.value
    {
        let literal = draft.rng.pick(&[Value::Bool(true), Value::Bool(false), Value::Null]);
        members.insert("verbose".into(), literal);
        draft.refresh();
    }
    let is_loud = draft.rng.chance(10);
    draft.change(
        |tokens, at| tokens.get(at).is_some_and(|token| token.kind == Kind::Literal),
        |_, token| {
            let word = python_word(&token.text)?;
            Some(if is_loud && word != "None" { word.to_uppercase() } else { word.into() })
        },
    )
}

/// What `str(dict)` gives.
pub(super) fn python_repr(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(70) {
        draft.lay_out(Layout::Spaced);
    }
    let prefix = if draft.rng.chance(8) { "u" } else { "" };
    draft.change_all(|_, token| match token.kind {
        Kind::Key | Kind::String => Some(format!("{prefix}{}", quoting::python(&token.plain))),
        Kind::Literal => python_word(&token.text).map(Into::into),
        _ => None,
    })
}

pub(super) fn python_tuples(draft: &mut Draft) -> Option<()> {
    let mut is_changed = None;
    let mut opened = Vec::new();
    for at in 0..draft.tokens.len() {
        let is_empty = neighbour(&draft.tokens, at, 1) == Some(Kind::CloseArray);
        let token = draft.tokens.get_mut(at)?;
        match token.kind {
            Kind::OpenArray => {
                let is_tuple = !is_empty && draft.rng.chance(80);
                opened.push((is_tuple, 0));
                if is_tuple {
                    token.text = "(".into();
                    is_changed = Some(());
                }
            }
            Kind::OpenObject => opened.push((false, 0)),
            Kind::Comma => opened.last_mut().into_iter().for_each(|(_, commas)| *commas += 1),
            Kind::CloseArray | Kind::CloseObject => match opened.pop() {
                Some((true, 0)) => token.text = ",)".into(),
                Some((true, _)) => token.text = ")".into(),
                _ => {}
            },
            _ => {}
        }
    }
    is_changed
}

pub(super) fn undefined(draft: &mut Draft) -> Option<()> {
    marked::mark(draft, Value::is_null)
        .or_else(|| marked::mark(draft, |value| !value.is_array() && !value.is_object()))?;
    let left_out = marked::resolved(&draft.value, None);
    let null = marked::resolved(&draft.value, Some(&Value::Null));
    marked::write(draft, "undefined");
    draft.value = null;
    draft.others.push(left_out);
    Some(())
}

/// `...` where more could stand. What was meant by it is not in the text.
pub(super) fn ellipsis(draft: &mut Draft) -> Option<()> {
    let dots = draft.rng.pick(&["...", "...", "…", "// ...", "# ...", "... more"]);
    if dots.starts_with(['/', '#']) {
        draft.lay_out_pretty();
        return draft.add_behind(
            |tokens, at| {
                tokens.get(at).is_some_and(Token::ends_value)
                    && tokens.get(at + 1).is_some_and(Token::is_line_break)
            },
            |_| format!(",\n{dots}"),
        );
    }
    if draft.rng.chance(25) {
        return draft.add_behind(
            |tokens, at| tokens.get(at).is_some_and(|token| token.kind == Kind::Comma),
            |_| format!(" {dots},"),
        );
    }
    draft.add_behind(
        |tokens, at| {
            tokens.get(at).is_some_and(Token::ends_value)
                && matches!(neighbour(tokens, at, 1), Some(Kind::CloseObject | Kind::CloseArray))
        },
        |rng| format!("{}{dots}", rng.pick(&[", ", ", ", ",\n", " "])),
    )
}
