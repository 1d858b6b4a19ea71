//! The reader's one loop. Each state has a strict arm for what valid JSON has there; everything
//! else goes to a mending arm in a file of its own. There is no second parser for broken text.
//!
//! Mending arms are never inlined: the loop would save and restore their registers at each step.

use crate::cut::{Cut, Open, Place};
use crate::escape::push_fault;
use crate::frame::{Frame, FrameKind, Frames};
use crate::input::{Input, Look};
use crate::look::{Care, Context};
use crate::outside::Outside;
use crate::quote::Quote;
use crate::scan;
use crate::span::clamp;
use crate::strings::Scanning;
use crate::tape::{Body, Kind, Slot, Tape};
use crate::{Fault, FaultCode, Span};

/// What the machine waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// A value to start, or the end of the text.
    Outside,
    /// A key or a closer, right after the opener.
    FirstKey,
    /// A key, after a comma.
    Key,
    /// A colon.
    Colon,
    /// The value of a member.
    MemberValue,
    /// An item or a closer, right after the opener.
    FirstItem,
    /// An item, after a comma.
    Item,
    /// A comma or a closer.
    After,
    /// Nothing: reading is over.
    End,
}

/// The last string value, as long as later text may show that it did not end where it seemed to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Anchor {
    start: u32,
    end: u32,
    pub(crate) quote: Quote,
    pub(crate) mark: Mark,
}

impl Anchor {
    pub(crate) fn new(start: usize, end: usize, quote: Quote, mark: Mark) -> Self {
        Self { start: clamp(start), end: clamp(end), quote, mark }
    }

    /// Where its opening quote stands.
    pub(crate) fn start(&self) -> usize {
        self.start as usize
    }

    /// Where its characters seemed to end.
    pub(crate) fn end(&self) -> usize {
        self.end as usize
    }
}

/// A state to which the machine can go back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    slots: u32,
    mended: u32,
    faults: u32,
    depth: u32,
}

/// The reader's state between chunks. All of it but the tape and the faults is bounded by depth.
#[derive(Debug)]
pub(crate) struct Machine {
    pub(crate) tape: Tape,
    pub(crate) faults: Vec<Fault>,
    pub(crate) frames: Frames,
    pub(crate) state: State,
    pub(crate) pos: usize,
    pub(crate) anchor: Option<Anchor>,
    /// The last key, as long as its colon has not come.
    pub(crate) key_anchor: Option<Anchor>,
    pub(crate) outside: Outside,
    pub(crate) cut: Option<Cut>,
    pub(crate) refusal: Option<Fault>,
    pub(crate) has_bare_keys: bool,
    /// Bytes looked at to settle where strings end. It pays for itself as reading goes on.
    pub(crate) looked: usize,
    pub(crate) scanning: Option<Scanning>,
    /// With less text than this, trying again is pointless: keeps waiting linear.
    retry_at: usize,
}

impl Machine {
    /// A machine for about so many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            tape: Tape::with_room_for(bytes),
            faults: Vec::new(),
            frames: Frames::with_room(),
            state: State::Outside,
            pos: 0,
            anchor: None,
            key_anchor: None,
            outside: Outside::default(),
            cut: None,
            refusal: None,
            has_bare_keys: false,
            looked: 0,
            scanning: None,
            retry_at: 0,
        }
    }

    /// Reads as far as the text allows.
    pub(crate) fn run(&mut self, input: Input<'_>) {
        if input.len() < self.retry_at && !input.ended {
            return;
        }
        if self.steps(&input, false).is_none() {
            // A string knows where to go on; any other look is tried again only when the
            // undecided stretch has doubled.
            let from = self.anchor.map_or(self.pos, |anchor| anchor.start());
            let undecided = input.len().saturating_sub(from);
            let goes_on = self.scanning.is_some() || self.pos >= input.len();
            self.retry_at = if goes_on { 0 } else { input.len() + undecided / 2 };
        }
    }

    /// Reads the list or the object that the text starts with, where nothing is to be mended; where it ends,
    /// if nothing in it is wrong.
    pub(crate) fn run_to_root(&mut self, input: &Input<'_>) -> Option<usize> {
        if !matches!(input.byte(0), Some(b'{' | b'[')) {
            return None;
        }
        self.steps(input, true)?;
        let root = self.outside.roots.first().filter(|root| root.span.start == 0);
        root.filter(|_| self.faults.is_empty()).map(|root| root.span.end as usize)
    }

    /// Steps on to the end, or to the first whole value or fault.
    fn steps(&mut self, input: &Input<'_>, is_first_wanted: bool) -> Look<()> {
        while self.state != State::End {
            let is_first = !self.outside.roots.is_empty() || !self.faults.is_empty();
            if is_first_wanted && is_first {
                break;
            }
            self.step(input)?;
        }
        Some(())
    }

    #[inline]
    fn step(&mut self, input: &Input<'_>) -> Look<()> {
        match self.state {
            State::After => self.after(input),
            State::Key | State::FirstKey => self.key(input),
            State::Colon => self.colon(input),
            State::MemberValue | State::Item | State::FirstItem => self.value(input),
            State::Outside => self.outside(input),
            State::End => None,
        }
    }

    #[inline]
    fn key(&mut self, input: &Input<'_>) -> Look<()> {
        self.pos = input.skip_space(self.pos);
        match input.byte(self.pos) {
            Some(b'"') => match self.plain_end(input) {
                Some(end) if input.byte(end + 1) == Some(b':') => {
                    self.push_plain(end);
                    self.pos = end + 2;
                    self.confirm_key();
                    Some(())
                }
                Some(end) => {
                    self.key_anchor = Some(self.push_anchored(end));
                    self.state = State::Colon;
                    Some(())
                }
                None => self.key_string(input, self.pos, Quote::Double),
            },
            Some(b'}') if self.state == State::FirstKey && self.top_is(FrameKind::Object) => {
                self.pop(self.pos + 1);
                Some(())
            }
            Some(byte) => self.mend_key(input, byte),
            None if self.state == State::Key => self.end_in(input, Place::AfterComma),
            None => self.end_in(input, Place::AfterOpener),
        }
    }

    #[inline]
    fn colon(&mut self, input: &Input<'_>) -> Look<()> {
        self.pos = input.skip_space(self.pos);
        match input.byte(self.pos) {
            Some(b':') => {
                self.pos += 1;
                self.confirm_key();
                Some(())
            }
            Some(byte) => self.mend_colon(input, byte),
            None => self.end_in(input, Place::AfterKey),
        }
    }

    #[inline]
    fn value(&mut self, input: &Input<'_>) -> Look<()> {
        self.pos = input.skip_space(self.pos);
        let at = self.pos;
        let Some(byte) = input.byte(at) else { return self.end_in(input, self.value_place()) };
        match byte {
            b'"' => match self.plain_end(input) {
                Some(end) => {
                    self.anchor = Some(self.push_anchored(end));
                    self.state = State::After;
                    Some(())
                }
                None => self.value_string(input, at, Quote::Double),
            },
            b'{' => self.open(FrameKind::Object, input),
            b'[' => self.open(FrameKind::Array, input),
            b'-' | b'0'..=b'9' => match scan::number_end(input.bytes(), at) {
                Some(end) if is_delimiter(input.byte(end)) => {
                    let span = Span::new(at, end);
                    self.push_value(Slot::number(span, Body::Text(span)).plain(), end);
                    Some(())
                }
                _ => self.mend_value(input, byte),
            },
            b't' => self.literal(input, b"true", Kind::True),
            b'f' => self.literal(input, b"false", Kind::False),
            b'n' => self.literal(input, b"null", Kind::Null),
            b']' if self.state == State::FirstItem && self.top_is(FrameKind::Array) => {
                self.pop(at + 1);
                Some(())
            }
            _ => self.mend_value(input, byte),
        }
    }

    #[inline]
    fn after(&mut self, input: &Input<'_>) -> Look<()> {
        self.pos = input.skip_space(self.pos);
        let Some(top) = self.frames.top() else {
            self.state = State::Outside;
            return Some(());
        };
        match (input.byte(self.pos), top.kind) {
            (Some(b','), kind) => {
                self.pos += 1;
                self.state = if kind.is_object() { State::Key } else { State::Item };
                Some(())
            }
            (Some(b'}'), FrameKind::Object) | (Some(b']'), FrameKind::Array) => {
                self.pop(self.pos + 1);
                Some(())
            }
            (Some(byte), _) => self.mend_after(input, byte),
            (None, _) => self.end_after_value(input),
        }
    }

    /// The text stops after a value. A quote with which it stops may as well open a part of the
    /// string before it, if it looks so or the text has stray quotes.
    #[inline(never)]
    fn end_after_value(&mut self, input: &Input<'_>) -> Look<()> {
        let root = self.outside.root_start();
        let has_stray =
            self.faults.iter().rev().take_while(|f| f.span.start as usize >= root).any(|fault| {
                matches!(fault.code, FaultCode::UnescapedQuote | FaultCode::MissingQuote)
            });
        if input.ended
            && let Some(slot) = self.value_before(input, Kind::String)?
        {
            let end = slot.span.end as usize;
            let before = input.slice(slot.span.start as usize, end.saturating_sub(1));
            let opens = before.len() > 1
                && before.ends_with([' ', '=', '(', '[', '{', ',', ':', '>', '\\']);
            if opens || has_stray {
                self.tape.slots.pop();
                self.faults.retain(|fault| fault.span.start < slot.span.start);
                return self.end_in_token(input, Place::String, slot.span.start as usize);
            }
        }
        self.end_in(input, Place::Between)
    }

    fn literal(&mut self, input: &Input<'_>, word: &[u8], kind: Kind) -> Look<()> {
        let at = self.pos;
        let end = at + word.len();
        if input.bytes().get(at..end) == Some(word) && is_delimiter(input.byte(end)) {
            self.push_value(Slot::literal(kind, Span::new(at, end)).plain(), end);
            return Some(());
        }
        let rest = input.bytes().get(at..).unwrap_or_default();
        if !input.ended && rest.len() <= word.len() && word.starts_with(rest) {
            return None;
        }
        self.mend_value(input, word.first().copied().unwrap_or_default())
    }

    /// Opens a container.
    pub(crate) fn open(&mut self, kind: FrameKind, input: &Input<'_>) -> Look<()> {
        if self.frames.depth() >= input.options.limits.depth_max {
            self.refuse_all(FaultCode::TooDeep, self.pos, self.pos + 1);
            return Some(());
        }
        self.anchor = None;
        self.push_frame(kind, self.pos);
        self.pos += 1;
        Some(())
    }

    /// Puts a container on the tape and the stack.
    pub(crate) fn push_frame(&mut self, kind: FrameKind, at: usize) {
        let slot = clamp(self.tape.next_index());
        self.tape.slots.push(Slot::opened(kind.tape_kind(), at));
        self.frames.push(Frame { kind, slot, at: clamp(at) });
        self.state = if kind.is_object() { State::FirstKey } else { State::FirstItem };
    }

    /// Ends the innermost container before the byte `end`.
    pub(crate) fn pop(&mut self, end: usize) {
        if let Some(frame) = self.frames.pop() {
            self.tape.close(frame.slot as usize, end);
        }
        self.pos = end;
        self.state = if self.frames.depth() == 0 { State::Outside } else { State::After };
        if self.frames.depth() == 0 {
            self.root_done(end);
        }
    }

    /// Puts a value on the tape and goes on after it.
    pub(crate) fn push_value(&mut self, slot: Slot, next: usize) {
        self.tape.slots.push(slot);
        self.go_on(next);
    }

    /// Goes on after the value on top of the tape, whose end is certain.
    pub(crate) fn go_on(&mut self, next: usize) {
        self.anchor = None;
        self.pos = next;
        self.state = State::After;
    }

    /// The key on top of the tape has its colon: nothing before it can change any more.
    pub(crate) fn confirm_key(&mut self) {
        self.anchor = None;
        self.state = State::MemberValue;
    }

    pub(crate) fn fault(&mut self, code: FaultCode, start: usize, end: usize) {
        push_fault(&mut self.faults, code, start, end);
    }

    pub(crate) fn fault_if(&mut self, code: Option<FaultCode>, start: usize, end: usize) {
        if let Some(code) = code {
            self.fault(code, start, end);
        }
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark {
            slots: clamp(self.tape.slots.len()),
            mended: clamp(self.tape.mended.len()),
            faults: clamp(self.faults.len()),
            depth: clamp(self.frames.depth()),
        }
    }

    /// Forgets all that was read since the mark was made.
    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.tape.slots.truncate(mark.slots());
        self.tape.mended.truncate(mark.mended as usize);
        self.faults.truncate(mark.faults as usize);
        self.frames.reopen(mark.depth());
        self.anchor = None;
        self.scanning = None;
    }

    pub(crate) fn top_is(&self, kind: FrameKind) -> bool {
        self.frames.top().is_some_and(|top| top.kind == kind)
    }

    /// From where looks ahead are taken.
    pub(crate) fn context(&self) -> Context<'_> {
        let has_bare_keys = self.has_bare_keys;
        Context { frames: self.frames.open(), has_bare_keys, care: Care::Strict }
    }

    /// The same, where a member may be damaged.
    pub(crate) fn loose_context(&self) -> Context<'_> {
        Context { care: Care::Loose, ..self.context() }
    }

    /// The last slot, if it is of this kind.
    pub(crate) fn last_slot(&self, kind: Kind) -> Option<Slot> {
        self.tape.slots.last().copied().filter(|slot| slot.kind == kind)
    }

    /// The same, if nothing but a gap stands between it and this place: no container was closed
    /// since.
    pub(crate) fn value_before(&self, input: &Input<'_>, kind: Kind) -> Look<Option<Slot>> {
        let Some(slot) = self.last_slot(kind) else { return Some(None) };
        let next = input.skip_gap(slot.span.end as usize)?;
        Some((next == self.pos).then_some(slot))
    }

    fn value_place(&self) -> Place {
        match self.state {
            State::MemberValue => Place::AfterColon,
            State::FirstItem => Place::AfterOpener,
            _ => Place::AfterComma,
        }
    }

    /// The text stops here: waits if more may come, else notes the cut between tokens.
    pub(crate) fn end_in(&mut self, input: &Input<'_>, place: Place) -> Look<()> {
        self.end_in_token(input, place, self.pos)
    }

    /// The text stops inside the token that starts at `start`.
    #[inline(never)]
    pub(crate) fn end_in_token(
        &mut self,
        input: &Input<'_>,
        place: Place,
        start: usize,
    ) -> Look<()> {
        if !input.ended {
            return None;
        }
        if self.frames.open().iter().all(|frame| frame.kind == FrameKind::Bare)
            && matches!(place, Place::Between | Place::AfterComma)
        {
            if place == Place::AfterComma {
                self.fault(FaultCode::TrailingComma, self.comma_before(input), self.pos);
            }
            self.fault(FaultCode::NoBraces, self.outside.root_start(), input.len());
            while self.frames.depth() > 0 {
                self.pop(input.len());
            }
            return Some(());
        }
        let open = self.frames.open().iter();
        let open = open.map(|frame| Open { at: frame.at, is_array: !frame.kind.is_object() });
        let token = Span::new(start, input.len());
        let is_doubtful = self.faults.iter().any(|fault| {
            matches!(
                fault.code,
                FaultCode::MissingOpener
                    | FaultCode::MissingQuote
                    | FaultCode::UnescapedQuote
                    | FaultCode::WrongCloser
            )
        });
        self.cut = Some(Cut { place, token, open: open.collect(), is_doubtful });
        self.state = State::End;
        Some(())
    }

    /// Where the comma stands that the machine has just passed.
    pub(crate) fn comma_before(&self, input: &Input<'_>) -> usize {
        let before = input.slice(0, self.pos);
        before.rfind([',', ';']).unwrap_or(self.pos)
    }
}

impl Mark {
    /// How many containers were open.
    pub(crate) fn depth(self) -> usize {
        self.depth as usize
    }

    /// How many slots the tape had.
    pub(crate) fn slots(self) -> usize {
        self.slots as usize
    }
}

/// Whether a number or literal may end before this byte; the end of the text so far is not enough.
fn is_delimiter(byte: Option<u8>) -> bool {
    matches!(byte, Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t'))
}
