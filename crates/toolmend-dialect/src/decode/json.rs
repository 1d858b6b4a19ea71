//! Calls that are JSON: envelopes with a name and arguments, under the names that models use.

use std::fmt::Write as _;
use std::ops::Range;

use memchr::memchr2;
use toolmend_json::{Document, Expected, Fault, Node, Options, Outcome, Shape, Trust, Want};

use super::python;
use crate::cursor::{Look, between, byte, closing_quotes, from, skip_space, stop_within};
use crate::found::{Arguments, Draft, moved};
use crate::offered::Offered;

const NAME_KEYS: [&str; 8] = [
    "name",
    "tool",
    "tool_name",
    "function",
    "function_name",
    "toolName",
    "action",
    "recipient_name",
];
/// Keys that are as often those of an argument: a name stands under them only if it is a tool's.
const OTHER_NAME_KEYS: [&str; 7] =
    ["func", "method", "command", "operation", "api", "api_name", "selected_tool"];
const ARGUMENT_KEYS: [&str; 16] = [
    "arguments",
    "parameters",
    "args",
    "input",
    "params",
    "tool_args",
    "tool_input",
    "action_input",
    "kwargs",
    "function_args",
    "tool_arguments",
    "tool_parameters",
    "tool_params",
    "function_arguments",
    "function_parameters",
    "action_parameters",
];
const ID_KEYS: [&str; 3] = ["id", "tool_call_id", "call_id"];
/// Members of an envelope that are never arguments.
const META_KEYS: [&str; 4] = ["type", "index", "role", "status"];
/// Members that hold a call or a list of calls.
const WRAPPERS: [&str; 13] = [
    "tool_calls",
    "toolCalls",
    "tool_call",
    "function_call",
    "function_calls",
    "function",
    "content",
    "tool_uses",
    "calls",
    "actions",
    "functions",
    "tools",
    "command",
];
/// Members that tell why; an envelope may begin with one.
const THOUGHT_KEYS: [&str; 6] =
    ["thought", "thoughts", "reasoning", "reason", "explanation", "thinking"];
/// A key with which a call begins is short.
const KEY_BYTES_MAX: usize = 128;

/// Whether the name of a tool stands under this key.
pub(crate) fn is_name_key(key: &str) -> bool {
    NAME_KEYS.contains(&key)
}

/// Keys with which an object that is a call can begin.
pub(crate) fn may_begin_call(key: &str) -> bool {
    let known = [
        &NAME_KEYS[..],
        &OTHER_NAME_KEYS,
        &ARGUMENT_KEYS,
        &ID_KEYS,
        &META_KEYS,
        &WRAPPERS,
        &THOUGHT_KEYS,
    ];
    known.iter().any(|keys| keys.contains(&key))
}

/// The end of the value that starts here, by brackets and strings alone.
pub(crate) fn end(text: &str, at: usize) -> Look<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut before = b' ';
    let mut place = at;
    while let Some(&byte) = bytes.get(place) {
        match byte {
            // An apostrophe opens a string only where a value or a key can start.
            b'"' | b'\'' if byte == b'"' || b"{[(:,=".contains(&before) => {
                let Some(end) = string_end(bytes, place + 1, byte) else { return Look::More };
                (place, before) = (end, byte);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Look::Is(place + 1);
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        place += 1;
    }
    Look::More
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
) -> Vec<Draft> {
    let document = read_object(between(text, place.start, place.end));
    arguments_in(&document, place.start, name, offered)
}

/// The arguments of a document that starts here in the text.
pub(crate) fn arguments_in(
    document: &Document<'_>,
    at: usize,
    name: &str,
    offered: &Offered,
) -> Vec<Draft> {
    share(document, arguments_of(document, name, offered), at)
}

fn arguments_of(document: &Document<'_>, name: &str, offered: &Offered) -> Vec<Placed> {
    let Some(trust) = trust(document) else {
        let code = match document.outcome() {
            Outcome::Refused(code) => Some(code),
            _ => None,
        };
        return vec![Placed::new(0, Draft::new(name, Arguments::Unreadable(code)))];
    };
    let drafts = document.values().map(|node| {
        let inner =
            (node.shape() == Shape::Object).then(|| envelope(node, trust, offered)).flatten();
        let draft = match inner.filter(|inner| offered.knows(&inner.name) && is_envelope(node)) {
            Some(inner) => inner,
            None if node.shape() == Shape::Object => {
                Draft::new(name, Arguments::Object(node.to_json(), trust))
            }
            None => Draft::new(name, Arguments::Text(node.source().to_owned())),
        };
        Placed::new(node.span().start, draft)
    });
    drafts.collect()
}

/// A call, and where it starts in its document.
struct Placed {
    start: u32,
    draft: Draft,
}

impl Placed {
    fn new(start: u32, draft: Draft) -> Self {
        Self { start, draft }
    }
}

/// Gives the faults of a document to its calls: each to the one that starts last before it. The
/// document starts here in the text.
fn share(document: &Document<'_>, mut calls: Vec<Placed>, at: usize) -> Vec<Draft> {
    for fault in document.faults() {
        let before = calls.partition_point(|call| call.start <= fault.span.start);
        if let Some(call) = calls.get_mut(before.saturating_sub(1)) {
            call.draft.faults.push(*fault);
        }
    }
    let drafts = calls.into_iter().map(|call| {
        let faults = call.draft.faults.iter().map(|fault| moved(fault, at)).collect();
        Draft { faults, ..call.draft }
    });
    drafts.collect()
}

/// Whether an object has a name and arguments and little else.
fn is_envelope(node: Node<'_>) -> bool {
    find(node, &NAME_KEYS).is_some() && find(node, &ARGUMENT_KEYS).is_some()
}

/// The calls of a document that starts here in the text; none where it holds something else.
pub(crate) fn calls(document: &Document<'_>, at: usize, offered: &Offered) -> Vec<Draft> {
    let Some(trust) = trust(document) else { return Vec::new() };
    let calls = document.values().flat_map(|node| calls_of(node, trust, offered)).collect();
    share(document, calls, at)
}

/// The calls of a value. A list or a wrapper is opened; nothing deeper is searched.
fn calls_of(node: Node<'_>, trust: Trust, offered: &Offered) -> Vec<Placed> {
    let mut open = vec![node];
    let mut drafts = Vec::new();
    while let Some(node) = open.pop() {
        let placed = |draft| Placed::new(node.span().start, draft);
        match node.shape() {
            Shape::Array => {
                let items: Vec<Node<'_>> = node.items().collect();
                open.extend(items.into_iter().rev());
            }
            Shape::Object => match wrapped(node) {
                Some(inner) => open.push(inner),
                None => drafts.extend(object_calls(node, trust, offered).into_iter().map(placed)),
            },
            Shape::String => {
                let text = node.as_str().unwrap_or_default();
                let calls = python::whole(&text, offered).into_iter().flatten();
                drafts.extend(calls.map(|draft| {
                    // Places inside a string say nothing of the text around it.
                    let faults = draft.faults.iter().map(|fault| at_node(fault, node)).collect();
                    placed(Draft { faults, ..draft })
                }));
            }
            _ => return Vec::new(),
        }
    }
    drafts
}

/// What a wrapper holds, if the object is one.
fn wrapped(node: Node<'_>) -> Option<Node<'_>> {
    if find(node, &ARGUMENT_KEYS).is_some() {
        return None;
    }
    let inner = find(node, &WRAPPERS)?;
    matches!(inner.shape(), Shape::Object | Shape::Array).then_some(inner)
}

fn object_calls(node: Node<'_>, trust: Trust, offered: &Offered) -> Vec<Draft> {
    if let Some(draft) = envelope(node, trust, offered) {
        return vec![draft];
    }
    // `{"get_weather": {…}}`: the key is the name.
    let mut drafts = Vec::new();
    for (key, value) in node.members() {
        let key = key.as_str().unwrap_or_default();
        if value.shape() != Shape::Object || !offered.knows(&key) {
            return Vec::new();
        }
        drafts.push(Draft::new(key, Arguments::Object(value.to_json(), trust)));
    }
    drafts
}

/// One call: a name, and arguments under one of their names or beside it.
fn envelope(node: Node<'_>, trust: Trust, offered: &Offered) -> Option<Draft> {
    let kind = || string(node, &["type"]).filter(|(_, kind)| offered.knows(kind));
    if is_definition(node) {
        return None;
    }
    let other = || string(node, &OTHER_NAME_KEYS).filter(|(_, name)| offered.knows(name));
    let (key, name) = string(node, &NAME_KEYS).or_else(kind).or_else(other)?;
    let id = string(node, &ID_KEYS).map(|(_, id)| id);
    let (arguments, faults) = match find(node, &ARGUMENT_KEYS) {
        Some(arguments) => inner(arguments, trust),
        None => (beside(node, key, trust), Vec::new()),
    };
    Some(Draft { name, id, arguments, faults })
}

/// Whether an object describes a tool: what stands in the place of arguments is their schema.
fn is_definition(node: Node<'_>) -> bool {
    let schema = find(node, &["parameters", "input_schema"]);
    let has_properties = schema.is_some_and(|schema| find(schema, &["properties"]).is_some());
    has_properties && find(node, &["description"]).is_some()
}

/// A fault of a text that is written in a string: the string is its place.
fn at_node(fault: &Fault, node: Node<'_>) -> Fault {
    Fault { span: node.span(), ..*fault }
}

/// The arguments under their own key: an object, or an object written as a string, and what was
/// wrong in the string.
fn inner(node: Node<'_>, trust: Trust) -> (Arguments, Vec<Fault>) {
    let arguments = match node.shape() {
        Shape::Object => Arguments::Object(node.to_json(), trust),
        Shape::Null => Arguments::None,
        Shape::String => {
            let text = node.as_str().unwrap_or_default();
            if text.trim().is_empty() {
                return (Arguments::None, Vec::new());
            }
            let document = read_object(&text);
            match (document.value(), self::trust(&document)) {
                (Some(value), Some(inner)) if value.shape() == Shape::Object => {
                    let faults = document.faults().iter().map(|fault| at_node(fault, node));
                    let arguments = Arguments::Object(value.to_json(), trust.max(inner));
                    return (arguments, faults.collect());
                }
                _ => Arguments::Text(text.into_owned()),
            }
        }
        _ => Arguments::Text(node.source().to_owned()),
    };
    (arguments, Vec::new())
}

/// The arguments that stand beside the name.
fn beside(node: Node<'_>, name_key: &str, trust: Trust) -> Arguments {
    let mut out = String::from("{");
    for (key, value) in node.members() {
        let key = key.as_str().unwrap_or_default();
        let key = key.as_ref();
        if key == name_key || ID_KEYS.contains(&key) || META_KEYS.contains(&key) {
            continue;
        }
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&quoted(key));
        out.push(':');
        value.write_json(&mut out);
    }
    if out.len() == 1 {
        return Arguments::None;
    }
    out.push('}');
    Arguments::Object(out, trust.max(Trust::Likely))
}

/// The members whose keys stand in this list, each with its place there.
fn ranked<'d>(node: Node<'d>, keys: &[&str]) -> impl Iterator<Item = (usize, Node<'d>)> {
    node.members().filter_map(|(key, value)| {
        let key = key.as_str()?;
        Some((keys.iter().position(|known| *known == key)?, value))
    })
}

/// The member whose key comes first in this list.
fn find<'d>(node: Node<'d>, keys: &[&str]) -> Option<Node<'d>> {
    ranked(node, keys).min_by_key(|(rank, _)| *rank).map(|(_, value)| value)
}

/// The same among those that are text: its key, and the text.
fn string<'k>(node: Node<'_>, keys: &[&'k str]) -> Option<(&'k str, String)> {
    let texts = ranked(node, keys).filter_map(|(rank, value)| Some((rank, value.as_str()?)));
    let (rank, text) =
        texts.filter(|(_, text)| !text.trim().is_empty()).min_by_key(|(rank, _)| *rank)?;
    Some((keys.get(rank)?, text.trim().to_owned()))
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let mut rest = text;
    // Most text needs no escape at all, which is told many bytes at once.
    let has_control = text.bytes().min().is_some_and(|least| least < 0x20);
    if !has_control && memchr2(b'"', b'\\', text.as_bytes()).is_none() {
        out.push_str(text);
        out.push('"');
        return out;
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
    out
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
