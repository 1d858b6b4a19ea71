//! When two values count as the same: members in any order, and `1` is `1.0`.

use serde_json::{Number, Value};

/// Whether two values mean the same.
#[must_use]
pub fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => same_number(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.get(key).is_some_and(|other| same(value, other)))
        }
        _ => left == right,
    }
}

fn same_number(left: &Number, right: &Number) -> bool {
    let (left, right) = (left.to_string(), right.to_string());
    if left == right {
        return true;
    }
    let (Some(a), Some(b)) = (Decimal::read(&left), Decimal::read(&right)) else { return false };
    if a == b {
        return true;
    }
    // A library may hold fractions as doubles; an integer that lost digits is another integer.
    let has_fraction = a.exponent < 0 || b.exponent < 0;
    has_fraction && left.parse::<f64>().ok() == right.parse::<f64>().ok()
}

/// A number without needless zeros: digits times a power of ten.
#[derive(PartialEq, Eq)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (is_negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, power) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() {
            return Some(Self { is_negative: false, digits: "0".into(), exponent: 0 });
        }
        let zeros = all.len() - all.trim_end_matches('0').len();
        let power: i64 = power.parse().ok()?;
        let exponent = power + i64::try_from(zeros).ok()? - i64::try_from(fraction.len()).ok()?;
        Some(Self { is_negative, digits: digits.into(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::same;
    use serde_json::{Value, from_str};

    fn value(text: &str) -> Value {
        from_str(text).unwrap()
    }

    #[test]
    fn numbers_are_compared_by_what_they_mean() {
        assert!(same(&value("1"), &value("1.0")));
        assert!(same(&value("1e3"), &value("1000")));
        assert!(same(&value("-0.0"), &value("0")));
        assert!(!same(&value("9007199254740993"), &value("9007199254740992")));
        assert!(!same(&value("1"), &value("-1")));
    }

    #[test]
    fn order_of_members_does_not_matter() {
        assert!(same(&value(r#"{"a":1,"b":[2]}"#), &value(r#"{"b":[2.0],"a":1}"#)));
        assert!(!same(&value(r#"{"a":1}"#), &value(r#"{"a":1,"b":2}"#)));
    }
}
