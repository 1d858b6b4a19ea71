//! What comes next? Short looks ahead that tell structure from text.
//!
//! Each answer holds for every longer text (see [`Look`]), so it does not matter how the text was
//! cut into chunks.

use crate::frame::{Frame, FrameKind};
use crate::input::{Input, Look};
use crate::quote::{self, Quote};

/// A key is not longer than this where it is used as evidence.
const KEY_BYTES_MAX: usize = 128;

/// How well what follows a place fits a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It makes no sense.
    No,
    /// It could be, if nothing better is found.
    Weak,
    /// It is what should stand there.
    Good,
}

/// What is known about the place from which to look.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The open containers, outermost first.
    pub(crate) frames: &'a [Frame],
    /// Whether this text has keys without quotes.
    pub(crate) has_bare_keys: bool,
    pub(crate) care: Care,
}

/// How much of a member must be right for it to count as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Care {
    /// Its key, its colon and the start of its value.
    Strict,
    /// One of them may be damaged.
    Loose,
}

impl Input<'_> {
    /// Whether a key with its colon and the start of a value stand here.
    pub(crate) fn key_ahead(&self, at: usize, context: Context<'_>) -> Look<Fit> {
        let is_loose = context.care == Care::Loose;
        if is_loose && self.damaged_key_ahead(at)? {
            return Some(Fit::Good);
        }
        let Some((name, end)) = self.key_name(at)? else { return Some(Fit::No) };
        let after = self.skip_gap(end)?;
        let value = match self.peek(after)? {
            Some(b':') => after + 1,
            Some(b'=') => after + 1 + usize::from(self.has(after, "=>")?),
            _ => return Some(Fit::No),
        };
        let is_bare = end == at + name.len();
        let expected = &self.options.expected;
        if expected.has_key(name) {
            return Some(Fit::Good);
        }
        if is_bare && !context.has_bare_keys && !is_loose {
            return Some(Fit::No);
        }
        if !self.value_ahead(value, context)? {
            return Some(Fit::No);
        }
        Some(if expected.names_keys() && !is_loose { Fit::Weak } else { Fit::Good })
    }

    /// Whether a key stands here that lost a quote or its colon.
    fn damaged_key_ahead(&self, at: usize) -> Look<bool> {
        let Some(quote) = Quote::opening(self, at)? else {
            // `name": …`
            let Some((_, end)) = self.bare_name(at)? else { return Some(false) };
            if !matches!(self.peek(end)?, Some(b'"' | b'\'')) {
                return Some(false);
            }
            let colon = self.skip_gap(end + 1)?;
            return Some(matches!(self.peek(colon)?, Some(b':' | b'=')));
        };
        // `"name: …`
        if let Some((_, end)) = self.bare_name(at + quote.width())?
            && self.peek(end)? == Some(b':')
        {
            return Some(true);
        }
        // `"name" "…"`
        let Some((_, end)) = self.key_name(at)? else { return Some(false) };
        let value = self.skip_gap(end)?;
        let starts = match self.peek(value)? {
            Some(b'{' | b'[' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'T' | b'F' | b'N') => {
                true
            }
            Some(b'"') => value > end,
            _ => false,
        };
        Some(starts)
    }

    /// The name of the key that stands here, quoted or not, and where it ends.
    fn key_name(&self, at: usize) -> Look<Option<(&str, usize)>> {
        let Some(quote) = Quote::opening(self, at)? else { return self.bare_name(at) };
        let start = at + quote.width();
        let mut end = start;
        while end - start <= KEY_BYTES_MAX {
            let Some(byte) = self.peek(end)? else { return Some(None) };
            match byte {
                b'\\' if quote == Quote::Escaped && self.has(end, "\\\"")? => {
                    return Some(Some((self.slice(start, end), end + 2)));
                }
                b'\\' => end += 2,
                b'\n' | b'{' | b'}' => return Some(None),
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
    pub(crate) fn string_end(&self, at: usize, quote: Quote) -> Look<Option<usize>> {
        let mut end = at + quote.width();
        while let Some(byte) = self.peek(end)? {
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
        Some(None)
    }

    /// A name without quotes, as JavaScript or YAML would have it.
    pub(crate) fn bare_name(&self, at: usize) -> Look<Option<(&str, usize)>> {
        let mut end = at;
        while end - at <= KEY_BYTES_MAX {
            match self.peek(end)? {
                Some(byte) if is_name_byte(byte) => end += 1,
                _ => break,
            }
        }
        let name = self.slice(at, end);
        let is_name = !name.is_empty() && end - at <= KEY_BYTES_MAX;
        Some(is_name.then_some((name, end)))
    }

    /// Whether a value could start here, after white space.
    fn value_ahead(&self, at: usize, context: Context<'_>) -> Look<bool> {
        let at = self.skip_gap(at)?;
        let Some(byte) = self.peek(at)? else { return Some(true) };
        let is_any = context.has_bare_keys || context.care == Care::Loose;
        Some(match byte {
            b'"' | b'\'' | b'`' | b'{' | b'[' | b'(' | b'-' | b'+' | b'.' | b'0'..=b'9' => true,
            b',' | b':' | b';' | b'=' | b'}' | b']' | b')' | b'>' => false,
            _ if is_any => true,
            _ => self.literal_ahead(at)? || Quote::opening(self, at)?.is_some(),
        })
    }

    /// Whether a literal of JSON or Python stands here.
    pub(crate) fn literal_ahead(&self, at: usize) -> Look<bool> {
        for word in ["true", "false", "null", "True", "False", "None", "NaN"] {
            if self.has(at, word)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// How well what stands here follows a string value.
    pub(crate) fn follow(&self, at: usize, context: Context<'_>) -> Look<Fit> {
        let at = self.skip_gap(at)?;
        let Some(byte) = self.peek(at)? else { return Some(Fit::Weak) };
        let Some(top) = context.frames.last() else { return self.follow_root(at) };
        match byte {
            b',' | b';' => self.follow_comma(at + 1, context),
            b'}' | b']' | b')' => self.follow_closers(at, context),
            b'+' => {
                let next = self.skip_gap(at + 1)?;
                let is_string = Quote::opening(self, next)?.is_some();
                Some(if is_string { Fit::Good } else { Fit::No })
            }
            b'<' => Some(if self.has(at, "</")? { Fit::Weak } else { Fit::No }),
            b'`' if self.has(at, "```")? => Some(Fit::Weak),
            _ if top.kind.is_object() => self.key_ahead(at, context),
            // In a list only a string on a line or after a space of its own is an item.
            _ if Quote::opening(self, at)?.is_some() => self.item_ahead(at, context.care),
            _ => Some(Fit::No),
        }
    }

    /// After a comma: a member must come, or the end of the container.
    fn follow_comma(&self, at: usize, context: Context<'_>) -> Look<Fit> {
        let mut at = self.skip_gap(at)?;
        while self.peek(at)? == Some(b',') {
            at = self.skip_gap(at + 1)?;
        }
        let is_object = context.frames.last().is_none_or(|top| top.kind.is_object());
        match self.peek(at)? {
            None => Some(Fit::Weak),
            Some(b'}' | b']' | b')') => self.follow_closers(at, context),
            _ if is_object => self.key_ahead(at, context),
            _ if Quote::opening(self, at)?.is_some() => self.item_ahead(at, context.care),
            _ if self.value_ahead(at, context)? => Some(Fit::Good),
            _ => Some(Fit::No),
        }
    }

    /// Whether the string that starts here looks like an item of a list: closed on its line, with
    /// a comma or a bracket after it. Longer ones get the benefit of the doubt.
    fn item_ahead(&self, at: usize, care: Care) -> Look<Fit> {
        match self.key_name(at)? {
            None if care == Care::Loose => Some(Fit::Good),
            None => Some(Fit::Weak),
            Some((_, end)) => {
                let after = self.skip_gap(end)?;
                Some(match self.peek(after)? {
                    None | Some(b',' | b']' | b'"' | b'\'' | b'+') => Fit::Good,
                    _ => Fit::No,
                })
            }
        }
    }

    /// After a run of closers: does what is left open fit what comes then?
    fn follow_closers(&self, mut at: usize, context: Context<'_>) -> Look<Fit> {
        let mut open = context.frames;
        let mut best = Fit::Good;
        loop {
            let closer = match self.peek(at)? {
                Some(byte @ (b'}' | b']' | b')')) => byte,
                _ => break,
            };
            match open.split_last() {
                Some((top, rest)) if top.kind.closer() == closer => open = rest,
                Some((_, rest)) => {
                    best = Fit::Weak;
                    open = rest;
                }
                None => best = Fit::Weak,
            }
            at = self.skip_gap(at + 1)?;
        }
        let context = Context { frames: open, ..context };
        let next = match self.peek(at)? {
            None => Fit::Good,
            Some(b',' | b';') if !open.is_empty() => self.follow_comma(at + 1, context)?,
            Some(_) if open.is_empty() => self.follow_root(at)?,
            Some(b'<') if self.has(at, "</")? => Fit::Weak,
            Some(b'`') if self.has(at, "```")? => Fit::Good,
            Some(_) if open.last().is_some_and(|top| top.kind.is_object()) => {
                self.key_ahead(at, context)?
            }
            Some(b'{' | b'[' | b'"') if context.care == Care::Loose => Fit::Good,
            Some(b'{' | b'[' | b'"') => Fit::Weak,
            Some(_) => Fit::No,
        };
        Some(best.min(next))
    }

    /// After the root: anything may stand there but what shows that the root went on.
    fn follow_root(&self, at: usize) -> Look<Fit> {
        Some(match self.peek(at)? {
            Some(b'"' | b'\'' | b',' | b':' | b'}' | b']') => Fit::No,
            _ => Fit::Good,
        })
    }

    /// The closers that stand here in a row, and where the row ends.
    pub(crate) fn closers_run(&self, mut at: usize) -> Look<(Vec<u8>, usize)> {
        let mut run = Vec::new();
        while let Some(byte @ (b'}' | b']' | b')')) = self.peek(at)? {
            run.push(byte);
            at = self.skip_gap(at + 1)?;
        }
        Some((run, at))
    }
}

/// Bytes that a name without quotes may have; every non-ASCII letter is fine.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.') || byte >= 0x80
}

/// The containers that a run of closers leaves open, and how many closers of it fit none.
pub(crate) fn pop_run<'f>(frames: &'f [Frame], run: &[u8]) -> (&'f [Frame], usize) {
    let mut open = frames;
    let mut odd = 0;
    for &closer in run {
        match open.split_last() {
            Some((top, rest)) if top.kind.closer() == closer => open = rest,
            _ => odd += 1,
        }
    }
    (open, odd)
}

/// Whether what comes at this place fits a stack whose top is of this kind.
pub(crate) fn fits_top(input: &Input<'_>, at: usize, top: Option<FrameKind>) -> Look<bool> {
    let context = Context { frames: &[], has_bare_keys: true, care: Care::Loose };
    Some(match (input.peek(at)?, top) {
        (None | Some(b'`' | b'<'), top) => top.is_none(),
        (Some(b','), Some(kind)) => {
            let next = input.skip_gap(at + 1)?;
            let is_key = input.key_ahead(next, context)? != Fit::No;
            is_key == kind.is_object()
        }
        (Some(b','), None) => false,
        (Some(_), top) => top.is_none(),
    })
}
