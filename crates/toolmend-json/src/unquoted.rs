//! Values without quotes: numbers and literals of other languages, words, and what is no value.

use crate::cut::Place;
use crate::frame::FrameKind;
use crate::input::{Input, Look};
use crate::machine::Machine;
use crate::number;
use crate::quote::Quote;
use crate::tape::{Body, Kind, Slot};
use crate::{FaultCode, Span, scan};

/// What unquoted text is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A literal, and what is odd about it.
    Literal(Kind, Option<FaultCode>),
    /// The digits of a number, and what is odd about them.
    Number(String, Option<FaultCode>),
    NotFinite,
    Text,
    Refused(FaultCode),
}

impl Machine {
    /// Reads a value without quotes.
    pub(crate) fn unquoted(&mut self, input: &Input<'_>, start: usize) -> Look<()> {
        let end = input.word_end(start)?;
        if matches!(input.byte(end), Some(b',' | b'}' | b']' | b'\n')) {
            let word = classify(input.slice(start, end));
            if matches!(word, Word::Literal(..) | Word::Number(..)) {
                return self.push_word(word, start, input.slice(start, end), end);
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
            self.push_spelt(content, start, span, Quote::Double);
            self.go_on(bare.next);
            return Some(());
        }
        match classify(raw) {
            Word::Text if bare.is_ragged || raw.contains(['"', '\n']) || is_row(raw) => {
                self.push_text(FaultCode::RaggedValue, start, raw, bare.next)
            }
            word => self.push_word(word, start, raw, bare.next),
        }
    }

    /// Puts unquoted text on the tape as what it is.
    fn push_word(&mut self, word: Word, start: usize, raw: &str, next: usize) -> Look<()> {
        let end = start + raw.len();
        let span = Span::new(start, end);
        match word {
            Word::Literal(kind, code) => {
                self.fault_if(code, start, end);
                self.push_value(Slot::literal(kind, span), next);
            }
            Word::Number(digits, code) => {
                self.fault_if(code, start, end);
                let body = self.tape.mend(|out| out.push_str(&digits));
                self.push_value(Slot::number(span, body), next);
            }
            Word::NotFinite => {
                self.fault(FaultCode::NotFinite, start, end);
                self.push_value(Slot::string(span, Body::Text(span), false), next);
            }
            Word::Refused(code) => return self.refuse(code, start, end),
            Word::Text => return self.push_text(FaultCode::UnquotedValue, start, raw, next),
        }
        Some(())
    }

    fn push_text(&mut self, code: FaultCode, start: usize, raw: &str, next: usize) -> Look<()> {
        self.fault(code, start, start + raw.len());
        self.push_verbatim(raw, Span::new(start, start + raw.len()));
        self.go_on(next);
        Some(())
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
    let is_cut_literal = |word: &str| word.len() > 1 && word.starts_with(raw);
    raw.split_ascii_whitespace().all(is_whole)
        || (raw.len() > 1 && ["true", "false", "null"].into_iter().any(is_cut_literal))
}

/// Whether this is a number or a literal, so that a comment may follow it at once.
pub(crate) fn is_whole(raw: &str) -> bool {
    const LONG: usize = 64;
    let may_be = raw.bytes().next().is_some_and(|byte| b"0123456789+-.tfnTFNu".contains(&byte));
    may_be
        && raw.len() <= LONG
        && !raw.contains(' ')
        && matches!(classify(raw), Word::Literal(..) | Word::Number(..))
}

/// What a text without quotes is.
pub(crate) fn classify(raw: &str) -> Word {
    const PYTHON: Option<FaultCode> = Some(FaultCode::OtherLiteral);
    match raw {
        "true" => return Word::Literal(Kind::True, None),
        "false" => return Word::Literal(Kind::False, None),
        "null" => return Word::Literal(Kind::Null, None),
        "True" | "TRUE" => return Word::Literal(Kind::True, PYTHON),
        "False" | "FALSE" => return Word::Literal(Kind::False, PYTHON),
        "None" | "Null" | "NULL" | "nil" | "Nil" => return Word::Literal(Kind::Null, PYTHON),
        "undefined" => return Word::Literal(Kind::Null, Some(FaultCode::Undefined)),
        "NaN" | "nan" | "Infinity" | "-Infinity" | "+Infinity" | "inf" | "-inf" | "Inf" => {
            return Word::NotFinite;
        }
        "" | "..." | "…" | "?" | "_" | "TODO" | "TBD" => {
            return Word::Refused(FaultCode::Placeholder);
        }
        _ => {}
    }
    if scan::number_end(raw.as_bytes(), 0) == Some(raw.len()) {
        return Word::Number(raw.to_owned(), None);
    }
    if let Some((digits, code)) = number::mend(raw) {
        return Word::Number(digits, Some(code));
    }
    if raw.starts_with("${") || raw.ends_with("...") || raw.ends_with('…') || raw.starts_with("...")
    {
        return Word::Refused(FaultCode::Placeholder);
    }
    if number::is_expression(raw) {
        return Word::Refused(FaultCode::Expression);
    }
    Word::Text
}
