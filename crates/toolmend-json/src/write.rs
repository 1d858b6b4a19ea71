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
            let Some(slot) = self.tape.slots.get(at) else { break };
            let is_key = open.last().is_some_and(Open::wants_key);
            if is_key && slot.superseded {
                at = self.tape.after(at + 1);
            } else {
                if let Some(top) = open.last_mut() {
                    top.separate(out);
                }
                self.write_slot(slot, out, &mut open, at);
                at += 1;
            }
            while let Some(top) = open.pop_if(|top| top.end <= at) {
                out.push(top.close);
            }
        }
    }

    fn write_slot(&self, slot: &Slot, out: &mut String, open: &mut Vec<Open>, at: usize) {
        match slot.kind {
            Kind::Null => out.push_str("null"),
            Kind::True => out.push_str("true"),
            Kind::False => out.push_str("false"),
            Kind::Number => out.push_str(self.tape.body(self.text, slot)),
            Kind::String => {
                out.push('"');
                out.push_str(self.tape.body(self.text, slot));
                out.push('"');
            }
            Kind::Array => {
                out.push('[');
                open.push(Open { end: self.tape.after(at), close: ']', state: Place::First });
            }
            Kind::Object => {
                out.push('{');
                open.push(Open { end: self.tape.after(at), close: '}', state: Place::First });
            }
        }
    }
}

/// A container that is being written.
struct Open {
    end: usize,
    close: char,
    state: Place,
}

/// What stands before the next slot of a container.
enum Place {
    First,
    AfterKey,
    AfterValue,
}

impl Open {
    fn wants_key(&self) -> bool {
        self.close == '}' && !matches!(self.state, Place::AfterKey)
    }

    fn separate(&mut self, out: &mut String) {
        let is_key = self.wants_key();
        match self.state {
            Place::First => {}
            Place::AfterKey => out.push(':'),
            Place::AfterValue => out.push(','),
        }
        self.state = if is_key { Place::AfterKey } else { Place::AfterValue };
    }
}
