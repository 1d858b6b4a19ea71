//! Splits lists of messages into parts that are kept, each once.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr2, memchr2_iter};
use serde_json::Value;
use serde_json::value::RawValue;

/// A part has at least so many bytes where more messages follow: a row of its own for each short
/// message would cost more than what is shared by it.
pub(super) const PART_BYTES: usize = 2048;

/// So deep values are read.
const DEPTH_MAX: usize = 127;
/// How the keys begin by which the reader of values tells numbers that it has written itself.
const OWN_KEY: &str = "$serde_json::private::";

/// The end of a part that no other list goes on from: there is no message that it ends with.
const NO_END: usize = usize::MAX;

pub(super) const SPACE: [char; 4] = [' ', '\n', '\r', '\t'];

/// The parts of a list of messages behind a place where one of them ended, each with its end: lists, too.
/// What is no list is one part as it is. `None` where something in it cannot be read.
pub(super) fn parts_from(list: &str, start: usize) -> Option<Vec<(usize, String)>> {
    let rest = list.get(start..)?;
    let (text, shift) = match start {
        0 if !rest.starts_with('[') => {
            serde_json::from_str::<&RawValue>(rest).ok()?;
            return Some(vec![(NO_END, readable(rest.to_owned())?)]);
        }
        0 => (Cow::Borrowed(rest), 0),
        _ => {
            let at = rest.find([',', ']'])?;
            let behind = rest.get(at + 1..)?;
            match rest.as_bytes().get(at) {
                Some(b',') => (Cow::Owned(["[", behind].concat()), start + at),
                _ => return behind.trim_matches(SPACE).is_empty().then(Vec::new),
            }
        }
    };
    let parts = match text.len() <= PART_BYTES {
        true => one_part(text, shift)?,
        false => many_parts(&text, shift)?,
    };
    match parts.is_empty() {
        // Behind a comma there has to be something.
        true => (start == 0).then(|| vec![(NO_END, "[]".to_owned())]),
        false => Some(parts),
    }
}

/// The parts of a list that is no longer than one.
fn one_part(text: Cow<'_, str>, shift: usize) -> Option<Vec<(usize, String)>> {
    let list: &RawValue = serde_json::from_str(&text).ok()?;
    let behind = list.get().strip_prefix('[')?.strip_suffix(']')?;
    let messages = behind.trim_matches(SPACE);
    if messages.is_empty() {
        return Some(Vec::new());
    }
    let end = messages.as_ptr().addr() - text.as_ptr().addr() + messages.len();
    let own = match messages.len() + 2 == text.len() {
        true => text.into_owned(),
        false => ["[", messages, "]"].concat(),
    };
    Some(vec![(shift + end, readable(own)?)])
}

/// The parts of a list that may have some.
fn many_parts(text: &str, shift: usize) -> Option<Vec<(usize, String)>> {
    let messages: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    let part = |range: Range<usize>| {
        let end = shift + range.end;
        Some((end, readable(["[", text.get(range)?, "]"].concat())?))
    };
    ranges(text, &messages).into_iter().map(part).collect()
}

/// Where the parts of a list are.
fn ranges(list: &str, messages: &[&RawValue]) -> Vec<Range<usize>> {
    let (mut ranges, mut from) = (Vec::new(), None);
    for (number, message) in messages.iter().enumerate() {
        let own = message.get();
        let at = own.as_ptr().addr() - list.as_ptr().addr();
        let (first, end) = (*from.get_or_insert(at), at + own.len());
        if end - first >= PART_BYTES || number + 1 == messages.len() {
            ranges.push(first..end);
            from = None;
        }
    }
    ranges
}

/// A text as it can be read again; nothing where it cannot. It is JSON, so only an escape may be half a
/// pair, a key be one that the reader takes for its own, or the text go deeper than the reader does.
pub(super) fn readable(list: String) -> Option<String> {
    let may_be_odd = memchr2(b'\\', b'$', list.as_bytes()).is_some();
    let is_odd = may_be_odd && (list.contains(r"\u") || list.contains(OWN_KEY));
    if !is_odd && is_shallow(&list) {
        return Some(list);
    }
    serde_json::from_str::<Value>(&list).ok().map(|read| read.to_string())
}

/// Whether a JSON text is no deeper than what is read.
fn is_shallow(text: &str) -> bool {
    let opens = |byte: u8| matches!(byte, b'[' | b'{');
    if memchr2_iter(b'[', b'{', text.as_bytes()).nth(DEPTH_MAX).is_none() {
        return true;
    }
    let (mut depth, mut is_string, mut is_escaped) = (0_usize, false, false);
    for byte in text.bytes() {
        if is_string {
            is_string = byte != b'"' || is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            continue;
        }
        match byte {
            b'"' => is_string = true,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => depth += usize::from(opens(byte)),
        }
        if depth > DEPTH_MAX {
            return false;
        }
    }
    true
}
