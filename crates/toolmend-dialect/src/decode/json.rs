//! Calls that are JSON: where such a text ends, its reading, and the values in it that are calls.

use std::fmt::Write as _;
use std::ops::Range;

use memchr::memchr2;
use toolmend_json::{Document, Expected, Fault, Node, Options, Outcome, Shape, Trust, Want};

use super::envelope::Parts;
use super::python;
use crate::cursor::{Look, between, byte, closing_quotes, from, skip_space, stop_within};
use crate::found::{Arguments, Found, moved};
use crate::offered::Offered;

/// A key with which a call begins is short.
const KEY_BYTES_MAX: usize = 128;

/// The end of the value that starts here, by brackets and strings alone.
pub(crate) fn end(text: &str, at: usize) -> Look<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut place = at;
    while let Some(&byte) = bytes.get(place) {
        place += 1;
        match byte {
            b'"' | b'\'' if byte == b'"' || may_quote(bytes, at, place - 1) => {
                let Some(end) = string_end(bytes, place, byte) else { return Look::More };
                place = end;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Look::Is(place);
                }
            }
            _ => {}
        }
    }
    Look::More
}

/// An apostrophe opens a string only where a value or a key can start.
fn may_quote(bytes: &[u8], start: usize, place: usize) -> bool {
    let before = bytes.get(start..place).unwrap_or_default();
    let last = before.iter().rev().find(|byte| !byte.is_ascii_whitespace());
    last.is_some_and(|last| b"{[(:,=".contains(last))
}

/// The place behind the quote that closes a string whose first character stands here.
pub(super) fn string_end(bytes: &[u8], at: usize, quote: u8) -> Option<usize> {
    let mut place = at;
    loop {
        place += memchr2(quote, b'\\', bytes.get(place..)?)?;
        if bytes.get(place) == Some(&quote) {
            return Some(place + 1);
        }
        place += 2;
    }
}

/// Reads a body whose shape is not known.
pub(crate) fn read(text: &str) -> Document<'_> {
    toolmend_json::read(text, &Options::default())
}

/// Reads the body that starts a text, if it is right: then it ends with its own bracket.
pub(crate) fn read_first(text: &str) -> Option<Document<'_>> {
    toolmend_json::read_first(text, &Options::default())
}

/// Reads what should be an object.
pub(crate) fn read_object(text: &str) -> Document<'_> {
    let options = Options { expected: Expected::root(Want::Object), ..Options::default() };
    toolmend_json::read(text, &options)
}

pub(crate) fn trust(document: &Document<'_>) -> Option<Trust> {
    match document.outcome() {
        Outcome::Untouched => Some(Trust::Exact),
        Outcome::Mended(trust) => Some(trust),
        _ => None,
    }
}

/// The arguments that a part of a text holds when the name stood elsewhere. An envelope inside wins.
pub(crate) fn arguments(
    text: &str,
    place: Range<usize>,
    name: &str,
    offered: &Offered,
) -> Vec<Found> {
    let mut document = read_object(between(text, place.start, place.end));
    // What stands behind them says that they are over: only braces are missing.
    document.close(Trust::Likely);
    arguments_in(&document, place.start, name, offered)
}

/// The arguments of a document that starts here in the text.
pub(crate) fn arguments_in(
    document: &Document<'_>,
    at: usize,
    name: &str,
    offered: &Offered,
) -> Vec<Found> {
    share(document, arguments_of(document, name, offered), at)
}

fn arguments_of(document: &Document<'_>, name: &str, offered: &Offered) -> Vec<Found> {
    let Some(trust) = trust(document) else {
        let code = match document.outcome() {
            Outcome::Refused(code) => Some(code),
            _ => None,
        };
        return vec![Found::new(name, Arguments::Unreadable(code))];
    };
    let drafts = document.values().map(|node| {
        let parts = (node.shape() == Shape::Object).then(|| Parts::of(node));
        let inner = parts.filter(Parts::is_envelope);
        let inner = inner.and_then(|parts| parts.envelope(node, trust, offered));
        let draft = match inner.filter(|inner| offered.knows(&inner.name)) {
            Some(inner) => inner,
            None if node.shape() == Shape::Object => {
                Found::new(name, Arguments::Object(node.to_value(), trust))
            }
            None => Found::new(name, Arguments::Text(node.source().to_owned())),
        };
        Found { span: node.span().range(), ..draft }
    });
    drafts.collect()
}

/// Gives the faults of a document to its calls: each to the one that starts last before it. The
/// document starts here in the text.
fn share(document: &Document<'_>, mut calls: Vec<Found>, at: usize) -> Vec<Found> {
    for fault in document.faults() {
        let before = calls.partition_point(|call| call.span.start <= fault.span.start as usize);
        if let Some(call) = calls.get_mut(before.saturating_sub(1)) {
            call.faults.push(*fault);
        }
    }
    for fault in calls.iter_mut().flat_map(|call| &mut call.faults) {
        *fault = moved(fault, at);
    }
    calls
}

/// The calls of a document that starts here in the text; none where it holds something else.
pub(crate) fn calls(document: &Document<'_>, at: usize, offered: &Offered) -> Vec<Found> {
    let Some(trust) = trust(document) else { return Vec::new() };
    let mut calls = Vec::with_capacity(document.values().len());
    for node in document.values() {
        let before = calls.len();
        if !add_calls(node, trust, offered, &mut calls) {
            calls.truncate(before);
        }
    }
    share(document, calls, at)
}

/// Adds the calls of a value; `false` where it holds something else. A list or a wrapper is opened;
/// nothing deeper is searched.
fn add_calls(node: Node<'_>, trust: Trust, offered: &Offered, calls: &mut Vec<Found>) -> bool {
    let mut open = Vec::new();
    let mut next = Some(node);
    while let Some(node) = next.take().or_else(|| open.pop()) {
        let before = calls.len();
        match node.shape() {
            Shape::Array => {
                let mut items = node.items();
                next = items.next();
                let others = open.len();
                open.extend(items);
                open.get_mut(others..).unwrap_or_default().reverse();
            }
            Shape::Object => {
                let parts = Parts::of(node);
                next = parts.wrapped();
                if next.is_none() {
                    object_calls(node, &parts, trust, offered, calls);
                }
                // What stands in a list with a record is one, too.
                if calls.len() == before && parts.is_record() {
                    return false;
                }
            }
            Shape::String => {
                let text = node.as_str().unwrap_or_default();
                let found = python::whole(&text, offered).into_iter().flatten();
                calls.extend(found.map(|draft| {
                    // Places inside a string say nothing of the text around it.
                    let faults = draft.faults.iter().map(|fault| at_node(fault, node)).collect();
                    Found { faults, ..draft }
                }));
            }
            _ => return false,
        }
        for call in calls.get_mut(before..).unwrap_or_default() {
            call.span = node.span().range();
        }
    }
    true
}

fn object_calls(
    node: Node<'_>,
    parts: &Parts<'_>,
    trust: Trust,
    offered: &Offered,
    calls: &mut Vec<Found>,
) {
    if let Some(draft) = parts.envelope(node, trust, offered) {
        calls.push(draft);
        return;
    }
    // `{"get_weather": {…}}`: the key is the name.
    let before = calls.len();
    for (key, value) in node.members() {
        let key = key.as_str().unwrap_or_default();
        if value.shape() != Shape::Object || !offered.knows(&key) {
            calls.truncate(before);
            return;
        }
        calls.push(Found::new(key, Arguments::Object(value.to_value(), trust)));
    }
}

/// A fault of a text that is written in a string: the string is its place.
pub(super) fn at_node(fault: &Fault, node: Node<'_>) -> Fault {
    Fault { span: node.span(), ..*fault }
}

/// Writes a text as a JSON string.
pub(crate) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    // Most text needs no escape at all, which is told many bytes at once.
    let has_control = text.bytes().min().is_some_and(|least| least < 0x20);
    if !has_control && memchr2(b'"', b'\\', text.as_bytes()).is_none() {
        out.push_str(text);
        out.push('"');
        return;
    }
    while let Some(at) = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20)) {
        out.push_str(between(rest, 0, at));
        match byte(rest, at) {
            Some(b'"') => out.push_str("\\\""),
            Some(b'\\') => out.push_str("\\\\"),
            Some(b'\n') => out.push_str("\\n"),
            Some(b'\r') => out.push_str("\\r"),
            Some(b'\t') => out.push_str("\\t"),
            // Writing to a string cannot fail.
            other => drop(write!(out, "\\u{:04x}", other.unwrap_or_default())),
        }
        rest = from(rest, at + 1);
    }
    out.push_str(rest);
    out.push('"');
}

/// The first key of an object that starts here, without reading on.
pub(crate) fn first_key(text: &str, at: usize) -> Look<&str> {
    let start = skip_space(text, at + 1);
    let Some(first) = from(text, start).chars().next() else { return Look::More };
    let quotes = closing_quotes(first);
    let start = if quotes.is_empty() { start } else { start + first.len_utf8() };
    let stop = |c: char| match quotes.is_empty() {
        false => quotes.contains(&c),
        true => !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-')),
    };
    stop_within(text, start, KEY_BYTES_MAX, stop).map(|end| between(text, start, end))
}
