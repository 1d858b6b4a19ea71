//! Braces and brackets: missing, extra, of the wrong kind.

use serde_json::Value;

use crate::draft::{Draft, Extent, neighbour};
use crate::token::{Kind, Token};

pub(super) fn missing(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(70) || missing_inside(draft).is_none() {
        missing_at_end(draft);
    }
    Some(())
}

fn missing_at_end(draft: &mut Draft) {
    let wanted = match draft.rng.below(10) {
        0..=5 => 1,
        6..=8 => 2,
        _ => usize::MAX,
    };
    let mut dropped = 0;
    let mut is_list_open = false;
    while let Some(token) = draft.tokens.last() {
        let is_space = token.kind == Kind::Space;
        if !is_space && (!token.is_closer() || dropped == wanted) {
            break;
        }
        is_list_open |= token.kind == Kind::CloseArray;
        dropped += usize::from(!is_space);
        draft.tokens.pop();
    }
    let ends_in_number = draft.tokens.last().is_some_and(|token| token.kind == Kind::Number);
    let has_line_break = draft.rng.chance(30);
    if has_line_break {
        draft.tokens.push(Token::raw("\n"));
    }
    // Nobody can tell whether a list had more items, or a number more digits.
    draft.keeps_information = !is_list_open && (!ends_in_number || has_line_break);
}

/// A closer whose absence the next token shows: `[1, 2, "b": 3` and `{"a": 1, {`.
fn missing_inside(draft: &mut Draft) -> Option<()> {
    draft.extent = Extent::Once;
    draft.change(
        |tokens, at| {
            let Some(token) = tokens.get(at) else { return false };
            let is_followed = neighbour(tokens, at, 1) == Some(Kind::Comma);
            let is_empty = neighbour(tokens, at, -1)
                .is_some_and(|kind| matches!(kind, Kind::OpenArray | Kind::OpenObject));
            let next = tokens.get(at + 1..).and_then(|rest| {
                rest.iter()
                    .find(|token| !matches!(token.kind, Kind::Comma | Kind::Space))
                    .map(|token| token.kind)
            });
            let is_shown = match token.kind {
                Kind::CloseArray => next == Some(Kind::Key),
                Kind::CloseObject => next == Some(Kind::OpenObject),
                _ => false,
            };
            is_followed && is_shown && !is_empty
        },
        |_, _| Some(String::new()),
    )
}

pub(super) fn extra(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(65) {
        let more = draft.rng.pick(&["}", "}", "]", "}}", "}]", "\n}", " }"]);
        draft.wrap("", more);
        return Some(());
    }
    if draft.rng.chance(85) {
        draft.extent = Extent::Once;
    }
    draft
        .change(
            |tokens, at| tokens.get(at).is_some_and(|token| token.is_closer() && token.depth > 1),
            |_, token| Some(format!("{0}{0}", token.text)),
        )
        .or_else(|| {
            draft.wrap("", "}");
            Some(())
        })
}

pub(super) fn mismatched(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(60) {
        draft.extent = Extent::Once;
    }
    draft.change(
        |tokens, at| tokens.get(at).is_some_and(Token::is_closer),
        |rng, token| {
            let is_array = token.kind == Kind::CloseArray;
            Some(
                if rng.chance(12) {
                    ")"
                } else if is_array {
                    "}"
                } else {
                    "]"
                }
                .into(),
            )
        },
    )
}

pub(super) fn opener_missing(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(55) || opener_missing_inside(draft).is_none() {
        draft.tokens.first_mut()?.text.clear();
        if let Some(space) = draft.tokens.get_mut(1).filter(|token| token.kind == Kind::Space) {
            space.text.clear();
        }
    }
    Some(())
}

fn opener_missing_inside(draft: &mut Draft) -> Option<()> {
    draft.extent = Extent::Once;
    draft.change(
        |tokens, at| {
            let Some(token) = tokens.get(at) else { return false };
            let starts_list =
                token.kind == Kind::OpenArray && neighbour(tokens, at, 1) != Some(Kind::CloseArray);
            let starts_object =
                token.kind == Kind::OpenObject && neighbour(tokens, at, 1) == Some(Kind::Key);
            let is_member = neighbour(tokens, at, -1) == Some(Kind::Colon);
            let is_item = starts_object && neighbour(tokens, at, -1) == Some(Kind::Comma);
            // A list of lists or of one item leaves no sign that one is gone.
            let next = tokens
                .get(at + 1..)
                .and_then(|rest| rest.iter().find(|token| token.kind != Kind::Space));
            let is_plain = next.is_some_and(|token| token.kind == Kind::Key || token.is_scalar());
            let has_more = starts_object || has_second_item(tokens, at);
            is_plain && has_more && ((is_member && (starts_list || starts_object)) || is_item)
        },
        |_, _| Some(String::new()),
    )
}

/// Whether the first item of a list is a scalar with another item behind it.
fn has_second_item(tokens: &[Token], at: usize) -> bool {
    let behind = tokens.get(at + 1..).unwrap_or_default();
    let mut solid = behind.iter().filter(|token| token.kind != Kind::Space);
    solid.next().is_some_and(Token::is_scalar)
        && solid.next().is_some_and(|token| token.kind == Kind::Comma)
}

pub(super) fn opener_extra(draft: &mut Draft) -> Option<()> {
    draft.extent = Extent::Once;
    if draft.rng.chance(10) {
        // A list that was never meant, or never closed: either reading is fair.
        draft.wrap("[", "");
        draft.others.push(Value::Array(vec![draft.value.clone()]));
        draft.keeps_information = false;
        return Some(());
    }
    let is_root = draft.rng.chance(60);
    let gap = draft.rng.pick(&["", "", "\n", " "]);
    draft.change(
        |tokens, at| {
            tokens.get(at).is_some_and(|token| {
                token.kind == Kind::OpenObject && (token.depth == 1 || !is_root)
            })
        },
        |_, token| Some(format!("{0}{gap}{0}", token.text)),
    )
}

/// `{{…}}`, as templates escape braces: around all of it, or everywhere.
pub(super) fn doubled(draft: &mut Draft) -> Option<()> {
    let is_root = draft.rng.chance(50);
    draft.change_all(|_, token| {
        let is_brace = matches!(token.kind, Kind::OpenObject | Kind::CloseObject);
        (is_brace && (token.depth == 1 || !is_root)).then(|| format!("{0}{0}", token.text))
    })
}

pub(super) fn no_braces(draft: &mut Draft) -> Option<()> {
    let is_bare = draft.rng.chance(25);
    let has_lines = draft.rng.chance(50);
    if has_lines {
        draft.lay_out_pretty();
    }
    let drops_commas = has_lines && draft.rng.chance(40);
    draft.change_all(|_, token| match token.kind {
        Kind::OpenObject | Kind::CloseObject if token.depth == 1 => Some(String::new()),
        Kind::Key if is_bare && token.depth == 1 && is_name(&token.plain) => {
            Some(token.plain.clone())
        }
        Kind::Comma if drops_commas && token.depth == 1 => Some(String::new()),
        Kind::Space if has_lines && token.depth == 1 && token.text.contains('\n') => {
            Some("\n".into())
        }
        _ => None,
    })?;
    let body = draft.body();
    draft.set_body(body.trim());
    (!body.trim().is_empty()).then_some(())
}

fn is_name(plain: &str) -> bool {
    plain.chars().all(|c| c.is_alphanumeric() || c == '_')
}
