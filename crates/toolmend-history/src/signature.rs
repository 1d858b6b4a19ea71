//! What makes two calls the same call.

use serde_json::{Map, Value};

/// The name of a tool and its arguments in one spelling: the order of keys, white space and the
/// spelling of numbers do not make two calls of one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    name: String,
    arguments: String,
}

impl Signature {
    /// The signature of a call.
    #[must_use]
    pub fn of(name: &str, arguments: &Value) -> Self {
        Self { name: name.to_owned(), arguments: canonical(arguments) }
    }

    /// The signature of a call without the arguments that only describe it.
    #[must_use]
    pub fn without(name: &str, arguments: &Value, is_left_out: impl Fn(&str) -> bool) -> Self {
        match arguments {
            Value::Object(members) if members.keys().any(|key| is_left_out(key)) => {
                let kept = members.iter().filter(|(key, _)| !is_left_out(key));
                let kept: Map<String, Value> = kept.map(|(k, v)| (k.clone(), v.clone())).collect();
                Self::of(name, &Value::Object(kept))
            }
            _ => Self::of(name, arguments),
        }
    }

    /// The name of the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments in their one spelling.
    #[must_use]
    pub fn arguments(&self) -> &str {
        &self.arguments
    }
}

/// What is left to write.
enum Step<'v> {
    Value(&'v Value),
    Key(&'v str),
    Sign(char),
}

fn canonical(value: &Value) -> String {
    let mut out = String::new();
    let mut steps = vec![Step::Value(value)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Sign(sign) => out.push(sign),
            Step::Key(key) => {
                out.push_str(&Value::from(key).to_string());
                out.push(':');
            }
            Step::Value(Value::Array(items)) => {
                out.push('[');
                steps.push(Step::Sign(']'));
                for (at, item) in items.iter().enumerate().rev() {
                    steps.push(Step::Value(item));
                    steps.extend((at > 0).then_some(Step::Sign(',')));
                }
            }
            Step::Value(Value::Object(members)) => {
                let mut members: Vec<(&String, &Value)> = members.iter().collect();
                members.sort_by_key(|(key, _)| *key);
                out.push('{');
                steps.push(Step::Sign('}'));
                for (at, (key, value)) in members.into_iter().enumerate().rev() {
                    steps.extend([Step::Value(value), Step::Key(key)]);
                    steps.extend((at > 0).then_some(Step::Sign(',')));
                }
            }
            Step::Value(Value::Number(number)) => out.push_str(&number_text(&number.to_string())),
            Step::Value(scalar) => out.push_str(&scalar.to_string()),
        }
    }
    out
}

/// Up to this many zeros are written out.
const ZEROS_MAX: i64 = 20;

/// A number in one spelling, with all its digits: `1.0`, `10e-1` and `1` are the same.
fn number_text(text: &str) -> String {
    let (sign, rest) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    // No number that means anything has an exponent of more digits.
    let Ok(exponent) = exponent.parse::<i32>() else { return text.to_owned() };
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    let short = digits.trim_end_matches('0');
    if short.is_empty() {
        return "0".to_owned();
    }
    let length = |text: &str| i64::try_from(text.len()).unwrap_or(i64::MAX);
    let exponent = i64::from(exponent) - length(fraction) + length(digits) - length(short);
    match exponent {
        0 => format!("{sign}{short}"),
        1..=ZEROS_MAX => {
            format!("{sign}{short}{}", "0".repeat(usize::try_from(exponent).unwrap_or(0)))
        }
        _ => format!("{sign}{short}e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::number_text;

    #[test]
    fn numbers_have_one_spelling_and_all_their_digits() {
        for (text, one) in [
            ("1", "1"),
            ("1.0", "1"),
            ("10e-1", "1"),
            ("-0.0", "0"),
            ("1e3", "1000"),
            ("0.50", "5e-1"),
            ("-12.5e1", "-125"),
            ("18446744073709551615", "18446744073709551615"),
            ("1e400", "1e400"),
            ("1e99999999999", "1e99999999999"),
        ] {
            assert_eq!(number_text(text), one, "{text}");
        }
    }
}
