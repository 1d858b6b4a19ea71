//! Goes back over a string that ended too early, or not at all.

use crate::cut::Place;
use crate::escape::hex;
use crate::input::{Input, Look};
use crate::machine::{Machine, State};
use crate::quote::Quote;
use crate::string_end::{Ending, Search, StringEnd};
use crate::{FaultCode, Span, is_valid};

/// Looking for better ends of strings may cost this many bytes per byte read, and then some.
const LOOKS_PER_BYTE: usize = 4;
const LOOKS_FREE: usize = 64 * 1024;

impl Machine {
    /// What follows the last string value makes no sense. Looks whether the string ends elsewhere;
    /// tells whether it does and was read again.
    pub(crate) fn settle_anchor(&mut self, input: &Input<'_>) -> Look<bool> {
        let Some(anchor) = self.anchor else { return Some(false) };
        let depth = self.frames.depth();
        self.frames.reopen(anchor.mark.depth());
        let found = self.search(input, anchor.start(), anchor.quote).value_end();
        self.frames.reopen(depth);
        let end = found?;
        self.looked += end.looked;
        self.anchor = None;
        let is_same = end.ending == Ending::Quoted && end.content_end == anchor.end();
        if is_same {
            return Some(false);
        }
        // The text ends with a closer, so it was not cut: the fault is elsewhere.
        if end.ending == Ending::Cut && input.text.trim_end().ends_with(['}', ']']) {
            return Some(false);
        }
        self.rewind(anchor.mark);
        self.finish_value(input, anchor.start(), anchor.quote, end);
        Some(true)
    }

    /// Reads a value string that has no closing quote at all, or none that can be trusted.
    pub(crate) fn settle_string(
        &mut self,
        input: &Input<'_>,
        start: usize,
        quote: Quote,
    ) -> Look<()> {
        let end = self.search(input, start, quote).value_end()?;
        self.looked += end.looked;
        self.finish_value(input, start, quote, end);
        Some(())
    }

    /// Reads a key that has no closing quote. It lost it if a value and just the closers that are due
    /// follow its colon; otherwise the text was cut in it.
    pub(crate) fn unclosed_key(
        &mut self,
        input: &Input<'_>,
        start: usize,
        quote: Quote,
    ) -> Look<()> {
        let content = start + quote.width();
        if let Some((_, end)) = input.bare_name(content)
            && input.has(end, ":")?
            && self.ends_with_value(input, end + 1)
        {
            return self.settle_key(input, start, quote);
        }
        self.end_in_token(input, Place::Key, start)
    }

    /// Whether the rest of the text is a value and the closers of all that is open.
    fn ends_with_value(&self, input: &Input<'_>, at: usize) -> bool {
        let mut rest = input.rest(at).trim();
        for frame in self.frames.open() {
            match rest.strip_suffix(char::from(frame.kind.closer())) {
                Some(less) => rest = less.trim_end(),
                None => return false,
            }
        }
        !rest.starts_with('"') && is_valid(rest)
    }

    /// Reads a key whose closing quote has no colon after it.
    pub(crate) fn settle_key(&mut self, input: &Input<'_>, start: usize, quote: Quote) -> Look<()> {
        match self.search(input, start, quote).key_end()? {
            Some(end) => {
                self.push_ended(input, start, quote, end);
                self.state = State::Colon;
                self.pos = end.next;
                self.key_anchor = None;
                Some(())
            }
            None => self.end_in_token(input, Place::Key, start),
        }
    }

    /// A search for the end of the string that starts here.
    pub(crate) fn search<'a>(
        &'a self,
        input: &Input<'a>,
        start: usize,
        quote: Quote,
    ) -> Search<'a> {
        let may_look = self.looked <= LOOKS_PER_BYTE * start + LOOKS_FREE;
        Search { input: *input, context: self.context(), quote, start, may_look }
    }

    fn finish_value(&mut self, input: &Input<'_>, start: usize, quote: Quote, end: StringEnd) {
        if end.ending == Ending::Cut {
            let place =
                if cut_escape(input, start).is_some() { Place::Escape } else { Place::String };
            self.end_in_token(input, place, start);
            return;
        }
        self.push_ended(input, start, quote, end);
        self.pos = end.next;
        self.state = State::After;
        if self.frames.depth() == 0 {
            self.root_done(end.next);
        }
    }

    fn push_ended(&mut self, input: &Input<'_>, start: usize, quote: Quote, end: StringEnd) {
        let content = start + quote.width();
        let raw = input.slice(content, end.content_end);
        if let Some(code) = quote.fault() {
            self.fault(code, start, end.next);
        }
        if end.ending == Ending::Bare {
            self.fault(FaultCode::MissingQuote, start, end.next);
        }
        if end.is_unclear {
            self.fault(FaultCode::UnclearEnd, start, end.next);
        }
        self.push_content(raw, content, Span::new(start, end.next), quote);
    }
}

/// Where the unfinished escape starts with which the text ends, if it does, in the string that
/// starts at `start`. Half of a surrogate pair is unfinished too.
pub(crate) fn cut_escape(input: &Input<'_>, start: usize) -> Option<usize> {
    let bytes = input.bytes();
    let from = bytes.len().saturating_sub(11).max(start);
    let mut found = None;
    for at in from..bytes.len() {
        let run = bytes.get(start..at).unwrap_or_default();
        let is_escaped = run.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1;
        let escape = bytes.get(at..).unwrap_or_default();
        if escape.first() == Some(&b'\\') && !is_escaped && is_unfinished(escape) {
            found = found.or(Some(at));
        }
    }
    found
}

/// Whether this is the beginning of an escape, or of a pair of them, and nothing else.
fn is_unfinished(escape: &[u8]) -> bool {
    match (escape.get(1), escape.get(2..6)) {
        (None, _) | (Some(b'u'), None) => true,
        (Some(b'u'), Some(digits)) => {
            let is_high = hex(digits).is_some_and(|code| (0xd800..0xdc00).contains(&code));
            let rest = escape.get(6..).unwrap_or_default();
            let is_half = rest.is_empty() || rest == b"\\" || rest.starts_with(b"\\u");
            is_high && is_half && rest.len() < 6
        }
        (Some(_), _) => false,
    }
}
