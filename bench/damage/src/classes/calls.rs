//! Source code around the value, or the value as source code.

use super::{commas, quotes};
use crate::draft::Draft;
use crate::quoting;
use crate::token::Kind;

pub(super) fn concatenation(draft: &mut Draft) -> Option<()> {
    let joint = draft.rng.pick(&["\" + \"", "\" + \"", "\"+\"", "\" +\n    \"", "\"\n  + \""]);
    draft.change(
        |tokens, at| {
            tokens
                .get(at)
                .is_some_and(|token| token.kind == Kind::String && token.plain.chars().count() > 1)
        },
        |rng, token| {
            let count = token.plain.chars().count();
            let mut cut = rng.between(1, count - 1);
            // Long text is split where its lines end.
            if let Some(line) =
                token.plain.chars().position(|c| c == '\n').filter(|&at| at + 1 < count)
            {
                cut = line + 1;
            }
            let (head, tail): (String, String) =
                (token.plain.chars().take(cut).collect(), token.plain.chars().skip(cut).collect());
            Some(format!(
                "\"{}{joint}{}\"",
                quoting::escaped(&head, '"'),
                quoting::escaped(&tail, '"')
            ))
        },
    )
}

pub(super) fn assignment(draft: &mut Draft) -> Option<()> {
    let (before, after) = draft.rng.pick(&[
        ("const args = ", ";"),
        ("let result = ", ";"),
        ("var data = ", ";"),
        ("args = ", ""),
        ("window.data = ", ";\n"),
        ("module.exports = ", ";"),
        ("export default ", ";"),
        ("return ", ";"),
        ("const args: Args = ", ";"),
        ("arguments: ", ""),
        ("response = ", "\n"),
        ("const args =\n", "\n"),
        ("json = ", ""),
        ("$args = ", ";"),
        ("export const config = ", " as const;"),
        ("// the call\nconst args = ", ";\n"),
        ("x: dict = ", ""),
    ]);
    draft.wrap(before, after);
    Some(())
}

/// As a JavaScript programmer would write it.
pub(super) fn object(draft: &mut Draft) -> Option<()> {
    draft.change_all(|_, token| {
        let is_name =
            token.plain.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '$');
        (token.kind == Kind::Key && is_name && !token.plain.is_empty()).then(|| token.plain.clone())
    });
    match draft.rng.below(3) {
        0 => {}
        1 => {
            draft.change_all(|_, token| {
                (token.kind == Kind::String)
                    .then(|| format!("'{}'", quoting::escaped(&token.plain, '\'')))
            });
        }
        _ => quotes::single(draft).unwrap_or_default(),
    }
    if draft.rng.chance(50) {
        commas::trailing(draft);
    }
    if draft.rng.chance(20) {
        draft.wrap("(", ")");
    }
    Some(())
}

pub(super) fn function_call(draft: &mut Draft) -> Option<()> {
    let (before, after) = draft.rng.pick(&[
        ("write_file(", ")"),
        ("callback(", ");"),
        ("functions.write_file(", ")"),
        ("await tools.call(", ");"),
        ("print(", ")"),
        ("JSON.stringify(", ")"),
        ("create(\n", "\n)"),
        ("client.send( ", " )"),
        ("dict(", ")"),
        ("/**/jsonp_123(", ");"),
        ("f(", ")"),
        ("Tool call: search(", ")"),
        ("new Call(", ");"),
        ("call(args=", ")"),
        ("search (", ")"),
        ("tool_call(\"write_file\", ", ")"),
        ("ObjectId(", ")"),
        ("return f(", ");\n"),
    ]);
    draft.wrap(before, after);
    Some(())
}
