//! What stands after a value where a comma or the right closer should.

use crate::document::Node;
use crate::frame::{Frame, FrameKind};
use crate::input::{Input, Look};
use crate::look::{self, Fit};
use crate::machine::{Machine, State};
use crate::marks::is_name_byte;
use crate::quote::Quote;
use crate::tape::{Kind, Slot};
use crate::{Fault, FaultCode, Span};

impl Machine {
    /// A comma or a closer must come, but something else stands here.
    #[inline(never)]
    pub(crate) fn mend_after(&mut self, input: &Input<'_>, byte: u8) -> Look<()> {
        if !input.mends {
            return None;
        }
        let at = self.pos;
        if self.mend_empty_string(input, byte)?
            || self.settle_comment(input, byte)?
            || self.mend_gap(input)?
        {
            return Some(());
        }
        match byte {
            b'}' | b']' | b')' => return self.mend_closer(input, byte),
            b';' => return self.other_comma(1),
            0xef if input.has(at, "，")? || input.has(at, "；")? => return self.other_comma(3),
            b'i' | b'o' | b'a' if self.is_condition(input)? => {
                return self.refuse(FaultCode::Expression, at, at + 2);
            }
            b'+' if self.join_strings(input)? => return Some(()),
            b':' if input.value_ahead(at + 1, self.context())? => {
                return self.string_was_key(input);
            }
            b'.' | 0xe2 if input.has(at, "...")? || input.has(at, "…")? => {
                let end = at + 3;
                self.fault(FaultCode::Ellipsis, at, end);
                self.pos = end;
                return Some(());
            }
            _ => {}
        }
        if self.skip_doubled_quote(input, byte)? {
            return Some(());
        }
        let is_plain_member = byte == b'"'
            && self.frames.top().is_some_and(|top| top.kind.is_object())
            && input.key_ahead(at, self.context())? == Fit::Good;
        if is_plain_member {
            self.fault(FaultCode::MissingComma, at, at);
            self.anchor = None;
            self.state = State::Key;
            return Some(());
        }
        if self.settle_anchor(input)? {
            return Some(());
        }
        if byte == b':' {
            return self.string_was_key(input);
        }
        if self.ends_root(input)? || self.start_member(input, byte)? {
            return Some(());
        }
        self.stray_text(input)
    }

    /// What looks like a comment after a string may be part of it, where it holds another quote.
    fn settle_comment(&mut self, input: &Input<'_>, byte: u8) -> Look<bool> {
        let Some(anchor) = self.anchor.filter(|_| matches!(byte, b'#' | b'/')) else {
            return Some(false);
        };
        let Some(gap) = input.gap(self.pos)? else { return Some(false) };
        let comment = input.bytes().get(self.pos..gap.end).unwrap_or_default();
        if memchr::memchr(anchor.quote.byte(), comment).is_none() {
            return Some(false);
        }
        self.settle_anchor(input)
    }

    /// Another sign stands for a comma.
    fn other_comma(&mut self, width: usize) -> Look<()> {
        self.fault(FaultCode::OtherComma, self.pos, self.pos + width);
        let is_object = self.frames.top().is_some_and(|top| top.kind.is_object());
        self.pos += width;
        self.state = if is_object { State::Key } else { State::Item };
        Some(())
    }

    /// `… if … else …`, `… or "…"` and `… and "…"` are Python's.
    fn is_condition(&self, input: &Input<'_>) -> Look<bool> {
        for word in ["or ", "and "] {
            if input.has(self.pos, word)? {
                let next = input.skip_gap(self.pos + word.len())?;
                return Some(Quote::opening(input, next)?.is_some());
            }
        }
        if !input.has(self.pos, "if ")? {
            return Some(false);
        }
        let line_end = input.find(self.pos, "\n")?.unwrap_or(input.len());
        Some(input.slice(self.pos, line_end).contains(" else "))
    }

    /// The comma is missing, and the next member stands here.
    fn start_member(&mut self, input: &Input<'_>, byte: u8) -> Look<bool> {
        let is_object = self.frames.top().is_some_and(|top| top.kind.is_object());
        let before = self.pos.checked_sub(1).and_then(|at| input.byte(at));
        let is_apart = before.is_some_and(|byte| byte.is_ascii_whitespace());
        let context = if is_apart { self.loose_context() } else { self.context() };
        let starts = if is_object {
            input.key_ahead(self.pos, context)? != Fit::No
        } else {
            let is_touching = self.tape.slots.last().is_some_and(|slot| {
                slot.span.end as usize == self.pos && slot.kind != Kind::String
            });
            match byte {
                b'{' | b'[' => true,
                b'-' | b'0'..=b'9' => !is_touching,
                b't' => input.has(self.pos, "true")?,
                b'f' => input.has(self.pos, "false")?,
                b'n' => input.has(self.pos, "null")?,
                _ => Quote::opening(input, self.pos)?.is_some(),
            }
        };
        if starts {
            self.fault(FaultCode::MissingComma, self.pos, self.pos);
            self.anchor = None;
            self.state = if is_object { State::Key } else { State::Item };
        }
        Some(starts)
    }

    /// Text after a number or literal makes the two one unquoted value; elsewhere it is no JSON.
    fn stray_text(&mut self, input: &Input<'_>) -> Look<()> {
        let at = self.pos;
        if let Some(slot) = self.tape.slots.last().copied()
            && matches!(slot.kind, Kind::Number | Kind::True | Kind::False | Kind::Null)
            && input.skip_space(slot.span.end as usize) == at
            && self.bare_end(input, slot.span.start as usize)?.end > at
        {
            self.tape.slots.pop();
            let outcome = self.unquoted_text(input, slot.span.start as usize);
            if outcome.is_none() {
                self.tape.slots.push(slot);
            }
            return outcome;
        }
        let is_operator = input.byte(at).is_some_and(|byte| b"+-*/%|&?.".contains(&byte));
        let code = if is_operator { FaultCode::Expression } else { FaultCode::StrayText };
        self.refuse(code, at, at + 1)
    }

    /// `"a" + "b"` is one string.
    fn join_strings(&mut self, input: &Input<'_>) -> Look<bool> {
        let Some(first) = self.value_before(input, Kind::String)? else { return Some(false) };
        let at = input.skip_gap(self.pos + 1)?;
        let Some(quote) = Quote::opening(input, at)? else { return Some(false) };
        let Some(end) = input.quoted_end(at, quote)? else { return Some(false) };
        let plus = self.pos;
        self.tape.slots.pop();
        let start = first.span.start as usize;
        let content = at + quote.width();
        let content_end = end - quote.width();
        let left = self.tape.take_body(input.text, &first);
        let faults = &mut self.faults;
        let body = self.tape.mend_from(left, |out| {
            let mut speller = crate::escape::Speller { out, faults, quote };
            speller.spell(input.slice(content, content_end), content);
        });
        self.fault(FaultCode::StringJoined, plus, plus + 1);
        self.tape.slots.push(Slot::string(Span::new(start, end), body, true));
        self.go_on(end);
        Some(true)
    }

    /// A colon stands after a string: it was a key. Either the brace before it is missing, or the
    /// list before it was not closed.
    fn string_was_key(&mut self, input: &Input<'_>) -> Look<()> {
        let at = self.pos;
        let Some(key) = self.value_before(input, Kind::String)? else {
            return self.refuse(FaultCode::StrayText, at, at + 1);
        };
        let is_name = self.tape.body(input.text, &key).bytes().all(is_name_byte);
        let Some(top) = self.frames.top().filter(|_| is_name) else {
            return self.refuse(FaultCode::StrayText, at, at + 1);
        };
        let start = key.span.start as usize;
        let open = self.frames.open();
        let parent = open.len().checked_sub(2).and_then(|index| open.get(index)).copied();
        // Among objects it is one more of them; among others it is a member of what is around.
        let first_item = self.tape.slots.get(top.slot as usize + 1);
        let is_first = top.slot as usize + 2 == self.tape.next_index();
        let is_among_objects = first_item.is_some_and(|slot| slot.kind == Kind::Object);
        if !top.kind.is_object() && is_among_objects && self.object_goes_on(input, key) {
            return Some(());
        }
        let leaves_list = !top.kind.is_object()
            && !is_first
            && !is_among_objects
            && parent.is_some_and(|parent| parent.kind.is_object());
        self.tape.slots.pop();
        if leaves_list {
            let comma = input.slice(0, start).trim_end().trim_end_matches(',').len();
            self.fault(FaultCode::MissingCloser, comma, comma);
            self.pop(comma);
        } else {
            if self.frames.depth() >= input.options.limits.depth_max {
                self.refuse_all(FaultCode::TooDeep, start, at);
                return Some(());
            }
            self.fault(FaultCode::MissingOpener, start, start);
            self.push_frame(FrameKind::Object, start);
        }
        self.tape.slots.push(key);
        self.pos = at + 1;
        self.confirm_key();
        Some(())
    }

    /// A key stands in a list of objects. If the object before it ended with two closers and has no
    /// such key, one closer was too many.
    fn object_goes_on(&mut self, input: &Input<'_>, key: Slot) -> bool {
        let comma = input.slice(0, key.span.start as usize).trim_end();
        let Some(before) = comma.strip_suffix(',').map(str::trim_end) else { return false };
        let Some(inner) = before.strip_suffix('}').map(str::trim_end) else { return false };
        let depth = self.frames.depth();
        self.frames.reopen(depth + 1);
        let Some(item) = self.frames.top() else { return false };
        let ends_here = self.tape.slots.get(item.slot as usize).is_some_and(|slot| {
            slot.kind == Kind::Object && slot.span.end as usize == before.len()
        });
        let node = Node { tape: &self.tape, text: input.text, index: item.slot as usize };
        let name = self.tape.body(input.text, &key);
        let has_key = node.members().any(|(key, _)| key.as_str().as_deref() == Some(name));
        if !(ends_here && inner.ends_with('}') && !has_key) {
            self.frames.reopen(depth);
            return false;
        }
        self.fault(FaultCode::ExtraCloser, before.len() - 1, before.len());
        self.pos += 1;
        self.confirm_key();
        true
    }

    /// A closer stands after a comma: the comma is one too many.
    pub(crate) fn close_after_comma(&mut self, input: &Input<'_>, byte: u8) -> Look<()> {
        if matches!(self.state, State::Key | State::Item) {
            let comma = self.comma_before(input);
            let faults = self.faults.len();
            self.fault(FaultCode::TrailingComma, comma, comma + 1);
            let outcome = self.mend_closer(input, byte);
            if outcome.is_none() {
                self.faults.truncate(faults);
            }
            return outcome;
        }
        self.mend_closer(input, byte)
    }

    /// A closer that may not be the one of the innermost container.
    fn mend_closer(&mut self, input: &Input<'_>, closer: u8) -> Look<()> {
        let at = self.pos;
        let Some(top) = self.frames.top() else {
            return self.refuse(FaultCode::StrayText, at, at + 1);
        };
        if top.kind.closer() == closer {
            if top.kind == FrameKind::Bare {
                let start = self.outside.root_start();
                self.fault(FaultCode::MissingOpener, start, start);
            }
            let is_doubled = top.kind == FrameKind::Doubled && input.peek(at + 1)? == Some(closer);
            if is_doubled {
                self.fault(FaultCode::ExtraCloser, at + 1, at + 2);
            }
            self.pop(at + 1 + usize::from(is_doubled));
            return Some(());
        }
        if closer == b')'
            && self.value_before(input, Kind::String)?.is_some()
            && !self.is_closing(input)?
        {
            return self.refuse(FaultCode::StrayText, at, at + 1);
        }
        match self.choose_closing(input, closer)? {
            Closing::Missing => {
                while self.frames.top().is_some_and(|top| top.kind.closer() != closer) {
                    self.fault(FaultCode::MissingCloser, at, at);
                    self.pop(at);
                }
                self.pop(at + 1);
            }
            Closing::Wrong => {
                self.fault(FaultCode::WrongCloser, at, at + 1);
                self.pop(at + 1);
            }
            Closing::Extra => {
                // A lone bracket may as well have lost its partner; a doubled one has not.
                let is_doubled = input.slice(0, at).trim_end().ends_with(char::from(closer));
                let code = match closer {
                    b']' if !is_doubled => FaultCode::UnclearCloser,
                    _ => FaultCode::ExtraCloser,
                };
                self.fault(code, at, at + 1);
                self.pos = at + 1;
                self.state = State::After;
            }
        }
        Some(())
    }

    /// Whether a parenthesis after a string stands for a closer. Code is full of `")`, so it must
    /// stand on a line of its own or before a member, and what follows must be right.
    fn is_closing(&self, input: &Input<'_>) -> Look<bool> {
        let next = input.skip_gap(self.pos + 1)?;
        if input.own_indent(self.pos).is_none() && input.peek(next)? != Some(b',') {
            return Some(false);
        }
        let outer = self.frames.open().split_last().map_or(&[][..], |(_, outer)| outer);
        // Each of many parentheses would look at the same containers again if they could be long.
        input.is_sound_within(next, outer, look::SOUND_BYTES)
    }

    /// Whether a closer stands where the line of the innermost opener starts, and not where that of
    /// the opener of its own kind does.
    fn is_laid_out(&self, input: &Input<'_>, closer: u8) -> bool {
        let open = self.frames.open();
        let own = open.iter().rfind(|frame| frame.kind.closer() == closer);
        let (Some(indent), Some(top), Some(own)) = (input.own_indent(self.pos), open.last(), own)
        else {
            return false;
        };
        let starts_at = |frame: &Frame| input.indent(frame.at as usize);
        starts_at(top) == Some(indent) && starts_at(own).is_some_and(|own| own != indent)
    }

    /// Tells a missing closer from a wrong and an extra one by what the closers after it leave
    /// open, and whether that fits what comes then.
    fn choose_closing(&self, input: &Input<'_>, closer: u8) -> Look<Closing> {
        if self.is_laid_out(input, closer) {
            return Some(Closing::Wrong);
        }
        let open = self.frames.open();
        let (run, after) = input.closers_run(self.pos + 1)?;
        let mut best = (usize::MAX, Closing::Wrong);
        for closing in [Closing::Missing, Closing::Wrong, Closing::Extra] {
            let Some(left) = closing.leaves(open, closer) else { continue };
            for (left, odd) in [look::pop_matching(left, &run), look::pop_each(left, &run)] {
                let fits = look::fits_top(input, after, left.last().map(|frame| frame.kind))?;
                let cost = odd * 2 + if fits { 0 } else { 3 };
                if cost < best.0 {
                    best = (cost, closing);
                }
            }
        }
        Some(best.1)
    }

    /// A fence or a closing tag ends the value although containers are open.
    pub(crate) fn ends_root(&mut self, input: &Input<'_>) -> Look<bool> {
        let at = self.pos;
        let is_end = match input.peek(at)? {
            Some(b'<') => input.has(at, "</")?,
            Some(b'`') => self.outside.is_fenced() && input.has(at, "```")?,
            _ => false,
        };
        if is_end && matches!(self.state, State::FirstKey | State::FirstItem) {
            self.refuse(FaultCode::StrayText, at, at + 1)?;
            return Some(true);
        }
        if is_end {
            let end = input.slice(0, at).trim_end().len();
            if matches!(self.state, State::Key | State::Item) {
                let comma = self.comma_before(input);
                self.fault(FaultCode::TrailingComma, comma, comma + 1);
            }
            while self.frames.depth() > 0 {
                self.fault(FaultCode::MissingCloser, end, end);
                self.pop(end);
            }
            self.pos = at;
        }
        Some(is_end)
    }

    /// Gives up the value that is being read. In prose, where nothing of it was whole yet, it was
    /// no value to begin with and reading goes on; elsewhere the text is refused.
    pub(crate) fn refuse(&mut self, code: FaultCode, start: usize, end: usize) -> Look<()> {
        let fault = Fault { span: Span::new(start, end), code };
        if let Some(root) = self.outside.give_up(self.tape.slots.len()) {
            self.rewind(root.mark);
            self.pos = root.start + 1;
            self.state = State::Outside;
        } else {
            self.refusal = Some(fault);
            self.state = State::End;
        }
        Some(())
    }

    /// Gives up the whole text.
    pub(crate) fn refuse_all(&mut self, code: FaultCode, start: usize, end: usize) {
        self.refusal = Some(Fault { span: Span::new(start, end), code });
        self.state = State::End;
    }
}

/// What a closer means that does not fit the innermost container.
#[derive(Clone, Copy, Debug)]
enum Closing {
    /// The closers of the containers inside its own are missing.
    Missing,
    /// It stands for the right one.
    Wrong,
    /// It is one too many.
    Extra,
}

impl Closing {
    /// The containers that this reading of a closer leaves open.
    fn leaves(self, open: &[Frame], closer: u8) -> Option<&[Frame]> {
        let own = open.iter().rposition(|frame| frame.kind.closer() == closer);
        match self {
            Self::Missing => own.and_then(|index| open.get(..index)),
            Self::Wrong => open.split_last().map(|(_, rest)| rest),
            Self::Extra => Some(open),
        }
    }
}
