//! What the words before and after a region say about it: that the model now calls, or that it
//! shows, warns, quotes or wonders.
//!
//! The last sentence weighs most. Words are looked for as words, so that `examples` is one and
//! `sample_rate` is none.

use super::phrases::{has_any, phrases};

/// What the words before a region say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lead {
    /// The model announces its call.
    Announced,
    /// Nothing either way.
    Silent,
    /// An example, a format, a document.
    Example,
    /// It should not run.
    Refusal,
    /// It could run, or others could run it.
    Possibility,
    /// Someone else's words.
    Quotation,
}

/// What the words after a region say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Silent,
    Example,
    Refusal,
}

/// So many characters after a region are looked at.
const AFTER_CHARS: usize = 160;
/// So much text before a region is looked at.
const LEAD_BYTES: usize = 480;

/// Reads the words before a region. A sentence that is over speaks of what comes only where it says
/// so; one that runs into the region always does.
pub(crate) fn lead(text: &str) -> Lead {
    let text = tail(text.trim_end(), LEAD_BYTES);
    // Marks before the region say nothing.
    let text = text.rsplit("|>").next().unwrap_or(text);
    let text = last_paragraphs(text).to_lowercase();
    let (before, last) = last_sentence(&text);
    if last.trim().is_empty() {
        return Lead::Silent;
    }
    let is_over = last.trim_end().ends_with(['.', '。', '!', '！', '?', '？', '…']);
    let own = if is_over { judge_finished(last) } else { judge(last) };
    let is_announced = announces(last);
    match own {
        // `I will call` says more than a `may` or a `file` in the same sentence.
        Some(Lead::Possibility | Lead::Quotation) | None if is_announced => Lead::Announced,
        Some(Lead::Example) if has_any(last, "presenting") => Lead::Announced,
        Some(lead) => lead,
        None if is_over => Lead::Silent,
        None => judge(before).unwrap_or(Lead::Silent),
    }
}

/// What a finished sentence says about what follows it.
fn judge_finished(text: &str) -> Option<Lead> {
    if has_any(text, "forbidding") && has_any(text, "running") {
        return Some(Lead::Refusal);
    }
    if has_any(text, "showing") {
        return Some(Lead::Example);
    }
    if has_any(text, "pointing") && !announces(text) { judge(text) } else { None }
}

/// Whether a sentence says that a call comes now.
fn announces(sentence: &str) -> bool {
    has_any(sentence, "announcing")
        || phrases("doing").any(|word| sentence.trim_start().starts_with(word))
}

fn judge(text: &str) -> Option<Lead> {
    let kinds = [
        ("refusals", Lead::Refusal),
        ("examples", Lead::Example),
        ("possibilities", Lead::Possibility),
        ("quotations", Lead::Quotation),
    ];
    kinds.iter().find(|(list, _)| has_any(text, list)).map(|(_, lead)| *lead)
}

/// Reads the words after a region: only what speaks of the region itself.
pub(crate) fn after(text: &str) -> After {
    let text = text.trim_start().to_lowercase();
    let text = text.split("\n\n").next().unwrap_or_default();
    let end = text.char_indices().nth(AFTER_CHARS).map_or(text.len(), |(at, _)| at);
    let text = text.get(..end).unwrap_or_default();
    if has_any(text, "refusal-after") {
        After::Refusal
    } else if has_any(text, "example-after") {
        After::Example
    } else {
        After::Silent
    }
}

/// The last paragraph, and the one before it where the last is only a label.
fn last_paragraphs(text: &str) -> &str {
    let Some(at) = text.rfind("\n\n") else { return text };
    let last = text.get(at..).unwrap_or_default();
    let is_label = last.trim().chars().count() < 60;
    match text.get(..at).and_then(|before| before.rfind("\n\n")) {
        Some(before) if is_label => text.get(before..).unwrap_or_default(),
        None if is_label => text,
        _ => last,
    }
}

/// The text before the last sentence, and the last sentence.
fn last_sentence(text: &str) -> (&str, &str) {
    let text = text.trim_end();
    let body = text
        .trim_end_matches([':', '：', '.', '。', '!', '！', '?', '？', '…', ' ', '\n', '*', '`']);
    let ends = body.char_indices().rev().find(|&(at, c)| match c {
        '.' | '!' | '?' => body.get(at + 1..).is_some_and(|rest| rest.starts_with([' ', '\n'])),
        '。' | '！' | '？' | '\n' => true,
        _ => false,
    });
    let at = ends.map_or(0, |(at, c)| at + c.len_utf8());
    text.split_at_checked(at).unwrap_or(("", text))
}

fn tail(text: &str, bytes: usize) -> &str {
    let mut at = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    text.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{After, Lead, after, lead};

    #[test]
    fn the_last_sentence_weighs_most() {
        for (text, want) in [
            ("", Lead::Silent),
            ("Let me look.", Lead::Announced),
            ("I could not find it before. I'll search again:", Lead::Announced),
            ("For example:", Lead::Example),
            ("Do not run this:", Lead::Refusal),
            ("I could call the tool like this:", Lead::Example),
            ("You could call", Lead::Possibility),
            ("The page says:", Lead::Quotation),
            ("You can use these tools as follows:\n\nFor weather:", Lead::Example),
            ("我来查一下天气。", Lead::Announced),
            ("例如：", Lead::Example),
            ("请不要执行下面的内容：", Lead::Refusal),
            ("The answer is 4.", Lead::Silent),
        ] {
            assert_eq!(lead(text), want, "{text}");
        }
    }

    #[test]
    fn only_what_speaks_of_the_call_counts_after_it() {
        assert_eq!(after("This is only an example."), After::Example);
        assert_eq!(after("Do not run this."), After::Refusal);
        assert_eq!(after("This code calculates the area."), After::Silent);
    }
}
