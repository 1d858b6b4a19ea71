//! Lines and columns, as editors count them.

use std::fmt;
use std::ops::Range;

/// Characters are counted up to every so many bytes, so that a thousand places in one long line
/// do not count it a thousand times.
const BLOCK: usize = 1024;

/// Where the lines of a text start.
#[derive(Debug)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    /// How many characters start before each block.
    counts: Vec<usize>,
}

/// A place in a text. Both count from one; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

impl<'t> Lines<'t> {
    /// Finds the lines of a text.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        let blocks = text.as_bytes().chunks(BLOCK).scan(0, |before, block| {
            let count = *before;
            *before += characters(block);
            Some(count)
        });
        Self { text, starts, counts: blocks.collect() }
    }

    /// The line, counted from zero, in which a byte stands.
    #[must_use]
    pub fn line_of(&self, at: usize) -> usize {
        self.starts.partition_point(|&start| start <= at).saturating_sub(1)
    }

    /// The bytes of a line, its end left out.
    #[must_use]
    pub fn range(&self, line: usize) -> Range<usize> {
        let start = self.starts.get(line).copied().unwrap_or(self.text.len());
        let next = self.starts.get(line + 1).copied();
        let whole = self.text.get(start..next.unwrap_or(self.text.len())).unwrap_or_default();
        let body = whole.strip_suffix('\n').unwrap_or(whole);
        let body = body.strip_suffix('\r').unwrap_or(body);
        start..start + body.len()
    }

    /// The place of a byte.
    #[must_use]
    pub fn position(&self, at: usize) -> Position {
        let line = self.line_of(at);
        let start = self.starts.get(line).copied().unwrap_or(0);
        let column = self.characters_before(at).saturating_sub(self.characters_before(start)) + 1;
        Position { line: line + 1, column }
    }

    fn characters_before(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        let block = (at / BLOCK).min(self.counts.len().saturating_sub(1));
        let counted = self.counts.get(block).copied().unwrap_or(0);
        let rest = self.text.as_bytes().get(block * BLOCK..at).unwrap_or_default();
        counted + characters(rest)
    }
}

fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::{Lines, Position};

    #[test]
    fn columns_count_characters_and_lines_lose_their_ends() {
        let lines = Lines::of("a\r\néb\n");
        assert_eq!(lines.position(0), Position { line: 1, column: 1 });
        assert_eq!(lines.position(5), Position { line: 2, column: 2 });
        assert_eq!(lines.position(7), Position { line: 3, column: 1 });
        assert_eq!(lines.range(0), 0..1);
        assert_eq!(lines.range(1), 3..6);
        assert_eq!(lines.range(9), 7..7);
    }

    #[test]
    fn columns_are_right_in_long_lines() {
        let text = format!("x\n{}", "é".repeat(5000));
        let lines = Lines::of(&text);
        for index in [0, 1, 511, 512, 513, 1024, 4999, 5000] {
            assert_eq!(lines.position(2 + 2 * index), Position { line: 2, column: index + 1 });
        }
        assert_eq!(Lines::of("").position(0), Position { line: 1, column: 1 });
    }
}
