//! What was read: values, faults, and where the text was cut.

use std::borrow::Cow;

use crate::escape;
use crate::tape::{Body, Kind, Payload, Slot, Tape};
use crate::{Cut, Fault, FaultCode, Span, Trust, Want};

/// What came of reading a text. Each is different from an empty object, which is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The text is valid JSON: its own bytes are the answer.
    Untouched,
    /// A value was read past faults that can be trusted this far.
    Mended(Trust),
    /// The text ended in the middle of a value. [`Document::close`] is the explicit next step.
    Cut,
    /// No value can be had, for this reason.
    Refused(FaultCode),
    /// There was nothing but white space.
    Empty,
}

/// A text that was read: its values with their places, and what was wrong with it.
#[derive(Clone, Debug)]
pub struct Document<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) tape: Tape,
    pub(crate) roots: Vec<usize>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) cut: Option<Cut>,
    /// The slots of the containers that a cut left open, outermost first.
    pub(crate) open: Vec<usize>,
    /// Where the slots of the value begin that was cut.
    pub(crate) cut_root: usize,
    /// What the root should be.
    pub(crate) want: Want,
    pub(crate) outcome: Outcome,
}

impl Document<'_> {
    /// The text that spans point into. It is the input, or, where the whole input was escaped or
    /// encoded twice, the input decoded once.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What came of reading.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// What was wrong with the text, in source order.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Where the text was cut, if it was.
    #[must_use]
    pub fn cut(&self) -> Option<&Cut> {
        self.cut.as_ref()
    }

    /// The complete values, in source order; the same value twice in a row counts once.
    #[must_use]
    pub fn values(&self) -> impl ExactSizeIterator<Item = Node<'_>> {
        self.roots.iter().map(|&index| Node { tape: &self.tape, text: &self.text, index })
    }

    /// The value, if there is exactly one and nothing was cut or refused.
    #[must_use]
    pub fn value(&self) -> Option<Node<'_>> {
        match (self.outcome, self.roots.as_slice()) {
            (Outcome::Untouched | Outcome::Mended(_), &[index]) => {
                Some(Node { tape: &self.tape, text: &self.text, index })
            }
            _ => None,
        }
    }

    /// The value as JSON: the input's own bytes where nothing was wrong, compact JSON where the
    /// one value had to be mended, `None` where there is no single value.
    #[must_use]
    pub fn to_json(&self) -> Option<Cow<'_, str>> {
        match self.outcome {
            Outcome::Untouched => Some(Cow::Borrowed(&self.text)),
            _ => self.value().map(|node| Cow::Owned(node.to_json())),
        }
    }

    /// Frees the document from the text it was read from.
    #[must_use]
    pub fn into_owned(self) -> Document<'static> {
        Document {
            text: Cow::Owned(self.text.into_owned()),
            tape: self.tape,
            roots: self.roots,
            faults: self.faults,
            cut: self.cut,
            open: self.open,
            cut_root: self.cut_root,
            want: self.want,
            outcome: self.outcome,
        }
    }
}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// A number, with all its digits.
    Number,
    /// A string.
    String,
    /// A list.
    Array,
    /// Members with names.
    Object,
}

/// One value in a document.
#[derive(Clone, Copy, Debug)]
pub struct Node<'d> {
    pub(crate) tape: &'d Tape,
    pub(crate) text: &'d str,
    pub(crate) index: usize,
}

impl<'d> Node<'d> {
    pub(crate) fn slot(&self) -> Option<&'d Slot> {
        self.tape.slots.get(self.index)
    }

    /// The type of the value.
    #[must_use]
    pub fn shape(&self) -> Shape {
        match self.slot().map(|slot| slot.kind) {
            Some(Kind::True | Kind::False) => Shape::Boolean,
            Some(Kind::Number) => Shape::Number,
            Some(Kind::String) => Shape::String,
            Some(Kind::Array) => Shape::Array,
            Some(Kind::Object) => Shape::Object,
            Some(Kind::Null) | None => Shape::Null,
        }
    }

    /// Where it stands in [`Document::text`], quotes and braces included.
    #[must_use]
    pub fn span(&self) -> Span {
        self.slot().map(|slot| slot.span).unwrap_or_default()
    }

    /// The text it was read from, as it stands there.
    #[must_use]
    pub fn source(&self) -> &'d str {
        self.text.get(self.span().range()).unwrap_or_default()
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self.slot()?.kind {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// The digits of a number as JSON writes them, none lost.
    #[must_use]
    pub fn as_number(&self) -> Option<&'d str> {
        let slot = self.slot().filter(|slot| slot.kind == Kind::Number)?;
        Some(self.tape.body(self.text, slot))
    }

    /// The characters of a string, escapes decoded.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> Option<Cow<'d, str>> {
        let slot = self.slot().filter(|slot| slot.kind == Kind::String)?;
        // Most strings stand in the text as they are.
        if let Payload::Body { body: Body::Text(span), escaped: false } = slot.payload {
            return Some(Cow::Borrowed(self.text.get(span.range()).unwrap_or_default()));
        }
        Some(self.decoded(slot))
    }

    #[inline(never)]
    fn decoded(&self, slot: &'d Slot) -> Cow<'d, str> {
        let body = self.tape.body(self.text, slot);
        match slot.payload {
            Payload::Body { escaped: true, .. } => Cow::Owned(escape::decode(body)),
            _ => Cow::Borrowed(body),
        }
    }

    /// The items of an array; none for anything else.
    #[must_use]
    pub fn items(&self) -> Items<'d> {
        let is_array = self.slot().is_some_and(|slot| slot.kind == Kind::Array);
        let (at, end) = if is_array { self.children() } else { (0, 0) };
        Items { tape: self.tape, text: self.text, at, end }
    }

    /// The members of an object, superseded duplicates left out; none for anything else.
    #[must_use]
    pub fn members(&self) -> Members<'d> {
        let is_object = self.slot().is_some_and(|slot| slot.kind == Kind::Object);
        let (at, end) = if is_object { self.children() } else { (0, 0) };
        Members { tape: self.tape, text: self.text, at, end }
    }

    /// The member of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Node<'d>> {
        self.members()
            .find(|(key, _)| key.as_str().as_deref() == Some(name))
            .map(|(_, value)| value)
    }

    /// Whether both are the same value with members in the same order, however they are spelt.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let own = self.tape.slots.get(self.index..self.tape.after(self.index)).unwrap_or_default();
        let their =
            other.tape.slots.get(other.index..other.tape.after(other.index)).unwrap_or_default();
        if self.source() == other.source() {
            return true;
        }
        own.len() == their.len()
            && own.iter().zip(their).enumerate().all(|(offset, (left, right))| {
                left.kind == right.kind
                    && self.at(self.index + offset).text_value()
                        == other.at(other.index + offset).text_value()
            })
    }

    /// The characters of a string or number, or where a container ends: all that tells two slots
    /// of one kind apart.
    fn text_value(&self) -> (Cow<'d, str>, usize) {
        let text = self.as_number().map(Cow::Borrowed).or_else(|| self.as_str());
        (text.unwrap_or_default(), self.tape.after(self.index) - self.index)
    }

    fn children(&self) -> (usize, usize) {
        // A container that was cut is still open.
        (self.index + 1, self.tape.after(self.index).min(self.tape.slots.len()))
    }

    fn at(&self, index: usize) -> Self {
        Node { index, ..*self }
    }
}

/// The items of an array.
#[derive(Clone, Debug)]
pub struct Items<'d> {
    tape: &'d Tape,
    text: &'d str,
    at: usize,
    end: usize,
}

impl<'d> Iterator for Items<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        if self.at >= self.end {
            return None;
        }
        let item = Node { tape: self.tape, text: self.text, index: self.at };
        self.at = self.tape.after(self.at);
        Some(item)
    }
}

/// The members of an object: each a key and its value.
#[derive(Clone, Debug)]
pub struct Members<'d> {
    tape: &'d Tape,
    text: &'d str,
    at: usize,
    end: usize,
}

impl<'d> Iterator for Members<'d> {
    type Item = (Node<'d>, Node<'d>);

    fn next(&mut self) -> Option<Self::Item> {
        while self.at < self.end {
            let key = Node { tape: self.tape, text: self.text, index: self.at };
            let value = key.at(self.at + 1);
            self.at = self.tape.after(value.index);
            if !key.slot().is_some_and(|slot| slot.superseded) {
                return Some((key, value));
            }
        }
        None
    }
}
