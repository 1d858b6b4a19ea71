//! Writes values back as compact JSON. What was not mended keeps its spelling.

use crate::document::Node;
use crate::tape::{Kind, Slot};

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
        let end = self.tape.after(self.index);
        let mut open: Vec<Open> = Vec::new();
        let mut at = self.index;
        while at < end {
            match open.last_mut() {
                Some(top) if top.is_object => {
                    let Some(key) = self.tape.slots.get(at) else { break };
                    at += 1;
                    if key.superseded {
                        at = self.tape.after(at);
                    } else {
                        out.push_str(if top.is_begun { ",\"" } else { "\"" });
                        out.push_str(self.tape.body(self.text, key));
                        out.push_str("\":");
                        top.is_begun = true;
                        at = self.write_slot(at, out, &mut open);
                    }
                }
                top => {
                    if top.is_some_and(|top| std::mem::replace(&mut top.is_begun, true)) {
                        out.push(',');
                    }
                    at = self.write_slot(at, out, &mut open);
                }
            }
            while let Some(top) = open.pop_if(|top| top.end <= at) {
                out.push(if top.is_object { '}' } else { ']' });
            }
        }
    }

    /// Writes a scalar, or the opener of a container, and tells which slot comes next.
    fn write_slot(&self, at: usize, out: &mut String, open: &mut Vec<Open>) -> usize {
        let Some(slot) = self.tape.slots.get(at) else { return at + 1 };
        match slot.kind {
            Kind::Null => out.push_str("null"),
            Kind::True => out.push_str("true"),
            Kind::False => out.push_str("false"),
            Kind::Number => out.push_str(self.tape.body(self.text, slot)),
            Kind::String => self.write_string(slot, out),
            Kind::Array => {
                out.push('[');
                open.push(Open { end: self.tape.after(at), is_object: false, is_begun: false });
            }
            Kind::Object => {
                out.push('{');
                open.push(Open { end: self.tape.after(at), is_object: true, is_begun: false });
            }
        }
        at + 1
    }

    fn write_string(&self, slot: &Slot, out: &mut String) {
        out.push('"');
        out.push_str(self.tape.body(self.text, slot));
        out.push('"');
    }
}

/// A container that is being written.
struct Open {
    /// The slot after its last one.
    end: usize,
    is_object: bool,
    /// Whether something was written of it.
    is_begun: bool,
}
