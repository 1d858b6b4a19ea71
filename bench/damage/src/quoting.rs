//! Ways to write the characters of a string.

use std::fmt::Write;

/// As JSON, escaping no more than needed.
pub(crate) fn json(plain: &str) -> String {
    format!("\"{}\"", escaped(plain, '"'))
}

/// As JSON, everything beyond ASCII escaped.
pub(crate) fn ascii(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len() + 2);
    for character in json(plain).chars() {
        if character.is_ascii() {
            out.push(character);
        } else {
            out.push_str(&code_units(character));
        }
    }
    out
}

/// A character as `\u` escapes, as a surrogate pair where it needs one.
pub(crate) fn code_units(character: char) -> String {
    let mut units = [0; 2];
    let mut out = String::new();
    for unit in character.encode_utf16(&mut units) {
        // Writing to a string cannot fail.
        let _ = write!(out, "\\u{unit:04x}");
    }
    out
}

/// The body of a string between `quote`s: backslashes, the quote and control characters escaped.
pub(crate) fn escaped(plain: &str, quote: char) -> String {
    let mut out = String::with_capacity(plain.len() + 8);
    for character in plain.chars() {
        push_escaped(&mut out, character, quote);
    }
    out
}

/// Like [`escaped`], with line breaks and tabs left raw.
pub(crate) fn escaped_but_lines(plain: &str, quote: char) -> String {
    let mut out = String::with_capacity(plain.len() + 8);
    for character in plain.chars() {
        match character {
            '\n' | '\t' | '\r' => out.push(character),
            _ => push_escaped(&mut out, character, quote),
        }
    }
    out
}

/// Like [`escaped`], with the quote itself left bare.
pub(crate) fn escaped_but_quotes(plain: &str) -> String {
    escaped(plain, '\0')
}

fn push_escaped(out: &mut String, character: char, quote: char) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\\' => out.push_str("\\\\"),
        c if c == quote && quote != '\0' => {
            out.push('\\');
            out.push(c);
        }
        c if u32::from(c) < 0x20 => {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        c => out.push(c),
    }
}

/// As Python's `repr` writes a `str`.
pub(crate) fn python(plain: &str) -> String {
    let quote = if plain.contains('\'') && !plain.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for character in plain.chars() {
        match character {
            '\u{7f}'..='\u{a0}' | '\u{ad}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(character));
            }
            '\n' | '\r' | '\t' | '\\' => push_escaped(&mut out, character, quote),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\x{:02x}", u32::from(c));
            }
            '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{feff}' | '\u{3000}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(character));
            }
            c => push_escaped(&mut out, c, quote),
        }
    }
    out.push(quote);
    out
}
