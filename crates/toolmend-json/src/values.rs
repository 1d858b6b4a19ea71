//! Values that do not start as JSON values do.

use crate::cut::Place;
use crate::ends::string_prefix;
use crate::frame::FrameKind;
use crate::input::{Input, Look, may_be_gap};
use crate::look::Fit;
use crate::machine::{Machine, State};
use crate::quote::Quote;
use crate::tape::Kind;
use crate::{FaultCode, Span};

impl Machine {
    /// A value must come, but none that JSON knows starts here.
    #[inline(never)]
    pub(crate) fn mend_value(&mut self, input: &Input<'_>, byte: u8) -> Look<()> {
        if !input.mends {
            return None;
        }
        let at = self.pos;
        let is_member = self.state == State::MemberValue;
        match byte {
            b'\'' if input.peek(at + 1)? != Some(b'\'') => {
                return self.value_string(input, at, Quote::Single);
            }
            0xe2 if let Some(quote) = Quote::opening(input, at)? => {
                return self.value_string(input, at, quote);
            }
            b'`' if input.peek(at + 1)? != Some(b'`') => {
                return self.value_string(input, at, Quote::Backtick);
            }
            b'0'..=b'9' | b'+' | b'-' | b'T' | b'N' => return self.unquoted(input, at),
            b'a'..=b'z' | b'A'..=b'Z'
                if (is_member || self.anchor.is_none())
                    && !matches!(input.peek(at + 1)?, Some(b'"' | b'\'')) =>
            {
                return self.unquoted(input, at);
            }
            b'u' if input.has(at, "undefined")? => return self.unquoted(input, at),
            _ => {}
        }
        // After a colon a hash is a heading or a colour: a comment there would leave no value.
        let is_colour = byte == b'#' && is_member;
        if !is_colour && self.mend_gap(input)? {
            return Some(());
        }
        match byte {
            b',' | b';' | b'}' | b']' | b')' if is_member => {
                return self.refuse(FaultCode::MissingValue, at, at + 1);
            }
            b'}' | b']' | b')' => return self.close_after_comma(input, byte),
            b',' | b';' => return self.skip_commas(input),
            b':' | b'=' | b'>' if is_member => {
                self.fault(FaultCode::ExtraColon, at, at + 1);
                self.pos += 1;
                return Some(());
            }
            b'(' => {
                self.fault(FaultCode::Tuple, at, at + 1);
                return self.open(FrameKind::Tuple, input);
            }
            b'`' if input.peek(at + 1)? == Some(b'`') && input.has(at, "```")? => {
                return self.code_block(input);
            }
            b'<' => return self.tag_for_value(input),
            b'.' | 0xe2 if input.has(at, "...")? || input.has(at, "…")? => {
                return self.skip_ellipsis(input);
            }
            _ => {}
        }
        if let Some(quote) = Quote::opening(input, at)? {
            return self.value_string(input, at, quote);
        }
        if let Some(width) = string_prefix(input, at)? {
            self.fault(FaultCode::StringPrefix, at, at + width);
            self.pos += width;
            return Some(());
        }
        if let b'r' | b'R' | b'f' | b'F' = byte
            && let Some(quote @ (Quote::Double | Quote::Single)) = Quote::opening(input, at + 1)?
        {
            return self.prefixed_string(input, byte, quote);
        }
        if !is_member && byte.is_ascii_alphabetic() && self.settle_anchor(input)? {
            return Some(());
        }
        self.unquoted(input, at)
    }

    /// A raw Python string is what it says; a formatted one computes something.
    fn prefixed_string(&mut self, input: &Input<'_>, prefix: u8, quote: Quote) -> Look<()> {
        let start = self.pos;
        let Some(end) = input.quoted_end(start + 1, quote)? else {
            return self.end_in_token(input, Place::Literal, start);
        };
        if prefix.eq_ignore_ascii_case(&b'f') {
            return self.refuse(FaultCode::Expression, start, end);
        }
        self.fault(FaultCode::StringPrefix, start, start + 1);
        self.push_verbatim(input.slice(start + 2, end - 1), Span::new(start, end));
        self.go_on(end);
        Some(())
    }

    /// Steps over white space that JSON does not know, or a comment.
    pub(crate) fn mend_gap(&mut self, input: &Input<'_>) -> Look<bool> {
        if !input.peek(self.pos)?.is_some_and(may_be_gap) {
            return Some(false);
        }
        let Some(gap) = input.gap(self.pos)? else { return Some(false) };
        let code = if gap.is_comment { FaultCode::Comment } else { FaultCode::OddSpace };
        self.fault(code, self.pos, gap.end);
        self.pos = gap.end;
        Some(true)
    }

    /// Steps over commas where a member should start.
    pub(crate) fn skip_commas(&mut self, input: &Input<'_>) -> Look<()> {
        let start = self.pos;
        let mut end = start + 1;
        loop {
            let next = input.skip_space(end);
            match input.peek(next)? {
                Some(b',' | b';') => end = next + 1,
                _ => break,
            }
        }
        self.fault(FaultCode::ExtraComma, start, end);
        self.pos = end;
        Some(())
    }

    /// Steps over an ellipsis that stands for members, and refuses one that stands for a value.
    pub(crate) fn skip_ellipsis(&mut self, input: &Input<'_>) -> Look<()> {
        let start = self.pos;
        let mut end = start;
        while input.peek(end)? == Some(b'.') {
            end += 1;
        }
        if input.has(end, "…")? {
            end += "…".len();
        }
        if self.state == State::MemberValue {
            return self.refuse(FaultCode::Placeholder, start, end);
        }
        let next = input.skip_gap(end)?;
        match input.peek(next)? {
            Some(b',') => {
                self.fault(FaultCode::Ellipsis, start, end);
                self.pos = next + 1;
                Some(())
            }
            Some(b'}' | b']' | b')') | None => {
                self.fault(FaultCode::Ellipsis, start, end);
                self.pos = end;
                Some(())
            }
            _ => self.refuse(FaultCode::Placeholder, start, end),
        }
    }

    /// `<your key>` is a placeholder; a closing tag ends the value around it.
    fn tag_for_value(&mut self, input: &Input<'_>) -> Look<()> {
        let at = self.pos;
        if self.state != State::MemberValue && self.ends_root(input)? {
            return Some(());
        }
        let mut end = at + 1;
        loop {
            match input.peek(end)? {
                Some(b'>') => break,
                None | Some(b'\n' | b'<' | b'"' | b',') => return self.unquoted(input, at),
                Some(_) => end += 1,
            }
        }
        self.refuse(FaultCode::Placeholder, at, end + 1)
    }

    /// A fenced block of code stands for a string: its lines are the value.
    fn code_block(&mut self, input: &Input<'_>) -> Look<()> {
        let start = self.pos;
        let Some(line_end) = input.find(start, "\n")? else {
            return self.end_in_token(input, Place::Literal, start);
        };
        let content = line_end + 1;
        let mut from = content;
        loop {
            let Some(fence) = input.find(from, "```")? else {
                return self.end_in_token(input, Place::Literal, start);
            };
            let next = input.skip_gap(fence + 3)?;
            if matches!(input.peek(next)?, None | Some(b',' | b'}' | b']')) {
                let block = input.slice(content, fence);
                let line = block.trim_end_matches([' ', '\t']);
                let code = line.strip_suffix('\n').unwrap_or(block);
                self.fault(FaultCode::CodeBlock, start, fence + 3);
                self.push_verbatim(code, Span::new(start, fence + 3));
                self.go_on(fence + 3);
                return Some(());
            }
            from = fence + 3;
        }
    }

    /// Right after an empty string stands something else: the quotes were doubled or tripled.
    pub(crate) fn mend_empty_string(&mut self, input: &Input<'_>, byte: u8) -> Look<bool> {
        let Some(slot) = self.last_slot(Kind::String) else { return Some(false) };
        let start = slot.span.start as usize;
        let is_empty = slot.span.len() == 2 && slot.span.end as usize == self.pos;
        if !is_empty || input.byte(start) != Some(b'"') {
            return Some(false);
        }
        let quote = match byte {
            b'"' if input.has(start, "\"\"\"\"")? && Self::ends_token(input, start + 4)? => {
                Quote::Doubled
            }
            b'"' => Quote::TripleDouble,
            b',' | b':' | b'}' | b']' | b' ' | b'\n' | b'+' => return Some(false),
            _ => match self.judge_doubled(input, start)? {
                Some(quote) => quote,
                None => return Some(false),
            },
        };
        let is_key = self.state == State::Colon;
        // Only the opening quote is doubled: the string starts with the second.
        let is_half = quote == Quote::Double;
        let faults = self.faults.len();
        if is_half {
            self.fault(FaultCode::DoubledQuotes, start, start + 1);
        }
        let start = start + usize::from(is_half);
        self.tape.slots.pop();
        let outcome = if is_key {
            self.key_string(input, start, quote)
        } else {
            self.value_string(input, start, quote)
        };
        if outcome.is_none() {
            self.tape.slots.push(slot);
            self.faults.truncate(faults);
        }
        outcome.map(|()| true)
    }

    /// How a string is quoted that starts with two quotes: doubled where its next quote is doubled,
    /// plain where that ends the string. Otherwise the second quote is part of it.
    fn judge_doubled(&self, input: &Input<'_>, start: usize) -> Look<Option<Quote>> {
        let Some(end) = input.quoted_end(start + 1, Quote::Double)? else { return Some(None) };
        if input.peek(end)? == Some(b'"') && Self::ends_token(input, end + 1)? {
            return Some(Some(Quote::Doubled));
        }
        let is_key = self.state == State::Colon;
        let next = input.skip_gap(end)?;
        let ends = match input.peek(next)? {
            Some(b':') => is_key,
            _ => !is_key && input.follow(end, self.context())? == Fit::Good,
        };
        Some(ends.then_some(Quote::Double))
    }

    /// Steps over a closing quote that is doubled: `"text"",`.
    pub(crate) fn skip_doubled_quote(&mut self, input: &Input<'_>, byte: u8) -> Look<bool> {
        let at = self.pos;
        let is_beside = self
            .last_slot(Kind::String)
            .is_some_and(|slot| slot.span.end as usize == at && slot.span.len() > 2);
        if byte != b'"' || !is_beside {
            return Some(false);
        }
        let fits = if self.state == State::Colon {
            let next = input.skip_gap(at + 1)?;
            input.peek(next)? == Some(b':')
        } else {
            let is_plain = self.anchor.is_some_and(|anchor| anchor.quote == Quote::Double);
            is_plain && input.follow(at + 1, self.context())? == Fit::Good
        };
        if fits {
            self.fault(FaultCode::DoubledQuotes, at, at + 1);
            self.pos += 1;
            self.anchor = None;
        }
        Some(fits)
    }

    /// Whether a token may end before this place.
    fn ends_token(input: &Input<'_>, at: usize) -> Look<bool> {
        let next = input.skip_gap(at)?;
        Some(matches!(input.peek(next)?, None | Some(b',' | b':' | b'}' | b']')))
    }
}
