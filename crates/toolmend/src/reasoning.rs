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
    let ends = IMPLICIT.iter().filter_map(|close| Some((text.find(close)?, close)));
    let (at, close) = ends.min()?;
    let is_open =
        MARKS.iter().any(|(open, _)| text.get(..at).is_some_and(|head| head.contains(open)));
    (!is_open).then_some(at + close.len())
}

fn next(text: &str, at: usize) -> Option<(usize, &'static str, &'static str)> {
    let rest = text.get(at..)?;
    let opens =
        MARKS.iter().filter_map(|(open, close)| Some((at + rest.find(open)?, *open, *close)));
    opens.min()
}
