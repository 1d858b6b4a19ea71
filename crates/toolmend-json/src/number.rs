//! Numbers as other languages write them, and arithmetic, which is no number.

use std::borrow::Cow;

use crate::FaultCode;
use crate::marks::Marks;
use crate::scan;

/// The digits as JSON writes them, if this is a number of another language.
pub(crate) fn mend(raw: &str) -> Option<(String, FaultCode)> {
    let (sign, digits) = match raw.as_bytes().first()? {
        b'-' => ("-", raw.get(1..)?),
        b'+' => ("", raw.get(1..)?),
        _ => ("", raw),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let is_number_byte =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-' | b'_');
    if !digits.bytes().all(is_number_byte) {
        return None;
    }
    if let Some(value) = mend_radix(digits) {
        return Some((format!("{sign}{value}"), FaultCode::NumberForm));
    }
    let plain = without_separators(digits)?;
    let stripped = plain.trim_start_matches('0');
    let has_zeros =
        plain.starts_with('0') && plain.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let mut spelt = String::with_capacity(raw.len() + 2);
    spelt.push_str(sign);
    if matches!(stripped.as_bytes().first(), None | Some(b'.' | b'e' | b'E')) {
        spelt.push('0');
    }
    match stripped.split_once('.') {
        Some((head, tail)) if tail.is_empty() || tail.starts_with(['e', 'E']) => {
            spelt.extend([head, ".0", tail]);
        }
        _ => spelt.push_str(stripped),
    }
    let is_number = scan::number_end(spelt.as_bytes(), 0) == Some(spelt.len());
    let code = if has_zeros { FaultCode::LeadingZero } else { FaultCode::NumberForm };
    is_number.then_some((spelt, code))
}

fn mend_radix(digits: &str) -> Option<u128> {
    let (radix, digits) = match digits.get(..2)? {
        "0x" | "0X" => (16, digits.get(2..)?),
        "0o" | "0O" => (8, digits.get(2..)?),
        "0b" | "0B" => (2, digits.get(2..)?),
        _ => return None,
    };
    u128::from_str_radix(&without_separators(digits)?, radix).ok()
}

/// The text without underscores between digits; `None` if one stands elsewhere or nothing is left.
fn without_separators(digits: &str) -> Option<Cow<'_, str>> {
    let bytes = digits.as_bytes();
    if !digits.is_ascii() || !bytes.iter().any(u8::is_ascii_hexdigit) {
        return None;
    }
    if !digits.contains('_') {
        return Some(Cow::Borrowed(digits));
    }
    let is_separator = |at: usize| {
        let beside = |at: Option<usize>| at.and_then(|at| bytes.get(at));
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
        is_digit(beside(at.checked_sub(1))) && is_digit(beside(Some(at + 1)))
    };
    let is_sound = digits.char_indices().all(|(at, c)| c != '_' || is_separator(at));
    is_sound.then(|| Cow::Owned(digits.replace('_', "")))
}

/// The digits as JSON writes them, if commas stand between the thousands of this number.
pub(crate) fn without_commas(raw: &str) -> Option<String> {
    let are_digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_digit);
    let is_group = |group: &[u8]| match group {
        [b',', digits @ ..] => digits.len() == 3 && are_digits(digits),
        _ => false,
    };
    let bytes = raw.trim_start_matches('-').as_bytes();
    let point = bytes.iter().position(|&byte| byte == b'.');
    let (whole, fraction) = bytes.split_at_checked(point.unwrap_or(bytes.len()))?;
    let first = whole.iter().position(|&byte| byte == b',')?;
    let is_grouped = (1..=3).contains(&first)
        && whole.get(first..)?.chunks(4).all(is_group)
        && fraction.len() != 1
        && are_digits(fraction.get(1..).unwrap_or_default());
    if !is_grouped {
        return None;
    }
    let plain: String = raw.chars().filter(|&c| c != ',').collect();
    let is_number = scan::number_end(plain.as_bytes(), 0) == Some(plain.len());
    if is_number { Some(plain) } else { mend(&plain).map(|(digits, _)| digits) }
}

/// Whether the text computes something: arithmetic, a call, a name that stands for a value.
pub(crate) fn is_expression(raw: &str, marks: Marks) -> bool {
    const NAMES: &[&str] = &[
        "Math.",
        "process.",
        "os.",
        "self.",
        "this.",
        "datetime.",
        "Date.",
        "new ",
        "function",
        "lambda ",
        "await ",
    ];
    let has_sign = marks.has(Marks::SIGN);
    if !has_sign && !marks.has(Marks::JOINT) {
        return false;
    }
    let may_be_name = raw.bytes().next().is_some_and(|byte| b"MDadflnopst".contains(&byte));
    (may_be_name && NAMES.iter().any(|name| raw.starts_with(name)))
        || (has_sign && (is_arithmetic(raw) || is_call(raw) || raw.contains("=>")))
        || raw.starts_with("- ")
        || has_operator(raw, marks)
}

/// Whether one of the words is an operator, or all of them are a list comprehension.
fn has_operator(raw: &str, marks: Marks) -> bool {
    if !marks.has(Marks::SIGN) {
        // Without a sign only a comprehension is left, and few texts hold its middle.
        return marks.has(Marks::FOR)
            && raw.split_once(" for ").is_some_and(|(_, rest)| rest.contains(" in "));
    }
    let is_operator =
        |word: &str| matches!(word, "+" | "*" | "**" | "||" | "&&" | "??" | "|" | "//");
    let (mut has_for, mut has_in) = (false, false);
    for word in raw.split(' ') {
        has_for |= word == "for";
        has_in |= has_for && word == "in";
        if is_operator(word) {
            return true;
        }
    }
    has_in
}

/// Numbers with operators between them. Dates, times and addresses are not arithmetic.
fn is_arithmetic(raw: &str) -> bool {
    let is_numeric = |c: char| c.is_ascii_digit() || ".()+-*/%^ _eE".contains(c);
    let operators: Vec<char> = raw.chars().skip(1).filter(|c| "+-*/%^(".contains(*c)).collect();
    let ends_whole = raw.ends_with(|c: char| c.is_ascii_digit() || c == ')' || c == '.');
    if !ends_whole
        || !raw.chars().all(is_numeric)
        || operators.is_empty()
        || !raw.contains(|c: char| c.is_ascii_digit())
    {
        return false;
    }
    let separates = |separator: char| {
        operators.len() >= 2
            && operators.iter().all(|operator| *operator == separator)
            && raw.split(separator).all(|part| {
                (1..=12).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    !(separates('-') || separates('/'))
}

/// A name with parentheses after it.
fn is_call(raw: &str) -> bool {
    let name_end = raw.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.'));
    let is_name = name_end
        .is_some_and(|end| end > 0 && raw.get(end..).is_some_and(|rest| rest.starts_with('(')));
    is_name && raw.ends_with(')')
}

#[cfg(test)]
mod tests {
    use super::{is_expression, mend, without_commas};
    use crate::FaultCode;
    use crate::marks::Marks;

    #[test]
    fn forms_of_other_languages_keep_their_value() {
        for (raw, spelt) in [
            ("+1", "1"),
            ("-.5", "-0.5"),
            ("1.", "1.0"),
            ("1_000", "1000"),
            ("0x1F", "31"),
            ("-0b101", "-5"),
            ("0o17", "15"),
            ("007", "7"),
            ("00", "0"),
            ("0.50", "0.50"),
            (".5e3", "0.5e3"),
            ("1.e3", "1.0e3"),
            ("12345678901234567890_1", "123456789012345678901"),
        ] {
            assert_eq!(mend(raw).map(|(digits, _)| digits).as_deref(), Some(spelt), "{raw}");
        }
        assert_eq!(mend("007").map(|(_, code)| code), Some(FaultCode::LeadingZero));
        for raw in ["1.2.3", "1__0", "_1", "0x", "e", "abc", "1e", "--1", "٣"] {
            assert_eq!(mend(raw), None, "{raw}");
        }
    }

    #[test]
    fn thousands_come_in_threes() {
        for (raw, digits) in [
            ("1,000", Some("1000")),
            ("-12,345,678", Some("-12345678")),
            ("+1,000.50", Some("1000.50")),
            ("0,012", Some("12")),
            ("1,000,2", None),
            ("1,000,", None),
            ("1,00", None),
            ("1,0000", None),
            ("1000,000", None),
            ("1000", None),
            ("1,000.", None),
            ("1,000.5.5", None),
            ("1,000.5,000", None),
            (",000", None),
            ("1.5,000", None),
        ] {
            assert_eq!(without_commas(raw).as_deref(), digits, "{raw}");
        }
    }

    #[test]
    fn arithmetic_is_told_from_dates() {
        for raw in
            ["6*30.48", "1+1", "1/2", "60 * 60", "(1+2)", "2**8", "len(x)", "Math.PI", "a + b"]
        {
            assert!(is_expression(raw, Marks::of(raw)), "{raw}");
        }
        for raw in
            ["2024-01-01", "192.168.0.1", "12/31/2024", "/tmp/x", "a-b", "New York", "x.txt", "50%"]
        {
            assert!(!is_expression(raw, Marks::of(raw)), "{raw}");
        }
    }
}
