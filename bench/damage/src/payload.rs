//! Good tool arguments, as a model would have meant them.

mod code;
mod words;

use serde_json::{Map, Value, json};

use crate::rng::Rng;

pub(crate) use code::source;
pub(crate) use words::{digits, sentence, word};

/// What kind of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// One object of scalars.
    Flat,
    /// Objects in objects, a few levels deep.
    Nested,
    /// A list of objects with the same keys.
    Records,
    /// Numbers of every size.
    Numbers,
    /// Text in many scripts.
    Unicode,
    /// A call that writes a file: a path and a long content.
    Code,
    /// Many levels, for speed.
    Deep,
    /// One object with very many members, for speed.
    Wide,
}

impl Family {
    /// The families that correctness is measured on.
    pub const ALL: [Self; 6] =
        [Self::Flat, Self::Nested, Self::Records, Self::Numbers, Self::Unicode, Self::Code];

    /// The word that tables use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Nested => "nested",
            Self::Records => "records",
            Self::Numbers => "numbers",
            Self::Unicode => "unicode",
            Self::Code => "code",
            Self::Deep => "deep",
            Self::Wide => "wide",
        }
    }
}

/// A payload of about this many bytes of compact JSON.
#[must_use]
pub fn payload(family: Family, bytes: usize, rng: &mut Rng) -> Value {
    let mut members = Map::new();
    match family {
        Family::Flat => fill(&mut members, bytes, rng, scalar_member),
        Family::Nested => return nested(bytes, rng, 0),
        Family::Records => records(&mut members, bytes, rng),
        Family::Numbers => fill(&mut members, bytes, rng, number_member),
        Family::Unicode => fill(&mut members, bytes, rng, unicode_member),
        Family::Code => code::call(&mut members, bytes, rng),
        Family::Deep => deep(&mut members, bytes, rng),
        Family::Wide => wide(&mut members, bytes, rng),
    }
    Value::Object(members)
}

type Member = fn(&mut Rng) -> (String, Value);

/// Adds members until the size is reached; at least two.
fn fill(members: &mut Map<String, Value>, bytes: usize, rng: &mut Rng, make: Member) {
    let mut size = 2;
    while size + 12 < bytes || members.len() < 2 {
        let (key, value) = make(rng);
        let key = fresh(members, key);
        size += key.len() + 4 + value.to_string().len();
        members.insert(key, value);
    }
}

/// The key, with a number behind it where the object has it already.
fn fresh(members: &Map<String, Value>, key: String) -> String {
    if !members.contains_key(&key) {
        return key;
    }
    let numbered = format!("{key}_{}", members.len());
    if members.contains_key(&numbered) { format!("{numbered}_more") } else { numbered }
}

fn scalar_member(rng: &mut Rng) -> (String, Value) {
    let (key, value) = match rng.below(22) {
        0 => ("path", words::path(rng).into()),
        1 => ("file_path", words::path(rng).into()),
        2 => ("query", words::phrase(rng).into()),
        3 => ("pattern", words::pattern(rng).into()),
        4 => ("url", words::url(rng).into()),
        5 => ("command", words::command(rng).into()),
        6 => ("message", words::sentence(rng).into()),
        7 => ("description", words::sentence(rng).into()),
        8 => ("title", words::phrase(rng).into()),
        9 => ("limit", rng.between(0, 5000).into()),
        10 => ("offset", rng.between(0, 100_000).into()),
        11 => ("recursive", rng.chance(50).into()),
        12 => ("case_sensitive", rng.chance(50).into()),
        13 => ("cursor", Value::Null),
        14 => ("threshold", words::fraction(rng)),
        15 => ("language", rng.pick(&["en", "python", "French", "C++", "zh-CN"]).into()),
        16 => ("startDate", words::date(rng).into()),
        17 => ("user-id", words::identifier(rng).into()),
        18 => ("tags", words::list(rng)),
        19 => ("timeout_ms", (rng.between(1, 120) * 1000).into()),
        20 => ("note", words::tricky(rng).into()),
        _ => ("replyTo", if rng.chance(40) { Value::Null } else { words::email(rng).into() }),
    };
    (key.into(), value)
}

fn number_member(rng: &mut Rng) -> (String, Value) {
    let key = rng.pick(&[
        "width",
        "height",
        "lat",
        "lon",
        "price",
        "count",
        "ratio",
        "delta",
        "id",
        "total",
        "x",
        "y",
        "scores",
        "matrix",
        "timestamp",
        "temperature",
        "balance",
    ]);
    let value = match rng.below(9) {
        0 => (0..rng.between(1, 8)).map(|_| words::number(rng)).collect(),
        1 => {
            let row = |rng: &mut Rng| (0..3).map(|_| words::number(rng)).collect::<Value>();
            (0..rng.between(1, 3)).map(|_| row(rng)).collect()
        }
        2 => rng.pick(&["EUR", "m/s", "per cent", "3.5 stars", "42"]).into(),
        3 => rng.chance(50).into(),
        _ => words::number(rng),
    };
    (key.into(), value)
}

fn unicode_member(rng: &mut Rng) -> (String, Value) {
    let key = rng.pick(&[
        "text",
        "título",
        "名前",
        "message",
        "author",
        "ключ",
        "body",
        "naïve_key",
        "emoji",
    ]);
    let value = match rng.below(6) {
        0 => (0..rng.between(1, 4)).map(|_| Value::from(words::foreign(rng))).collect(),
        1 => rng.between(0, 99).into(),
        2 => rng.pick(&[Value::Bool(true), Value::Null]),
        _ => words::foreign(rng).into(),
    };
    (key.into(), value)
}

fn records(members: &mut Map<String, Value>, bytes: usize, rng: &mut Rng) {
    let mut items = Vec::new();
    let mut size = 20;
    while size + 40 < bytes || items.len() < 2 {
        let item = record(items.len(), rng);
        size += item.to_string().len() + 1;
        items.push(item);
    }
    let key = rng.pick(&["items", "edits", "records", "rows", "todos"]);
    if rng.chance(50) {
        members.insert("project".into(), words::phrase(rng).into());
    }
    members.insert(key.into(), items.into());
    if rng.chance(50) {
        members.insert("dry_run".into(), rng.chance(50).into());
    }
}

fn record(index: usize, rng: &mut Rng) -> Value {
    // Of one to four digits in texts of any length, so that a longer text is only longer.
    let id = (index * 37) % 9000 + 1;
    match rng.below(2) {
        0 => json!({
            "id": id, "name": words::phrase(rng), "done": rng.chance(50), "price": words::fraction(rng),
            "tags": words::list(rng),
        }),
        _ => json!({
            "id": id, "content": words::sentence(rng), "priority": rng.pick(&["low", "high", "not set"]),
            "assignee": if rng.chance(30) { Value::Null } else { words::email(rng).into() },
        }),
    }
}

fn nested(bytes: usize, rng: &mut Rng, depth: usize) -> Value {
    let mut members = Map::new();
    let mut size = 2;
    while size + 12 < bytes || members.len() < 2 {
        let (mut key, mut value) = scalar_member(rng);
        if depth < 5 && bytes > 60 && (rng.chance(45) || size == 2) {
            key = rng
                .pick(&[
                    "config", "options", "retry", "filter", "user", "address", "where", "steps",
                    "auth",
                ])
                .into();
            let part = (bytes.saturating_sub(size) / 2).min(1200).max(bytes / 12);
            value = nested(part, rng, depth + 1);
            if rng.chance(25) {
                value = Value::Array(vec![value, nested(part / 3, rng, depth + 2)]);
            }
            // Empty containers are the edge of every closer class.
            if rng.chance(6) {
                value = rng.pick(&[json!({}), json!([])]);
            }
        }
        let key = fresh(&members, key);
        size += key.len() + 4 + value.to_string().len();
        members.insert(key, value);
    }
    Value::Object(members)
}

/// Towers of a hundred levels side by side: the default limit on nesting is not far above.
fn deep(members: &mut Map<String, Value>, bytes: usize, rng: &mut Rng) {
    let mut size = 2;
    while size < bytes || members.is_empty() {
        let mut tower = words::number(rng);
        let levels = 100.min(bytes.saturating_sub(size) / 8 + 2);
        for level in 0..levels {
            tower = if level % 2 == 0 { json!({ "k": tower }) } else { json!([tower]) };
        }
        let key = format!("tower_{}", members.len());
        size += key.len() + 4 + levels * 4 + 4;
        members.insert(key, tower);
    }
}

fn wide(members: &mut Map<String, Value>, bytes: usize, rng: &mut Rng) {
    let mut size = 2;
    while size < bytes || members.is_empty() {
        let key = format!("field_{:06}", members.len());
        let value = match rng.below(4) {
            0 => words::number(rng),
            1 => rng.chance(50).into(),
            _ => Value::from(words::phrase(rng)),
        };
        size += key.len() + 4 + value.to_string().len();
        members.insert(key, value);
    }
}

/// All property names of a value, each once, in order.
pub(crate) fn property_names(value: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let mut seen = std::collections::HashSet::new();
    collect_names(value, &mut names, &mut seen);
    names
}

fn collect_names(
    value: &Value,
    names: &mut Vec<String>,
    seen: &mut std::collections::HashSet<String>,
) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names, seen)),
        Value::Object(members) => {
            for (key, value) in members {
                if seen.insert(key.clone()) {
                    names.push(key.clone());
                }
                collect_names(value, names, seen);
            }
        }
        _ => {}
    }
}
