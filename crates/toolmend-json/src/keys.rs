//! Keys and colons that are not as JSON has them.

use crate::ends::string_prefix;
use crate::frame::FrameKind;
use crate::input::{Input, Look};
use crate::look::Fit;
use crate::machine::{Machine, State};
use crate::marks::is_name_byte;
use crate::quote::Quote;
use crate::tape::{Body, Kind, Slot};
use crate::{FaultCode, Span, number};

impl Machine {
    /// A key must come, but no double quote stands here.
    #[inline(never)]
    pub(crate) fn mend_key(&mut self, input: &Input<'_>, byte: u8) -> Look<()> {
        if !input.mends {
            return None;
        }
        let quote = match byte {
            b'\'' | b'`' if input.peek(self.pos + 1)? == Some(byte) => None,
            b'\'' | b'`' | 0xe2 => Quote::opening(input, self.pos)?,
            _ => None,
        };
        if let Some(quote) = quote {
            return self.key_string(input, self.pos, quote);
        }
        if (byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'\\'))
            && self.plain_bare_key(input)?
        {
            return Some(());
        }
        if self.mend_gap(input)? {
            return Some(());
        }
        match byte {
            b'}' | b']' | b')' => return self.close_after_comma(input, byte),
            b',' | b';' => return self.skip_commas(input),
            b'{' => return self.brace_for_key(input),
            b'.' | 0xe2 if input.has(self.pos, "...")? || input.has(self.pos, "…")? => {
                return self.skip_ellipsis(input);
            }
            _ => {}
        }
        if self.ends_root(input)? {
            return Some(());
        }
        if let Some(quote) = Quote::opening(input, self.pos)? {
            return self.key_string(input, self.pos, quote);
        }
        if let Some(width) = string_prefix(input, self.pos)? {
            self.fault(FaultCode::StringPrefix, self.pos, self.pos + width);
            self.pos += width;
            return Some(());
        }
        // Where a key follows in any form, the string before the comma ended where it seemed to.
        let is_member = input.key_ahead(self.pos, self.loose_context())? != Fit::No;
        if !is_member
            && (self.open_list(input, 1)?
                || self.settle_anchor(input)?
                || self.join_thousands(input)?)
        {
            return Some(());
        }
        self.bare_key(input)
    }

    /// Reads a key that lacks its first quote or, where others do, both, and has its colon at once.
    fn plain_bare_key(&mut self, input: &Input<'_>) -> Look<bool> {
        let start = self.pos;
        let end = input.spelt_name_end(start)?;
        let name = input.slice(start, end);
        if !name.is_ascii() {
            return Some(false);
        }
        let code = match input.peek(end)? {
            Some(b':') if self.has_bare_keys && !name.contains('\\') => FaultCode::UnquotedKey,
            // A single letter may be the prefix of a string.
            Some(b'"') if name.len() > 1 && input.peek(end + 1)? == Some(b':') => {
                FaultCode::MissingQuote
            }
            _ => return Some(false),
        };
        let next = if code == FaultCode::MissingQuote { end + 1 } else { end };
        self.push_bare_key(code, start, name, next);
        Some(true)
    }

    /// Puts a key without quotes on the tape.
    fn push_bare_key(&mut self, code: FaultCode, start: usize, name: &str, next: usize) {
        let span = Span::new(start, start + name.len());
        self.fault(
            code,
            start,
            if code == FaultCode::MissingQuote { next } else { span.end as usize },
        );
        self.tape.slots.push(Slot::string(span, Body::Text(span), name.contains('\\')));
        self.has_bare_keys |= code == FaultCode::UnquotedKey;
        self.pos = next;
        self.state = State::Colon;
        self.key_anchor = None;
    }

    /// Reads a key without quotes, or with only its closing one.
    fn bare_key(&mut self, input: &Input<'_>) -> Look<()> {
        let start = self.pos;
        let mut end = start;
        loop {
            match input.peek(end)? {
                Some(byte) if is_name_byte(byte) || byte == b' ' => end += 1,
                Some(b'"' | b'\'' | b':' | b'=') if end > start => break,
                None => return self.end_in_token(input, crate::Place::Key, start),
                Some(b':') => return self.refuse(FaultCode::MissingKey, start, start + 1),
                Some(_) => return self.refuse(FaultCode::StrayText, start, end.max(start + 1)),
            }
            if end - start > 128 {
                return self.refuse(FaultCode::StrayText, start, end);
            }
        }
        let name = input.slice(start, end).trim_end();
        let is_half_quoted = matches!(input.byte(end), Some(b'"' | b'\''));
        let next = if is_half_quoted { end + 1 } else { end };
        if is_half_quoted && !matches!(input.peek(input.skip_gap(next)?)?, Some(b':' | b'=')) {
            return self.refuse(FaultCode::StrayText, start, next);
        }
        let code = if is_half_quoted { FaultCode::MissingQuote } else { FaultCode::UnquotedKey };
        self.push_bare_key(code, start, name, next);
        Some(())
    }

    /// An opening brace stands for a key: it is doubled, or the object before it lost its closer.
    fn brace_for_key(&mut self, input: &Input<'_>) -> Look<()> {
        let at = self.pos;
        let next = input.skip_gap(at + 1)?;
        let context = self.loose_context();
        let is_key = input.key_ahead(next, context)? != Fit::No;
        // `{{}}` is empty where other braces are doubled; elsewhere it is a template's.
        let is_empty = self.frames.open().iter().any(|frame| frame.kind == FrameKind::Doubled)
            && input.has(next, "}}")?;
        if self.state == State::FirstKey && (is_key || is_empty) {
            self.fault(FaultCode::ExtraOpener, at, at + 1);
            self.frames.double_top();
            self.pos = at + 1;
            return Some(());
        }
        let open = self.frames.open();
        let parent = open.len().checked_sub(2).and_then(|index| open.get(index));
        if self.state == State::Key && is_key && parent.is_some_and(|frame| !frame.kind.is_object())
        {
            let comma = self.comma_before(input);
            self.fault(FaultCode::MissingCloser, comma, comma);
            self.pop(comma);
            self.pos = at;
            self.state = State::Item;
            return Some(());
        }
        // `{{name}}` is a template's.
        let is_template = match input.bare_name(next) {
            Some((_, end)) => input.has(end, "}}")?,
            None => false,
        };
        let code = if is_template { FaultCode::Placeholder } else { FaultCode::MissingKey };
        self.refuse(code, at, at + 1)
    }

    /// `1,000` as the value of a member: the comma belongs to the number.
    fn join_thousands(&mut self, input: &Input<'_>) -> Look<bool> {
        let Some(slot) = self.last_slot(Kind::Number) else { return Some(false) };
        let start = slot.span.start as usize;
        let at = self.pos;
        // Only digits go on with a number. Without any, it would be read once more and for ever.
        if input.slice(slot.span.end as usize, at) != ","
            || !input.peek(at)?.is_some_and(|byte| byte.is_ascii_digit())
        {
            return Some(false);
        }
        let mut end = at;
        while input
            .peek(end)?
            .is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b',' | b'.'))
        {
            end += 1;
        }
        let token = input.slice(start, end).trim_end_matches(',');
        let Some(digits) = number::without_commas(token) else { return Some(false) };
        let end = start + token.len();
        self.tape.slots.pop();
        self.fault(FaultCode::ThousandsComma, start, end);
        let body = self.tape.mend(|out| out.push_str(&digits));
        self.push_value(Slot::number(Span::new(start, end), body), end);
        Some(true)
    }

    /// A colon must come after the key on top of the tape, but none stands here.
    #[inline(never)]
    pub(crate) fn mend_colon(&mut self, input: &Input<'_>, byte: u8) -> Look<()> {
        if !input.mends {
            return None;
        }
        if self.skip_doubled_quote(input, byte)?
            || self.mend_empty_string(input, byte)?
            || self.key_holds_colon(input)?
            || self.mend_gap(input)?
        {
            return Some(());
        }
        if byte == 0xef && input.has(self.pos, "：")? {
            self.fault(FaultCode::OtherColon, self.pos, self.pos + 3);
            self.pos += 3;
            self.confirm_key();
            return Some(());
        }
        if byte == b'=' {
            let width = 1 + usize::from(input.has(self.pos, "=>")?);
            self.fault(FaultCode::OtherColon, self.pos, self.pos + width);
            self.pos += width;
            self.confirm_key();
            return Some(());
        }
        if self.is_plain_value(input, byte)? {
            self.fault(FaultCode::MissingColon, self.pos, self.pos);
            self.confirm_key();
            return Some(());
        }
        if self.open_list(input, 2)? || self.settle_anchor(input)? {
            return Some(());
        }
        if let Some(anchor) = self.key_anchor.take() {
            let end = self.search(input, anchor.start(), anchor.quote).key_end();
            let Some(end) = end else {
                self.key_anchor = Some(anchor);
                return None;
            };
            if end.is_some() {
                let outer = self.anchor;
                self.rewind(anchor.mark);
                self.anchor = outer;
                return self.settle_key(input, anchor.start(), anchor.quote);
            }
        }
        let code = match byte {
            b',' | b'}' | b';' => FaultCode::MissingValue,
            _ => FaultCode::StrayText,
        };
        self.refuse(code, self.pos, self.pos + 1)
    }

    /// `"name: "` before a value is a key that lost its closing quote.
    fn key_holds_colon(&mut self, input: &Input<'_>) -> Look<bool> {
        let Some(anchor) = self.key_anchor else { return Some(false) };
        let content = anchor.start() + anchor.quote.width();
        // The value may be a list whose first item starts with what seemed to be the closing quote.
        let is_opener = |c: char| matches!(c, '[' | '{') || c.is_whitespace();
        let key = input.slice(content, anchor.end()).trim_end_matches(is_opener);
        let Some(quoted) = key.strip_suffix(':').map(str::trim_end) else { return Some(false) };
        // The closing quote may stand there, of another kind or escaped.
        let name = quoted.trim_end_matches(['\'', '`', '’', '”', '"']).trim_end_matches('\\');
        if name.is_empty() || !is_name(input, content, content + name.len())? {
            return Some(false);
        }
        let outer = self.anchor;
        self.rewind(anchor.mark);
        self.anchor = outer;
        let next = content + quoted.len();
        self.fault(FaultCode::MissingQuote, anchor.start(), next);
        let body = Body::Text(Span::new(content, content + name.len()));
        let is_escaped = name.contains('\\');
        self.tape.slots.push(Slot::string(Span::new(anchor.start(), next), body, is_escaped));
        self.pos = next;
        self.key_anchor = None;
        Some(true)
    }

    /// The last `count` scalars on the tape and those that follow are a list that lost its opening
    /// bracket.
    fn open_list(&mut self, input: &Input<'_>, count: usize) -> Look<bool> {
        let Some(first) = self.tape.next_index().checked_sub(count) else { return Some(false) };
        let is_scalar = |slot: &Slot| !matches!(slot.kind, Kind::Object | Kind::Array);
        let Some(slot) = self.tape.slots.get(first).copied().filter(is_scalar) else {
            return Some(false);
        };
        let has_key = self.frames.top().is_some_and(|top| first > top.slot as usize + 1);
        let next = self.tape.slots.get(first + 1).map_or(self.pos, |slot| slot.span.start as usize);
        let end = slot.span.end as usize;
        let is_beside = input.slice(end, next).trim() == ",";
        if !has_key || !is_beside || !input.list_ends(end)? {
            return Some(false);
        }
        let items = self.tape.slots.split_off(first);
        self.push_frame(FrameKind::Array, slot.span.start as usize);
        let last = items.last().map_or(end, |item| item.span.end as usize);
        self.tape.slots.extend(items);
        self.fault(FaultCode::MissingOpener, slot.span.start as usize, slot.span.start as usize);
        self.go_on(last);
        Some(true)
    }

    /// Whether a whole value stands here, so that only the colon before it is missing.
    fn is_plain_value(&self, input: &Input<'_>, byte: u8) -> Look<bool> {
        let at = self.pos;
        let ends_member = |end: usize| -> Look<bool> {
            let after = input.skip_gap(end)?;
            Some(matches!(input.peek(after)?, None | Some(b',' | b'}' | b']')))
        };
        match byte {
            b'{' | b'[' => Some(true),
            b'-' | b'0'..=b'9' => match input.number_end(at)? {
                Some(end) => ends_member(end),
                None => Some(false),
            },
            b't' | b'f' | b'n' | b'T' | b'F' | b'N' => {
                for word in ["true", "false", "null", "True", "False", "None"] {
                    if input.has(at, word)? {
                        return ends_member(at + word.len());
                    }
                }
                Some(false)
            }
            _ => match Quote::opening(input, at)? {
                Some(quote) => match input.quoted_end(at, quote)? {
                    Some(end) => ends_member(end),
                    None => Some(false),
                },
                None => Some(false),
            },
        }
    }
}

/// Whether a name and nothing else stands between two places.
fn is_name(input: &Input<'_>, start: usize, end: usize) -> Look<bool> {
    let mut at = start;
    while at < end {
        match input.name_width(at)? {
            0 => return Some(false),
            width => at += width,
        }
    }
    Some(true)
}
