//! What of the content may go out while the turn is still coming: all but what may yet go away
//! with a call.

use crate::layout::is_markup;

/// A fence, and idle lines in it, are held for so many bytes before a call; with more the block
/// holds more than calls.
pub(crate) const FENCE_HEAD_BYTES_MAX: usize = 512;
/// A header that names who a message is for is no longer than this.
const HEADER_BYTES_MAX: usize = 256;

/// Holds back what may go away.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    /// What stands before this went out.
    released: usize,
    /// How far the text was looked at, so that no part of it is looked at twice.
    seen: usize,
    /// Whether there was anything but white space so far.
    is_filled: bool,
    /// Where the line starts that is still coming.
    line: usize,
    /// Where the first sign of that line stands, or how far it is white space.
    indented: usize,
    fence: Option<Fence>,
}

/// A fenced block that is open.
#[derive(Debug)]
struct Fence {
    start: usize,
    mark: char,
    length: usize,
    /// Whether it may still go away with a call in it.
    is_head: bool,
}

impl Gate {
    /// How much of the text went out.
    pub(crate) fn released(&self) -> usize {
        self.released
    }

    /// The text that can go out now: `settled` is how much of it holds no call.
    pub(crate) fn release<'t>(&mut self, text: &'t str, settled: usize) -> &'t str {
        let text = text.get(..settled).unwrap_or_default();
        self.is_filled |= text.get(self.seen..).is_some_and(|new| !new.trim_start().is_empty());
        self.read_lines(text);
        self.seen = text.len();
        let end = self.held_from(text).max(self.released);
        let out = text.get(self.released..end).unwrap_or_default();
        self.released = end;
        out
    }

    /// Takes note of the fences in whole lines.
    fn read_lines(&mut self, text: &str) {
        let mut from = self.seen;
        while let Some(end) = text.get(from..).and_then(|rest| rest.find('\n')) {
            let start = std::mem::replace(&mut self.line, from + end + 1);
            self.indented = self.line;
            self.read_line(text.get(start..from + end).unwrap_or_default(), start);
            from = self.line;
        }
    }

    fn read_line(&mut self, line: &str, start: usize) {
        let mark = fence_mark(line);
        match (&mut self.fence, mark) {
            (None, Some((mark, length))) => {
                self.fence = Some(Fence { start, mark, length, is_head: true });
            }
            (Some(fence), Some((mark, length))) if mark == fence.mark && length >= fence.length => {
                self.fence = None;
            }
            (Some(fence), _) => {
                fence.is_head &= start - fence.start <= FENCE_HEAD_BYTES_MAX;
            }
            (None, None) => {}
        }
    }

    /// Where text starts that may yet go away.
    fn held_from(&mut self, text: &str) -> usize {
        // An answer of nothing but white space is none.
        if !self.is_filled {
            return 0;
        }
        if let Some(fence) = self.fence.as_ref().filter(|fence| fence.is_head) {
            return fence.start;
        }
        let rest = text.get(self.indented..).unwrap_or_default();
        let line = rest.trim_start();
        self.indented += rest.len() - line.len();
        if self.fence.is_none() && may_open(line) {
            return self.line;
        }
        text.len() - header(text).unwrap_or(0)
    }
}

/// Whether a line that is still coming may be a fence, or the number, the bullet and the tick before a
/// call.
fn may_open(line: &str) -> bool {
    let is_fence = || line.bytes().take(3).all(|byte| matches!(byte, b'`' | b'~'));
    !line.is_empty() && (is_fence() || is_markup(line))
}

/// The sign of a fence and how often it stands there.
fn fence_mark(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(first).len();
    let is_span = first == '`' && line.get(length..).is_some_and(|rest| rest.contains('`'));
    (length >= 3 && !is_span).then_some((first, length))
}

/// How many of the last bytes may be the header of a message to a tool: `<|start|>assistant to=…`.
fn header(text: &str) -> Option<usize> {
    let mut start = text.len().saturating_sub(HEADER_BYTES_MAX);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let tail = text.get(start..)?;
    // Most text has nothing of the kind, which is quickly seen.
    let may_hold = tail.bytes().any(|byte| matches!(byte, b'=' | b'>'));
    let find = || tail.rfind("<|start|>").or_else(|| tail.rfind(" to="));
    if let Some(at) = may_hold.then(find).flatten() {
        return Some(tail.len() - at);
    }
    let starts = ["<|start|>", " to="];
    let halves = starts.iter().flat_map(|whole| {
        (1..whole.len())
            .filter(|&length| whole.get(..length).is_some_and(|half| tail.ends_with(half)))
    });
    halves.max()
}

#[cfg(test)]
mod tests {
    use super::{FENCE_HEAD_BYTES_MAX, Gate, HEADER_BYTES_MAX};

    /// What goes out with each piece.
    fn released(pieces: &[&str]) -> Vec<String> {
        let (mut gate, mut text) = (Gate::default(), String::new());
        let release = |piece: &&str| {
            text.push_str(piece);
            gate.release(&text, text.len()).to_owned()
        };
        pieces.iter().map(release).collect()
    }

    #[test]
    fn text_goes_out_as_it_comes() {
        assert_eq!(
            released(&["Go", " to", "day.\n", " Or", "?"]),
            ["Go", "", " today.\n", " Or", "?"]
        );
        assert_eq!(released(&[" ", "\n", "a"]), ["", "", " \na"]);
        assert_eq!(released(&["a `b`", "\n`", "c` "]), ["a `b`", "\n", "`c`"]);
    }

    #[test]
    fn a_number_or_a_bullet_is_held_until_words_follow() {
        assert_eq!(released(&["A\n", " 1.", " ", "Go"]), ["A\n", "", "", " 1. Go"]);
        assert_eq!(released(&["A\n- ", "Go"]), ["A\n", "- Go"]);
    }

    #[test]
    fn a_fence_is_held_to_its_end() {
        let pieces = ["a\n", "``", "`py\n", "x\n", "~~~\n", "```\n", "b"];
        assert_eq!(released(&pieces), ["a\n", "", "", "", "", "```py\nx\n~~~\n```\n", "b"]);
        let pieces = ["a\n````\n", "```\n", "`````\n"];
        assert_eq!(released(&pieces), ["a\n", "", "````\n```\n`````\n"]);
        // A code span is no fence.
        assert_eq!(released(&["a\n```b```\n", "c"]), ["a\n```b```\n", "c"]);
    }

    #[test]
    fn a_fence_that_is_long_before_a_call_goes_out() {
        let head = format!("a\n```\n{}\n", "x".repeat(FENCE_HEAD_BYTES_MAX - 5));
        // Its next line starts as far behind it as may be.
        assert_eq!(released(&[&head, "y\n"]), ["a\n", ""]);
        let more = format!("{head}y\n");
        let out = more.replacen("a\n", "", 1) + "z\n";
        assert_eq!(released(&[&more, "z\n", "- "]), ["a\n", out.as_str(), "-"]);
    }

    #[test]
    fn a_header_is_held_as_long_as_one_can_be() {
        assert_eq!(released(&["a", " ", "t", "o", "p"]), ["a", "", "", "", " top"]);
        assert_eq!(released(&["a<|st", "art|", ">", "b"]), ["a", "", "", ""]);
        assert_eq!(released(&["a <|", "x|> b=c"]), ["a ", "<|x|> b=c"]);
        let name = "é".repeat(HEADER_BYTES_MAX / 2 - 2);
        assert_eq!(released(&["a to=", &name, "bc"]), ["a", "", &format!(" to={name}bc")]);
    }
}
