//! Where thinking stands in a text. It is labelled, never moved or edited.

use std::ops::Range;

use toolmend_dialect::Region;

/// The marks of thinking: its opener, its closer.
const MARKS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<think:opensource>", "</think:opensource>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<seed:think>", "</seed:think>"),
    ("<mm:think>", "</mm:think>"),
    ("<scratch_pad>", "</scratch_pad>"),
    ("◁think▷", "◁/think▷"),
    ("[THINK]", "[/THINK]"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
    ("<|content_thinking|>", "<|end_message|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|think|>", "<|end|>"),
    ("<|thought_start|>", "<|thought_end|>"),
];

/// Closers that stand without an opener where the prompt had it.
const IMPLICIT: &[&str] =
    &["</think>", "</thinking>", "</seed:think>", "</mm:think>", "[/THINK]", "◁/think▷"];

/// The stretches of thinking in a text, in one pass.
pub(crate) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while let Some(start) = next_place(text, at) {
        let rest = text.get(start..).unwrap_or_default();
        if let Some((open, close)) = MARKS.iter().find(|(open, _)| starts_with(rest, open)) {
            let inner = rest.get(open.len()..).unwrap_or_default();
            let end = inner.find(close).map(|end| start + open.len() + end + close.len());
            at = end.unwrap_or(text.len());
            spans.push(start..at);
            continue;
        }
        // What the first closer closes without an opener was opened by the prompt.
        let close = IMPLICIT.iter().find(|close| spans.is_empty() && starts_with(rest, close));
        at = start + close.map_or(1, |close| close.len());
        spans.extend(close.map(|_| 0..at));
    }
    spans
}

/// The stretches of thinking in a channel of thinking: none, unless all of its regions stand behind
/// them. Servers that miss the end of the thinking put the answer there as well.
pub(crate) fn ended(text: &str, regions: &[(Range<usize>, Region)]) -> Vec<Range<usize>> {
    let mut spans = spans(text);
    let end = spans.last().map_or(0, |span| span.end);
    if regions.iter().any(|(range, _)| range.start < end) {
        spans.clear();
    }
    spans
}

/// Whether a text starts with a mark. Few that start alike go on alike, so that is asked first.
fn starts_with(text: &str, mark: &str) -> bool {
    let second = |text: &str| text.as_bytes().get(2).copied();
    second(text) == second(mark) && text.starts_with(mark)
}

/// The next place where a mark can stand: at `<`, at `[`, or at the first byte of `◁`.
fn next_place(text: &str, from: usize) -> Option<usize> {
    let rest = text.as_bytes().get(from..)?;
    memchr::memchr3(b'<', b'[', 0xe2, rest).map(|at| from + at)
}
