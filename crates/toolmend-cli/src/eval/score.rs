//! Whether the calls that came out are those that were meant.

use serde_json::{Map, Value, json};

use super::item::Item;

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The calls that were meant came out, and no others.
    Exact,
    /// Others came out.
    Wrong,
    /// None came out, and some were meant.
    Missed,
    /// None came out, and none was meant.
    Quiet,
    /// Some came out, and none was meant.
    Invented,
    /// Nobody can know.
    Unscored,
}

impl Verdict {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Wrong => "wrong",
            Self::Missed => "missed",
            Self::Quiet => "quiet",
            Self::Invented => "invented",
            Self::Unscored => "unscored",
        }
    }

    pub(super) const fn is_wrong(self) -> bool {
        matches!(self, Self::Wrong | Self::Missed | Self::Invented)
    }
}

/// Counts of a group of lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Score {
    pub(super) exact: usize,
    pub(super) wrong: usize,
    pub(super) missed: usize,
    pub(super) quiet: usize,
    pub(super) invented: usize,
    pub(super) unscored: usize,
    /// Calls that came out, and those of them that were meant.
    pub(super) calls: usize,
    pub(super) calls_right: usize,
}

impl Score {
    pub(super) fn add(&mut self, verdict: Verdict, calls: usize, right: usize) {
        let count = match verdict {
            Verdict::Exact => &mut self.exact,
            Verdict::Wrong => &mut self.wrong,
            Verdict::Missed => &mut self.missed,
            Verdict::Quiet => &mut self.quiet,
            Verdict::Invented => &mut self.invented,
            Verdict::Unscored => &mut self.unscored,
        };
        *count += 1;
        if verdict != Verdict::Unscored {
            self.calls += calls;
            self.calls_right += right;
        }
    }

    pub(super) fn lines(&self) -> usize {
        self.exact + self.wrong + self.missed + self.quiet + self.invented
    }

    /// Of the lines in which calls were meant, those that have them all.
    pub(super) fn recall(&self) -> (usize, usize) {
        (self.exact, self.exact + self.wrong + self.missed)
    }

    /// Of the calls that came out, those that were meant.
    pub(super) fn precision(&self) -> (usize, usize) {
        (self.calls_right, self.calls)
    }

    /// Of the lines that something came out of, those that have exactly what was meant.
    pub(super) fn exactness(&self) -> (usize, usize) {
        (self.exact, self.exact + self.wrong + self.invented)
    }

    pub(super) fn value(&self, name: &str) -> Value {
        let share = |(part, whole): (usize, usize)| match whole {
            0 => Value::Null,
            #[expect(clippy::cast_precision_loss, reason = "a share needs no more digits")]
            whole => json!(part as f64 / whole as f64),
        };
        json!({
            "group": name, "lines": self.lines(), "exact": self.exact, "wrong": self.wrong,
            "missed": self.missed, "quiet": self.quiet, "invented": self.invented,
            "unscored": self.unscored, "recall": share(self.recall()),
            "precision": share(self.precision()), "exactness": share(self.exactness()),
        })
    }
}

/// Whether a call is one that was meant.
type Fits = fn(&Value, &Value) -> bool;

/// What became of a line, and how many of its calls were meant.
pub(super) fn judge(item: &Item, calls: &[Value]) -> (Verdict, usize) {
    let (meant, fits): (&[Value], Fits) = match (&item.accept, &item.expected) {
        (Some(accept), _) => (accept, is_accepted),
        (None, Some(expected)) => (expected, is_same_call),
        (None, None) => return (Verdict::Unscored, 0),
    };
    let right = matched(meant, calls, fits);
    let is_exact = right == meant.len() && right == calls.len();
    let verdict = match (meant.is_empty(), calls.is_empty()) {
        (true, true) => Verdict::Quiet,
        (true, false) => Verdict::Invented,
        (false, true) if item.is_either => Verdict::Quiet,
        (false, true) => Verdict::Missed,
        (false, false) if is_exact => Verdict::Exact,
        (false, false) => Verdict::Wrong,
    };
    (verdict, right)
}

/// How many calls can be paired with one that was meant, in any order.
fn matched(meant: &[Value], calls: &[Value], fits: Fits) -> usize {
    let mut free: Vec<&Value> = meant.iter().collect();
    let mut count = 0;
    for call in calls {
        if let Some(at) = free.iter().position(|meant| fits(call, meant)) {
            free.swap_remove(at);
            count += 1;
        }
    }
    count
}

fn is_same_call(call: &Value, meant: &Value) -> bool {
    call.get("name") == meant.get("name")
        && is_same(call.get("arguments").unwrap_or(&Value::Null), &arguments(meant))
}

/// Arguments of a corpus may be JSON in a string.
fn arguments(call: &Value) -> Value {
    match call.get("arguments") {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(value) => value.clone(),
        None => json!({}),
    }
}

/// Whether two values say the same; `1` and `1.0` do.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64().is_some_and(|one| Some(one) == other.as_f64())
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| is_same(value, other)))
        }
        (one, other) => one == other,
    }
}

/// Whether each argument is one of those that are accepted; `""` among them says that it may be
/// missing. Case, spaces and a few signs do not count in strings.
fn is_accepted(call: &Value, meant: &Value) -> bool {
    let empty = Map::new();
    let of = |call: &Value| call.get("arguments").and_then(Value::as_object).cloned();
    let (given, wanted) = (of(call).unwrap_or_default(), of(meant).unwrap_or(empty));
    call.get("name") == meant.get("name") && members_fit(&given, &wanted)
}

fn members_fit(given: &Map<String, Value>, wanted: &Map<String, Value>) -> bool {
    given.iter().all(|(key, value)| wanted.get(key).is_some_and(|options| fits_any(value, options)))
        && wanted.iter().all(|(key, options)| given.contains_key(key) || may_miss(options))
}

fn may_miss(options: &Value) -> bool {
    options.as_array().is_some_and(|options| options.contains(&json!("")))
}

fn fits_any(value: &Value, options: &Value) -> bool {
    let one = std::slice::from_ref(options);
    let options = options.as_array().map_or(one, Vec::as_slice);
    options.iter().any(|option| is_like(value, option))
}

fn is_like(value: &Value, option: &Value) -> bool {
    match (value, option) {
        (Value::String(one), Value::String(other)) => folded(one) == folded(other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_like(one, other))
        }
        (Value::Object(one), Value::Object(other)) => members_fit(one, other),
        (one, other) => is_same(one, other),
    }
}

fn folded(text: &str) -> String {
    let kept = text.chars().filter(|c| !" ,./-_*^".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == '\'' { '"' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::item::Item;
    use super::{Verdict, judge};

    fn item(more: &str) -> Item {
        Item::read(&format!("{{\"id\": 1, {more}}}")).unwrap()
    }

    #[test]
    fn calls_are_compared_by_what_they_say() {
        let meant = item(r#""expected": [{"name": "f", "arguments": {"a": 1, "b": [2.0]}}]"#);
        let call = |arguments| json!({"name": "f", "arguments": arguments});
        let right = call(json!({"b": [2], "a": 1.0}));
        assert_eq!(judge(&meant, std::slice::from_ref(&right)), (Verdict::Exact, 1));
        assert_eq!(judge(&meant, &[right.clone(), right]), (Verdict::Wrong, 1));
        assert_eq!(judge(&meant, &[call(json!({"a": 1}))]), (Verdict::Wrong, 0));
        assert_eq!(judge(&meant, &[]), (Verdict::Missed, 0));
        assert_eq!(judge(&item(r#""expected": []"#), &[call(json!({}))]).0, Verdict::Invented);
        assert_eq!(judge(&item(r#""expected": []"#), &[]).0, Verdict::Quiet);
        assert_eq!(judge(&item(r#""expected": null"#), &[]).0, Verdict::Unscored);
    }

    #[test]
    fn accepted_values_are_folded_and_some_may_miss() {
        let meant = item(
            r#""accept": [{"name": "f", "arguments": {"city": ["New York", "NYC"], "unit": ["c", ""]}}]"#,
        );
        let call = |arguments| [json!({"name": "f", "arguments": arguments})];
        assert_eq!(judge(&meant, &call(json!({"city": "new-york"}))).0, Verdict::Exact);
        assert_eq!(judge(&meant, &call(json!({"city": "nyc", "unit": "C"}))).0, Verdict::Exact);
        assert_eq!(judge(&meant, &call(json!({"unit": "c"}))).0, Verdict::Wrong);
        assert_eq!(judge(&meant, &call(json!({"city": "nyc", "x": 1}))).0, Verdict::Wrong);
    }
}
