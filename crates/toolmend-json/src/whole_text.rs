//! Texts that are one scalar as a whole, or members without braces.

use crate::Span;
use crate::frame::FrameKind;
use crate::input::{Input, Look};
use crate::look::Fit;
use crate::machine::{Machine, State};
use crate::marks::is_name_byte;
use crate::quote::Quote;
use crate::tape::{Body, Slot};
use crate::unquoted::{Word, classify};

impl Machine {
    /// The text may be one scalar as a whole, or members without braces.
    pub(crate) fn whole_text(&mut self, input: &Input<'_>, byte: u8) -> Look<bool> {
        if let Some(quote) = Quote::opening(input, self.pos)? {
            return self.whole_string(input, quote);
        }
        let at = self.pos;
        if let Some((name, end)) = input.bare_name(at) {
            let after = input.skip_gap(end)?;
            let is_key = input.peek(after)? == Some(b':')
                && (input.options.expected.has_key(name) || self.is_bare_list(input, after + 1)?);
            if is_key {
                self.begin_root();
                self.push_frame(FrameKind::Bare, at);
                return Some(true);
            }
        }
        if !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')) {
            return Some(false);
        }
        let mut end = at;
        while input.peek(end)?.is_some_and(|byte| byte.is_ascii_graphic() && byte != b'`') {
            end += 1;
        }
        let next = input.skip_gap(end)?;
        let is_whole = input.peek(next)?.is_none() || input.has(next, "```")?;
        Some(is_whole && self.push_scalar(input, at, end))
    }

    /// Whether a scalar stands here and another member after it: members without braces or quotes.
    /// One `name: value` alone is how people introduce things.
    pub(crate) fn is_bare_list(&self, input: &Input<'_>, at: usize) -> Look<bool> {
        let at = input.skip_space(at);
        let is_scalar = !matches!(input.peek(at)?, Some(b'{' | b'['));
        let end = match (input.peek(at)?, Quote::opening(input, at)?) {
            (_, Some(quote)) => input.quoted_end(at, quote)?,
            (Some(b'{' | b'['), None) => input.container_end(at, usize::MAX)?,
            (Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'T' | b'F' | b'N'), None) => {
                let mut end = at;
                while input.peek(end)?.is_some_and(is_name_byte) {
                    end += 1;
                }
                matches!(classify(input.slice(at, end)), Word::Literal(..) | Word::Number(..))
                    .then_some(end)
            }
            _ => None,
        };
        let Some(end) = end else { return Some(false) };
        let after = input.skip_gap(end)?;
        let next = match input.peek(after)? {
            Some(b',') => input.skip_gap(after + 1)?,
            // `First: {…}` on a line of its own is how people introduce a value.
            _ if is_scalar && input.slice(end, after).contains('\n') => after,
            _ => return Some(false),
        };
        Some(input.key_ahead(next, self.loose_context())? != Fit::No)
    }

    /// Puts a scalar on the tape that is the whole text.
    pub(crate) fn push_scalar(&mut self, input: &Input<'_>, start: usize, end: usize) -> bool {
        let raw = input.slice(start, end);
        let span = Span::new(start, end);
        let slot = match classify(raw) {
            Word::Literal(kind, code) => {
                self.fault_if(code, start, end);
                Some(Slot::literal(kind, span))
            }
            Word::Number(_, None) => Some(Slot::number(span, Body::Text(span))),
            Word::Number(digits, code) => {
                self.fault_if(code, start, end);
                Some(Slot::number(span, self.tape.mend(|out| out.push_str(&digits))))
            }
            _ => None,
        };
        let Some(slot) = slot else { return false };
        self.begin_root();
        self.push_value(slot, end);
        self.end_scalar();
        true
    }

    pub(crate) fn end_scalar(&mut self) {
        self.anchor = None;
        self.state = State::Outside;
        self.root_done(self.pos);
    }

    /// A string starts the text: it is the text, or the key of members without braces, or prose.
    pub(crate) fn whole_string(&mut self, input: &Input<'_>, quote: Quote) -> Look<bool> {
        let at = self.pos;
        // A value in backticks is code in prose, not a string.
        if quote == Quote::Backtick && matches!(input.peek(at + 1)?, Some(b'{' | b'[')) {
            return Some(false);
        }
        let Some(end) = input.quoted_end(at, quote)? else {
            if input.text.contains('{') {
                return Some(false);
            }
            self.begin_root();
            self.settle_string(input, at, quote)?;
            return Some(true);
        };
        let after = input.skip_gap(end)?;
        match input.peek(after)? {
            Some(b':') => {
                self.begin_root();
                self.push_frame(FrameKind::Bare, at);
                Some(true)
            }
            next if next.is_none() || input.has(after, "```")? => {
                self.begin_root();
                self.value_string(input, at, quote)?;
                self.end_scalar();
                Some(true)
            }
            _ => Some(false),
        }
    }
}
