//! Writes values back as compact JSON. What was not mended keeps its spelling.

use crate::Span;
use crate::document::Node;
use crate::tape::{Kind, Payload, Slot, Tape};

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
        let mut open: Vec<Open> = Vec::new();
        let mut top = Open { end: self.tape.after(index), is_object: false };
        // What must stand before the next slot.
        let mut before = None;
        let mut at = index;
        while let Some(slot) = self.tape.slots.get(at) {
            let is_key = top.is_object && before != Some(b':');
            if is_key && slot.superseded {
                at = self.tape.after(at + 1);
            } else {
                if let Some(sign) = before {
                    self.sign(sign);
                }
                before = Some(if is_key { b':' } else { b',' });
                at += 1;
                if slot.is_plain {
                    self.copy(slot.span);
                } else if let Payload::Children(children) = slot.payload {
                    let is_object = slot.kind == Kind::Object;
                    self.sign(if is_object { b'{' } else { b'[' });
                    open.push(top);
                    top = Open { end: children.next as usize, is_object };
                    before = None;
                } else {
                    self.odd_scalar(slot);
                }
            }
            while at >= top.end {
                let Some(outer) = open.pop() else { return };
                self.sign(if top.is_object { b'}' } else { b']' });
                top = outer;
                before = Some(b',');
            }
        }
    }

    /// Writes what the text has there.
    #[inline]
    fn copy(&mut self, span: Span) {
        if self.to != span.start as usize {
            self.flush();
            self.from = span.start as usize;
        }
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

    #[inline]
    fn flush(&mut self) {
        if self.from != self.to {
            self.out.push_str(self.text.get(self.from..self.to).unwrap_or_default());
            self.from = self.to;
        }
    }
}

/// A container that is being written, or what stands around the value.
struct Open {
    /// The slot after its last one.
    end: usize,
    is_object: bool,
}
