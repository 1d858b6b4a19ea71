//! What of the content may go out while the turn is still coming: all but what may yet go away
//! with a call.

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
    /// Where the line starts that is still coming.
    line: usize,
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
        self.read_lines(text);
        let end = self.held_from(text).max(self.released);
        let out = text.get(self.released..end).unwrap_or_default();
        self.released = end;
        out
    }

    /// Takes note of the fences in whole lines.
    fn read_lines(&mut self, text: &str) {
        while let Some(line) = text.get(self.line..).and_then(|rest| {
            let end = memchr(rest)?;
            rest.get(..end)
        }) {
            let start = self.line;
            self.line += line.len() + 1;
            self.read_line(line, start);
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
    fn held_from(&self, text: &str) -> usize {
        // An answer of nothing but white space is none.
        if self.released == 0 && text.trim().is_empty() {
            return 0;
        }
        if let Some(fence) = self.fence.as_ref().filter(|fence| fence.is_head) {
            return fence.start;
        }
        let line = text.get(self.line..).unwrap_or_default();
        let is_mark = line.trim_start().starts_with(['`', '~']);
        if self.fence.is_none() && is_mark && may_open(line) {
            return self.line;
        }
        text.len() - header(text).unwrap_or(0)
    }
}

fn memchr(text: &str) -> Option<usize> {
    text.bytes().position(|byte| byte == b'\n')
}

/// Whether a line that is still coming may be a fence, or a tick before a call.
fn may_open(line: &str) -> bool {
    let line = line.trim_start();
    let rest = line.trim_start_matches(['`', '~']);
    line.len() - rest.len() >= 3 || rest.is_empty()
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
    let at = tail.rfind("<|start|>").or_else(|| tail.rfind(" to="));
    if let Some(at) = at {
        return Some(tail.len() - at);
    }
    let starts = ["<|start|>", " to="];
    let halves = starts.iter().flat_map(|whole| {
        (1..whole.len())
            .filter(|&length| whole.get(..length).is_some_and(|half| tail.ends_with(half)))
    });
    halves.max()
}
