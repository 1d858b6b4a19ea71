//! A first look at an object without marks: most are answers, not calls, and the first members tell.

use crate::cursor::{Look, between, byte, closing_quotes, from, skip_space, stop_within};
use crate::decode::envelope;
use crate::offered::Offered;

/// So many members are looked at, and so many bytes of one.
const MEMBERS_MAX: usize = 8;
const MEMBER_BYTES_MAX: usize = 256;

/// Whether the object that opens here may be a call.
pub(crate) fn object(text: &str, at: usize, offered: &Offered) -> Look<()> {
    let mut place = at + 1;
    for _ in 0..MEMBERS_MAX {
        let (key, value) = match key(text, place) {
            Look::Is(found) => found,
            Look::More => return Look::More,
            Look::Not => return Look::Not,
        };
        if !envelope::may_begin_call(key) {
            return if offered.knows(key) { Look::Is(()) } else { Look::Not };
        }
        let scalar = match scalar(text, value) {
            Look::Is(scalar) => scalar,
            Look::More => return Look::More,
            // What is deeper, or damaged, is read as a whole.
            Look::Not => return Look::Is(()),
        };
        if envelope::is_name_key(key) {
            return if offered.may_mean(scalar.text) { Look::Is(()) } else { Look::Not };
        }
        if key == "type" && offered.knows(scalar.text) {
            return Look::Is(());
        }
        let next = skip_space(text, scalar.end);
        match byte(text, next) {
            None => return Look::More,
            Some(b',') => place = next + 1,
            Some(_) => return Look::Is(()),
        }
    }
    Look::Is(())
}

/// The key that starts here, and where its value starts.
fn key(text: &str, at: usize) -> Look<(&str, usize)> {
    let start = skip_space(text, at);
    let Some(first) = from(text, start).chars().next() else { return Look::More };
    let quotes = closing_quotes(first);
    let stop = |c: char| match quotes.is_empty() {
        false => quotes.contains(&c),
        true => !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-')),
    };
    let start = if quotes.is_empty() { start } else { start + first.len_utf8() };
    let end = match stop_within(text, start, MEMBER_BYTES_MAX, stop) {
        Look::Is(end) => end,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let key = between(text, start, end);
    let closer = from(text, end).chars().next().filter(|_| !quotes.is_empty());
    let colon = skip_space(text, end + closer.map_or(0, char::len_utf8));
    match byte(text, colon) {
        None => Look::More,
        Some(b':' | b'=') => Look::Is((key, skip_space(text, colon + 1))),
        // Not written as it should be, but perhaps meant as a call.
        Some(_) => Look::Is((key, colon)),
    }
}

/// A value that holds no others.
struct Scalar<'t> {
    text: &'t str,
    end: usize,
}

/// The scalar that starts here; `Not` where something else does.
fn scalar(text: &str, at: usize) -> Look<Scalar<'_>> {
    let Some(first) = from(text, at).chars().next() else { return Look::More };
    let quotes = closing_quotes(first);
    if !quotes.is_empty() {
        return string(text, at + first.len_utf8(), quotes);
    }
    match first {
        '0'..='9' | '-' | 't' | 'f' | 'n' => {
            let rest = from(text, at);
            match rest.find([',', '}', '\n', ' ']) {
                Some(end) if end <= MEMBER_BYTES_MAX => {
                    Look::Is(Scalar { text: between(rest, 0, end), end: at + end })
                }
                None if rest.len() <= MEMBER_BYTES_MAX => Look::More,
                _ => Look::Not,
            }
        }
        _ => Look::Not,
    }
}

/// A string whose first character stands here: without escapes, on one line.
fn string<'t>(text: &'t str, at: usize, quotes: &[char]) -> Look<Scalar<'t>> {
    let rest = from(text, at);
    let is_stop = |c: char| matches!(c, '"' | '\'' | '\\' | '\n') || quotes.contains(&c);
    let stop = rest.char_indices().find(|&(_, c)| is_stop(c));
    match stop {
        Some((end, c)) if quotes.contains(&c) && end <= MEMBER_BYTES_MAX => {
            Look::Is(Scalar { text: between(rest, 0, end), end: at + end + c.len_utf8() })
        }
        None if rest.len() <= MEMBER_BYTES_MAX => Look::More,
        _ => Look::Not,
    }
}
