//! Calls in Python syntax: `f(k="v", n=3)`, also with `:` for `=`, a dict, or positions.

use std::ops::Range;

use toolmend_json::{Fault, Shape, Trust};

use super::json;
use super::value_end::{string_end, value_end};
use crate::cursor::{
    Look, between, byte, follows, from, name_end, skip_blanks, skip_space, unescaped, word_end,
};
use crate::found::{Arguments, Field, Found, Value, moved};
use crate::offered::Offered;

/// More arguments than this no call has.
const FIELDS_MAX: usize = 256;

/// The call that starts here with its name, and where it ends.
pub(crate) fn call(text: &str, at: usize) -> Look<(Found, usize)> {
    let end = name_end(text, at);
    let name = between(text, at, end);
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return if from(text, at).is_empty() { Look::More } else { Look::Not };
    }
    let open = skip_blanks(text, end);
    match byte(text, open) {
        None => return Look::More,
        Some(b'(') => {}
        Some(_) => return Look::Not,
    }
    let name = unescaped(name);
    let mut faults = Vec::new();
    arguments(text, open + 1, &mut faults)
        .map(|(arguments, end)| (Found { faults, ..Found::new(name, arguments) }, end))
}

/// The arguments up to the closing bracket, and the place behind it.
fn arguments(text: &str, at: usize, faults: &mut Vec<Fault>) -> Look<(Arguments, usize)> {
    let mut fields = Vec::new();
    let mut place = at;
    loop {
        place = skip_space(text, place);
        match byte(text, place) {
            None => return Look::More,
            Some(b')') => break,
            Some(b',') if !fields.is_empty() => place += 1,
            _ if fields.len() == FIELDS_MAX => return Look::Not,
            _ => match field(text, place, faults) {
                Look::Is((field, end)) => {
                    fields.push(field);
                    place = end;
                }
                Look::More => return Look::More,
                Look::Not => return Look::Not,
            },
        }
        // What stands between two arguments is a comma, or the call is none.
        let next = skip_space(text, place);
        match byte(text, next) {
            Some(b',' | b')') | None => {}
            _ if byte(text, place.saturating_sub(1)) == Some(b',') => {}
            Some(_) => return Look::Not,
        }
    }
    Look::Is((of_fields(fields), place + 1))
}

/// Members that stand in no brackets, all of them with their names, and what is wrong with them. The text
/// starts here in another. Nothing is a variable where there is no program.
pub(super) fn members(text: &str, at: usize) -> Option<(Vec<Field>, Vec<Fault>)> {
    let closed = [&text.replace('\n', ","), ")"].concat();
    let mut faults = Vec::new();
    let Look::Is((Arguments::Fields(mut fields), end)) = arguments(&closed, 0, &mut faults) else {
        return None;
    };
    for field in &mut fields {
        if let Value::Variable(word) = &mut field.value {
            field.value = Value::Words(std::mem::take(word));
        }
    }
    let is_named = fields.iter().all(|field| field.key.is_some()) && end == closed.len();
    let faults = faults.iter().map(|fault| moved(fault, at)).collect();
    is_named.then_some((fields, faults))
}

/// One argument without a name that is an object is all of them.
fn of_fields(mut fields: Vec<Field>) -> Arguments {
    match fields.as_mut_slice() {
        [] => Arguments::None,
        [Field { key: None, value: Value::Json(object, trust) }] if object.is_object() => {
            Arguments::Object(object.take(), *trust)
        }
        _ => Arguments::Fields(fields),
    }
}

/// One argument, and where it ends.
fn field(text: &str, at: usize, faults: &mut Vec<Fault>) -> Look<(Field, usize)> {
    let key_start = at + usize::from(matches!(byte(text, at), Some(b'"' | b'\'')));
    let rest = from(text, key_start);
    let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\\' | '-' | '.');
    let Some(length) = rest.find(|c| !is_key(c)) else { return Look::More };
    let key = between(rest, 0, length).replace('\\', "");
    let quote = usize::from(key_start > at && matches!(byte(rest, length), Some(b'"' | b'\'')));
    let after = skip_blanks(text, key_start + length + quote);
    let is_named = !key.is_empty() && !key.starts_with(|c: char| c.is_ascii_digit());
    match byte(text, after) {
        None => Look::More,
        Some(b'=' | b':') if is_named && byte(text, after + 1) != Some(b'=') => {
            let is_colon = byte(text, after) == Some(b':');
            value(text, skip_space(text, after + 1), is_colon, faults)
                .map(|(value, end)| (Field { key: Some(key), value }, end))
        }
        Some(_) => {
            value(text, at, false, faults).map(|(value, end)| (Field { key: None, value }, end))
        }
    }
}

fn value(text: &str, at: usize, is_colon: bool, faults: &mut Vec<Fault>) -> Look<(Value, usize)> {
    let at = skip_space(text, at);
    value_end(text, at).map(|end| {
        let literal = between(text, at, end).trim_end();
        (decode(text, at..at + literal.len(), is_colon, faults), end)
    })
}

/// What a literal means, and what is wrong with it. Expressions and variables mean nothing here.
fn decode(text: &str, place: Range<usize>, is_colon: bool, faults: &mut Vec<Fault>) -> Value {
    let literal = between(text, place.start, place.end);
    let (prefix, rest) = match literal.find(['"', '\'']) {
        Some(at @ 0..=2) => literal.split_at_checked(at).unwrap_or(("", literal)),
        _ => ("", literal),
    };
    let is_string = rest.starts_with(['"', '\'']) && prefix.chars().all(|c| "rRbBuUfF".contains(c));
    if is_string && string_end(text, place.start + prefix.len()) == Look::Is(place.end) {
        let is_raw = prefix.contains(['r', 'R']);
        let is_template = prefix.contains(['f', 'F']) && rest.contains('{');
        return if is_template {
            Value::Unreadable
        } else {
            Value::Json(string(rest, is_raw).into(), Trust::Exact)
        };
    }
    if is_words(literal) {
        let words = literal.to_owned();
        return if is_colon { Value::Words(words) } else { Value::Variable(words) };
    }
    let document = json::read(literal);
    match (document.value(), json::trust(&document)) {
        (Some(value), Some(trust)) if value.shape() != Shape::String && trust < Trust::Guess => {
            faults.extend(document.faults().iter().map(|fault| moved(fault, place.start)));
            Value::Json(value.to_value(), trust)
        }
        _ => Value::Unreadable,
    }
}

/// Letters and spaces that are no literal of Python or JSON.
fn is_words(text: &str) -> bool {
    let is_literal = matches!(
        text,
        "True" | "False" | "None" | "true" | "false" | "null" | "undefined" | "NaN" | "Infinity"
    );
    text.starts_with(char::is_alphabetic)
        && !is_literal
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.' | '/' | '*'))
}

/// The characters of a string literal.
fn string(literal: &str, is_raw: bool) -> String {
    let triple =
        ["\"\"\"", "'''"].iter().find(|quote| literal.len() >= 6 && literal.starts_with(**quote));
    let quotes = triple.map_or(1, |quote| quote.len());
    let inner = between(literal, quotes, literal.len() - quotes);
    if is_raw || !inner.contains('\\') {
        return inner.to_owned();
    }
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = rest.find('\\') {
        out.push_str(between(rest, 0, at));
        rest = from(rest, at + 1);
        let Some(c) = rest.chars().next() else {
            out.push('\\');
            break;
        };
        let (decoded, length) = escape(c, rest);
        if let Some(c) = decoded {
            out.push(c);
        } else {
            out.push('\\');
            out.push(c);
        }
        rest = from(rest, length);
    }
    out.push_str(rest);
    out
}

/// What an escape means, and how long it is behind the backslash.
fn escape(c: char, rest: &str) -> (Option<char>, usize) {
    let digits = |count: usize| {
        let digits = between(rest, 1, 1 + count);
        let unit = u32::from_str_radix(digits, 16).ok().filter(|_| digits.len() == count);
        (unit.and_then(char::from_u32), count + 1)
    };
    match c {
        'n' => (Some('\n'), 1),
        't' => (Some('\t'), 1),
        'r' => (Some('\r'), 1),
        '\\' | '\'' | '"' => (Some(c), 1),
        'x' => match digits(2) {
            (None, _) => (None, 1),
            is => is,
        },
        'u' => match digits(4) {
            (None, _) => (None, 1),
            is => is,
        },
        _ => (None, c.len_utf8()),
    }
}

/// What may stand before a call in a statement.
const OPENINGS: [&str; 8] =
    ["return ", "await ", "const ", "let ", "var ", "print(", "print (", "json.dumps("];

/// The place of the call in a statement that starts here: behind `x = `, `print(`, `return [`.
/// More text is needed as long as what stands at the place may be another opening.
pub(crate) fn opening(text: &str, at: usize, is_ended: bool) -> Look<usize> {
    let mut place = skip_blanks(text, at);
    loop {
        match opened(text, place) {
            Look::Is(next) => place = skip_blanks(text, next),
            Look::More if !is_ended => return Look::More,
            _ => return Look::Is(place),
        }
    }
}

/// The place behind one opening.
fn opened(text: &str, at: usize) -> Look<usize> {
    let Some(first) = byte(text, at) else { return Look::More };
    for open in OPENINGS.iter().filter(|open| open.as_bytes().first() == Some(&first)) {
        match follows(text, at, open) {
            Look::Not => {}
            look => return look,
        }
    }
    let end = match word_end(text, at) {
        Look::Is(end) if end > at => end,
        Look::More => return Look::More,
        _ => return Look::Not,
    };
    let equals = skip_blanks(text, end);
    match (byte(text, equals), byte(text, equals + 1)) {
        (None, _) | (Some(b'='), None) => Look::More,
        (Some(b'='), Some(b'=')) => Look::Not,
        (Some(b'='), _) => Look::Is(equals + 1),
        _ => Look::Not,
    }
}

/// The calls of a text that holds nothing else.
pub(crate) fn whole(text: &str, offered: &Offered) -> Option<Vec<Found>> {
    let mut drafts = Vec::new();
    let mut at = skip_space(text, 0);
    while at < text.len() {
        match call(text, at) {
            Look::Is((draft, end)) if offered.knows(&draft.name) => {
                drafts.push(draft);
                at = end;
            }
            _ => return None,
        }
        let rest = from(text, at);
        at = text.len() - rest.trim_start_matches([' ', ',', ';', '\n', '}']).len();
    }
    (!drafts.is_empty()).then_some(drafts)
}
