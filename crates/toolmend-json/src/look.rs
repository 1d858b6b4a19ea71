//! What comes next? Short looks ahead that tell structure from text.
//!
//! Each answer holds for every longer text (see [`Look`]), so it does not matter how the text was
//! cut into chunks.

use crate::ends::string_prefix;
use crate::frame::{Frame, FrameKind};
use crate::input::{Input, Look};
use crate::quote::Quote;

/// How far members are looked at to tell whether they are sound.
pub(crate) const SOUND_BYTES: usize = 2048;

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
    /// Its key and its colon: values may have no quotes.
    AnyValue,
    /// One of them may be damaged.
    Loose,
}

impl Input<'_> {
    /// Whether a key with its colon and the start of a value stand here.
    pub(crate) fn key_ahead(&self, at: usize, context: Context<'_>) -> Look<Fit> {
        let fit = self.whole_key_ahead(at, context)?;
        let is_damaged =
            fit == Fit::No && context.care == Care::Loose && self.damaged_key_ahead(at)?;
        Some(if is_damaged { Fit::Good } else { fit })
    }

    /// The same for a key with all its parts.
    fn whole_key_ahead(&self, at: usize, context: Context<'_>) -> Look<Fit> {
        let is_loose = context.care == Care::Loose;
        let at = at + string_prefix(self, at)?.unwrap_or_default();
        let expected = &self.options.expected;
        // Nothing would make a name without quotes a key.
        let is_quoted_only = !context.has_bare_keys && !is_loose && !expected.names_keys();
        if is_quoted_only && self.peek(at)?.is_some_and(is_name_start) {
            return Some(Fit::No);
        }
        let Some((name, end)) = self.key_name(at)? else { return Some(Fit::No) };
        let after = self.skip_gap(end)?;
        let value = match self.peek(after)? {
            Some(b':') => after + 1,
            Some(b'=') => after + 1 + usize::from(self.has(after, "=>")?),
            _ => return Some(Fit::No),
        };
        let is_bare = end == at + name.len();
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
            let end = self.spelt_name_end(at)?;
            if end == at || !matches!(self.peek(end)?, Some(b'"' | b'\'')) {
                return Some(false);
            }
            let colon = self.skip_gap(end + 1)?;
            return Some(matches!(self.peek(colon)?, Some(b':' | b'=')));
        };
        // `"name: …`
        let start = at + quote.width();
        let end = self.spelt_name_end(start)?;
        if end > start && self.peek(end)? == Some(b':') {
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

    /// Whether a value could start here, after white space.
    pub(crate) fn value_ahead(&self, at: usize, context: Context<'_>) -> Look<bool> {
        let at = self.skip_gap(at)?;
        let Some(byte) = self.peek(at)? else { return Some(true) };
        let is_any = context.has_bare_keys || context.care != Care::Strict;
        Some(match byte {
            b'"' | b'\'' | b'`' | b'{' | b'[' | b'(' | b'-' | b'+' | b'.' | b'0'..=b'9' => true,
            b',' | b':' | b';' | b'=' | b'}' | b']' | b')' | b'>' => false,
            _ if is_any => true,
            _ => {
                self.literal_ahead(at)?
                    || string_prefix(self, at)?.is_some()
                    || Quote::opening(self, at)?.is_some()
            }
        })
    }

    /// Whether a literal of JSON or Python stands here.
    pub(crate) fn literal_ahead(&self, at: usize) -> Look<bool> {
        let rest = self.rest(at);
        for word in ["true", "false", "null", "True", "False", "None", "NaN"] {
            // The text may end inside a literal.
            let is_cut = !rest.is_empty() && word.starts_with(rest);
            if self.has(at, word)? || is_cut {
                return Some(true);
            }
        }
        Some(false)
    }

    /// How well what stands here follows a string value.
    pub(crate) fn follow(&self, start: usize, context: Context<'_>) -> Look<Fit> {
        let at = self.skip_gap(start)?;
        let Some(byte) = self.peek(at)? else { return Some(Fit::Weak) };
        let Some(top) = context.frames.last() else { return self.follow_root(at) };
        match byte {
            b',' | b';' => self.follow_comma(at + 1, context),
            b'}' | b']' => self.follow_closers(at, context),
            b')' if top.kind.closer() == b')' => self.follow_closers(at, context),
            b'+' => {
                let next = self.skip_gap(at + 1)?;
                let is_string = Quote::opening(self, next)?.is_some();
                Some(if is_string { Fit::Good } else { Fit::No })
            }
            b'<' => Some(if self.has(at, "</")? { Fit::Weak } else { Fit::No }),
            b'`' if self.has(at, "```")? => Some(Fit::Weak),
            _ if top.kind.is_object() => {
                // Without a comma, only a line break makes a damaged key likely.
                let is_new_line = self.slice(start, at).contains('\n');
                let care = if is_new_line { context.care } else { Care::Strict };
                self.key_ahead(at, Context { care, ..context })
            }
            // In a list only a string on a line or after a space of its own is an item.
            _ if Quote::opening(self, at)?.is_some() => self.item_ahead(at, context.care),
            _ if at > start => self.scalar_item_ahead(at),
            _ => Some(Fit::No),
        }
    }

    /// Whether numbers or literals stand here that are items of a list whose commas are missing.
    fn scalar_item_ahead(&self, start: usize) -> Look<Fit> {
        let mut at = start;
        while at < start + SOUND_BYTES {
            let end = match self.peek(at)? {
                Some(b'-' | b'0'..=b'9') => self.number_end(at)?,
                Some(b't' | b'f' | b'n') => {
                    let end = self.word_end(at)?;
                    matches!(self.slice(at, end), "true" | "false" | "null").then_some(end)
                }
                _ => None,
            };
            let Some(end) = end else { return Some(Fit::No) };
            let after = self.skip_space(end);
            let is_line = self.slice(end, after).contains('\n');
            match self.peek(after)? {
                Some(b']') => return Some(Fit::Good),
                Some(b',') => {
                    let is_list = self.list_ends(end)?;
                    return Some(if is_list { Fit::Good } else { Fit::Weak });
                }
                Some(b'"' | b'\'' | b'{' | b'[') if is_line => return Some(Fit::Good),
                Some(_) if after > end => at = after,
                _ => return Some(Fit::No),
            }
        }
        Some(Fit::No)
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
        if let Some((_, end)) = self.key_name(at)? {
            return Some(if self.item_ends(end)? { Fit::Good } else { Fit::No });
        }
        if care == Care::Loose {
            return Some(Fit::Good);
        }
        // Braces in it may be those of code around it.
        let Some(quote) = Quote::opening(self, at)? else { return Some(Fit::Weak) };
        let Some((_, end)) = self.short_string(at, quote, b"\n")? else { return Some(Fit::Weak) };
        Some(if self.item_ends(end)? { Fit::Good } else { Fit::Weak })
    }

    /// Whether an item of a list may end before this place.
    fn item_ends(&self, at: usize) -> Look<bool> {
        let after = self.skip_gap(at)?;
        Some(matches!(self.peek(after)?, None | Some(b',' | b']' | b'"' | b'\'' | b'+')))
    }

    /// After a run of closers: does what is left open fit what comes then?
    fn follow_closers(&self, mut at: usize, context: Context<'_>) -> Look<Fit> {
        let mut open = context.frames;
        let mut best = Fit::Good;
        let has_tuple = context.frames.iter().any(|frame| frame.kind.closer() == b')');
        while let Some(closer @ (b'}' | b']' | b')')) = self.peek(at)? {
            if closer == b')' && !has_tuple {
                break;
            }
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

    /// Whether a few members from here on are as JSON has them, up to the end of their container.
    pub(crate) fn is_sound(&self, start: usize, frames: &[Frame]) -> Look<bool> {
        self.is_sound_within(start, frames, usize::MAX)
    }

    /// The same, and none of the containers there is longer than so many bytes.
    pub(crate) fn is_sound_within(
        &self,
        start: usize,
        frames: &[Frame],
        bytes_max: usize,
    ) -> Look<bool> {
        let mut open = frames;
        let mut at = start;
        while at < start + SOUND_BYTES {
            at = self.skip_gap(at)?;
            let Some(top) = open.last() else { return Some(self.follow_root(at)? == Fit::Good) };
            match self.peek(at)? {
                Some(b',') => {
                    let member = self.skip_gap(at + 1)?;
                    match self.sound_member(member, top.kind, bytes_max)? {
                        Some(end) => at = end,
                        None => return Some(false),
                    }
                }
                Some(byte) if byte == top.kind.closer() => {
                    open = open.split_last().map_or(&[][..], |(_, rest)| rest);
                    at += 1;
                }
                _ => return Some(false),
            }
        }
        Some(true)
    }

    /// The end of the member that stands here, if it is as JSON has it.
    fn sound_member(&self, at: usize, kind: FrameKind, bytes_max: usize) -> Look<Option<usize>> {
        let mut value = at;
        if kind.is_object() {
            if self.peek(at)? != Some(b'"') {
                return Some(None);
            }
            let Some((_, end)) = self.key_name(at)? else { return Some(None) };
            let colon = self.skip_gap(end)?;
            if self.peek(colon)? != Some(b':') {
                return Some(None);
            }
            value = self.skip_gap(colon + 1)?;
        }
        match self.peek(value)? {
            Some(b'"') => self.quoted_end(value, Quote::Double),
            Some(b'{' | b'[') => self.container_end(value, bytes_max),
            Some(b'-' | b'0'..=b'9') => self.number_end(value),
            Some(b't') => Some(self.has(value, "true")?.then_some(value + 4)),
            Some(b'f') => Some(self.has(value, "false")?.then_some(value + 5)),
            Some(b'n') => Some(self.has(value, "null")?.then_some(value + 4)),
            _ => Some(None),
        }
    }

    /// Whether items of a list stand here after one, up to a closing bracket.
    pub(crate) fn list_ends(&self, start: usize) -> Look<bool> {
        let mut at = self.skip_gap(start)?;
        while at < start + SOUND_BYTES {
            match self.peek(at)? {
                Some(b']') => return Some(true),
                Some(b',') => {
                    let item = self.skip_gap(at + 1)?;
                    match self.sound_member(item, FrameKind::Array, usize::MAX)? {
                        Some(end) => at = self.skip_gap(end)?,
                        None => return Some(false),
                    }
                }
                _ => return Some(false),
            }
        }
        Some(false)
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
        while let Some(byte @ (b'}' | b']')) = self.peek(at)? {
            run.push(byte);
            at = self.skip_gap(at + 1)?;
        }
        Some((run, at))
    }
}

/// The containers that a run of closers leaves open, and how many closers of it fit none and are
/// passed over.
pub(crate) fn pop_matching<'f>(frames: &'f [Frame], run: &[u8]) -> (&'f [Frame], usize) {
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

/// The same, where each closer closes something, whatever it is.
pub(crate) fn pop_each<'f>(frames: &'f [Frame], run: &[u8]) -> (&'f [Frame], usize) {
    let mut open = frames;
    let mut odd = 0;
    for &closer in run {
        let Some((top, rest)) = open.split_last() else { return (open, run.len()) };
        odd += usize::from(top.kind.closer() != closer);
        open = rest;
    }
    (open, odd)
}

/// Whether a name may start with this byte, and no quote does.
const fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.')
}

/// Whether what comes at this place fits a stack whose top is of this kind.
pub(crate) fn fits_top(input: &Input<'_>, at: usize, top: Option<FrameKind>) -> Look<bool> {
    let context = Context { frames: &[], has_bare_keys: true, care: Care::Loose };
    Some(match (input.peek(at)?, top) {
        (Some(b','), Some(kind)) => {
            let next = input.skip_gap(at + 1)?;
            let is_key = input.key_ahead(next, context)? != Fit::No;
            is_key == kind.is_object()
        }
        (Some(b','), None) => false,
        (_, top) => top.is_none(),
    })
}
