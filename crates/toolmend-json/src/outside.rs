//! What stands around values: prose, fences, reasoning, and other values.

use crate::frame::FrameKind;
use crate::input::{Input, Look};
use crate::look::{Context, Fit};
use crate::machine::{Machine, Mark, State};
use crate::marks::is_name_byte;
use crate::tape::Kind;
use crate::{FaultCode, Span};

/// The marks between which models think aloud.
const THINK_MARKS: [(&str, &str); 11] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<seed:think>", "</seed:think>"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|thinking|>", "<|/thinking|>"),
    ("◁think▷", "◁/think▷"),
    ("[THINK]", "[/THINK]"),
];

/// A value that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) start: usize,
    pub(crate) mark: Mark,
}

/// A whole value of the text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Root {
    pub(crate) slot: usize,
    pub(crate) span: Span,
}

/// What stands before this place, white space aside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Before {
    /// The start of the text, a fence or a block of reasoning.
    #[default]
    Start,
    /// Text that is no JSON and may go on.
    Prose,
    /// A value, and perhaps closers that are too many.
    Root,
}

/// Where the machine is between values.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    pub(crate) roots: Vec<Root>,
    pub(crate) current: Option<Start>,
    /// Whether text that is no JSON came before this place.
    pub(crate) is_prose: bool,
    before: Before,
    is_fenced: bool,
    tries: usize,
    /// The rows of the marks of reasoning that open but never close: a bit each.
    unclosed_marks: u16,
}

impl Outside {
    /// Where the value that is being read begins.
    pub(crate) fn root_start(&self) -> usize {
        self.current.map_or(0, |start| start.start)
    }

    pub(crate) fn is_fenced(&self) -> bool {
        self.is_fenced
    }

    /// The last root goes on after all.
    pub(crate) fn reopen_root(&mut self) {
        self.roots.pop();
    }

    /// Gives up the value that is being read, if it stands in prose and nothing in it was whole.
    pub(crate) fn give_up(&mut self, slots: usize) -> Option<Start> {
        let current = self.current?;
        let is_bare = slots <= current.mark.slots() + 2;
        if !(self.is_prose && is_bare) {
            return None;
        }
        self.tries += 1;
        self.current = None;
        Some(current)
    }
}

impl Machine {
    /// Looks for the start of a value.
    #[inline(never)]
    pub(crate) fn outside(&mut self, input: &Input<'_>) -> Look<()> {
        self.pos = input.skip_space(self.pos);
        let at = self.pos;
        let Some(byte) = input.peek(at)? else {
            self.state = State::End;
            return Some(());
        };
        if self.outside.before == Before::Prose && !may_end_prose(byte) {
            self.skip_prose(input);
            return Some(());
        }
        let is_first = self.outside.roots.is_empty() && !self.outside.is_prose;
        match byte {
            b'<' | b'[' | 0xe2 if self.think_mark(input)? => Some(()),
            b'(' if is_first && self.is_tuple(input)? => {
                self.begin_root();
                self.fault(FaultCode::Tuple, at, at + 1);
                self.open(FrameKind::Tuple, input)
            }
            b'{' if is_first => self.begin_container(input, byte),
            b'[' if is_first && !self.is_label(input)? => self.begin_container(input, byte),
            b'{' | b'[' if self.starts_value(input, byte)? => self.begin_container(input, byte),
            b'`' if input.has(at, "```")? => self.fence(input),
            b'~' if input.has(at, "~~~")? => self.fence(input),
            b'}' | b']' if self.outside.before == Before::Root => {
                self.fault(FaultCode::ExtraCloser, at, at + 1);
                self.pos += 1;
                Some(())
            }
            b',' if self.outside.before == Before::Root && self.root_goes_on(input)? => Some(()),
            b'/' | 0x80.. if self.mend_gap_outside(input)? => Some(()),
            _ if is_first && self.whole_text(input, byte)? => Some(()),
            _ => {
                self.skip_prose(input);
                Some(())
            }
        }
    }

    fn begin_container(&mut self, input: &Input<'_>, byte: u8) -> Look<()> {
        if self.outside.tries > input.options.limits.starts_max {
            self.refuse_all(FaultCode::NoValue, self.pos, self.pos + 1);
            return Some(());
        }
        self.begin_root();
        self.open(if byte == b'{' { FrameKind::Object } else { FrameKind::Array }, input)
    }

    /// Whether the whole text is a list in parentheses.
    fn is_tuple(&self, input: &Input<'_>) -> Look<bool> {
        let first = input.skip_gap(self.pos + 1)?;
        let starts = matches!(input.peek(first)?, Some(b'"' | b'\'' | b'0'..=b'9'));
        if starts && !input.ended {
            return None;
        }
        Some(starts && input.text.trim_end().ends_with(')'))
    }

    /// Whether a word in brackets stands here with text after it: `[TOOL_CALL] {…}`.
    fn is_label(&self, input: &Input<'_>) -> Look<bool> {
        let start = self.pos + 1;
        if !input.peek(start)?.is_some_and(|byte| byte.is_ascii_alphabetic()) {
            return Some(false);
        }
        let mut end = start;
        while input.peek(end)?.is_some_and(|byte| is_name_byte(byte) || b" /:".contains(&byte)) {
            end += 1;
        }
        if input.peek(end)? != Some(b']') {
            return Some(false);
        }
        let next = input.skip_gap(end + 1)?;
        Some(input.peek(next)?.is_some_and(|byte| byte != b'`'))
    }

    pub(crate) fn begin_root(&mut self) {
        self.outside.current = Some(Start { start: self.pos, mark: self.mark() });
        self.has_bare_keys = false;
    }

    /// A value is whole.
    pub(crate) fn root_done(&mut self, end: usize) {
        if let Some(start) = self.outside.current {
            let span = Span::new(start.start, end);
            let root = Root { slot: start.mark.slots(), span };
            // Most texts have no more than one.
            match self.outside.roots.is_empty() {
                true => self.outside.roots = vec![root],
                false => self.outside.roots.push(root),
            }
            self.outside.before = Before::Root;
        }
    }

    /// Whether a brace or bracket in prose starts a value.
    fn starts_value(&self, input: &Input<'_>, byte: u8) -> Look<bool> {
        let next = input.skip_gap(self.pos + 1)?;
        let Some(first) = input.peek(next)? else { return Some(false) };
        let context = Context { has_bare_keys: true, ..self.context() };
        if byte == b'{' {
            let inner = if first == b'{' { input.skip_gap(next + 1)? } else { next };
            return Some(first == b'}' || input.key_ahead(inner, context)? != Fit::No);
        }
        let before = self.pos.checked_sub(1).and_then(|at| input.byte(at));
        let is_index = before.is_some_and(|byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b')' | b']' | b'!' | b'_')
                || byte >= 0x80
        });
        let is_item = matches!(first, b'{' | b'[' | b'"' | b'\'' | b']' | b'-' | b'0'..=b'9')
            || input.has(next, "true")?
            || input.has(next, "false")?
            || input.has(next, "null")?;
        Some(is_item && !is_index)
    }

    /// Steps over a fence and its language.
    fn fence(&mut self, input: &Input<'_>) -> Look<()> {
        let start = self.pos;
        let mut end = start + 3;
        while input
            .peek(end)?
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"`~_+-".contains(&byte))
        {
            end += 1;
        }
        self.fault(FaultCode::Fence, start, end);
        self.outside.before = Before::Start;
        self.outside.is_fenced = !self.outside.is_fenced;
        self.pos = end;
        Some(())
    }

    /// Steps over a block of reasoning; a closing tag alone means that all before it was one.
    fn think_mark(&mut self, input: &Input<'_>) -> Look<bool> {
        let start = self.pos;
        // Most tags differ from all marks in their second byte.
        let second = input.peek(start + 1)?;
        // Lists go on like this, and no mark does.
        if matches!(second, Some(b'{' | b'[' | b']' | b'"' | b' ' | b'\n')) {
            return Some(false);
        }
        let may_be = |mark: &str| mark.as_bytes().get(1) == second.as_ref();
        for (row, (open, close)) in THINK_MARKS.iter().enumerate() {
            let is_unclosed = self.outside.unclosed_marks & 1 << row != 0;
            if !is_unclosed && may_be(open) && input.has(start, open)? {
                let Some(end) = input.find(start, close)? else {
                    self.outside.unclosed_marks |= 1 << row;
                    continue;
                };
                self.pos = end + close.len();
                self.outside.before = Before::Start;
                self.fault(FaultCode::ThinkBlock, start, self.pos);
                return Some(true);
            }
            if may_be(close) && input.has(start, close)? {
                self.outside = Outside::default();
                self.tape = crate::tape::Tape::default();
                self.faults.clear();
                self.pos = start + close.len();
                self.fault(FaultCode::ThinkBlock, 0, self.pos);
                return Some(true);
            }
        }
        Some(false)
    }

    /// Steps over a comment or odd space before the value.
    fn mend_gap_outside(&mut self, input: &Input<'_>) -> Look<bool> {
        if input.has(self.pos, "\u{feff}")? {
            self.fault(FaultCode::ByteOrderMark, self.pos, self.pos + 3);
            self.pos += 3;
            return Some(true);
        }
        self.mend_gap(input)
    }

    /// After the root stands a comma: if a member follows, the last closer was one too many.
    fn root_goes_on(&mut self, input: &Input<'_>) -> Look<bool> {
        let next = input.skip_gap(self.pos + 1)?;
        let context = self.context();
        let Some(root) = self.outside.roots.last().copied() else { return Some(false) };
        let is_object =
            self.tape.slots.get(root.slot).is_some_and(|slot| slot.kind == Kind::Object);
        if !is_object || input.key_ahead(next, context)? == Fit::No {
            return Some(false);
        }
        let closer = root.span.end as usize;
        // An object that was closed before this run of closers may have had one too many as well.
        let run = input.slice(0, closer).trim_end_matches(|c: char| c == '}' || c.is_whitespace());
        let inner = self.tape.slots.get(root.slot + 1..).unwrap_or_default();
        let is_unclear = inner
            .iter()
            .any(|slot| slot.kind == Kind::Object && slot.span.end as usize <= run.len());
        let code = if is_unclear { FaultCode::UnclearCloser } else { FaultCode::ExtraCloser };
        self.fault(code, closer.saturating_sub(1), closer);
        self.outside.reopen_root();
        self.frames.reopen(1);
        self.state = State::Key;
        self.pos += 1;
        Some(true)
    }

    /// Steps over text that is no JSON, up to where a value, a fence or a tag may start.
    fn skip_prose(&mut self, input: &Input<'_>) {
        self.outside.is_prose = true;
        self.outside.before = Before::Prose;
        let rest = input.bytes().get(self.pos + 1..).unwrap_or_default();
        let found = rest.iter().position(|&byte| may_end_prose(byte));
        self.pos = found.map_or(input.len(), |offset| self.pos + 1 + offset);
    }
}

/// Whether something other than prose may start with this byte.
fn may_end_prose(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'`' | b'~' | b'<' | 0xe2)
}
