//! Where a token ends that stands at a place, its quotes and brackets taken at their word.

use crate::escape;
use crate::input::{Input, Look};
use crate::marks::is_name_byte;
use crate::quote::{self, Quote};
use crate::scan;

/// A key is not longer than this where it is used as evidence.
const KEY_BYTES_MAX: usize = 128;

impl Input<'_> {
    /// The name of the key that stands here, quoted or not, and where it ends.
    pub(crate) fn key_name(&self, at: usize) -> Look<Option<(&str, usize)>> {
        match Quote::opening(self, at)? {
            Some(quote) => self.short_string(at, quote, b"\n{}"),
            None => Some(self.bare_name(at)),
        }
    }

    /// The characters of the string that stands here and where it ends, if it is short and has none of
    /// these bytes.
    pub(crate) fn short_string(
        &self,
        at: usize,
        quote: Quote,
        stops: &[u8],
    ) -> Look<Option<(&str, usize)>> {
        let start = at + quote.width();
        // Bytes of a typographic quote could be of a name.
        let limit = start + KEY_BYTES_MAX + 1;
        let mut end = if quote.byte().is_ascii() { self.skip_name(start, limit) } else { start };
        while end - start <= KEY_BYTES_MAX {
            let Some(byte) = self.peek(end)? else { return Some(None) };
            match byte {
                b'\\' if quote == Quote::Escaped && self.has(end, "\\\"")? => {
                    return Some(Some((self.slice(start, end), end + 2)));
                }
                b'\\' => end += 2,
                _ if stops.contains(&byte) => return Some(None),
                _ if byte == quote.byte() => match quote.closing(self, end)? {
                    Some(width) => return Some(Some((self.slice(start, end), end + width))),
                    None => end += 1,
                },
                _ => end += 1,
            }
        }
        Some(None)
    }

    /// The end of the string that starts here, its quotes taken at their word.
    pub(crate) fn quoted_end(&self, at: usize, quote: Quote) -> Look<Option<usize>> {
        let mut end = at + quote.width();
        loop {
            end = scan::find_special(self.bytes(), end, quote.byte());
            let Some(byte) = self.peek(end)? else { return Some(None) };
            let is_escape = byte == b'\\';
            if quote == Quote::Escaped && is_escape {
                let run = quote::backslash_run(self, end)?;
                if run.closes {
                    return Some(Some(run.end));
                }
                end = run.end;
                continue;
            }
            if byte == quote.byte()
                && let Some(width) = quote.closing(self, end)?
            {
                return Some(Some(end + width));
            }
            end += 1 + usize::from(is_escape);
        }
    }

    /// A name without quotes, as JavaScript or YAML would have it. It may go on where the text does: what
    /// stands behind it must be looked at.
    pub(crate) fn bare_name(&self, at: usize) -> Option<(&str, usize)> {
        let end = self.skip_name(at, at + KEY_BYTES_MAX + 1);
        let name = self.slice(at, end);
        let is_name = !name.is_empty() && end - at <= KEY_BYTES_MAX;
        is_name.then_some((name, end))
    }

    /// The place after bytes of a name, none of which is looked at from `limit` on.
    fn skip_name(&self, at: usize, limit: usize) -> usize {
        let rest = self.bytes().get(at..limit.min(self.len())).unwrap_or_default();
        at + rest.iter().position(|&byte| !is_name_byte(byte)).unwrap_or(rest.len())
    }

    /// How many bytes the next character of a name takes, which may be escaped by its number; 0 if
    /// none stands here.
    pub(crate) fn name_width(&self, at: usize) -> Look<usize> {
        match self.peek(at)? {
            Some(b'\\') if self.peek(at + 1)? == Some(b'u') => {
                // A pair of escapes takes twelve bytes.
                self.peek(at + 11)?;
                let escape = self.bytes().get(at..).unwrap_or_default();
                Some(escape::valid_width(escape).unwrap_or_default())
            }
            Some(byte) => Some(usize::from(is_name_byte(byte))),
            None => Some(0),
        }
    }

    /// The end of the name that stands here, some characters of which may be escaped by number.
    pub(crate) fn spelt_name_end(&self, at: usize) -> Look<usize> {
        let limit = at + KEY_BYTES_MAX + 1;
        let mut end = self.skip_name(at, limit);
        while end < limit {
            match self.name_width(end)? {
                0 => break,
                width => end = self.skip_name(end + width, limit),
            }
        }
        Some(end)
    }

    /// The end of the number that stands here.
    pub(crate) fn number_end(&self, at: usize) -> Look<Option<usize>> {
        let mut end = at;
        while let Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E') = self.peek(end)? {
            end += 1;
        }
        Some(scan::number_end(self.bytes(), at))
    }

    /// The end of the word or number that stands here.
    pub(crate) fn word_end(&self, at: usize) -> Look<usize> {
        let mut end = at;
        while self.peek(end)?.is_some_and(|byte| is_name_byte(byte) || byte == b'+') {
            end += 1;
        }
        Some(end)
    }

    /// The end of the container that opens here, by its brackets alone, if it is not longer than so
    /// many bytes.
    pub(crate) fn container_end(&self, at: usize, bytes_max: usize) -> Look<Option<usize>> {
        let mut depth = 0_usize;
        let mut end = at;
        while let Some(byte) = self.peek(end)?
            && end - at < bytes_max
        {
            match byte {
                b'"' => match self.quoted_end(end, Quote::Double)? {
                    Some(close) => {
                        end = close;
                        continue;
                    }
                    None => return Some(None),
                },
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            end += 1;
            if depth == 0 {
                return Some(Some(end));
            }
        }
        Some(None)
    }
}

/// The width of a Python string prefix (`u'…'`, `b"…"`) that stands here.
pub(crate) fn string_prefix(input: &Input<'_>, at: usize) -> Look<Option<usize>> {
    Some(match input.peek(at)? {
        Some(b'u' | b'U' | b'b' | b'B') if matches!(input.peek(at + 1)?, Some(b'"' | b'\'')) => {
            Some(1)
        }
        _ => None,
    })
}
