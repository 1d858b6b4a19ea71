//! What stands between a key and its value, and between members.

use crate::draft::{Draft, neighbour};
use crate::token::{Kind, Token};

fn is_colon(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.kind == Kind::Colon)
}

pub(super) fn colon_missing(draft: &mut Draft) -> Option<()> {
    draft.lay_out_spaced();
    draft.change(is_colon, |_, _| Some(String::new()))
}

pub(super) fn equals(draft: &mut Draft) -> Option<()> {
    let sign = draft.rng.pick(&["=", " =", " = "]);
    draft.change(is_colon, |_, _| Some(sign.into()))
}

pub(super) fn arrow(draft: &mut Draft) -> Option<()> {
    let sign = draft.rng.pick(&["=>", " =>", " =>", " => "]);
    draft.change(is_colon, |_, _| Some(sign.into()))
}

pub(super) fn semicolons(draft: &mut Draft) -> Option<()> {
    draft.change(
        |tokens, at| tokens.get(at).is_some_and(|token| token.kind == Kind::Comma),
        |_, _| Some(";".into()),
    )?;
    if draft.rng.chance(25) {
        // C style: one behind the last member as well.
        draft.add_behind(
            |tokens, at| {
                tokens.get(at).is_some_and(Token::ends_value)
                    && matches!(neighbour(tokens, at, 1), Some(Kind::CloseObject))
            },
            |_| ";".into(),
        );
    }
    if draft.rng.chance(15) {
        draft.wrap("", ";");
    }
    Some(())
}
