//! Where thinking stands in a text. It is labelled, never moved or edited.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memchr3_iter;
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

/// How marks start: few texts start like one, and that is told at once.
struct Starts {
    /// A bit for each second byte, some of which share one.
    seconds: u128,
    /// The first four bytes of all marks.
    fours: Vec<u32>,
}

static STARTS: LazyLock<Starts> = LazyLock::new(|| {
    let marks = MARKS.iter().map(|(open, _)| open).chain(IMPLICIT).map(|mark| mark.as_bytes());
    let bits = marks.clone().filter_map(|mark| mark.get(1)).map(|second| bit(*second));
    Starts {
        seconds: bits.fold(0, |bits, bit| bits | bit),
        fours: marks.filter_map(four).collect(),
    }
});

impl Starts {
    /// Whether a mark may start so.
    fn has(&self, bytes: &[u8]) -> bool {
        let may_be = bytes.get(1).is_some_and(|second| self.seconds & bit(*second) != 0);
        may_be && four(bytes).is_some_and(|four| self.fours.contains(&four))
    }
}

fn bit(byte: u8) -> u128 {
    1 << (byte & 0x7f)
}

fn four(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().map(|first| u32::from_ne_bytes(*first))
}

/// The stretches of thinking in a text, in one pass.
pub(crate) fn spans(text: &str) -> Vec<Range<usize>> {
    let starts = &*STARTS;
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    // Marks stand at `<`, at `[`, or at the first byte of `◁`.
    for start in memchr3_iter(b'<', b'[', 0xe2, text.as_bytes()) {
        if start < at || !starts.has(text.as_bytes().get(start..).unwrap_or_default()) {
            continue;
        }
        let rest = text.get(start..).unwrap_or_default();
        if let Some((open, close)) = MARKS.iter().find(|(open, _)| rest.starts_with(open)) {
            let inner = rest.get(open.len()..).unwrap_or_default();
            let end = inner.find(close).map(|end| start + open.len() + end + close.len());
            at = end.unwrap_or(text.len());
            spans.push(start..at);
            continue;
        }
        // What the first closer closes without an opener was opened by the prompt.
        let close = IMPLICIT.iter().find(|close| spans.is_empty() && rest.starts_with(**close));
        if let Some(close) = close {
            at = start + close.len();
            spans.push(0..at);
        }
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
