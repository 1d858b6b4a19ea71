//! Maps with bare keys and quote marks of their own: `call:f{k:<|"|>v<|"|>,n:3}`.

use std::ops::Range;

use memchr::{memchr_iter, memmem};
use serde_json::{Map, Value};
use toolmend_json::{Fault, Span, Trust};

use super::json;
use crate::cursor::{Look, between, byte, from, skip_blanks, skip_space, word_bytes};
use crate::found::{Arguments, Found};

/// The marks that open and close a string.
const QUOTES: [&str; 2] = ["<|\"|>", "<escape>"];

pub(crate) const HEAD: &str = "call:";

/// A name is short.
const NAME_BYTES_MAX: usize = 256;

/// The call that starts here, and where it ends.
pub(crate) fn call(text: &str, at: usize) -> Look<(Found, usize)> {
    let start = match crate::cursor::follows(text, at, HEAD) {
        Look::Is(start) => start,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let Some(open) = from(text, start).find('{').map(|open| start + open) else {
        return if from(text, start).len() < NAME_BYTES_MAX { Look::More } else { Look::Not };
    };
    if open - start >= NAME_BYTES_MAX {
        return Look::Not;
    }
    let name = between(text, start, open).trim();
    let is_name = |c: char| crate::cursor::is_name_char(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return Look::Not;
    }
    if let Some((map, end)) = plain(text, open) {
        let arguments = Arguments::Object(Value::Object(map), Trust::Exact);
        return Look::Is((Found::new(name, arguments), end));
    }
    end(text, open).map(|end| {
        let (arguments, faults) = read(text, open..end);
        (Found { faults, ..Found::new(name, arguments) }, end)
    })
}

/// The map that opens here, and where it ends, if it is flat and nothing in it is odd: read at once, as
/// most are. [`read`] says the same of it.
fn plain(text: &str, open: usize) -> Option<(Map<String, Value>, usize)> {
    let mut map = Map::new();
    let mut at = open + 1;
    loop {
        let colon = at + word_bytes(from(text, at));
        let key = between(text, at, colon);
        if key.is_empty() || byte(text, colon) != Some(b':') {
            return None;
        }
        let (value, end) = plain_value(text, colon + 1)?;
        // Which of two is meant is for the reader to say.
        if map.insert(key.to_owned(), value).is_some() {
            return None;
        }
        match byte(text, end)? {
            b',' => at = end + 1,
            b'}' => return Some((map, end + 1)),
            _ => return None,
        }
    }
}

/// A string between quote marks, a whole number or a literal, and the place behind.
fn plain_value(text: &str, at: usize) -> Option<(Value, usize)> {
    let rest = from(text, at);
    if let Some(quote) = QUOTES.iter().find(|quote| rest.starts_with(**quote)) {
        let inner = from(rest, quote.len());
        let end = find(inner, quote)?;
        let value = Value::from(between(inner, 0, end));
        return Some((value, at + end + 2 * quote.len()));
    }
    let word = between(rest, 0, word_bytes(rest));
    let value = match word.as_bytes() {
        b"true" => Value::Bool(true),
        b"false" => Value::Bool(false),
        b"null" => Value::Null,
        [b'0'] | [b'1'..=b'9', ..] => Value::from(word.parse::<u64>().ok()?),
        _ => return None,
    };
    Some((value, at + word.len()))
}

/// Where the map that opens here ends: brackets inside strings do not count.
fn end(text: &str, open: usize) -> Look<usize> {
    let mut depth = 0_usize;
    let mut at = open;
    while let Some(first) = byte(text, at) {
        if first == b'<' {
            match quoted(text, at) {
                Look::Is(end) => {
                    at = end;
                    continue;
                }
                Look::More => return Look::More,
                Look::Not => {}
            }
        }
        match first {
            b'"' => {
                let rest = from(text, at + 1);
                match plain_string(rest) {
                    Some(end) => at += 1 + end,
                    // It may close yet; once the text has ended, it does not.
                    None => return Look::More,
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Look::Is(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    Look::More
}

/// The place of the quote that closes an ordinary string.
fn plain_string(rest: &str) -> Option<usize> {
    json::string_end(rest.as_bytes(), 0, b'"').map(|end| end - 1)
}

/// Where the string between quote marks that starts here ends.
fn quoted(text: &str, at: usize) -> Look<usize> {
    for quote in QUOTES {
        match crate::cursor::follows(text, at, quote) {
            Look::Is(start) => {
                return match find(from(text, start), quote) {
                    Some(end) => Look::Is(start + end + quote.len()),
                    // A string that is never closed is settled when the text has ended.
                    None => Look::More,
                };
            }
            Look::More => return Look::More,
            Look::Not => {}
        }
    }
    Look::Not
}

/// The length of a map whose last string is never closed: up to the mark that closes the call.
pub(crate) fn unclosed(body: &str) -> usize {
    let marks = ["<tool_call|>", "<end_function_call>"];
    let end = marks.iter().filter_map(|mark| body.find(mark)).min();
    between(body, 0, end.unwrap_or(body.len())).trim_end().len()
}

/// What is written like a key behind the last mark that opens a string. One that stands before a comma
/// closes a string that lost its opener.
pub(crate) fn keys_behind(body: &str) -> impl Iterator<Item = &str> {
    let open = QUOTES.iter().filter_map(|quote| Some(body.rfind(quote)? + quote.len())).max();
    let string = from(body, open.unwrap_or(body.len()));
    let string = if string.trim_start().starts_with(',') { "" } else { string };
    string.split(',').skip(1).filter_map(|part| part.split_once(':')).map(|(key, _)| key.trim())
}

/// Reads a map as an object: its strings become JSON strings, the reader does the rest. What is
/// wrong is told of the whole map; that keys are bare is not.
pub(crate) fn read(text: &str, place: Range<usize>) -> (Arguments, Vec<Fault>) {
    let object = to_json(between(text, place.start, place.end));
    let document = json::read_object(&object);
    let (Some(value), Some(trust)) = (document.value(), json::trust(&document)) else {
        return (Arguments::Unreadable(None), Vec::new());
    };
    let at = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let span = Span { start: at(place.start), end: at(place.end) };
    let wrong = document.faults().iter().filter(|fault| fault.code.trust() != Some(Trust::Exact));
    let faults = wrong.map(|fault| Fault { span, ..*fault }).collect();
    (Arguments::Object(value.to_value(), trust), faults)
}

/// The map with the strings and keys of JSON.
fn to_json(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    let mut rest = body;
    while let Some((at, quote)) = first_quote(rest) {
        out.push_str(between(rest, 0, at));
        rest = from(rest, at + quote.len());
        if dangles(&out, rest) {
            continue;
        }
        let (inner, after) = if let Some(end) = find(rest, quote) {
            (between(rest, 0, end), from(rest, end + quote.len()))
        } else {
            let inner = rest.trim_end().trim_end_matches('}');
            (inner, from(rest, inner.len()))
        };
        json::push_quoted(&mut out, inner);
        rest = after;
    }
    out.push_str(rest);
    quote_keys(&out)
}

/// Whether a quote mark closes nothing: a string ends right before it, and its member right behind.
fn dangles(before: &str, behind: &str) -> bool {
    let is_over = matches!(byte(behind, skip_space(behind, 0)), None | Some(b',' | b'}' | b']'));
    let string = before.strip_suffix(['\'', '"']).filter(|_| is_over);
    // Where a value is to begin, the quote before it only opens.
    string.is_some_and(|string| !string.trim_end().ends_with([':', ',', '[', '=']))
}

fn first_quote(text: &str) -> Option<(usize, &'static str)> {
    memchr_iter(b'<', text.as_bytes()).find_map(|at| {
        let rest = from(text, at);
        QUOTES.iter().find(|quote| rest.starts_with(**quote)).map(|quote| (at, *quote))
    })
}

fn find(text: &str, mark: &str) -> Option<usize> {
    memmem::find(text.as_bytes(), mark.as_bytes())
}

/// Puts quotes around bare keys, so that the map reads as valid JSON.
fn quote_keys(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let (mut at, mut copied) = (0, 0);
    while let Some(first) = byte(text, at) {
        if first == b'"' {
            at = plain_string(from(text, at + 1)).map_or(text.len(), |end| at + 2 + end);
            continue;
        }
        at += 1;
        if !matches!(first, b'{' | b',') {
            continue;
        }
        let start = skip_blanks(text, at);
        let rest = from(text, start);
        let is_key = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
        let end = rest.find(|c| !is_key(c)).unwrap_or(rest.len());
        let key = between(rest, 0, end).trim();
        if !key.is_empty() && byte(rest, end) == Some(b':') {
            out.push_str(between(text, copied, at));
            json::push_quoted(&mut out, key);
            at = start + end;
            copied = at;
        }
    }
    out.push_str(from(text, copied));
    out
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Look, Trust, Value, end, plain, read};

    #[test]
    fn a_plain_map_is_read_as_any_other() {
        let values = [
            "<|\"|>Lima<|\"|>",
            "<|\"|><|\"|>",
            "<|\"|>a \"b\" {c}, d:<escape>\\n\n\u{7f}é\u{2028}<|\"|>",
            "<|\"|>open",
            "<escape>a<|\"|>b<escape>",
            "<escape>a<|\"|>",
            "0",
            "7",
            "007",
            "18446744073709551615",
            "18446744073709551616",
            "-1",
            "1.5",
            "1e5",
            "1_000",
            "2days",
            "true",
            "True",
            "null",
            "none",
            "\"a\"",
            "[1]",
            "{b:1}",
            "",
            " 3",
        ];
        let mut count = 0;
        for value in values {
            for form in [
                "{a:V}",
                "{a:V,b_2:V}",
                "{a:V,a:V}",
                "{1:V}",
                "{true:V,}",
                "{é:V}",
                "{a: V}",
                "{V}",
                "{a:V}}",
                "{}",
            ] {
                let text = form.replace('V', value);
                let Some((map, place)) = plain(&text, 0) else { continue };
                assert_eq!(end(&text, 0), Look::Is(place), "{text}");
                let (arguments, faults) = read(&text, 0..place);
                assert_eq!(
                    arguments,
                    Arguments::Object(Value::Object(map), Trust::Exact),
                    "{text}"
                );
                assert!(faults.is_empty(), "{text}");
                count += 1;
            }
        }
        assert_eq!(count, 36);
    }
}
