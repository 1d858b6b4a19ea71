//! Values as `serde_json` holds them.

use serde_json::{Map, Number, Value};

use crate::document::Node;
use crate::tape::Kind;

impl Node<'_> {
    /// The value as `serde_json` holds it, digits and order kept.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let end = self.tape.after(self.index);
        let mut open: Vec<Open> = Vec::new();
        let mut at = self.index;
        loop {
            let node = Node { index: at, ..*self };
            let Some(slot) = self.tape.slots.get(at).filter(|_| at < end) else {
                return Value::Null;
            };
            if let Some(Open { value: Value::Object(_), key: key @ None, .. }) = open.last_mut() {
                if slot.superseded {
                    at = self.tape.after(at + 1);
                } else {
                    *key = node.as_str().map(std::borrow::Cow::into_owned);
                    at += 1;
                    continue;
                }
            } else {
                let value = node.shallow();
                at += 1;
                open.push(Open { end: self.tape.after(node.index), value, key: None });
            }
            while let Some(done) = open.pop_if(|top| top.end <= at) {
                match open.last_mut() {
                    Some(parent) => parent.take(done.value),
                    None => return done.value,
                }
            }
        }
    }

    /// The value without its children.
    fn shallow(&self) -> Value {
        match self.slot().map(|slot| slot.kind) {
            Some(Kind::True) => Value::Bool(true),
            Some(Kind::False) => Value::Bool(false),
            Some(Kind::Number) => {
                let digits = self.as_number().unwrap_or_default();
                digits.parse::<Number>().map_or(Value::Null, Value::Number)
            }
            Some(Kind::String) => Value::String(self.as_str().unwrap_or_default().into_owned()),
            Some(Kind::Array) => Value::Array(Vec::new()),
            Some(Kind::Object) => Value::Object(Map::new()),
            Some(Kind::Null) | None => Value::Null,
        }
    }
}

/// A value that is being built.
struct Open {
    end: usize,
    value: Value,
    key: Option<String>,
}

impl Open {
    fn take(&mut self, child: Value) {
        match &mut self.value {
            Value::Array(items) => items.push(child),
            Value::Object(members) => {
                if let Some(key) = self.key.take() {
                    members.insert(key, child);
                }
            }
            _ => {}
        }
    }
}
