//! The text as the machine sees it: what has come so far, and whether more may come.

use crate::Options;

/// An answer that may need more text than has come. `None` means: ask again when there is more.
///
/// An answer, once given, holds for every longer text. That is what makes reading chunk-blind.
pub(crate) type Look<T> = Option<T>;

/// What has come of the text so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'t> {
    pub(crate) text: &'t str,
    /// Whether this is all of the text.
    pub(crate) ended: bool,
    /// Whether what is wrong is to be mended; else it ends reading.
    pub(crate) mends: bool,
    pub(crate) options: &'t Options,
}

/// A comment is no longer: its end is looked for again wherever one might begin.
const COMMENT_BYTES_MAX: usize = 1 << 12;
/// How far back the start of a line is looked for.
const LINE_BYTES: usize = 256;

impl<'t> Input<'t> {
    pub(crate) fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes()
    }

    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The byte at a place, if it has come.
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        self.bytes().get(at).copied()
    }

    /// The byte at a place; `Some(None)` is the end of the text.
    pub(crate) fn peek(&self, at: usize) -> Look<Option<u8>> {
        match self.byte(at) {
            None if !self.ended => None,
            byte => Some(byte),
        }
    }

    /// The text between two places; empty where they are not on characters.
    pub(crate) fn slice(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The text from a place on.
    pub(crate) fn rest(&self, start: usize) -> &'t str {
        self.text.get(start..).unwrap_or_default()
    }

    /// Whether a word stands at a place.
    pub(crate) fn has(&self, at: usize, word: &str) -> Look<bool> {
        let here = self.bytes().get(at..).unwrap_or_default();
        if here.len() >= word.len() || self.ended {
            return Some(here.starts_with(word.as_bytes()));
        }
        if word.as_bytes().starts_with(here) { None } else { Some(false) }
    }

    /// The place of the next `needle` from `at` on; `Some(None)` if there is none.
    pub(crate) fn find(&self, at: usize, needle: &str) -> Look<Option<usize>> {
        let rest = self.bytes().get(at..).unwrap_or_default();
        match find_short(rest, needle.as_bytes()) {
            None if !self.ended => None,
            found => Some(found.map(|offset| at + offset)),
        }
    }

    /// The same no further than a comment is long.
    fn find_near(&self, at: usize, needle: &str) -> Look<Option<usize>> {
        let rest = self.bytes().get(at..).unwrap_or_default();
        let near = rest.get(..COMMENT_BYTES_MAX).unwrap_or(rest);
        match find_short(near, needle.as_bytes()) {
            None if !self.ended && near.len() < COMMENT_BYTES_MAX => None,
            found => Some(found.map(|offset| at + offset)),
        }
    }

    /// The white space at the start of the line on which this place is; `None` where the line is
    /// long.
    pub(crate) fn indent(&self, at: usize) -> Option<&'t [u8]> {
        let window = at.saturating_sub(LINE_BYTES);
        let before = self.bytes().get(window..at)?;
        let start = match memchr::memrchr(b'\n', before) {
            Some(offset) => window + offset + 1,
            None if window == 0 => 0,
            None => return None,
        };
        let line = self.bytes().get(start..at)?;
        let end = line.iter().position(|byte| !matches!(byte, b' ' | b'\t'));
        line.get(..end.unwrap_or(line.len()))
    }

    /// The same where nothing else stands before this place on its line.
    pub(crate) fn own_indent(&self, at: usize) -> Option<&'t [u8]> {
        let indent = self.indent(at)?;
        let start = at.checked_sub(indent.len() + 1)?;
        (self.byte(start) == Some(b'\n')).then_some(indent)
    }

    /// The place after JSON's own white space.
    pub(crate) fn skip_space(&self, mut at: usize) -> usize {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.byte(at) {
            at += 1;
        }
        at
    }

    /// The place after white space of any kind and comments: where the next token starts, or the
    /// end of the text.
    pub(crate) fn skip_gap(&self, mut at: usize) -> Look<usize> {
        loop {
            at = self.skip_space(at);
            if !self.peek(at)?.is_some_and(may_be_gap) {
                return Some(at);
            }
            match self.gap(at)? {
                Some(gap) => at = gap.end,
                None => return Some(at),
            }
        }
    }

    /// What stands between tokens at this place although JSON does not know it.
    pub(crate) fn gap(&self, at: usize) -> Look<Option<Gap>> {
        let Some(first) = self.peek(at)? else { return Some(None) };
        let comment = |end: Option<usize>| Some(end.map(|end| Gap { end, is_comment: true }));
        match first {
            // A comment must end, and soon: one that would swallow the rest is none.
            b'#' => comment(self.find_near(at, "\n")?),
            b'/' => match self.peek(at + 1)? {
                Some(b'/') => comment(self.find_near(at, "\n")?),
                Some(b'*') => comment(self.find_near(at + 2, "*/")?.map(|close| close + 2)),
                _ => Some(None),
            },
            // A line break that was escaped although it stands outside of any string.
            b'\\' => match self.peek(at + 1)? {
                Some(b'n' | b'r' | b't') => Some(Some(Gap { end: at + 2, is_comment: false })),
                _ => Some(None),
            },
            0x0b | 0x0c | 0x80.. => {
                let end = self.rest(at).chars().next().filter(|c| is_odd_space(*c));
                Some(end.map(|c| Gap { end: at + c.len_utf8(), is_comment: false }))
            }
            _ => Some(None),
        }
    }
}

/// The first place of a few bytes whose first one is rare. A searcher for any bytes takes longer to
/// make than most texts to search.
fn find_short(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    memchr::memchr_iter(first, bytes)
        .find(|&at| bytes.get(at..).is_some_and(|rest| rest.starts_with(needle)))
}

/// Whether a gap may start with this byte.
pub(crate) const fn may_be_gap(byte: u8) -> bool {
    matches!(byte, b'#' | b'/' | b'\\' | 0x0b | 0x0c | 0x80..)
}

/// A stretch between tokens that is not JSON white space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gap {
    pub(crate) end: usize,
    pub(crate) is_comment: bool,
}

fn is_odd_space(c: char) -> bool {
    matches!(c, '\u{b}' | '\u{c}' | '\u{200b}' | '\u{feff}') || (c.is_whitespace() && !c.is_ascii())
}
