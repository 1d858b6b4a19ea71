//! Markdown fences around the value.

use super::prose;
use crate::draft::Draft;

const LANGUAGES: &[&str] = &[
    "json",
    "json",
    "json",
    "JSON",
    "jsonc",
    "json5",
    "javascript",
    "js",
    "python",
    "tool_call",
    "tool_code",
    "text",
];

fn opening(draft: &mut Draft, language: &str) -> (String, &'static str) {
    let fence = match draft.rng.below(12) {
        0 => "~~~",
        1 => "````",
        _ => "```",
    };
    let gap = draft.rng.pick(&["\n", "\n", "\n", "\n\n", " \n", "\r\n"]);
    (format!("{fence}{language}{gap}"), fence)
}

fn fenced(draft: &mut Draft, language: &str) {
    let (open, fence) = opening(draft, language);
    let gap = draft.rng.pick(&["\n", "\n", "\n", "\n\n", ""]);
    let end = draft.rng.pick(&["", "\n", "\n\n", "  "]);
    draft.wrap(&open, &format!("{gap}{fence}{end}"));
}

pub(super) fn plain(draft: &mut Draft) -> Option<()> {
    let language = draft.rng.pick(LANGUAGES);
    if draft.rng.chance(6) {
        // On one line, as some models write short answers.
        draft.wrap(&format!("```{language} "), " ```");
        return Some(());
    }
    fenced(draft, language);
    if draft.rng.chance(10) {
        draft.wrap("\n\n", "");
    }
    Some(())
}

pub(super) fn unclosed(draft: &mut Draft) -> Option<()> {
    let language = if draft.rng.chance(20) { "" } else { draft.rng.pick(LANGUAGES) };
    if draft.rng.chance(15) {
        // The opening one was eaten by a template instead.
        draft.wrap("", "\n```");
        return Some(());
    }
    let (open, _) = opening(draft, language);
    let end = draft.rng.pick(&["", "\n", "\n\n"]);
    draft.wrap(&open, end);
    Some(())
}

pub(super) fn no_language(draft: &mut Draft) -> Option<()> {
    if draft.rng.chance(12) && !draft.body().contains('`') {
        draft.wrap("`", "`");
        return Some(());
    }
    fenced(draft, "");
    Some(())
}

pub(super) fn with_prose(draft: &mut Draft) -> Option<()> {
    let language = if draft.rng.chance(20) { "" } else { draft.rng.pick(LANGUAGES) };
    fenced(draft, language);
    let before =
        if draft.rng.chance(90) { format!("{}\n\n", prose::before(draft)) } else { String::new() };
    let after = if before.is_empty() || draft.rng.chance(60) {
        format!("\n\n{}", prose::after(draft))
    } else {
        String::new()
    };
    draft.wrap(&before, &after);
    Some(())
}
