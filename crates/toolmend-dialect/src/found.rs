//! What was found: regions of a text, and the calls that stand in them.

use std::ops::Range;

use toolmend_json::{Fault, FaultCode, Span, Trust};

use crate::dialect::{Dialect, UNKNOWN};

/// What the scanner saw, in source order. Joined, the pieces are the input.
#[derive(Clone, Debug)]
pub enum Event<'t> {
    /// Ordinary text.
    Text(&'t str),
    /// A stretch that is written like calls, or marks that stray after one.
    Region(&'t str, Region),
}

/// What stands in a stretch of text that is written like one call or several.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Region {
    /// The calls in it. None where only stray marks were found.
    pub calls: Vec<Found>,
    /// Whether marks that nothing else uses stand around the calls.
    pub is_marked: bool,
}

/// One call as it was written. Nothing here is checked against the tools.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Found {
    /// The dialect it is written in.
    pub dialect: &'static Dialect,
    /// The name as it stands.
    pub name: String,
    /// The id, where the dialect has one.
    pub id: Option<String>,
    /// The arguments as they were read.
    pub arguments: Arguments,
    /// Where the call stands in the region.
    pub span: Range<usize>,
    /// How it ended.
    pub ending: Ending,
    /// Whether its last value has no closer of its own: what closes the call may stand in the value.
    pub is_loose: bool,
    /// What was wrong with its JSON, and where in the region: every change that reading it made.
    pub faults: Vec<Fault>,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// With its own mark, or with the bracket that closes it.
    Closed,
    /// Without its mark, but nothing of the body is missing.
    Unclosed,
    /// With the text. It is whole if nothing was to come: nothing but the brackets around its arguments
    /// are missing, or they are words up to the end of the text.
    Open,
    /// Inside its body.
    Cut,
}

/// Arguments as they were read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Arguments {
    /// There are none.
    None,
    /// An object, and how sure its reading is.
    Object(serde_json::Value, Trust),
    /// An object of the members that stand beside the name: some are arguments, perhaps.
    Beside(serde_json::Value, Trust),
    /// One by one.
    Fields(Vec<Field>),
    /// Text that is no object: for a tool with one parameter it may be that.
    Text(String),
    /// They cannot be read.
    Unreadable(Option<FaultCode>),
}

impl Arguments {
    /// Takes them out; none are left.
    #[must_use]
    pub fn take(&mut self) -> Self {
        std::mem::replace(self, Self::None)
    }
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Field {
    /// Its key; `None` where only the position tells.
    pub key: Option<String>,
    /// Its value.
    pub value: Value,
}

/// The value of one argument.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Text as it stands; the schema decides what it is.
    Text(String),
    /// A JSON value, and how sure its reading is.
    Json(serde_json::Value, Trust),
    /// Bare words after a colon: text without its quotes.
    Words(String),
    /// A bare word after an equals sign: a variable, unless the schema knows the word.
    Variable(String),
    /// Elements inside an element.
    Nested(Vec<Field>),
    /// No value: an expression, a variable, half a string.
    Unreadable,
}

impl Found {
    /// A call that a decoder read, before it is known where it ends and how it was opened.
    pub(crate) fn new(name: impl Into<String>, arguments: Arguments) -> Self {
        Self {
            dialect: &UNKNOWN,
            name: name.into(),
            id: None,
            arguments,
            span: 0..0,
            ending: Ending::Unclosed,
            is_loose: false,
            faults: Vec::new(),
        }
    }
}

/// A fault in a text that starts here in another.
pub(crate) fn moved(fault: &Fault, by: usize) -> Fault {
    let by = u32::try_from(by).unwrap_or(u32::MAX);
    let span =
        Span { start: fault.span.start.saturating_add(by), end: fault.span.end.saturating_add(by) };
    Fault { span, ..*fault }
}
