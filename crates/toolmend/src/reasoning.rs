//! Where thinking stands in a text. It is labelled, never moved or edited.

use std::ops::Range;

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

/// The stretches of thinking in a text.
pub(crate) fn spans(text: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut at = 0;
    if let Some(end) = implicit_end(text) {
        spans.push(0..end);
        at = end;
    }
    while let Some((start, open, close)) = next(text, at) {
        let inner = start + open.len();
        let rest = text.get(inner..).unwrap_or_default();
        let end = rest.find(close).map_or(text.len(), |end| inner + end + close.len());
        spans.push(start..end);
        at = end;
    }
    spans
}

/// Where thinking ends that the prompt opened.
fn implicit_end(text: &str) -> Option<usize> {
    for (at, rest) in places(text, 0) {
        if MARKS.iter().any(|(open, _)| rest.starts_with(open)) {
            return None;
        }
        if let Some(close) = IMPLICIT.iter().find(|close| rest.starts_with(**close)) {
            return Some(at + close.len());
        }
    }
    None
}

fn next(text: &str, at: usize) -> Option<(usize, &'static str, &'static str)> {
    places(text, at).find_map(|(place, rest)| {
        let mark = MARKS.iter().find(|(open, _)| rest.starts_with(open));
        mark.map(|(open, close)| (place, *open, *close))
    })
}

/// The places where a mark can stand, in one pass.
fn places(text: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let rest = text.get(from..).unwrap_or_default();
    let starts = rest.match_indices(['<', '[', '◁']);
    starts.filter_map(move |(at, _)| Some((from + at, rest.get(at..)?)))
}
