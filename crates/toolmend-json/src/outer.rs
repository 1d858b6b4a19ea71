//! What the text around the values tells of them: that one ended too early, or that members of it
//! stand outside.

use std::collections::HashSet;

use crate::document::Node;
use crate::finish::{is_all, known};
use crate::marks::is_name_byte;
use crate::outside::Root;
use crate::tape::Tape;
use crate::{Fault, FaultCode, Options, Span};

/// A tag is not longer than this before the name that it gives.
const TAG_BYTES_MAX: usize = 64;

/// Whether what stands around the values looks like the rest of one of them: then it ended too
/// early. Both lists are in source order.
pub(crate) fn has_scraps(text: &str, roots: &[Root], faults: &[Fault]) -> bool {
    if is_all(text, roots) {
        return false;
    }
    let is_outer = |code| matches!(code, FaultCode::Fence | FaultCode::ThinkBlock);
    let has_stray = faults.iter().any(|fault| fault.code == FaultCode::UnescapedQuote);
    let first_end = roots.first().map_or(0, |root| root.span.end as usize);
    let mut at = 0;
    known(text, faults, is_outer, roots, None).any(|span| {
        let between = text.get(at..span.start as usize).unwrap_or_default();
        let is_behind = at >= first_end;
        at = at.max(span.end as usize);
        let is_part = is_behind && has_words(between);
        is_scrap(between) || (is_part && (is_rest(between) || (has_stray && is_code(between))))
    })
}

/// Whether a quote in this text is followed by a sign of structure.
fn is_scrap(between: &str) -> bool {
    let bytes = between.as_bytes();
    let is_sign = |at: usize| matches!(bytes.get(at + 1), Some(b':' | b',' | b'}' | b']'));
    memchr::memchr_iter(b'"', bytes).any(is_sign) && between.contains(['{', '}', '[', ']'])
}

/// Whether there is more in this text than quotes and closers that are one too many.
fn has_words(between: &str) -> bool {
    between.contains(|c: char| !matches!(c, '"' | '\\' | '}' | ']' | ';') && !c.is_whitespace())
}

/// Whether text behind a value ends as a value does: with a quote that has no partner, and closers.
fn is_rest(between: &str) -> bool {
    let is_closer = |c: char| matches!(c, '}' | ']') || c.is_whitespace();
    let head = between.trim_end_matches(is_closer);
    head.ends_with('"')
        && (head.len() < between.trim_end().len()
            || !memchr::memchr_iter(b'"', head.as_bytes()).count().is_multiple_of(2))
}

/// Whether text behind a value with stray quotes may be code that is part of it.
fn is_code(between: &str) -> bool {
    between.contains(['"', '{', '}', '[', ']', ';'])
}

/// The text around the values, once it is named.
pub(crate) struct Outer<'a> {
    pub(crate) text: &'a str,
    pub(crate) tape: &'a Tape,
    pub(crate) roots: &'a [Root],
    pub(crate) options: &'a Options,
}

impl Outer<'_> {
    /// A plus sign behind the value makes it a part of an expression.
    pub(crate) fn expression(&self, faults: &[Fault]) -> Option<Fault> {
        let is_sum = |fault: &&Fault| {
            let words = self.words(fault).trim_start_matches('+');
            let is_operand = words.trim_start().starts_with(['"', '\'', '{', '[']);
            self.is_behind(fault) && words.len() < self.words(fault).len() && is_operand
        };
        let fault = texts(faults).find(is_sum)?;
        Some(Fault { span: fault.span, code: FaultCode::Expression })
    }

    /// The members that stand outside.
    pub(crate) fn members(&self, faults: &[Fault]) -> Vec<Fault> {
        let mut texts = texts(faults).peekable();
        if texts.peek().is_none() || self.roots.is_empty() {
            return Vec::new();
        }
        let names = self.names();
        let found = texts.filter_map(|fault| {
            let words = self.words(fault);
            let (start, end) =
                self.first_member(fault, words).or_else(|| self.known_member(words, &names))?;
            let base = fault.span.start as usize;
            let span = Span::new(base + start, base + end);
            Some(Fault { span, code: FaultCode::OutsideMember })
        });
        found.collect()
    }

    fn words(&self, fault: &Fault) -> &str {
        self.text.get(fault.span.range()).unwrap_or_default()
    }

    fn is_behind(&self, fault: &Fault) -> bool {
        self.roots.first().is_some_and(|root| root.span.end <= fault.span.start)
    }

    /// The names of the members that the values have.
    fn names(&self) -> HashSet<String> {
        if !self.options.expected.names_keys() {
            return HashSet::new();
        }
        let node = |root: &Root| Node { tape: self.tape, text: self.text, index: root.slot };
        let keys = self.roots.iter().flat_map(|root| node(root).members().map(|(key, _)| key));
        keys.filter_map(|key| key.as_str().map(std::borrow::Cow::into_owned)).collect()
    }

    /// A key in quotes, and its colon, with which text behind a value starts.
    fn first_member(&self, fault: &Fault, words: &str) -> Option<(usize, usize)> {
        let rest = words.strip_prefix('"').filter(|_| self.is_behind(fault))?;
        let length = rest.bytes().position(|byte| !is_name_byte(byte))?;
        let sign = rest.get(length..)?.strip_prefix('"')?.trim_start();
        (length > 0 && sign.starts_with(':')).then_some((0, length + 2))
    }

    /// A name that is expected and that no value has, with a sign and a value behind it.
    fn known_member(&self, words: &str, names: &HashSet<String>) -> Option<(usize, usize)> {
        // What is commented out is not meant.
        if !self.options.expected.names_keys() || words.starts_with(['/', '#']) {
            return None;
        }
        let bytes = words.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let rest = bytes.get(at..)?;
            let start = at + rest.iter().position(|&byte| is_name_byte(byte))?;
            let rest = bytes.get(start..)?;
            let length = rest.iter().position(|&byte| !is_name_byte(byte)).unwrap_or(rest.len());
            let end = start + length;
            at = end;
            let name = words.get(start..end).unwrap_or_default();
            if self.options.expected.has_key(name)
                && !names.contains(name)
                && (has_value(words, end) || is_in_tag(words, start, end))
            {
                return Some((start, end));
            }
        }
        None
    }
}

fn texts(faults: &[Fault]) -> impl Iterator<Item = &Fault> {
    faults.iter().filter(|fault| fault.code == FaultCode::OutsideText)
}

/// Whether a colon or an equals sign stands behind a name that ends here, and a value on its line.
fn has_value(words: &str, end: usize) -> bool {
    let rest = words.get(end..).unwrap_or_default();
    let rest = rest.strip_prefix(['"', '\'', '`']).unwrap_or(rest);
    let rest = rest.trim_start_matches([' ', '\t']);
    let Some(value) = rest.strip_prefix("=>").or_else(|| rest.strip_prefix([':', '='])) else {
        return false;
    };
    let value = value.trim_start_matches([' ', '\t']);
    !value.is_empty() && !value.starts_with(['\n', '\r', ':', '=', '/'])
}

/// Whether this is the name in a tag: `<parameter name="path">`, `<parameter=path>`, `<path>`.
fn is_in_tag(words: &str, start: usize, end: usize) -> bool {
    let rest = words.get(end..).unwrap_or_default().trim_start_matches(['"', '\'']);
    let bytes = words.as_bytes();
    let head = bytes.get(start.saturating_sub(TAG_BYTES_MAX)..start).unwrap_or_default();
    let Some(open) = memchr::memrchr2(b'<', b'>', head) else { return false };
    let tag = head.get(open..).unwrap_or_default();
    let is_name = tag == b"<" || tag.trim_ascii_end().ends_with(b"=") || {
        let quoted = tag.strip_suffix(b"\"").or_else(|| tag.strip_suffix(b"'"));
        quoted.is_some_and(|tag| tag.ends_with(b"="))
    };
    tag.starts_with(b"<") && is_name && rest.starts_with(['>', ' '])
}
