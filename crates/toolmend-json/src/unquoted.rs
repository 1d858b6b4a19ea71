//! Values without quotes: numbers and literals of other languages, words, and what is no value.

use std::borrow::Cow;

use crate::cut::Place;
use crate::frame::FrameKind;
use crate::input::{Input, Look};
use crate::machine::Machine;
use crate::marks::{Marks, is_name_byte};
use crate::number;
use crate::quote::Quote;
use crate::tape::{Body, Kind, Slot};
use crate::{FaultCode, Span, scan};

/// What unquoted text is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Word<'a> {
    /// A literal, and what is odd about it.
    Literal(Kind, Option<FaultCode>),
    /// The digits of a number, and what is odd about them.
    Number(Cow<'a, str>, Option<FaultCode>),
    NotFinite,
    Text,
    Refused(FaultCode),
}

impl Machine {
    /// Reads a value without quotes.
    pub(crate) fn unquoted(&mut self, input: &Input<'_>, start: usize) -> Look<()> {
        if input.byte(start).is_some_and(may_be_whole) {
            let end = input.word_end(start)?;
            let raw = input.slice(start, end);
            if matches!(input.byte(end), Some(b',' | b'}' | b']' | b'\n'))
                && let Some(word @ (Word::Literal(..) | Word::Number(..))) = whole_word(raw)
            {
                return self.push_word(word, start, raw, end);
            }
        }
        self.unquoted_text(input, start)
    }

    /// Reads a value without quotes that may have several words.
    pub(crate) fn unquoted_text(&mut self, input: &Input<'_>, start: usize) -> Look<()> {
        let bare = self.bare_end(input, start)?;
        let raw = input.slice(start, bare.end).trim_end();
        let has_braces = self.frames.open().iter().any(|frame| frame.kind != FrameKind::Bare);
        if bare.is_last && has_braces {
            return self.cut_unquoted(input, start, raw);
        }
        if bare.is_half_quoted {
            self.fault(FaultCode::MissingQuote, start, bare.next);
            let content = input.slice(start, bare.end);
            let span = Span::new(start, bare.next);
            self.push_content(content, start, span, Quote::Double);
            self.go_on(bare.next);
            return Some(());
        }
        let is_ragged = || {
            let has_break = bare.marks.has(Marks::BREAK) && raw.contains(['"', '\n']);
            bare.is_ragged || has_break || is_row(raw)
        };
        match whole_word(raw).unwrap_or_else(|| classify_text(raw, bare.marks)) {
            Word::Text if self.is_stand_in(input, raw, bare.next)? => {
                self.refuse(FaultCode::Placeholder, start, bare.next)
            }
            Word::Text => {
                let code =
                    if is_ragged() { FaultCode::RaggedValue } else { FaultCode::UnquotedValue };
                self.push_text(code, start, raw, bare.marks);
                self.go_on(bare.next);
                Some(())
            }
            word => self.push_word(word, start, raw, bare.next),
        }
    }

    /// Whether this text stands alone in brackets and says what should stand there:
    /// `[object Object]`, `[insert date]`, `(unknown)`.
    fn is_stand_in(&self, input: &Input<'_>, raw: &str, next: usize) -> Look<bool> {
        let Some(top) = self.frames.top() else { return Some(false) };
        let is_tuple = top.kind == FrameKind::Tuple;
        let is_first = top.slot as usize + 1 == self.tape.next_index();
        let is_words =
            raw.contains(' ') && raw.bytes().all(|byte| is_name_byte(byte) || byte == b' ');
        if top.kind.is_object() || !is_first || !(is_tuple || is_words) {
            return Some(false);
        }
        let after = input.skip_gap(next)?;
        Some(matches!(input.peek(after)?, Some(b']' | b')')))
    }

    /// Puts unquoted text on the tape as what it is.
    fn push_word(&mut self, word: Word<'_>, start: usize, raw: &str, next: usize) -> Look<()> {
        let end = start + raw.len();
        let span = Span::new(start, end);
        match word {
            Word::Literal(kind, code) => {
                self.fault_if(code, start, end);
                self.push_value(Slot::literal(kind, span), next);
            }
            Word::Number(digits, code) => {
                self.fault_if(code, start, end);
                let body = match digits {
                    Cow::Borrowed(_) => Body::Text(span),
                    Cow::Owned(digits) => self.tape.mend(|out| out.push_str(&digits)),
                };
                self.push_value(Slot::number(span, body), next);
            }
            Word::NotFinite => {
                self.fault(FaultCode::NotFinite, start, end);
                self.push_value(Slot::string(span, Body::Text(span), false), next);
            }
            Word::Refused(code) => return self.refuse(code, start, end),
            Word::Text => {
                self.push_text(FaultCode::UnquotedValue, start, raw, Marks::of(raw));
                self.go_on(next);
            }
        }
        Some(())
    }

    fn push_text(&mut self, code: FaultCode, start: usize, raw: &str, marks: Marks) {
        let span = Span::new(start, start + raw.len());
        self.fault(code, start, start + raw.len());
        if marks.has(Marks::ODD) {
            self.push_verbatim(raw, span);
        } else {
            self.tape.slots.push(Slot::string(span, Body::Text(span), false));
        }
    }

    /// The text ends in the middle of unquoted text, or of a number or literal.
    fn cut_unquoted(&mut self, input: &Input<'_>, start: usize, raw: &str) -> Look<()> {
        let literal = match raw {
            "true" | "True" | "TRUE" => Some(Kind::True),
            "false" | "False" | "FALSE" => Some(Kind::False),
            "null" | "None" | "NULL" => Some(Kind::Null),
            _ => None,
        };
        let end = start + raw.len();
        // A literal that is whole cannot go on, and white space ends a number.
        if let Some(kind) = literal {
            if !matches!(raw, "true" | "false" | "null") {
                self.fault(FaultCode::OtherLiteral, start, end);
            }
            self.push_value(Slot::literal(kind, Span::new(start, end)), end);
            return Some(());
        }
        let is_number =
            raw.starts_with(['-', '+', '.']) || raw.starts_with(|c: char| c.is_ascii_digit());
        if is_number && end < input.len() && scan::number_end(raw.as_bytes(), 0) == Some(raw.len())
        {
            let span = Span::new(start, end);
            self.push_value(Slot::number(span, Body::Text(span)), end);
            return Some(());
        }
        let place = if is_number { Place::Number } else { Place::Literal };
        self.end_in_token(input, place, start)
    }
}

/// Whether this is several numbers or literals in a row, or one that is not whole.
fn is_row(raw: &str) -> bool {
    if !raw.bytes().next().is_none_or(may_be_whole) {
        return false;
    }
    let is_cut_literal = |word: &str| word.len() > 1 && word.starts_with(raw);
    raw.split_ascii_whitespace().all(is_whole)
        || (raw.len() > 1 && ["true", "false", "null"].into_iter().any(is_cut_literal))
}

/// Whether this is a number or a literal, so that a comment may follow it at once.
pub(crate) fn is_whole(raw: &str) -> bool {
    const LONG: usize = 64;
    raw.bytes().next().is_some_and(may_be_whole)
        && raw.len() <= LONG
        && !raw.contains(' ')
        && matches!(whole_word(raw), Some(Word::Literal(..) | Word::Number(..)))
}

/// Whether a number or a literal may start with this byte.
pub(crate) const fn may_be_whole(byte: u8) -> bool {
    matches!(
        byte,
        b'0'..=b'9' | b'+' | b'-' | b'.' | b't' | b'f' | b'n' | b'T' | b'F' | b'N' | b'u'
    )
}

/// What a text without quotes is.
pub(crate) fn classify(raw: &str) -> Word<'_> {
    whole_word(raw).unwrap_or_else(|| classify_text(raw, Marks::of(raw)))
}

/// A number, or a word that stands for something else than itself.
pub(crate) fn whole_word(raw: &str) -> Option<Word<'_>> {
    const PYTHON: Option<FaultCode> = Some(FaultCode::OtherLiteral);
    Some(match raw {
        "true" => Word::Literal(Kind::True, None),
        "false" => Word::Literal(Kind::False, None),
        "null" => Word::Literal(Kind::Null, None),
        "True" | "TRUE" => Word::Literal(Kind::True, PYTHON),
        "False" | "FALSE" => Word::Literal(Kind::False, PYTHON),
        "None" | "Null" | "NULL" | "nil" | "Nil" => Word::Literal(Kind::Null, PYTHON),
        "undefined" => Word::Literal(Kind::Null, Some(FaultCode::Undefined)),
        "NaN" | "nan" | "Infinity" | "-Infinity" | "+Infinity" | "inf" | "-inf" | "Inf" => {
            Word::NotFinite
        }
        "" | "..." | "…" | "?" | "_" | "TODO" | "TBD" => Word::Refused(FaultCode::Placeholder),
        _ if scan::number_end(raw.as_bytes(), 0) == Some(raw.len()) => {
            Word::Number(Cow::Borrowed(raw), None)
        }
        _ => {
            let (digits, code) = number::mend(raw)?;
            Word::Number(Cow::Owned(digits), Some(code))
        }
    })
}

/// What a text is that is no number and no literal.
fn classify_text<'a>(raw: &str, marks: Marks) -> Word<'a> {
    if raw.starts_with("${") || raw.ends_with("...") || raw.ends_with('…') || raw.starts_with("...")
    {
        return Word::Refused(FaultCode::Placeholder);
    }
    if number::is_expression(raw, marks) {
        return Word::Refused(FaultCode::Expression);
    }
    Word::Text
}
