//! Escaped, encoded or spaced in another way as a whole.

use crate::draft::Draft;
use crate::quoting;
use crate::token::{Kind, Layout};

pub(super) fn byte_order_mark(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(15) {
        draft.wrap("\u{feff}```json\n", "\n```");
        return Some(());
    }
    draft.wrap("\u{feff}", "");
    Some(())
}

pub(super) fn odd_spaces(draft: &mut Draft) -> Option<()> {
    draft.lay_out_spaced();
    let odd = draft.rng.pick(&[
        "\u{a0}", "\u{a0}", "\u{a0}", "\u{2003}", "\u{202f}", "\u{3000}", "\u{200b}", "\u{2009}",
    ]);
    draft.change(
        |tokens, at| tokens.get(at).is_some_and(|token| token.kind == Kind::Space),
        |_, token| {
            let spaces = token.text.trim_start_matches('\n');
            let breaks = if spaces.len() < token.text.len() { "\n" } else { "" };
            Some(format!("{breaks}{}", odd.repeat(spaces.len().max(1))))
        },
    )
}

pub(super) fn escaped_whole(draft: &mut Draft) -> Option<()> {
    let body = draft.body();
    let text = match draft.rng.below(4) {
        // Only the quotes, by a plain text replacement.
        0 if !body.contains('\\') => body.replace('"', "\\\""),
        1 => quoting::escaped_but_lines(&body, '"'),
        _ => quoting::escaped(&body, '"'),
    };
    draft.set_body(text);
    Some(())
}

pub(super) fn double_encoded(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(30) {
        draft.lay_out(Layout::Compact);
    }
    let body = draft.body();
    let text = match draft.rng.below(10) {
        0 => quoting::python(&body),
        1 => quoting::json(&quoting::json(&body)),
        2 => quoting::ascii(&body),
        _ => quoting::json(&body),
    };
    draft.set_body(text);
    Some(())
}
