//! Reading text with the tolerant reader, for the rules whose value is a string.

use serde_json::{Number, Value};
use toolmend_json::{Document, FaultCode, Options, Outcome, Trust, Want, read};

use crate::kinds::is_whole;
use crate::tool::Inner;

/// A text with these faults is more than the value that stands in it.
const MORE_THAN_A_VALUE: [FaultCode; 5] = [
    FaultCode::OutsideText,
    FaultCode::ThinkBlock,
    FaultCode::SeveralValues,
    FaultCode::RepeatedValue,
    FaultCode::NoBraces,
];

/// Longer texts hold no number.
const NUMBER_BYTES_MAX: usize = 400;

/// The array or object that a text holds, and how sure that is.
pub(crate) fn read_container(tool: &Inner, text: &str, want: Want) -> Option<(Value, Trust)> {
    let first = text.trim_start().chars().next()?;
    if !matches!(first, '[' | '{' | '(' | '`' | '"') {
        return None;
    }
    // Python's quotes are seen at once: JSON need not be tried.
    let is_python = text.trim_start().get(1..).is_some_and(|rest| rest.starts_with('\''));
    let strict = if is_python { requoted(text) } else { serde_json::from_str(text).ok() };
    let (value, trust) = match strict {
        Some(value @ (Value::Array(_) | Value::Object(_))) => (value, Trust::Exact),
        _ => only_value(&read(text, tool.options(want)))?,
    };
    let is_wanted = match want {
        Want::Array => value.is_array(),
        Want::Object => value.is_object(),
        Want::Any => true,
    };
    is_wanted.then_some((value, trust))
}

/// What a text is that differs from JSON in the sign of its quotes alone. Where one stands inside a
/// string, what comes out is no JSON.
fn requoted(text: &str) -> Option<Value> {
    if text.bytes().any(|byte| matches!(byte, b'"' | b'\\')) {
        return None;
    }
    let requoted = text.bytes().map(|byte| if byte == b'\'' { b'"' } else { byte });
    serde_json::from_slice(&requoted.collect::<Vec<u8>>()).ok()
}

/// The number that a text is, and how sure that is. `NaN`, words and sums are none.
pub(crate) fn read_number(text: &str) -> Option<(Number, Trust)> {
    let text = text.trim();
    let first = text.trim_start_matches(['+', '-']).chars().next()?;
    if text.len() > NUMBER_BYTES_MAX || !(first.is_ascii_digit() || first == '.') {
        return None;
    }
    if toolmend_json::is_valid(text) {
        return text.parse().ok().map(|number| (number, Trust::Exact));
    }
    let document = read(text, &Options::default());
    let is_form = |code| matches!(code, FaultCode::NumberForm | FaultCode::LeadingZero);
    if !document.faults().iter().all(|fault| is_form(fault.code)) {
        return None;
    }
    match only_value(&document)? {
        (Value::Number(number), trust) => Some((number, trust)),
        _ => None,
    }
}

/// The whole number that a text is: `42.0` is one.
pub(crate) fn read_integer(text: &str) -> Option<(Number, Trust)> {
    let (number, trust) = read_number(text)?;
    if !number.as_str().contains(['.', 'e', 'E']) {
        return Some((number, trust));
    }
    to_integer(&number).map(|number| (number, trust))
}

/// A number without its empty fraction.
pub(crate) fn to_integer(number: &Number) -> Option<Number> {
    let text = number.as_str();
    if !text.contains(['.', 'e', 'E']) {
        return Some(number.clone());
    }
    if !is_whole(number) {
        return None;
    }
    let (digits, fraction) = text.split_once('.')?;
    // With an exponent the digits would have to be moved: such numbers stay as they are.
    let is_plain = fraction.bytes().all(|digit| digit == b'0');
    is_plain.then(|| digits.parse().ok()).flatten()
}

fn only_value(document: &Document<'_>) -> Option<(Value, Trust)> {
    let trust = match document.outcome() {
        Outcome::Untouched => Trust::Exact,
        Outcome::Mended(trust) => trust,
        _ => return None,
    };
    let is_more = |code| MORE_THAN_A_VALUE.contains(&code);
    if document.faults().iter().any(|fault| is_more(fault.code)) {
        return None;
    }
    Some((document.value()?.to_value(), trust))
}

#[cfg(test)]
mod tests {
    use toolmend_json::Trust;

    use super::{NUMBER_BYTES_MAX, read_integer, read_number, requoted};

    #[test]
    fn a_number_is_read_with_its_digits() {
        let read = |text: &str| read_number(text).map(|(number, _)| number.to_string());
        for (text, number) in [
            ("42", Some("42")),
            (" -1.50 ", Some("-1.50")),
            ("1e5", Some("1e+5")),
            ("+7", Some("7")),
            ("007", Some("7")),
            (".5", Some("0.5")),
            ("1.", Some("1.0")),
            ("", None),
            ("-", None),
            ("NaN", None),
            ("-Infinity", None),
            ("seven", None),
            ("1 + 1", None),
            ("7 days", None),
            ("[7]", None),
        ] {
            assert_eq!(read(text).as_deref(), number, "{text}");
        }
        let longest = "1".repeat(NUMBER_BYTES_MAX);
        assert_eq!(read(&longest), Some(longest.clone()));
        assert_eq!(read(&format!("{longest}1")), None);
    }

    #[test]
    fn a_whole_number_loses_its_empty_fraction() {
        let read =
            |text: &str| read_integer(text).map(|(number, trust)| (number.to_string(), trust));
        assert_eq!(read("42"), Some(("42".to_owned(), Trust::Exact)));
        assert_eq!(read("42.00"), Some(("42".to_owned(), Trust::Exact)));
        assert_eq!(read("42.5"), None);
        assert_eq!(read("4.2e1"), None);
    }

    #[test]
    fn single_quotes_are_read_as_double_ones() {
        assert_eq!(requoted("{'a': ['b']}"), Some(serde_json::json!({"a": ["b"]})));
        assert_eq!(requoted("{'a': 'it's'}"), None);
        assert_eq!(requoted("{'a': \"b\"}"), None);
    }
}
