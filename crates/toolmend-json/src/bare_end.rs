//! Where does a value without quotes end?

use crate::input::{Input, Look};
use crate::look::{Care, Context, Fit};
use crate::machine::Machine;
use crate::marks::Marks;
use crate::unquoted::{is_whole, may_be_whole};

/// Where an unquoted value ends.
#[derive(Debug)]
pub(crate) struct Bare {
    pub(crate) end: usize,
    pub(crate) next: usize,
    /// A closing quote stands after it: only the opening one was lost.
    pub(crate) is_half_quoted: bool,
    /// It has a comma or a quote inside, so it may end elsewhere.
    pub(crate) is_ragged: bool,
    /// It runs to the end of the text.
    pub(crate) is_last: bool,
    pub(crate) marks: Marks,
}

/// What a byte says about the value before it.
enum Verdict {
    GoesOn,
    /// It goes on, but the byte could have ended it.
    IsRagged,
    Ends,
    /// The byte is the closing quote of a string that has no opening one.
    EndsQuoted,
}

struct Search<'a> {
    input: Input<'a>,
    context: Context<'a>,
    start: usize,
    /// Whether the value may be a number or a literal so far.
    may_be_whole: bool,
    /// Brackets that were opened inside the value.
    depth: usize,
    /// Whether a quote stands inside the value: then a later one is not the one that it lost.
    has_quote: bool,
    marks: Marks,
}

impl Machine {
    /// Finds where unquoted text ends: before a comma that starts a new member, before a closer,
    /// at the end of a line, or at a quote that makes sense as its own.
    pub(crate) fn bare_end(&self, input: &Input<'_>, start: usize) -> Look<Bare> {
        let mut search = Search {
            input: *input,
            context: self.context(),
            start,
            may_be_whole: input.byte(start).is_some_and(may_be_whole),
            depth: 0,
            has_quote: false,
            marks: Marks::default(),
        };
        let mut is_ragged = false;
        let mut at = start;
        loop {
            at = search.marks.run(input.bytes(), at);
            let marks = search.marks;
            let bare = |next: usize, is_half_quoted: bool| Bare {
                end: at,
                next,
                is_half_quoted,
                is_ragged,
                is_last: false,
                marks,
            };
            let Some(byte) = input.peek(at)? else {
                return Some(Bare { is_last: true, ..bare(at, false) });
            };
            match search.judge(at, byte)? {
                Verdict::Ends => return Some(bare(at, false)),
                Verdict::EndsQuoted => return Some(bare(at + 1, true)),
                Verdict::IsRagged => is_ragged = true,
                Verdict::GoesOn => {}
            }
            at += 1;
        }
    }
}

impl Search<'_> {
    fn judge(&mut self, at: usize, byte: u8) -> Look<Verdict> {
        let ends = match byte {
            b'(' | b'[' | b'{' => {
                self.depth += 1;
                false
            }
            b')' | b']' | b'}' if self.depth > 0 => {
                self.depth -= 1;
                false
            }
            b']' | b'}' => true,
            b')' => self.is_whole(at) || self.is_in_tuple(),
            b',' | b';' | b'\n' if self.depth == 0 => {
                let ends = self.ends_member(at, byte)?;
                return Some(if ends { Verdict::Ends } else { Verdict::IsRagged });
            }
            b'"' if at > self.start && self.input.byte(at - 1) != Some(b'\\') => {
                return self.judge_quote(at);
            }
            b' ' | b'\t' => self.ends_word(at)?,
            b'<' => self.input.has(at, "</")?,
            b'/' | b'#' | b'\\' | 0x0b | 0x0c | 0x80.. => {
                self.is_whole(at) && self.input.gap(at)?.is_some()
            }
            _ => false,
        };
        Some(if ends { Verdict::Ends } else { Verdict::GoesOn })
    }

    /// Whether a comma or a line break ends the value.
    fn ends_member(&self, at: usize, byte: u8) -> Look<bool> {
        if !self.is_in_object() || (byte != b'\n' && self.is_whole(at)) {
            return Some(true);
        }
        let next = self.input.skip_gap(if byte == b'\n' { at } else { at + 1 })?;
        Some(
            matches!(self.input.peek(next)?, None | Some(b'}' | b']' | b','))
                || self.input.key_ahead(next, self.any_value())? != Fit::No,
        )
    }

    /// A quote starts the next member, or closes a string that has lost its first quote.
    fn judge_quote(&mut self, at: usize) -> Look<Verdict> {
        let starts = self.is_whole(at)
            && (!self.is_in_object() || self.input.key_ahead(at, self.context)? != Fit::No);
        if starts {
            return Some(Verdict::Ends);
        }
        let closes = !self.has_quote && self.input.follow(at + 1, self.any_value())? == Fit::Good;
        self.has_quote = true;
        Some(if closes { Verdict::EndsQuoted } else { Verdict::IsRagged })
    }

    /// Whether a space ends the value: before a comment, or a member whose comma is missing.
    fn ends_word(&mut self, at: usize) -> Look<bool> {
        if self.is_whole(at) && self.input.gap(at + 1)?.is_some() {
            return Some(true);
        }
        match self.input.peek(at + 1)? {
            Some(b'"' | b'\'') if self.is_in_object() => {
                Some(self.input.key_ahead(at + 1, self.context)? == Fit::Good)
            }
            Some(b'f') => {
                self.marks.add(Marks::FOR);
                Some(false)
            }
            _ => Some(false),
        }
    }

    fn is_whole(&self, at: usize) -> bool {
        self.may_be_whole && is_whole(self.input.slice(self.start, at).trim_ascii_end())
    }

    fn is_in_object(&self) -> bool {
        self.context.frames.last().is_some_and(|top| top.kind.is_object())
    }

    fn is_in_tuple(&self) -> bool {
        self.context.frames.iter().any(|frame| frame.kind.closer() == b')')
    }

    fn any_value(&self) -> Context<'_> {
        Context { care: Care::AnyValue, ..self.context }
    }
}
