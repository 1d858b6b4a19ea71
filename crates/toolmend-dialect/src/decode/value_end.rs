//! Where a value inside a call in Python syntax ends.

use super::json;
use crate::cursor::{Look, between, byte, follows, from, skip_space};

/// The end of the value that starts here: the comma or the bracket that is not part of it.
pub(super) fn value_end(text: &str, at: usize) -> Look<usize> {
    let mut depth = 0_usize;
    let mut place = at;
    let mut may_open = true;
    loop {
        let Some(byte) = byte(text, place) else { return Look::More };
        match byte {
            b'"' | b'\'' if may_open => match string_end(text, place) {
                Look::Is(end) => {
                    place = end;
                    may_open = false;
                    continue;
                }
                look => return look,
            },
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' | b',' if depth == 0 => return Look::Is(place),
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            // A string opens after a bracket, a comma, a colon, an operator, or a prefix such as r.
            let is_prefix = matches!(byte, b'r' | b'b' | b'u' | b'f') && may_open;
            may_open = is_prefix
                || !(byte.is_ascii_alphanumeric() || matches!(byte, b')' | b']' | b'_' | b'.'));
        }
        place += 1;
    }
}

/// The end of the string whose opening quote stands here. A quote ends it only where what follows
/// makes sense after a value: models forget to escape the apostrophe in `'It's late'`.
pub(super) fn string_end(text: &str, at: usize) -> Look<usize> {
    let quote = byte(text, at).unwrap_or(b'"');
    let triple = if quote == b'"' { "\"\"\"" } else { "'''" };
    match follows(text, at, triple) {
        Look::Is(start) => {
            return match from(text, start).find(triple) {
                Some(end) => Look::Is(start + end + 3),
                None => Look::More,
            };
        }
        Look::More if from(text, at).len() < 3 && from(text, at).len() > 1 => return Look::More,
        _ => {}
    }
    let mut place = at + 1;
    while let Some(end) = json::string_end(text.as_bytes(), place, quote) {
        match closes(text, end, quote) {
            Look::Is(()) => return Look::Is(end),
            Look::More => return Look::More,
            Look::Not => place = end,
        }
    }
    Look::More
}

/// Whether what follows a quote makes sense after a string.
fn closes(text: &str, at: usize, quote: u8) -> Look<()> {
    let next = skip_space(text, at);
    match byte(text, next) {
        None => Look::More,
        Some(b')' | b']' | b'}' | b':' | b'+') => Look::Is(()),
        Some(b',') => after_comma(text, next + 1, quote),
        Some(_) => Look::Not,
    }
}

/// After the comma behind a string comes a key, another literal, or a closing bracket.
fn after_comma(text: &str, at: usize, quote: u8) -> Look<()> {
    let start = skip_space(text, at);
    let Some(first) = from(text, start).chars().next() else { return Look::More };
    if first == char::from(quote)
        || matches!(first, '"' | '\'' | '[' | '{' | '(' | '-' | ']' | '}' | ')')
    {
        return Look::Is(());
    }
    if first.is_ascii_digit() {
        return Look::Is(());
    }
    let rest = from(text, start);
    let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '\\' | '-' | '.')));
    let Some(end) = end else { return Look::More };
    let word = between(rest, 0, end);
    if matches!(word, "True" | "False" | "None" | "true" | "false" | "null") {
        return Look::Is(());
    }
    let after = skip_space(rest, end);
    match byte(rest, after) {
        None => Look::More,
        Some(b'=' | b':' | b'(') if !word.is_empty() => Look::Is(()),
        Some(_) => Look::Not,
    }
}
