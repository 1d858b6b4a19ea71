//! What an answer is worth.

use damage::{Case, same};
use serde_json::Value;

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A value that was meant.
    Right,
    /// A value that was not meant: silent harm.
    Wrong,
    /// No value.
    Refused,
}

/// Judges the values that were read, `None` for a refusal.
pub fn judge(case: &Case, values: Option<&[Value]>) -> Verdict {
    match values {
        None | Some([]) => Verdict::Refused,
        // A bare text or number cannot be taken for the arguments of a call.
        Some([value]) if !value.is_object() && !value.is_array() => Verdict::Refused,
        // A library with one answer gives several values as a list.
        Some([value]) if case.accepts(value) => Verdict::Right,
        Some(values) if case.accepts_several(values) => Verdict::Right,
        Some(_) => Verdict::Wrong,
    }
}

/// The first place where two values differ, and what stands there.
pub fn difference(got: &Value, want: &Value) -> String {
    let (path, got, want) = first_difference(String::new(), got, want);
    format!(
        "at {}: got {}, want {}",
        if path.is_empty() { "/" } else { &path },
        shown(got),
        shown(want)
    )
}

fn first_difference<'v>(
    path: String,
    got: &'v Value,
    want: &'v Value,
) -> (String, Option<&'v Value>, Option<&'v Value>) {
    match (got, want) {
        (Value::Object(left), Value::Object(right)) => {
            let keys = right.keys().chain(left.keys().filter(|key| !right.contains_key(*key)));
            for key in keys {
                let path = format!("{path}/{key}");
                match (left.get(key), right.get(key)) {
                    (Some(left), Some(right)) if same(left, right) => {}
                    (Some(left), Some(right)) => return first_difference(path, left, right),
                    (left, right) => return (path, left, right),
                }
            }
        }
        (Value::Array(left), Value::Array(right)) => {
            for index in 0..left.len().max(right.len()) {
                let path = format!("{path}/{index}");
                match (left.get(index), right.get(index)) {
                    (Some(left), Some(right)) if same(left, right) => {}
                    (Some(left), Some(right)) => return first_difference(path, left, right),
                    (left, right) => return (path, left, right),
                }
            }
        }
        _ => {}
    }
    (path, Some(got), Some(want))
}

fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".into(), |value| shortened(&value.to_string(), 300))
}

/// The text, its middle left out where it is long.
pub fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.into();
    }
    let head: String = text.chars().take(most * 2 / 3).collect();
    let tail: String = text.chars().skip(count - most / 3).collect();
    format!("{head} ⟨…{} more…⟩ {tail}", count - most)
}
