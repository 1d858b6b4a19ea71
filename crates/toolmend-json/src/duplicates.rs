//! Keys that stand twice in an object: the last one counts.

use std::borrow::Cow;
use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::document::Node;
use crate::escape::push_fault;
use crate::tape::{Body, Kind, Payload, Slot, Tape};
use crate::{Fault, FaultCode};

/// Up to this many members, comparing each key with each other is faster than hashing.
const FEW_MEMBERS: usize = 8;

/// Marks keys that a later one of the same name replaces.
pub(crate) fn mark_duplicates(tape: &mut Tape, text: &str, faults: &mut Vec<Fault>) {
    let mut superseded = Vec::new();
    let mut keys = Vec::new();
    for (index, slot) in tape.slots.iter().enumerate() {
        if let (Kind::Object, Payload::Children(children)) = (slot.kind, slot.payload)
            && children.next != u32::MAX
            && may_repeat(tape, text, index)
        {
            keys.clear();
            keys.extend(list_keys(tape, text, index));
            find_duplicates(tape, text, &keys, &mut superseded);
        }
    }
    for (first, last) in superseded {
        if let Some(slot) = tape.slots.get_mut(first) {
            slot.superseded = true;
        }
        if let Some(Slot { span, .. }) = tape.slots.get(last) {
            push_fault(faults, FaultCode::DuplicateKey, span.start as usize, span.end as usize);
        }
    }
}

/// A key of an object: its slot, and a number that equal names share.
struct Key {
    slot: usize,
    print: u64,
}

/// Whether two keys of an object may be the same. Most objects are told without a list.
fn may_repeat(tape: &Tape, text: &str, object: usize) -> bool {
    let mut seen = 0_u64;
    let (mut at, end) = (object + 1, tape.after(object));
    while at < end {
        let bit = 1 << (print(tape, text, at).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        if seen & bit != 0 {
            return true;
        }
        seen |= bit;
        at = tape.after(at + 1);
    }
    false
}

/// The keys of an object.
fn list_keys(tape: &Tape, text: &str, object: usize) -> impl Iterator<Item = Key> {
    let end = tape.after(object);
    let mut at = object + 1;
    std::iter::from_fn(move || {
        let key = (at < end).then(|| Key { slot: at, print: print(tape, text, at) })?;
        at = tape.after(at + 1);
        Some(key)
    })
}

/// The number of a key that equal names share.
fn print(tape: &Tape, text: &str, key: usize) -> u64 {
    match tape.slots.get(key).map(|slot| slot.payload) {
        // Most names stand in the text as they are.
        Some(Payload::Body { body: Body::Text(span), escaped: false }) => {
            fingerprint(text.as_bytes().get(span.range()).unwrap_or_default())
        }
        _ => fingerprint(name(tape, text, key).as_bytes()),
    }
}

fn name<'a>(tape: &'a Tape, text: &'a str, key: usize) -> Cow<'a, str> {
    Node { tape, text, index: key }.as_str().unwrap_or_default()
}

/// The length and the first and last bytes of a name: different names seldom share them.
fn fingerprint(bytes: &[u8]) -> u64 {
    let edges = match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        _ => bytes.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)),
    };
    edges ^ (bytes.len() as u64).rotate_left(56)
}

/// Adds pairs of slots, each a key and the later one that replaces it.
fn find_duplicates(tape: &Tape, text: &str, keys: &[Key], found: &mut Vec<(usize, usize)>) {
    if keys.len() <= FEW_MEMBERS {
        for (order, key) in keys.iter().enumerate() {
            let mut later = keys.iter().skip(order + 1).filter(|other| other.print == key.print);
            if let Some(later) =
                later.find(|other| name(tape, text, other.slot) == name(tape, text, key.slot))
            {
                found.push((key.slot, later.slot));
            }
        }
        return;
    }
    let mut last_of = HashMap::with_capacity_and_hasher(keys.len(), RandomState::default());
    for key in keys {
        if let Some(earlier) = last_of.insert(name(tape, text, key.slot), key.slot) {
            found.push((earlier, key.slot));
        }
    }
}
