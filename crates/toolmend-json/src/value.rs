//! Values as `serde_json` holds them.

use serde_json::{Map, Number, Value};

use crate::document::{Items, Members, Node};
use crate::tape::Kind;

impl Node<'_> {
    /// The value as `serde_json` holds it, digits and order kept.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut outer: Vec<Open<'_>> = Vec::new();
        let mut top = match Open::of(*self) {
            Ok(open) => open,
            Err(value) => return value,
        };
        loop {
            if let Some(inner) = top.fill() {
                outer.push(std::mem::replace(&mut top, inner));
                continue;
            }
            let value = top.into_value();
            let Some(parent) = outer.pop() else { return value };
            top = parent;
            top.take(value);
        }
    }
}

/// The number that these digits are. Most are small and whole, which is told without a parser.
pub(crate) fn number(digits: &str) -> Option<Number> {
    let is_whole = matches!(digits.as_bytes(), [b'0'] | [b'1'..=b'9', ..]);
    let whole = Some(digits).filter(|_| is_whole).and_then(|digits| digits.parse::<u64>().ok());
    whole.map(Number::from).or_else(|| digits.parse().ok())
}

/// A list or an object that is being built, and what is left to be put into it.
enum Open<'d> {
    Array(Vec<Value>, Items<'d>),
    /// With the name of the member that is being built.
    Object(Map<String, Value>, Members<'d>, String),
}

impl<'d> Open<'d> {
    /// What has children is opened; anything else is a value already.
    fn of(node: Node<'d>) -> Result<Self, Value> {
        Err(match node.slot().map(|slot| slot.kind) {
            Some(Kind::True) => Value::Bool(true),
            Some(Kind::False) => Value::Bool(false),
            Some(Kind::Number) => {
                number(node.as_number().unwrap_or_default()).map_or(Value::Null, Value::Number)
            }
            Some(Kind::String) => Value::String(node.as_str().unwrap_or_default().into_owned()),
            Some(Kind::Array) => {
                let items = node.items();
                return Ok(Self::Array(Vec::with_capacity(items.clone().count()), items));
            }
            Some(Kind::Object) => {
                let members = node.members();
                let map = Map::with_capacity(members.clone().count());
                return Ok(Self::Object(map, members, String::new()));
            }
            Some(Kind::Null) | None => Value::Null,
        })
    }

    /// Takes the children up to the next one that has children itself.
    fn fill(&mut self) -> Option<Self> {
        match self {
            Self::Array(values, items) => {
                for item in items {
                    match Self::of(item) {
                        Ok(inner) => return Some(inner),
                        Err(value) => values.push(value),
                    }
                }
            }
            Self::Object(map, members, name) => {
                for (key, value) in members {
                    let key = key.as_str().unwrap_or_default().into_owned();
                    match Self::of(value) {
                        Ok(inner) => {
                            *name = key;
                            return Some(inner);
                        }
                        Err(value) => drop(map.insert(key, value)),
                    }
                }
            }
        }
        None
    }

    /// Takes the child that was opened last.
    fn take(&mut self, child: Value) {
        match self {
            Self::Array(values, _) => values.push(child),
            Self::Object(map, _, name) => drop(map.insert(std::mem::take(name), child)),
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::Array(values, _) => Value::Array(values),
            Self::Object(map, ..) => Value::Object(map),
        }
    }
}
