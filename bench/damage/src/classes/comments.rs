//! Comments between tokens.

use crate::draft::Draft;
use crate::rng::Rng;
use crate::token::{Kind, Token};

fn remark(rng: &mut Rng) -> &'static str {
    rng.pick(&[
        "required",
        "the user's path",
        "don't change this",
        "see https://example.com/a?b=c",
        "TODO: {fix}",
        "e.g. \"abc\"",
        "increase, if needed: [1, 2]",
        "key: value",
        "",
        "optional; default 10",
        "was: 'old'",
        "\"old\": true,",
        "größer als 5",
        "1 = yes, 0 = no",
        "}",
        "comments aren't JSON",
    ])
}

fn ends_line(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(Token::is_line_break)
        && tokens.get(at).is_some_and(|token| token.kind != Kind::Raw)
}

pub(super) fn js(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(10) {
        let text = remark(&mut draft.rng);
        draft.wrap(&format!("// {text}\n"), "");
        return Some(());
    }
    if draft.rng.chance(60) {
        draft.lay_out_pretty();
        return draft.add_behind(ends_line, |rng| match rng.below(5) {
            0 => format!(" /* {} */", remark(rng)),
            1 => format!("\n// {}", remark(rng)),
            2 => format!("//{}", remark(rng)),
            _ => format!(" // {}", remark(rng)),
        });
    }
    draft.add_behind(
        |tokens, at| {
            tokens.get(at).is_some_and(|token| {
                matches!(token.kind, Kind::Comma | Kind::Colon | Kind::OpenObject)
            })
        },
        |rng| format!(" /* {} */ ", remark(rng)),
    )
}

pub(super) fn hash(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(10) {
        let text = remark(&mut draft.rng);
        draft.wrap(&format!("# {text}\n"), "");
        return Some(());
    }
    draft.lay_out_pretty();
    draft.add_behind(ends_line, |rng| match rng.below(4) {
        0 => format!("\n# {}", remark(rng)),
        1 => format!("  #{}", remark(rng)),
        _ => format!("  # {}", remark(rng)),
    })
}
