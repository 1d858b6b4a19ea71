//! Calls whose marks were escaped for a page: `&lt;tool_call&gt;`.

use memchr::memchr;

use crate::cursor::{Look, between, from};
use crate::found::moved;
use crate::offered::Offered;
use crate::parse::{self, Parse};
use crate::triggers::{self, Opening};

/// What an escaped mark starts with.
pub(crate) const OPENER: &str = "&lt;";

/// What stands for what.
const ENTITIES: [(&str, char); 7] = [
    ("&lt;", '<'),
    ("&gt;", '>'),
    ("&quot;", '"'),
    ("&amp;", '&'),
    ("&#39;", '\''),
    ("&#x27;", '\''),
    ("&apos;", '\''),
];

/// No mark is longer, escaped or not.
const HEAD_BYTES: usize = 1024;

/// A text without its escapes, and where it is shorter than what stands in the other.
struct Decoded {
    text: String,
    /// The places behind the entities: here and there.
    places: Vec<(usize, usize)>,
}

impl Decoded {
    /// Half an entity at the end of a text that may go on is left for later.
    fn new(raw: &str, is_ended: bool) -> Self {
        let mut decoded = Self { text: String::with_capacity(raw.len()), places: Vec::new() };
        let mut at = 0;
        while let Some(found) = memchr(b'&', from(raw, at).as_bytes()) {
            decoded.text.push_str(between(raw, at, at + found));
            at += found;
            let rest = from(raw, at);
            if let Some((entity, c)) = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity))
            {
                decoded.text.push(*c);
                at += entity.len();
                decoded.places.push((decoded.text.len(), at));
                continue;
            }
            if !is_ended && ENTITIES.iter().any(|(entity, _)| entity.starts_with(rest)) {
                return decoded;
            }
            decoded.text.push('&');
            at += 1;
        }
        decoded.text.push_str(from(raw, at));
        decoded
    }

    /// The place in the other text.
    fn raw(&self, at: usize) -> usize {
        let behind = self.places.partition_point(|(here, _)| *here <= at);
        let last = behind.checked_sub(1).and_then(|last| self.places.get(last));
        last.map_or(at, |(here, there)| there + (at - here))
    }
}

/// Reads the region at the start of a text whose first mark is escaped. Pages show marks in this way, so
/// that they count no more than none.
pub(crate) fn region(raw: &str, offered: &Offered, is_ended: bool) -> Parse {
    let near = between(raw, 0, raw.floor_char_boundary(HEAD_BYTES.min(raw.len())));
    let is_whole = is_ended && near.len() == raw.len();
    let head = Decoded::new(near, is_whole);
    match triggers::opens(&head.text, 0, offered, is_whole) {
        Look::Is(Opening::Region) => {}
        Look::More if near.len() == raw.len() => return Parse::More,
        _ => return Parse::Not(near.len()),
    }
    let decoded = Decoded::new(raw, is_ended);
    match parse::region(&decoded.text, offered, is_ended, None) {
        Parse::Region { len, mut calls, .. } => {
            for call in &mut calls {
                call.span = decoded.raw(call.span.start)..decoded.raw(call.span.end);
                for fault in &mut call.faults {
                    let start = fault.span.start as usize;
                    *fault = moved(fault, decoded.raw(start) - start);
                }
            }
            let len = decoded.raw(len);
            // All of the text was read to find so much of it.
            let wasted = if is_ended { raw.len() - len } else { 0 };
            Parse::Region { len, calls, is_marked: false, wasted }
        }
        Parse::Not(_) => Parse::Not(raw.len()),
        Parse::More => Parse::More,
    }
}
