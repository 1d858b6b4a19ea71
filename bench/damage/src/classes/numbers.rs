//! Numbers as other languages and people write them.

use serde_json::Value;

use super::marked;
use crate::draft::Draft;
use crate::payload::word;
use crate::rng::Rng;
use crate::token::{Kind, Token};

/// Rewrites numbers for which there is another form. Where the payload has none, one is added.
fn rewrite(
    draft: &mut Draft,
    sample: fn(&mut Rng) -> Value,
    form: fn(&mut Rng, &Token) -> Option<String>,
) -> Option<()> {
    let mut probe = Rng::new(0);
    let has_form =
        |probe: &mut Rng, token: &Token| token.kind == Kind::Number && form(probe, token).is_some();
    if !draft.tokens.iter().any(|token| has_form(&mut probe, token)) {
        let value = sample(&mut draft.rng);
        let Value::Object(members) = &mut draft.value else { return None };
        members.insert(format!("{}_count", word(&mut draft.rng).replace(' ', "_")), value);
        draft.refresh();
    }
    draft.change(
        |tokens, at| {
            tokens.get(at).is_some_and(|token| {
                token.kind == Kind::Number && form(&mut Rng::new(0), token).is_some()
            })
        },
        form,
    )
}

/// The sign and digits of an integer.
fn integer(text: &str) -> Option<(&str, &str)> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let sign = if digits.len() < text.len() { "-" } else { "" };
    digits.bytes().all(|byte| byte.is_ascii_digit()).then_some((sign, digits))
}

fn grouped(digits: &str, sign: char) -> String {
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(sign);
        }
        out.push(digit);
    }
    out
}

pub(super) fn plus(draft: &mut Draft) -> Option<()> {
    rewrite(
        draft,
        |rng| rng.between(1, 900).into(),
        |_, token| (!token.text.starts_with('-')).then(|| format!("+{}", token.text)),
    )
}

pub(super) fn underscores(draft: &mut Draft) -> Option<()> {
    rewrite(
        draft,
        |rng| rng.between(1000, 9_999_999).into(),
        |_, token| {
            let (sign, digits) = integer(&token.text)?;
            (digits.len() > 3).then(|| format!("{sign}{}", grouped(digits, '_')))
        },
    )
}

pub(super) fn hex(draft: &mut Draft) -> Option<()> {
    rewrite(
        draft,
        |rng| rng.between(16, 70_000).into(),
        |rng, token| {
            let (sign, digits) = integer(&token.text)?;
            let number: u64 = digits.parse().ok()?;
            Some(match rng.below(6) {
                0 => format!("{sign}0X{number:X}"),
                1 => format!("{sign}0x{number:x}"),
                2 => format!("{sign}0x{number:04X}"),
                _ => format!("{sign}0x{number:X}"),
            })
        },
    )
}

pub(super) fn thousands(draft: &mut Draft) -> Option<()> {
    rewrite(
        draft,
        |rng| rng.between(1000, 9_999_999).into(),
        |_, token| {
            let (whole, fraction) = token.text.split_once('.').unwrap_or((&token.text, ""));
            let (sign, digits) = integer(whole)?;
            // In a list `1,000` is two numbers.
            if token.in_array || digits.len() < 4 || fraction.contains(['e', 'E']) {
                return None;
            }
            let point = if fraction.is_empty() { "" } else { "." };
            Some(format!("{sign}{}{point}{fraction}", grouped(digits, ',')))
        },
    )
}

pub(super) fn leading_zero(draft: &mut Draft) -> Option<()> {
    rewrite(
        draft,
        |rng| rng.between(1, 99).into(),
        |rng, token| {
            let digits = token.text.strip_prefix('-').unwrap_or(&token.text);
            let sign = if digits.len() < token.text.len() { "-" } else { "" };
            let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            is_plain.then(|| format!("{sign}{}{digits}", rng.pick(&["0", "00", "0"])))
        },
    )
}

pub(super) fn bare_point(draft: &mut Draft) -> Option<()> {
    rewrite(
        draft,
        |_| crate::payload::digits("0.5"),
        |rng, token| {
            let digits = token.text.strip_prefix('-').unwrap_or(&token.text);
            let sign = if digits.len() < token.text.len() { "-" } else { "" };
            if let Some(fraction) = digits.strip_prefix("0.") {
                return Some(format!("{sign}.{fraction}"));
            }
            let is_whole = integer(digits).is_some();
            (is_whole && rng.chance(100)).then(|| format!("{sign}{digits}."))
        },
    )
}

/// A value that JSON cannot hold: text, null and leaving it out are all fair, refusing is best.
pub(super) fn not_finite(draft: &mut Draft) -> Option<()> {
    marked::mark(draft, Value::is_number)?;
    let word = draft.rng.pick(&["NaN", "NaN", "Infinity", "-Infinity", "nan", "inf"]);
    let text = marked::resolved(&draft.value, Some(&word.into()));
    let null = marked::resolved(&draft.value, Some(&Value::Null));
    let left_out = marked::resolved(&draft.value, None);
    marked::write(draft, word);
    draft.value = text;
    draft.others.extend([null, left_out]);
    Some(())
}
