//! What shows that a value was read wrongly although each step made sense: a key that is known
//! stands inside a string.

use std::collections::HashSet;

use crate::document::Node;
use crate::marks::is_name_byte;
use crate::tape::{Kind, Slot, Tape};
use crate::{Expected, Fault, FaultCode};

/// A key is not longer than this where it is used as evidence.
const KEY_BYTES_MAX: usize = 128;

/// The strings that hold a key, with its quotes and its colon, that is expected or that their own
/// object has: they ended too late. Faults are in source order.
pub(crate) fn swallowed_keys(
    tape: &Tape,
    text: &str,
    faults: &[Fault],
    expected: &Expected,
) -> Vec<Fault> {
    let mut found: Vec<Fault> = Vec::new();
    let mut odd = faults.iter().filter(|fault| is_odd(fault.code)).peekable();
    if odd.peek().is_none() {
        return found;
    }
    let mut open: Vec<Around> = Vec::new();
    for (index, slot) in tape.slots.iter().enumerate() {
        while open.pop_if(|around| around.next <= index).is_some() {}
        let mut names = [None, None];
        if let Some(around) = open.last_mut().filter(|around| around.is_object) {
            let Some(key) = around.key.take() else {
                around.key = Some(index);
                around.first_key.get_or_insert(index);
                continue;
            };
            names = [around.first_key, Some(key)];
        }
        match slot.kind {
            Kind::Object | Kind::Array => open.push(Around {
                next: tape.after(index),
                is_object: slot.kind == Kind::Object,
                first_key: None,
                key: None,
            }),
            Kind::String => {
                while odd.next_if(|fault| fault.span.start < slot.span.start).is_some() {}
                if odd.peek().is_none_or(|fault| fault.span.start >= slot.span.end) {
                    continue;
                }
                let [first, own] = names.map(|name| name.and_then(|index| tape.slots.get(index)));
                let is_known = |name: &str| {
                    let is = |slot: Option<&Slot>| {
                        slot.is_some_and(|slot| tape.body(text, slot) == name)
                    };
                    expected.has_key(name) || is(first) || is(own)
                };
                let colon = own.map_or(0, |key| key.span.end as usize);
                let sign = text.get(colon..slot.span.start as usize).unwrap_or_default();
                let string = Inside {
                    raw: text.get(slot.span.range()).unwrap_or_default(),
                    has_equals: sign.contains('='),
                    is_known: &is_known,
                };
                if let Some(code) = string.swallowed() {
                    found.push(Fault { span: slot.span, code });
                }
            }
            _ => {}
        }
    }
    found.retain(|fault| {
        faults.binary_search_by_key(&(fault.span, fault.code), |old| (old.span, old.code)).is_err()
    });
    found
}

/// Whether the last member of this value, which lacks closers at its end, is an object with a member
/// that the root should have and has not: the closer may be missing before it.
pub(crate) fn is_misplaced(tape: &Tape, text: &str, root: usize, expected: &Expected) -> bool {
    let node = |index: usize| Node { tape, text, index };
    let is_object =
        |index: &usize| tape.slots.get(*index).is_some_and(|slot| slot.kind == Kind::Object);
    let last = |index: usize| node(index).members().last().map(|(_, value)| value.index);
    let mut inner = last(root).filter(is_object);
    if !is_object(&root) || inner.is_none() {
        return false;
    }
    let own: HashSet<_> = node(root).members().filter_map(|(key, _)| key.as_str()).collect();
    while let Some(index) = inner {
        let mut names = node(index).members().filter_map(|(key, _)| key.as_str());
        if names.any(|name| expected.has_root_key(&name) && !own.contains(&name)) {
            return true;
        }
        inner = last(index).filter(is_object);
    }
    false
}

/// A container that is being walked.
struct Around {
    /// The slot after it.
    next: usize,
    is_object: bool,
    first_key: Option<usize>,
    /// The key whose value comes next.
    key: Option<usize>,
}

/// Whether a string with this fault may have ended too late.
fn is_odd(code: FaultCode) -> bool {
    matches!(
        code,
        FaultCode::UnescapedQuote
            | FaultCode::MissingQuote
            | FaultCode::UnquotedValue
            | FaultCode::RaggedValue
    )
}

/// A string as it stands in the text, quotes included.
struct Inside<'a> {
    raw: &'a str,
    /// Whether an equals sign stands before it, so that one may stand behind a key.
    has_equals: bool,
    is_known: &'a dyn Fn(&str) -> bool,
}

impl Inside<'_> {
    fn swallowed(&self) -> Option<FaultCode> {
        let bytes = self.raw.as_bytes();
        let (quote, width) = match bytes {
            [b'\\', b'"', ..] => (b'"', 2),
            [quote @ (b'"' | b'\'' | b'`'), ..] => (*quote, 1),
            // Bytes of typographic quotes are not told apart.
            [first, ..] if !first.is_ascii() => return None,
            _ => return self.has_bare_key().then_some(FaultCode::RaggedValue),
        };
        self.has_quoted_key(quote, width).then_some(FaultCode::UnclearEnd)
    }

    /// A key in an object that is closed inside the string is part of it.
    fn has_quoted_key(&self, quote: u8, width: usize) -> bool {
        let bytes = self.raw.as_bytes();
        let mut open = Vec::new();
        let mut at = width;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\\' if width == 1 => at += 1,
                b'{' | b'[' => open.push(false),
                b'}' | b']' => drop(open.pop()),
                _ if byte == quote && self.is_key(at, quote, width) => match open.last_mut() {
                    Some(has_key) => *has_key = true,
                    None => return true,
                },
                _ => {}
            }
            at += 1;
        }
        open.contains(&true)
    }

    /// Whether the quote at this place is one of a key.
    fn is_key(&self, at: usize, quote: u8, width: usize) -> bool {
        let bytes = self.raw.as_bytes();
        let behind = |end: usize| {
            let rest = bytes.get(end..).unwrap_or_default().trim_ascii_start();
            rest.first().copied()
        };
        let is_apart = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_whitespace);
        let name_at = |start: usize| {
            let rest = bytes.get(start..).unwrap_or_default();
            let end = rest.iter().take(KEY_BYTES_MAX).position(|&byte| !is_name_byte(byte));
            start + end.unwrap_or(0)
        };
        // `"name": …`, and after a comma `"name" "…"`
        let end = name_at(at + 1);
        let close = end + usize::from(bytes.get(end) == Some(&b'\\'));
        if bytes.get(close) == Some(&quote) && self.knows(at + 1, end) {
            let before = self.before(at);
            // At its start a string may repeat its key, where its own quotes do not pair up.
            if at == width && behind(close + 1) == Some(b':') && !self.is_paired(quote) {
                return true;
            }
            let is_member = match behind(close + 1) {
                Some(b':') => before != Before::Text,
                Some(b'=') => before == Before::Comma,
                Some(next) => before == Before::Comma && next == quote && is_apart(close + 1),
                None => false,
            };
            if is_member {
                return true;
            }
        }
        // `name": …`
        let from = at.saturating_sub(KEY_BYTES_MAX);
        let head = bytes.get(from..at).unwrap_or_default();
        let head = head.strip_suffix(b"\\").unwrap_or(head);
        let length = head.iter().rev().take_while(|&&byte| is_name_byte(byte)).count();
        let end = from + head.len();
        let start = end - length;
        behind(at + 1) == Some(b':')
            && self.knows(start, end)
            && matches!(self.before(start), Before::Comma | Before::Break)
    }

    /// Whether quotes of this kind come in pairs, those around the string too.
    fn is_paired(&self, quote: u8) -> bool {
        memchr::memchr_iter(quote, self.raw.as_bytes()).count().is_multiple_of(2)
    }

    fn knows(&self, start: usize, end: usize) -> bool {
        self.raw.get(start..end).is_some_and(|name| !name.is_empty() && (self.is_known)(name))
    }

    /// What stands before a place.
    fn before(&self, at: usize) -> Before {
        let head = self.raw.get(..at).unwrap_or_default();
        let text = head.trim_end().trim_end_matches('\\');
        match text.bytes().next_back() {
            Some(b',' | b'{' | b';') => Before::Comma,
            _ if head.get(text.len()..).is_some_and(|gap| gap.contains('\n')) => Before::Break,
            Some(b'}' | b']' | b'[') => Before::End,
            // A key right behind a quote is quoted itself.
            Some(b'"' | b'\'' | b'`') if text.len() < head.len() => Before::End,
            _ => Before::Text,
        }
    }

    /// Whether a key without quotes, and its colon, stands in unquoted text.
    fn has_bare_key(&self) -> bool {
        let bytes = self.raw.as_bytes();
        let mut at = 0;
        while let Some(gap) = bytes.get(at..).and_then(|rest| {
            rest.iter().position(|&byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';'))
        }) {
            let is_comma = matches!(bytes.get(at + gap), Some(b',' | b';'));
            at += gap + 1;
            let is_quote = |byte: Option<&u8>| matches!(byte, Some(b'"' | b'\'' | b'`'));
            let start = at + usize::from(is_quote(bytes.get(at)));
            let rest = bytes.get(start..).unwrap_or_default();
            let length = rest.iter().take_while(|&&byte| is_name_byte(byte)).count();
            let end = start + length;
            let next = end + usize::from(is_quote(bytes.get(end)));
            let sign = bytes.get(next..).unwrap_or_default().trim_ascii_start().first();
            let is_sign = match sign {
                Some(b':') => true,
                Some(b'=') => self.has_equals || is_comma,
                _ => false,
            };
            if is_sign && self.knows(start, end) {
                return true;
            }
            at = start + length;
        }
        false
    }
}

/// What stands before a key, white space aside.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    /// A comma or the opener of an object.
    Comma,
    /// A line break.
    Break,
    /// What may end a member.
    End,
    /// Something else.
    Text,
}
