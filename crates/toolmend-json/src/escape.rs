//! Escapes inside strings: decoding good ones, spelling bad ones anew.

use std::ops::Range;

use crate::marks::is_name_byte;
use crate::quote::Quote;
use crate::scan;
use crate::{Fault, FaultCode, Span};

/// The characters of a string body that is valid JSON.
pub(crate) fn decode(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at_checked(at).unwrap_or_default();
        out.push_str(plain);
        let (c, width) = decode_one(escape.as_bytes());
        out.push(c);
        rest = escape.get(width..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// One escape: its character and how many bytes it takes.
fn decode_one(escape: &[u8]) -> (char, usize) {
    match escape.get(1).copied() {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(b'u') => unicode(escape).unwrap_or((char::REPLACEMENT_CHARACTER, 6)),
        Some(other) => (char::from(other), 2),
        None => ('\\', 1),
    }
}

/// The character of a `\uXXXX` escape or of a pair of them; `None` for half a pair or bad digits.
fn unicode(escape: &[u8]) -> Option<(char, usize)> {
    let high = hex(escape.get(2..6)?)?;
    if let Some(c) = char::from_u32(high) {
        return Some((c, 6));
    }
    let low = escape.get(6..8).filter(|mark| *mark == b"\\u").and(hex(escape.get(8..12)?))?;
    let is_pair = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    let code = 0x1_0000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
    char::from_u32(code).filter(|_| is_pair).map(|c| (c, 12))
}

/// The value of hexadecimal digits, all of which must be such.
pub(crate) fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, &digit| Some(sum * 16 + char::from(digit).to_digit(16)?))
}

/// How many bytes the valid escape takes that starts here, or `None` if it is not valid JSON.
pub(crate) fn valid_width(escape: &[u8]) -> Option<usize> {
    match escape.get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => unicode(escape).map(|(_, width)| width),
        _ => None,
    }
}

/// Spells a string's characters as valid JSON. Only what is wrong is spelt anew.
#[derive(Debug)]
pub(crate) struct Speller<'a> {
    pub(crate) out: &'a mut String,
    pub(crate) faults: &'a mut Vec<Fault>,
    pub(crate) quote: Quote,
}

/// So much longer a string may become without a second allocation.
const SPELLING_BYTES: usize = 16;

impl Speller<'_> {
    /// Appends `raw`, which starts at the byte `base` of the text.
    pub(crate) fn spell(&mut self, raw: &str, base: usize) {
        let bytes = raw.as_bytes();
        self.out.reserve(raw.len() + SPELLING_BYTES);
        let paths = raw_paths(raw);
        let mut is_pattern = None;
        let mut done = 0;
        let mut at = 0;
        loop {
            at = scan::find_special_or_double(bytes, at, self.quote.byte());
            let Some(&byte) = bytes.get(at) else { break };
            let start = at;
            match byte {
                b'\\' => {
                    let escape = bytes.get(at..).unwrap_or_default();
                    let path = paths.partition_point(|path| path.end <= at);
                    let is_raw = paths.get(path).is_some_and(|path| path.contains(&at));
                    let is_meant = match escape.get(1) {
                        Some(b'"' | b'\\') => false,
                        // Nobody means a backspace or a form feed beside `\d`: it is a pattern.
                        Some(b'b' | b'f') => {
                            is_raw || *is_pattern.get_or_insert_with(|| has_bad_escape(raw))
                        }
                        _ => is_raw,
                    };
                    if let Some(width) = valid_width(escape)
                        && !is_meant
                    {
                        at += width;
                        continue;
                    }
                    self.copy(raw, done, start);
                    at += self.spell_escape(raw, start, base, is_raw);
                }
                b'"' => {
                    self.copy(raw, done, start);
                    self.out.push_str("\\\"");
                    at += 1;
                    if self.quote == Quote::Double {
                        self.fault(FaultCode::UnescapedQuote, base + start, base + at);
                    }
                }
                b'\'' | b'`' if byte == self.quote.byte() && self.quote.width() == 1 => {
                    at += 1;
                    self.fault(FaultCode::UnescapedQuote, base + start, base + at);
                    continue;
                }
                0..0x20 => {
                    self.copy(raw, done, start);
                    spell_control(char::from(byte), self.out);
                    at += 1;
                    self.fault(FaultCode::RawControl, base + start, base + at);
                }
                _ => {
                    at += 1;
                    continue;
                }
            }
            done = at;
        }
        self.copy(raw, done, bytes.len());
    }

    fn copy(&mut self, raw: &str, start: usize, end: usize) {
        self.out.push_str(raw.get(start..end).unwrap_or_default());
    }

    /// Faults of the same kind that touch are one.
    fn fault(&mut self, code: FaultCode, start: usize, end: usize) {
        push_fault(self.faults, code, start, end);
    }

    /// Spells an escape that JSON does not know and tells how many bytes it took.
    fn spell_escape(&mut self, raw: &str, at: usize, base: usize, is_raw: bool) -> usize {
        let escape = raw.as_bytes().get(at..).unwrap_or_default();
        let (width, code) = match escape.get(1).copied() {
            Some(b'a'..=b'z' | b'U') if is_raw => self.keep_backslash(),
            // A quoted quote: the backslash is part of the code.
            Some(b'\'') if self.quote != Quote::Single && is_char_literal(raw, at) => {
                self.keep_backslash()
            }
            Some(quote @ (b'\'' | b'`')) if quote == b'\'' || self.quote == Quote::Backtick => {
                self.out.push(char::from(quote));
                (2, FaultCode::BadEscape)
            }
            Some(b'x') => match hex(escape.get(2..4).unwrap_or(b"-")).and_then(char::from_u32) {
                Some(c) => {
                    spell_char(c, self.out);
                    (4, FaultCode::BadEscape)
                }
                None => self.keep_backslash(),
            },
            Some(b'u') if hex(escape.get(2..6).unwrap_or(b"-")).is_some() => {
                self.out.push(char::REPLACEMENT_CHARACTER);
                (6, FaultCode::LoneSurrogate)
            }
            Some(b'U') => match hex(escape.get(2..10).unwrap_or(b"-")).and_then(char::from_u32) {
                Some(c) => {
                    spell_char(c, self.out);
                    (10, FaultCode::BadEscape)
                }
                None => self.keep_backslash(),
            },
            _ => self.keep_backslash(),
        };
        // A quote that was escaped for its own kind of string is no fault.
        let is_own = escape.get(1) == Some(&self.quote.byte());
        if !is_own {
            self.fault(code, base + at, base + at + width);
        }
        width
    }

    /// The model meant a backslash and forgot to double it: what follows is not an escape.
    fn keep_backslash(&mut self) -> (usize, FaultCode) {
        self.out.push_str("\\\\");
        (1, FaultCode::BadEscape)
    }
}

/// The Windows paths in which backslashes stand for themselves although some of them make valid
/// escapes: where any path of the string has one that does not. A path at the start is the string.
fn raw_paths(raw: &str) -> Vec<Range<usize>> {
    let bytes = raw.as_bytes();
    let mut paths: Vec<Range<usize>> = Vec::new();
    for colon in memchr::memmem::find_iter(bytes, b":\\") {
        let Some(drive) = colon.checked_sub(1) else { continue };
        let before = drive.checked_sub(1).and_then(|at| bytes.get(at));
        // `with open(path) as f:\n` is code.
        let is_drive = bytes.get(drive).is_some_and(|byte| {
            byte.is_ascii_uppercase() || (drive == 0 && byte.is_ascii_alphabetic())
        }) && before.is_none_or(|byte| !byte.is_ascii_alphanumeric())
            && bytes
                .get(colon + 2)
                .is_some_and(|&byte| is_name_byte(byte) || b"\\%".contains(&byte));
        if !is_drive || paths.last().is_some_and(|path| path.contains(&drive)) {
            continue;
        }
        let quote = before.copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let rest = bytes.get(drive..).unwrap_or_default();
        let length = rest.iter().position(|&byte| match quote {
            Some(quote) => byte == quote,
            None => byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`'),
        });
        let end = if drive == 0 { None } else { length };
        paths.push(drive..drive + end.unwrap_or(rest.len()));
    }
    // Beside such a path another one is raw too, if its drive looks like one.
    let is_bad = |path: &Range<usize>| raw.get(path.clone()).is_some_and(has_bad_escape);
    let is_any_bad = paths.iter().any(is_bad);
    paths.retain(|path| {
        let is_drive = bytes.get(path.start).is_some_and(u8::is_ascii_uppercase);
        is_any_bad && (is_drive || is_bad(path))
    });
    paths
}

/// Whether a backslash stands before a character that JSON does not escape.
fn has_bad_escape(raw: &str) -> bool {
    let mut rest = raw.as_bytes();
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let escape = rest.get(at..).unwrap_or_default();
        match valid_width(escape) {
            Some(width) => rest = escape.get(width..).unwrap_or_default(),
            None => return true,
        }
    }
    false
}

/// Spells a string that is escaped once more than it should be. What is wrong with it once that is
/// undone has no place of its own in the text, so it is told of the whole string.
pub(crate) fn spell_escaped(raw: &str, base: usize, out: &mut String, faults: &mut Vec<Fault>) {
    let mut inner = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at_checked(at).unwrap_or_default();
        inner.push_str(plain);
        let width = valid_width(escape.as_bytes());
        inner.push(if width.is_some() { decode_one(escape.as_bytes()).0 } else { '\\' });
        rest = escape.get(width.unwrap_or(1)..).unwrap_or_default();
    }
    inner.push_str(rest);
    let mut found = Vec::new();
    Speller { out, faults: &mut found, quote: Quote::Escaped }.spell(&inner, 0);
    found.sort_unstable_by_key(|fault| fault.code);
    found.dedup_by_key(|fault| fault.code);
    for fault in found {
        faults.push(Fault { span: Span::new(base, base + raw.len()), code: fault.code });
    }
}

/// Whether the escape at this place stands between single quotes: `'\''`.
fn is_char_literal(raw: &str, at: usize) -> bool {
    let bytes = raw.as_bytes();
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    before == Some(&b'\'') && bytes.get(at + 2) == Some(&b'\'')
}

/// Spells characters that stand for themselves.
pub(crate) fn spell_verbatim(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || matches!(byte, b'"' | b'\\')) {
        let (plain, odd) = rest.split_at_checked(at).unwrap_or_default();
        out.push_str(plain);
        let mut chars = odd.chars();
        chars.next().into_iter().for_each(|c| spell_char(c, out));
        rest = chars.as_str();
    }
    out.push_str(rest);
}

fn spell_char(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\0'..' ' => spell_control(c, out),
        _ => out.push(c),
    }
}

fn spell_control(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        _ => {
            let code = u32::from(c);
            let digit = |nibble: u32| char::from_digit(nibble & 0xf, 16).unwrap_or('0');
            out.push_str("\\u00");
            out.push(digit(code >> 4));
            out.push(digit(code));
        }
    }
}

/// Adds a fault, joined to the one before where both are of one kind and touch.
pub(crate) fn push_fault(faults: &mut Vec<Fault>, code: FaultCode, start: usize, end: usize) {
    let span = Span::new(start, end);
    if let Some(last) = faults.last_mut()
        && last.code == code
        && last.span.end == span.start
    {
        last.span.end = span.end;
        return;
    }
    faults.push(Fault { span, code });
}
