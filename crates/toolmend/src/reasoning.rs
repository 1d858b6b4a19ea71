//! Where thinking stands in a text. It is labelled, never moved or edited.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::{memchr_iter, memchr3_iter};
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
    /// The four bytes from the slash on of the closers that need no opener.
    slashes: Vec<u32>,
}

static STARTS: LazyLock<Starts> = LazyLock::new(|| {
    let marks = MARKS.iter().map(|(open, _)| open).chain(IMPLICIT).map(|mark| mark.as_bytes());
    let bits = marks.clone().filter_map(|mark| mark.get(1)).map(|second| bit(*second));
    Starts {
        seconds: bits.fold(0, |bits, bit| bits | bit),
        fours: marks.filter_map(four).collect(),
        slashes: IMPLICIT.iter().filter_map(|close| four(slash(close)?)).collect(),
    }
});

impl Starts {
    /// Whether a mark may start so.
    fn has(&self, bytes: &[u8]) -> bool {
        let may_be = bytes.get(1).is_some_and(|second| self.seconds & bit(*second) != 0);
        may_be && four(bytes).is_some_and(|four| self.fours.contains(&four))
    }
}

/// A closer from its slash on.
fn slash(close: &str) -> Option<&[u8]> {
    close.find('/').and_then(|at| close.as_bytes().get(at..))
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

/// The same, as far as they reach over the place where the first words of a text stand: without a mark
/// there, only what a closer without an opener closes does.
pub(crate) fn spans_over(text: &str, first: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let starts = &*STARTS;
    let is_closer = |at: usize| {
        bytes.get(at..).and_then(four).is_some_and(|four| starts.slashes.contains(&four))
    };
    let rest = text.get(first..).unwrap_or_default();
    let is_opened =
        starts.has(rest.as_bytes()) && MARKS.iter().any(|(open, _)| rest.starts_with(open));
    let is_thought = is_opened || memchr_iter(b'/', bytes).any(is_closer);
    if is_thought { spans(text) } else { Vec::new() }
}

/// What is thought, without the mark that ends it.
pub(crate) fn without_closer(text: &str) -> &str {
    let text = text.trim_end();
    MARKS.iter().find_map(|(_, close)| text.strip_suffix(close)).unwrap_or(text)
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

#[cfg(test)]
mod tests {
    use super::{IMPLICIT, MARKS, slash, spans, spans_over};

    #[test]
    fn what_reaches_over_the_first_words_is_found() {
        let calls =
            ["{\"a\": \"MARK\"}", "  MARK{}", "[\"/MARK/th/thi\", \"MARK\"]", "{\"a/\": \"MARK"];
        let marks =
            MARKS.iter().flat_map(|(open, close)| [*open, *close]).chain(IMPLICIT.iter().copied());
        for mark in marks.chain(["", "</p>", "</th>", "/"]) {
            for text in calls.map(|call| call.replace("MARK", mark)) {
                let first = text.len() - text.trim_start().len();
                let reaches = |spans: &[std::ops::Range<usize>]| {
                    spans.iter().any(|span| span.contains(&first))
                };
                assert_eq!(reaches(&spans_over(&text, first)), reaches(&spans(&text)), "{text}");
            }
        }
        assert!(IMPLICIT.iter().all(|close| slash(close).is_some_and(|slash| slash.len() > 4)));
    }
}
