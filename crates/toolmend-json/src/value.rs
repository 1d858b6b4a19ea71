//! Values as `serde_json` holds them.

use serde_json::{Map, Number, Value};

use crate::document::Node;
use crate::tape::Kind;

impl Node<'_> {
    /// The value as `serde_json` holds it, digits and order kept.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut outer: Vec<Open> = Vec::new();
        let mut top = Open::of(*self);
        let mut at = self.index + 1;
        loop {
            while top.end <= at {
                match outer.pop() {
                    Some(mut parent) => {
                        parent.take(top.value);
                        top = parent;
                    }
                    None => return top.value,
                }
            }
            let node = Node { index: at, ..*self };
            let Some(slot) = self.tape.slots.get(at) else { return Value::Null };
            if matches!(top.value, Value::Object(_)) && top.key.is_none() {
                if slot.superseded {
                    at = self.tape.after(at + 1);
                } else {
                    top.key = node.as_str().map(std::borrow::Cow::into_owned);
                    at += 1;
                }
            } else {
                at += 1;
                match slot.kind {
                    Kind::Array | Kind::Object => {
                        outer.push(std::mem::replace(&mut top, Open::of(node)));
                    }
                    _ => top.take(node.shallow()),
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
                number(self.as_number().unwrap_or_default()).map_or(Value::Null, Value::Number)
            }
            Some(Kind::String) => Value::String(self.as_str().unwrap_or_default().into_owned()),
            Some(Kind::Array) => Value::Array(Vec::with_capacity(self.items().count())),
            Some(Kind::Object) => Value::Object(Map::with_capacity(self.members().count())),
            Some(Kind::Null) | None => Value::Null,
        }
    }
}

/// The number that these digits are. Most are small and whole, which is told without a parser.
fn number(digits: &str) -> Option<Number> {
    let is_whole = matches!(digits.as_bytes(), [b'0'] | [b'1'..=b'9', ..]);
    let whole = Some(digits).filter(|_| is_whole).and_then(|digits| digits.parse::<u64>().ok());
    whole.map(Number::from).or_else(|| digits.parse().ok())
}

/// A value that is being built.
struct Open {
    end: usize,
    value: Value,
    key: Option<String>,
}

impl Open {
    fn of(node: Node<'_>) -> Self {
        Self { end: node.tape.after(node.index), value: node.shallow(), key: None }
    }

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
