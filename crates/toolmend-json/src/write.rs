//! Writes values back as compact JSON. What was not mended keeps its spelling.

use crate::Span;
use crate::document::Node;
use crate::tape::{Children, Kind, Payload, Slot, Tape};

impl Node<'_> {
    /// Compact JSON of this value. Strings and numbers that were right are written as they were.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::with_capacity(self.span().len() + 2);
        self.write_json(&mut out);
        out
    }

    /// Appends compact JSON of this value.
    pub fn write_json(&self, out: &mut String) {
        let mut writer = Writer { out, text: self.text, tape: self.tape, from: 0, to: 0 };
        writer.value(self.index);
        writer.flush();
    }
}

/// Most of a text that was mended is right: what stands there as it is to be written is copied in
/// one stretch, however many tokens it has.
struct Writer<'a> {
    out: &'a mut String,
    text: &'a str,
    tape: &'a Tape,
    /// The stretch of the text that is written next.
    from: usize,
    to: usize,
}

impl Writer<'_> {
    fn value(&mut self, index: usize) {
        let slots = self.tape.slots.as_slice();
        let mut outer = Outer::default();
        let mut top = Open { end: self.tape.after(index), ..Open::default() };
        let mut at = index;
        loop {
            while at >= top.end {
                let Some(closer) = top.closer else { return };
                self.go_to(top.closer_at);
                self.sign(closer);
                top = outer.pop();
            }
            let Some(mut slot) = slots.get(at) else { return };
            let is_key = top.closer == Some(b'}');
            if is_key && slot.superseded {
                at = self.tape.after(at + 1);
                continue;
            }
            if std::mem::replace(&mut top.is_begun, true) {
                self.sign(b',');
            }
            if is_key {
                if slot.is_plain {
                    self.copy(slot.span);
                } else {
                    self.odd_scalar(slot);
                }
                self.sign(b':');
                let Some(value) = slots.get(at + 1) else { return };
                slot = value;
                at += 1;
            }
            at += 1;
            match (slot.kind, slot.payload) {
                _ if slot.is_plain => self.copy(slot.span),
                (Kind::Object, Payload::Children(children)) => {
                    self.go_to(slot.span.start as usize);
                    self.sign(b'{');
                    outer.push(std::mem::replace(&mut top, Open::new(slot, children, b'}')));
                }
                (_, Payload::Children(children)) => {
                    self.go_to(slot.span.start as usize);
                    self.sign(b'[');
                    outer.push(std::mem::replace(&mut top, Open::new(slot, children, b']')));
                }
                _ => self.odd_scalar(slot),
            }
        }
    }

    /// Writes what the text has there.
    #[inline]
    fn copy(&mut self, span: Span) {
        self.go_to(span.start as usize);
        self.to = span.end as usize;
    }

    /// Writes a scalar that the text has otherwise, and goes on behind it.
    #[inline(never)]
    fn odd_scalar(&mut self, slot: &Slot) {
        self.flush();
        match slot.kind {
            Kind::Null => self.out.push_str("null"),
            Kind::True => self.out.push_str("true"),
            Kind::False => self.out.push_str("false"),
            Kind::String => {
                self.out.push('"');
                self.out.push_str(self.tape.body(self.text, slot));
                self.out.push('"');
            }
            _ => self.out.push_str(self.tape.body(self.text, slot)),
        }
        (self.from, self.to) = (slot.span.end as usize, slot.span.end as usize);
    }

    /// Writes a sign, which may be what comes next in the text.
    #[inline]
    fn sign(&mut self, sign: u8) {
        if self.text.as_bytes().get(self.to) == Some(&sign) {
            self.to += 1;
        } else {
            self.odd_sign(sign);
        }
    }

    #[inline(never)]
    fn odd_sign(&mut self, sign: u8) {
        self.flush();
        self.out.push(char::from(sign));
    }

    /// Goes on with the text from this place.
    #[inline]
    fn go_to(&mut self, at: usize) {
        if self.to != at {
            if self.from != self.to {
                self.flush();
            }
            (self.from, self.to) = (at, at);
        }
    }

    #[inline(never)]
    fn flush(&mut self) {
        match self.text.as_bytes().get(self.from..self.to) {
            None | Some([]) => {}
            // Between two strings that are spelt anew often stands no more than a sign.
            Some(&[sign]) => self.out.push(char::from(sign)),
            Some(_) => self.out.push_str(self.text.get(self.from..self.to).unwrap_or_default()),
        }
        self.from = self.to;
    }
}

/// A container that is being written.
#[derive(Clone, Copy, Default)]
struct Open {
    /// The slot after its last one.
    end: usize,
    /// What ends it; nothing does where the value begins.
    closer: Option<u8>,
    /// Where that should stand in the text.
    closer_at: usize,
    /// Whether something was written of it.
    is_begun: bool,
}

impl Open {
    fn new(slot: &Slot, children: Children, closer: u8) -> Self {
        let closer_at = (slot.span.end as usize).saturating_sub(1);
        Self { end: children.next as usize, closer: Some(closer), closer_at, is_begun: false }
    }
}

/// So many containers are kept without an allocation.
const FEW: usize = 4;

/// The containers around the one that is being written, outermost first.
#[derive(Default)]
struct Outer {
    few: [Open; FEW],
    more: Vec<Open>,
    depth: usize,
}

impl Outer {
    fn push(&mut self, open: Open) {
        match self.few.get_mut(self.depth) {
            Some(place) => *place = open,
            None => self.more.push(open),
        }
        self.depth += 1;
    }

    fn pop(&mut self) -> Open {
        self.depth = self.depth.saturating_sub(1);
        let few = self.few.get(self.depth).copied();
        few.or_else(|| self.more.pop()).unwrap_or_default()
    }
}
