//! Dotted names: `config.retry.max`, `ids[0]`. A literal dot is written `\.`.

use serde_json::{Map, Value};

/// A part of a dotted name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Key(String),
    Index(usize),
}

/// Names that reach into the runtime of some languages; no member of that name is ever made.
const FORBIDDEN: [&str; 3] = ["__proto__", "prototype", "constructor"];

/// Larger numbers in brackets are no places in a list.
const INDEX_MAX: usize = 10_000;

/// The parts of a dotted name; `None` where it is not one.
pub(crate) fn split(name: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut key = String::new();
    let mut rest = name.chars().peekable();
    let mut after_index = false;
    while let Some(character) = rest.next() {
        match character {
            '\\' if rest.peek() == Some(&'.') => key.extend(rest.next()),
            '.' if after_index && key.is_empty() => after_index = false,
            '.' => parts.push(Part::Key(std::mem::take(&mut key)).checked()?),
            '[' => {
                if !key.is_empty() {
                    parts.push(Part::Key(std::mem::take(&mut key)).checked()?);
                }
                let digits: String =
                    std::iter::from_fn(|| rest.next_if(char::is_ascii_digit)).collect();
                rest.next_if_eq(&']')?;
                parts.push(Part::Index(digits.parse().ok().filter(|index| *index < INDEX_MAX)?));
                after_index = true;
            }
            other => key.push(other),
        }
    }
    if !key.is_empty() || !after_index {
        parts.push(Part::Key(key).checked()?);
    }
    Some(parts)
}

impl Part {
    fn checked(self) -> Option<Self> {
        match &self {
            Self::Key(name) if name.is_empty() || FORBIDDEN.contains(&name.as_str()) => None,
            _ => Some(self),
        }
    }
}

/// The places that the parts name.
pub(crate) fn path(parts: &[Part]) -> Vec<String> {
    let name = |part: &Part| match part {
        Part::Key(name) => name.clone(),
        Part::Index(index) => index.to_string(),
    };
    parts.iter().map(name).collect()
}

/// Puts a value where the parts point, making what is missing on the way. Says whether there was
/// room: a list grows by one only, and what stands there is not replaced.
pub(crate) fn insert(members: &mut Map<String, Value>, parts: &[Part], value: Value) -> bool {
    let Some((Part::Key(head), rest)) = parts.split_first() else { return false };
    let mut at = members.entry(head.clone()).or_insert(Value::Null);
    for part in rest {
        at = match (part, at) {
            (Part::Key(name), slot @ Value::Null) => {
                *slot = Value::Object(Map::new());
                let Value::Object(inner) = slot else { return false };
                inner.entry(name.clone()).or_insert(Value::Null)
            }
            (Part::Key(name), Value::Object(inner)) => {
                inner.entry(name.clone()).or_insert(Value::Null)
            }
            (Part::Index(0), slot @ Value::Null) => {
                *slot = Value::Array(vec![Value::Null]);
                let Some(item) = slot.get_mut(0) else { return false };
                item
            }
            (Part::Index(index), Value::Array(items)) => {
                if *index == items.len() {
                    items.push(Value::Null);
                }
                let Some(item) = items.get_mut(*index) else { return false };
                item
            }
            _ => return false,
        };
    }
    let is_free = at.is_null() || *at == value;
    if is_free {
        *at = value;
    }
    is_free
}

/// Puts a value where the parts point, if nothing stands there yet, `null` included.
pub(crate) fn insert_new(members: &mut Map<String, Value>, parts: &[Part], value: Value) -> bool {
    let path = path(parts);
    let Some((head, rest)) = path.split_first() else { return false };
    let mut at = members.get(head);
    for name in rest {
        at = match at {
            Some(Value::Object(inner)) => inner.get(name),
            Some(_) => return false,
            None => None,
        };
    }
    match at {
        Some(there) => *there == value,
        None => insert(members, parts, value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{Part, insert, split};

    #[test]
    fn names_are_taken_apart() {
        let key = |name: &str| Part::Key(name.to_owned());
        assert_eq!(split("a.b"), Some(vec![key("a"), key("b")]));
        assert_eq!(split(r"a\.b.c"), Some(vec![key("a.b"), key("c")]));
        assert_eq!(split("a[0].b"), Some(vec![key("a"), Part::Index(0), key("b")]));
        assert_eq!(split("a[1]"), Some(vec![key("a"), Part::Index(1)]));
        // A backslash says something of a dot alone.
        assert_eq!(split(r"a\b.c"), Some(vec![key(r"a\b"), key("c")]));
        assert_eq!(split("a[9999]"), Some(vec![key("a"), Part::Index(9_999)]));
        for none in ["a..b", ".a", "a.", "__proto__.x", "a[x]", "a[", "a[10000]", ""] {
            assert_eq!(split(none), None, "{none}");
        }
    }

    #[test]
    fn what_stands_there_is_not_replaced() {
        let mut members = Map::new();
        let mut put = |name: &str, value| insert(&mut members, &split(name).unwrap(), value);
        assert!(put("a.b", json!(1)) && put("a.c", json!(2)) && put("l[0]", json!(3)));
        assert!(!put("a.b.d", json!(4)));
        assert!(!put("l[2]", json!(4)));
        assert!(!put("a.b", json!(5)));
        assert!(put("l[1]", json!(4)));
        assert_eq!(Value::Object(members), json!({"a": {"b": 1, "c": 2}, "l": [3, 4]}));
    }
}
