//! JSON inside of a JSON string, judged without taking the string apart.

use std::borrow::Cow;

use toolmend_json::is_valid;

use crate::node;

/// A JSON string as it stands in the text, quotes and escapes included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoted<'t>(&'t str);

impl<'t> Quoted<'t> {
    /// Takes a string that a reader found.
    pub(crate) fn new(source: &'t str) -> Self {
        Self(source)
    }

    /// The characters.
    #[must_use]
    pub fn decode(self) -> Cow<'t, str> {
        node::decoded(self.0).unwrap_or_default()
    }

    /// Whether the string is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0.len() <= 2
    }

    /// Whether the characters are valid JSON.
    #[must_use]
    pub fn holds_json(self) -> bool {
        let inner = self.0.strip_prefix('"').and_then(|source| source.strip_suffix('"'));
        inner.is_some_and(|inner| Walk::of(inner).passes_json()) || is_valid(&self.decode())
    }
}

/// Walks over JSON that is escaped once. It knows the usual spellings and gives up on others: what it
/// takes is JSON, what it does not take is for a reader to judge. Histories carry whole files in
/// arguments, and to decode them first costs as much as parsing the rest.
struct Walk<'t> {
    text: &'t str,
    at: usize,
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// A value, or the end of the list that was just opened.
    FirstItem,
    Key,
    /// A key, or the end of the object that was just opened.
    FirstKey,
    /// A comma, or the end of what is open.
    More,
}

impl<'t> Walk<'t> {
    fn of(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn passes_json(mut self) -> bool {
        // For each container that is open: whether it is an object.
        let mut open: Vec<bool> = Vec::new();
        let mut next = Next::Value;
        loop {
            if next == Next::More && open.is_empty() {
                return self.token().is_none() && self.at == self.text.len();
            }
            let Some(token) = self.token() else { return false };
            next = match (next, token) {
                (Next::FirstItem, b']') | (Next::FirstKey, b'}') => {
                    open.pop();
                    Next::More
                }
                (Next::Value | Next::FirstItem, b'{') => {
                    open.push(true);
                    Next::FirstKey
                }
                (Next::Value | Next::FirstItem, b'[') => {
                    open.push(false);
                    Next::FirstItem
                }
                (Next::Value | Next::FirstItem, start) if self.passes_scalar(start) => Next::More,
                (Next::Key | Next::FirstKey, b'"') if self.passes_string() => {
                    if self.token() != Some(b':') {
                        return false;
                    }
                    Next::Value
                }
                (Next::More, b',') => match open.last() {
                    Some(true) => Next::Key,
                    _ => Next::Value,
                },
                (Next::More, b'}') if open.pop() == Some(true) => Next::More,
                (Next::More, b']') if open.pop() == Some(false) => Next::More,
                _ => return false,
            };
        }
    }

    /// The next character, its escape taken off; `None` at the end and where the escape is unusual.
    fn take(&mut self) -> Option<u8> {
        let byte = *self.text.as_bytes().get(self.at)?;
        if byte != b'\\' {
            self.at += 1;
            return Some(byte);
        }
        let escaped = match self.text.as_bytes().get(self.at + 1)? {
            byte @ (b'"' | b'\\') => *byte,
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            _ => return None,
        };
        self.at += 2;
        Some(escaped)
    }

    /// The next character that is no white space.
    fn token(&mut self) -> Option<u8> {
        loop {
            match self.take()? {
                b' ' | b'\n' | b'\t' | b'\r' => {}
                byte => return Some(byte),
            }
        }
    }

    fn passes_scalar(&mut self, start: u8) -> bool {
        match start {
            b'"' => self.passes_string(),
            b't' => self.passes(b"rue"),
            b'f' => self.passes(b"alse"),
            b'n' => self.passes(b"ull"),
            b'-' => self.take().is_some_and(|digit| self.passes_number(digit)),
            digit => self.passes_number(digit),
        }
    }

    fn passes(&mut self, word: &[u8]) -> bool {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += word.len();
        rest.starts_with(word)
    }

    /// Goes to the end of a string whose quote was taken.
    fn passes_string(&mut self) -> bool {
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let Some(plain) = rest.find('\\') else { return false };
            self.at += plain;
            match self.take() {
                Some(b'"') => return true,
                Some(b'\\') => {
                    let escape = self.take();
                    if !matches!(
                        escape,
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')
                    ) {
                        return false;
                    }
                }
                _ => return false,
            }
        }
    }

    fn passes_number(&mut self, first: u8) -> bool {
        match first {
            b'0' => {}
            b'1'..=b'9' => _ = self.passes_digits(),
            _ => return false,
        }
        let is_next = |walk: &Self, signs: &[u8]| {
            walk.text.as_bytes().get(walk.at).is_some_and(|byte| signs.contains(byte))
        };
        if is_next(self, b".") {
            self.at += 1;
            if self.passes_digits() == 0 {
                return false;
            }
        }
        if is_next(self, b"eE") {
            self.at += 1;
            self.at += usize::from(is_next(self, b"+-"));
            if self.passes_digits() == 0 {
                return false;
            }
        }
        true
    }

    fn passes_digits(&mut self) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        digits
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Quoted, Walk, is_valid};

    /// Whether the walk takes a text that stands in a string.
    fn passes(text: &str) -> bool {
        let quoted = Value::from(text).to_string();
        assert_eq!(Quoted::new(&quoted).holds_json(), is_valid(text), "{text}");
        let inner = quoted.strip_prefix('"').and_then(|quoted| quoted.strip_suffix('"'));
        inner.is_some_and(|inner| Walk::of(inner).passes_json())
    }

    #[test]
    fn the_usual_spellings_are_taken() {
        for text in [
            "{}",
            "[]",
            "0",
            "-10",
            "1.50",
            "1e5",
            "2E+6",
            "-0.5e-07",
            "true",
            "false",
            "null",
            "\"\"",
            "\"a \\\" \\\\ \\/ \\b \\f \\n \\r \\t é\"",
            "\t[ 1 ,\r\n[ ] , { } ] ",
            "{\"\": {\"b\": []}, \"c\": [{\"d\": true}, \"e\"]}",
        ] {
            assert!(passes(text), "{text}");
            assert!(is_valid(text), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_taken() {
        for text in [
            "",
            " ",
            "{",
            "[",
            "}",
            "]",
            "{]",
            "[}",
            "[1}",
            "[1]]",
            "[,]",
            "[1,]",
            "[1 2]",
            "1 2",
            "{,}",
            "{1:2}",
            "{\"a\"}",
            "{\"a\" 1}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{\"a\":1]",
            "{\"a\",1}",
            "01",
            "+1",
            "-",
            "-a",
            ".5",
            "1.",
            "1.e5",
            "1e",
            "1e+",
            "tru",
            "nul",
            "truth",
            "fals",
            "\"",
            "\"a",
            "\"a\"b\"",
            "\"\\x\"",
            "\"\\",
        ] {
            assert!(!passes(text), "{text}");
            assert!(!is_valid(text), "{text}");
        }
    }
}
