//! Texts with nothing wrong in them.

use crate::draft::Draft;
use crate::quoting;
use crate::token::{Kind, Layout};

pub(super) fn compact(draft: &mut Draft) -> Option<()> {
    draft.lay_out(Layout::Compact);
    Some(())
}

pub(super) fn pretty(draft: &mut Draft) -> Option<()> {
    draft.lay_out_pretty();
    if draft.rng.chance(20) {
        draft.wrap("\n", "\n\n");
    }
    Some(())
}

/// Escapes that JSON allows and does not need: `\/`, `\u0041`.
pub(super) fn escaped(draft: &mut Draft) -> Option<()> {
    let is_all = draft.rng.chance(20);
    draft.change_all(|rng, token| {
        if !matches!(token.kind, Kind::String | Kind::Key) {
            return None;
        }
        let mut out = String::from("\"");
        for character in token.plain.chars() {
            if character == '/' && rng.chance(60) {
                out.push_str("\\/");
            } else if is_all || !character.is_ascii() || rng.chance(4) {
                out.push_str(&quoting::code_units(character));
            } else {
                out.push_str(&quoting::escaped(character.encode_utf8(&mut [0; 4]), '"'));
            }
        }
        out.push('"');
        Some(out)
    })
}
