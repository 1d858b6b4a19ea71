//! A look at JSON text that keeps to its bytes: values are places in the text, nothing is built.

use std::cmp::Ordering;

use serde::de::IgnoredAny;

/// A value, as the place where it stands in a text that was found valid.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<'t> {
    doc: &'t str,
    start: usize,
    end: usize,
}

impl<'t> Json<'t> {
    /// The value that is the whole text, if the text is valid JSON.
    pub(crate) fn read(doc: &'t str) -> Option<Self> {
        serde_json::from_str::<IgnoredAny>(doc).ok()?;
        Some(Self::of_valid(doc))
    }

    /// The value that is the whole of a text that was found valid before.
    pub(crate) fn of_valid(doc: &'t str) -> Self {
        Self { doc, start: skip_space(doc.as_bytes(), 0), end: doc.trim_end().len() }
    }

    /// The object that is the whole text.
    pub(crate) fn read_object(doc: &'t str) -> Option<Self> {
        Self::read(doc).filter(|json| json.is_object())
    }

    /// The value's own text.
    pub(crate) fn raw(self) -> &'t str {
        self.doc.get(self.start..self.end).unwrap_or_default()
    }

    /// Where the value stands.
    pub(crate) fn span(self) -> (usize, usize) {
        (self.start, self.end)
    }

    fn first(self) -> u8 {
        self.doc.as_bytes().get(self.start).copied().unwrap_or_default()
    }

    pub(crate) fn is_object(self) -> bool {
        self.first() == b'{'
    }

    pub(crate) fn is_array(self) -> bool {
        self.first() == b'['
    }

    pub(crate) fn is_string(self) -> bool {
        self.first() == b'"'
    }

    pub(crate) fn is_number(self) -> bool {
        self.raw().starts_with(|first: char| first == '-' || first.is_ascii_digit())
    }

    pub(crate) fn is_null(self) -> bool {
        self.first() == b'n'
    }

    pub(crate) fn is_true(self) -> bool {
        self.first() == b't'
    }

    /// Whether the value is `false`, `null`, zero or empty, as most clients ask.
    pub(crate) fn is_falsy(self) -> bool {
        matches!(self.raw(), "null" | "false" | "0" | "\"\"")
    }

    /// The text of a string. `None` for other values, and for strings with half a surrogate pair,
    /// which cannot be told in UTF-8.
    pub(crate) fn text(self) -> Option<String> {
        self.is_string().then(|| serde_json::from_str(self.raw()).ok())?
    }

    pub(crate) fn number(self) -> Option<u64> {
        self.raw().parse().ok()
    }

    /// The members of an object, in order; none of other values.
    pub(crate) fn members(self) -> impl Iterator<Item = (Json<'t>, Json<'t>)> {
        let mut at = self.is_object().then_some(self.start + 1);
        std::iter::from_fn(move || {
            let key = self.value_at(at.take()?)?;
            let colon = skip_space(self.doc.as_bytes(), key.end);
            let value = self.value_at(colon + 1)?;
            at = self.after(value);
            Some((key, value))
        })
    }

    /// The items of an array, in order; none of other values.
    pub(crate) fn items(self) -> impl Iterator<Item = Json<'t>> {
        let mut at = self.is_array().then_some(self.start + 1);
        std::iter::from_fn(move || {
            let value = self.value_at(at.take()?)?;
            at = self.after(value);
            Some(value)
        })
    }

    /// The member of this name. Of several the last counts, as it does for most readers.
    pub(crate) fn get(self, name: &str) -> Option<Json<'t>> {
        self.members().filter(|(key, _)| key.is_key(name)).last().map(|(_, value)| value)
    }

    /// The members of these names, found in one pass.
    pub(crate) fn pick<const N: usize>(self, names: [&str; N]) -> [Option<Json<'t>>; N] {
        let mut found = [None; N];
        for (key, value) in self.members() {
            for (name, slot) in names.iter().zip(&mut found) {
                if key.is_key(name) {
                    *slot = Some(value);
                }
            }
        }
        found
    }

    /// The member of this name, unless it is `null`.
    pub(crate) fn given(self, name: &str) -> Option<Json<'t>> {
        self.get(name).filter(|value| !value.is_null())
    }

    /// The text of a member that is a string with something in it.
    pub(crate) fn word(self, name: &str) -> Option<String> {
        self.get(name)?.filled()
    }

    /// The text of a string with something in it.
    pub(crate) fn filled(self) -> Option<String> {
        self.text().filter(|text| !text.is_empty())
    }

    pub(crate) fn is_key(self, name: &str) -> bool {
        let raw = self.raw();
        // Escapes take more bytes than what they stand for.
        match raw.len().cmp(&(name.len() + 2)) {
            Ordering::Less => false,
            Ordering::Equal => self.is_string() && raw.get(1..=name.len()) == Some(name),
            Ordering::Greater => raw.contains('\\') && self.text().as_deref() == Some(name),
        }
    }

    /// The value that starts here or behind white space; none where a container closes.
    fn value_at(self, at: usize) -> Option<Self> {
        let bytes = self.doc.as_bytes();
        let start = skip_space(bytes, at);
        let is_value = !matches!(bytes.get(start)?, b'}' | b']');
        is_value.then(|| Self { doc: self.doc, start, end: value_end(bytes, start) })
    }

    /// Where the next member may start, if a comma says that there is one.
    fn after(self, value: Self) -> Option<usize> {
        let at = skip_space(self.doc.as_bytes(), value.end);
        (self.doc.as_bytes().get(at) == Some(&b',')).then_some(at + 1)
    }
}

/// A text as a JSON string.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn skip_space(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// Where the value that starts here ends. The text is valid, so brackets need only be counted.
fn value_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0usize;
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = string_end(bytes, at),
            b'{' | b'[' => (depth, at) = (depth + 1, at + 1),
            b'}' | b']' => (depth, at) = (depth.saturating_sub(1), at + 1),
            _ if depth > 0 => at += 1,
            _ => return scalar_end(bytes, at),
        }
        if depth == 0 {
            return at;
        }
    }
    at
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(offset) = mark_in(bytes.get(at..).unwrap_or_default()) {
        at += offset;
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            _ => return at + 1,
        }
    }
    bytes.len()
}

/// Most strings are names and numbers of things: for those a search that sets out first is too dear.
const SHORT_WORDS: usize = 4;
const WORD_BYTES: usize = 8;

/// Where a string may end, or an escape starts.
fn mark_in(rest: &[u8]) -> Option<usize> {
    let (words, _) = rest.as_chunks::<WORD_BYTES>();
    let mut at = 0;
    for word in words.iter().take(SHORT_WORDS) {
        let word = u64::from_le_bytes(*word);
        let found = places_of(b'"', word) | places_of(b'\\', word);
        if found != 0 {
            return Some(at + found.trailing_zeros() as usize / 8);
        }
        at += WORD_BYTES;
    }
    let far = memchr::memchr2(b'"', b'\\', rest.get(at..)?)?;
    Some(at + far)
}

/// Sets the highest bit of each byte of a word that is this one; above the lowest of them, others may be
/// set as well.
const fn places_of(byte: u8, word: u64) -> u64 {
    const LOW: u64 = u64::MAX / 255;
    let differs = word ^ (LOW * byte as u64);
    differs.wrapping_sub(LOW) & !differs & (LOW << 7)
}

fn scalar_end(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    let is_inside = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
    start + rest.iter().take_while(is_inside).count()
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn members_are_found_where_they_stand() {
        let text = r#" { "a" : [1, {"b":"}"}] , "c\u0064" : null, "e":-1.5e3 ,"f":"\\\"" } "#;
        let json = Json::read(text).unwrap();
        assert_eq!(json.get("a").unwrap().raw(), r#"[1, {"b":"}"}]"#);
        assert!(json.get("cd").unwrap().is_null());
        assert_eq!(json.get("e").unwrap().raw(), "-1.5e3");
        assert_eq!(json.get("f").unwrap().text().unwrap(), "\\\"");
        let items: Vec<_> = json.get("a").unwrap().items().map(Json::raw).collect();
        assert_eq!(items, ["1", r#"{"b":"}"}"#]);
    }

    #[test]
    fn strings_end_at_their_quote_wherever_it_stands() {
        for filling in ["", "a", "\\\\", "\\\"", "é", "[{"] {
            for count in 0..50 {
                let text = format!(r#"{{"a":"{}","b":1}}"#, filling.repeat(count));
                let json = Json::read(&text).unwrap();
                assert_eq!(json.get("b").unwrap().raw(), "1", "{text}");
            }
        }
    }

    #[test]
    fn numbers_are_told_from_the_rest() {
        for (text, expected) in
            [("-1", true), ("0", true), ("12e3", true), ("\"1\"", false), ("null", false)]
        {
            assert_eq!(Json::read(text).unwrap().is_number(), expected, "{text}");
        }
    }

    #[test]
    fn empty_containers_have_nothing_and_broken_text_is_none() {
        assert_eq!(Json::read("{ }").unwrap().members().count(), 0);
        assert_eq!(Json::read("[ ]").unwrap().items().count(), 0);
        for text in ["", "{", "{oops", "{} {}", "[1,]"] {
            assert!(Json::read(text).is_none(), "{text}");
        }
    }
}
