//! The tree as one flat list in document order: no allocation per value, no recursion to walk it.

use crate::Span;
use crate::span::clamp;

/// What a slot of the tape holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Null,
    True,
    False,
    Number,
    String,
    Array,
    Object,
}

/// Where the characters of a string or number are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// In the text, as valid JSON writes them.
    Text(Span),
    /// In the tape's own buffer, because the text's spelling is not valid JSON.
    Mended(Span),
}

/// Which slots belong to a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Children {
    /// The slot after the last one that belongs to this container.
    pub(crate) next: u32,
}

/// What comes with a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    Nothing,
    Body { body: Body, escaped: bool },
    Children(Children),
}

/// One value or key. A key is a string slot; its value is the next slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) kind: Kind,
    /// A key that a later one of the same name replaced.
    pub(crate) superseded: bool,
    /// Whether JSON writes it as the text does, quotes included.
    pub(crate) is_plain: bool,
    pub(crate) span: Span,
    pub(crate) payload: Payload,
}

impl Slot {
    /// A literal.
    pub(crate) fn literal(kind: Kind, span: Span) -> Self {
        Self { kind, superseded: false, is_plain: false, span, payload: Payload::Nothing }
    }

    /// A string; `escaped` says whether its body has backslashes.
    pub(crate) fn string(span: Span, body: Body, escaped: bool) -> Self {
        Self {
            kind: Kind::String,
            superseded: false,
            is_plain: false,
            span,
            payload: Payload::Body { body, escaped },
        }
    }

    /// A number.
    pub(crate) fn number(span: Span, body: Body) -> Self {
        Self {
            kind: Kind::Number,
            superseded: false,
            is_plain: false,
            span,
            payload: Payload::Body { body, escaped: false },
        }
    }

    /// The same, written as JSON writes it.
    pub(crate) fn plain(self) -> Self {
        Self { is_plain: true, ..self }
    }

    /// A container that has just been opened.
    pub(crate) fn opened(kind: Kind, at: usize) -> Self {
        let children = Children { next: u32::MAX };
        Self {
            kind,
            superseded: false,
            is_plain: false,
            span: Span::new(at, at + 1),
            payload: Payload::Children(children),
        }
    }
}

/// The slots, and the buffer of what had to be spelt anew.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tape {
    pub(crate) slots: Vec<Slot>,
    pub(crate) mended: String,
}

impl Tape {
    /// A tape that does not grow while a text of so many bytes and usual density is read.
    pub(crate) fn with_room_for(bytes: usize) -> Self {
        const BYTES_PER_SLOT: usize = 16;
        Self { slots: Vec::with_capacity(bytes / BYTES_PER_SLOT + 8), mended: String::new() }
    }

    /// The index that the next slot will have.
    pub(crate) fn next_index(&self) -> usize {
        self.slots.len()
    }

    /// Ends the container at `index` at the byte `end`: all slots after it are its own.
    pub(crate) fn close(&mut self, index: usize, end: usize) {
        let next = clamp(self.slots.len());
        if let Some(slot) = self.slots.get_mut(index) {
            slot.span.end = clamp(end);
            slot.payload = Payload::Children(Children { next });
        }
    }

    /// The slot after the value at `index` and all that belongs to it.
    pub(crate) fn after(&self, index: usize) -> usize {
        match self.slots.get(index).map(|slot| slot.payload) {
            Some(Payload::Children(children)) => children.next as usize,
            _ => index + 1,
        }
    }

    /// The characters of a string or number, as JSON writes them between the quotes.
    pub(crate) fn body<'a>(&'a self, text: &'a str, slot: &Slot) -> &'a str {
        match slot.payload {
            Payload::Body { body: Body::Text(span), .. } => {
                text.get(span.range()).unwrap_or_default()
            }
            Payload::Body { body: Body::Mended(span), .. } => {
                self.mended.get(span.range()).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// Adds text to the buffer of mended bodies and tells where it is.
    pub(crate) fn mend(&mut self, write: impl FnOnce(&mut String)) -> Body {
        self.mend_from(self.mended.len(), write)
    }

    /// Makes the body of a slot the end of the buffer, so that more can be added to it, and tells
    /// where it starts there. A body that is there already is not copied.
    pub(crate) fn take_body(&mut self, text: &str, slot: &Slot) -> usize {
        match slot.payload {
            Payload::Body { body: Body::Mended(span), .. }
                if span.end as usize == self.mended.len() =>
            {
                span.start as usize
            }
            Payload::Body { body: Body::Text(span), .. } => {
                let start = self.mended.len();
                self.mended.push_str(text.get(span.range()).unwrap_or_default());
                start
            }
            _ => {
                let start = self.mended.len();
                let body = self.body(text, slot).to_owned();
                self.mended.push_str(&body);
                start
            }
        }
    }

    /// Adds text to a body that is the end of the buffer from `start` on.
    pub(crate) fn mend_from(&mut self, start: usize, write: impl FnOnce(&mut String)) -> Body {
        write(&mut self.mended);
        Body::Mended(Span::new(start, self.mended.len()))
    }
}
