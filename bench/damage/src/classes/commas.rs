//! Commas: too many, too few.

use crate::draft::{Draft, neighbour};
use crate::token::{Kind, Layout, Token};

fn ends_last_member(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(Token::ends_value)
        && matches!(neighbour(tokens, at, 1), Some(Kind::CloseObject | Kind::CloseArray))
}

fn is_comma(tokens: &[Token], at: usize) -> bool {
    tokens.get(at).is_some_and(|token| token.kind == Kind::Comma)
}

pub(super) fn trailing(draft: &mut Draft) -> Option<()> {
    let gap = if draft.rng.chance(15) { " ," } else { "," };
    draft.add_behind(ends_last_member, |_| gap.into())?;
    if draft.rng.chance(6) {
        draft.wrap("", ",");
    }
    Some(())
}

pub(super) fn doubled(draft: &mut Draft) -> Option<()> {
    draft.change(is_comma, |rng, _| Some(rng.pick(&[",,", ",,", ", ,", ",\n,", ",,,"]).into()))
}

pub(super) fn leading(draft: &mut Draft) -> Option<()> {
    draft.add_behind(
        |tokens, at| {
            tokens.get(at).is_some_and(Token::is_opener)
                && matches!(neighbour(tokens, at, 1), Some(kind) if !matches!(kind, Kind::CloseArray | Kind::CloseObject))
        },
        |rng| rng.pick(&[",", ", "]).into(),
    )
}

pub(super) fn missing_at_newline(draft: &mut Draft) -> Option<()> {
    draft.lay_out_pretty();
    draft.change(
        |tokens, at| is_comma(tokens, at) && tokens.get(at + 1).is_some_and(Token::is_line_break),
        |_, _| Some(String::new()),
    )
}

pub(super) fn missing_at_space(draft: &mut Draft) -> Option<()> {
    draft.lay_out(Layout::Spaced);
    draft.change(is_comma, |_, _| Some(String::new()))
}

/// One comma, anywhere that leaves two tokens apart.
pub(super) fn missing_one(draft: &mut Draft) -> Option<()> {
    let all: Vec<usize> = (0..draft.tokens.len())
        .filter(|&at| is_comma(&draft.tokens, at) && stay_apart(&draft.tokens, at))
        .collect();
    let at = *all.get(draft.rng.below(all.len()))?;
    draft.tokens.get_mut(at)?.text.clear();
    Some(())
}

/// Whether what stands on both sides of a comma stays two tokens without it: `1,2` does not.
fn stay_apart(tokens: &[Token], at: usize) -> bool {
    let has_space = tokens.get(at + 1).is_some_and(|token| token.kind == Kind::Space);
    let is_bare = |kind| matches!(kind, Some(Kind::Number | Kind::Literal));
    has_space || !(is_bare(neighbour(tokens, at, -1)) && is_bare(neighbour(tokens, at, 1)))
}
