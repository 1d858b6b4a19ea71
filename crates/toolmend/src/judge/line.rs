//! What stands beside a region, and whether a sentence goes on around it.

use std::borrow::Cow;
use std::ops::Range;

use crate::layout::without_marks;
use crate::reasoning;

/// What a reader was meant to see of a text: no marks, and no thinking.
pub(super) fn spoken(text: &str) -> Cow<'_, str> {
    let thinking = reasoning::spans(text);
    match outside(text, 0..text.len(), thinking.iter()) {
        Cow::Borrowed(text) => without_marks(text),
        Cow::Owned(text) => Cow::Owned(without_marks(&text).into_owned()),
    }
}

/// What stands in a range outside these stretches.
pub(super) fn outside<'t, 'r>(
    text: &'t str,
    range: Range<usize>,
    inside: impl Iterator<Item = &'r Range<usize>>,
) -> Cow<'t, str> {
    let mut inside: Vec<&Range<usize>> = inside.collect();
    if inside.is_empty() {
        return Cow::Borrowed(text.get(range).unwrap_or_default());
    }
    inside.sort_by_key(|range| range.start);
    let mut out = String::new();
    let mut at = range.start;
    for stretch in inside {
        if stretch.start > at {
            out.push_str(text.get(at..stretch.start.min(range.end)).unwrap_or_default());
        }
        at = at.max(stretch.end);
    }
    out.push_str(text.get(at..range.end).unwrap_or_default());
    Cow::Owned(out)
}

/// Whether a line of code beside a call does nothing that matters.
pub(super) fn is_idle(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.starts_with('#')
        || line.starts_with("//")
        || line.starts_with("import ")
        || line.starts_with("from ")
        || line.starts_with("print(")
        || line.chars().all(|c| matches!(c, ']' | ')' | ';' | ',' | '}' | '[' | '`'))
}

/// Whether a call is data that a program keeps under a name: `call = {"name": …}`. Only a call in the
/// place of the value would run. What stands before it in its region may have the name, and open a list.
pub(super) fn is_kept(before: &str, call: &str) -> bool {
    is_assigned(call) || {
        let count = |mark: char| before.chars().filter(|&c| c == mark).count();
        let is_value = before.trim_end().ends_with('=') || count('[') > count(']');
        is_value && call.starts_with('{') && is_assigned(&format!("{before}{{"))
    }
}

/// Whether an object is given a name.
fn is_assigned(text: &str) -> bool {
    let Some((name, value)) = text.split_once('=') else { return false };
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | ' ');
    let is_name = !name.trim().is_empty() && name.chars().all(is_part);
    let value = value.trim_start();
    is_name && value.strip_prefix('[').unwrap_or(value).trim_start().starts_with('{')
}

/// Whether a line is over behind a call without marks.
pub(super) fn is_line_end(after: &str) -> bool {
    let after =
        after.trim().trim_start_matches(['`', '*', ';', ',', '.', ')', ']', '}', '\'', '"']).trim();
    after.is_empty()
        || after.starts_with('#')
        || after.starts_with("//")
        || after.starts_with('[')
        || after.starts_with("+ [")
}

/// Whether words go on behind a region on the same line.
pub(super) fn goes_on(after: &str) -> bool {
    after.chars().any(char::is_alphanumeric)
}

/// Whether the words behind a region go on with a sentence that it is part of.
pub(super) fn continues(after: &str) -> bool {
    let after = after.trim_start();
    let first = after.chars().next();
    let is_lower =
        first.is_some_and(|c| c.is_lowercase() || matches!(c, ',' | ')' | '，' | '）' | '；'));
    let is_chinese = first.is_some_and(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    (is_lower || is_chinese) && goes_on(after)
}

/// Whether what stands behind a region ends a sentence that it is part of.
pub(super) fn ends_sentence(after: &str) -> bool {
    after.trim_start().starts_with(['.', ',', '?', '!', '。', '，', '？', '！', '、'])
}

/// Whether a sentence is over, or nothing stood there.
pub(super) fn is_finished(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty()
        || before.ends_with(['.', '!', '?', ':', '。', '！', '？', '：', '>', '…', '~'])
}
