//! One tagged parameter: its key and its value.

use toolmend_json::Trust;

use super::stop::{Close, Stop};
use super::{KEY_BYTES_MAX, Read, Reading};
use crate::cursor::{Look, between, byte, from, skip_space};
use crate::found::{Arguments, Ending, Field, Found, Value};
use crate::lex::{End, Mark, Tag, mark_at};
use crate::lexicon::PARAMETER_TAGS;

/// Elements stand inside elements so deep; what is deeper cannot be read.
const NESTING_MAX: usize = 16;

impl<'t> Reading<'t, '_> {
    /// One parameter whose opening tag was read: the field, the place behind it, what closed it.
    pub(super) fn element(
        &self,
        tag: &Tag<'t>,
        start: usize,
        tool: &str,
    ) -> Look<(Field, usize, Close)> {
        if tag.name == "arg_key" {
            return self.pair(tag, start);
        }
        let is_parameter = PARAMETER_TAGS.contains(&tag.name);
        let key = if is_parameter { parameter_key(tag) } else { Some((tag.name.to_owned(), "")) };
        let Some((key, inline)) = key else { return Look::Not };
        if !is_parameter && !tag.rest.trim().is_empty() {
            return Look::Not;
        }
        if tag.end == End::Empty {
            let field = Field { key: Some(key), value: Value::Text(String::new()) };
            return Look::Is((field, start, Close::Own));
        }
        self.stop(tag, start, tool).map(|stop| {
            let text = self.written(start, &stop);
            let value = match tag {
                _ if tag.end == End::Broken && !inline.is_empty() => {
                    Value::Text(inline.trim().to_owned())
                }
                _ if is_parameter => typed(tag, text),
                // `MiniMax` M3 writes values as they are.
                _ => self.nested(tag, text).unwrap_or_else(|| {
                    Value::Text(if tag.is_prefixed { text } else { off_its_lines(text) }.to_owned())
                }),
            };
            (Field { key: Some(key), value }, stop.after, stop.close)
        })
    }

    /// `<arg_key>k</arg_key><arg_value>v</arg_value>`.
    fn pair(&self, tag: &Tag<'t>, start: usize) -> Look<(Field, usize, Close)> {
        // The closer of the key was lost.
        match self.key_before(start, |tag| !tag.closes && tag.name == "arg_value") {
            Look::Is((key, start)) => {
                let tag = Tag { name: "arg_value", ..Tag::default() };
                return self.paired(key, &tag, start);
            }
            Look::More => return Look::More,
            Look::Not => {}
        }
        // A key is short: nothing is looked for in all of the text.
        let rest = from(self.text, start);
        let near = rest.get(..rest.floor_char_boundary(KEY_BYTES_MAX)).unwrap_or_default();
        if near.len() < rest.len() && !near.contains("</") {
            return Look::Not;
        }
        let stop = match self.stop(tag, start, "") {
            Look::Is(stop) => stop,
            Look::More => return Look::More,
            Look::Not => return Look::Not,
        };
        let key = between(self.text, start, stop.value).trim().to_owned();
        let place = skip_space(self.text, stop.after);
        match mark_at(self.text, place).ended(self.is_ended) {
            Look::Is((Mark::Tag(tag), start)) if tag.name == "arg_value" && !tag.closes => {
                self.paired(key, &tag, start)
            }
            Look::More => Look::More,
            _ if self.is_ended && byte(self.text, place).is_none() => Look::Is((
                Field { key: Some(key), value: Value::Unreadable },
                place,
                Close::Missing,
            )),
            _ => Look::Not,
        }
    }

    /// The value of a pair.
    fn paired(&self, key: String, tag: &Tag<'t>, start: usize) -> Look<(Field, usize, Close)> {
        self.stop(tag, start, "").map(|stop| {
            let value = Value::Text(self.written(start, &stop).to_owned());
            (Field { key: Some(key), value }, stop.after, stop.close)
        })
    }

    /// The text of a value. Where its closer was lost, the line break before what ends it is not part
    /// of it, unless the value stands on lines of its own, whose last break goes with the first.
    fn written(&self, start: usize, stop: &Stop) -> &'t str {
        let text = between(self.text, start, stop.value);
        let lines = text.trim_end_matches([' ', '\t']);
        match lines.strip_suffix('\n').filter(|_| stop.close == Close::Other) {
            Some(_) if is_on_its_lines(text) => lines,
            Some(line) => line.strip_suffix('\r').unwrap_or(line),
            None => text,
        }
    }

    /// Elements inside a value of `MiniMax` M3, which has no other way to write an object.
    fn nested(&self, tag: &Tag<'_>, text: &str) -> Option<Value> {
        if !tag.is_prefixed || !text.contains('<') {
            return None;
        }
        if self.depth == NESTING_MAX {
            return Some(Value::Unreadable);
        }
        let depth = self.depth + 1;
        let inner = Reading { text, offered: self.offered, is_ended: true, element: "", depth };
        match inner.body(None, 0) {
            Look::Is(Read {
                draft: Found { arguments: Arguments::Fields(fields), .. },
                end,
                ending: Ending::Closed | Ending::Unclosed,
            }) if skip_space(text, end) == text.len() => {
                // What is lost inside is lost of the whole.
                let is_whole = fields.iter().all(|field| field.value != Value::Unreadable);
                Some(if is_whole { Value::Nested(fields) } else { Value::Unreadable })
            }
            _ => None,
        }
    }
}

/// The key of a parameter, and a value that stands in the tag because its end was forgotten.
fn parameter_key<'t>(tag: &Tag<'t>) -> Option<(String, &'t str)> {
    if let Some(key) = tag.attribute(&["name", "key"]).filter(|_| !tag.rest.starts_with('=')) {
        return Some((key, ""));
    }
    let key = tag.value()?;
    let (key, inline) = match key.find(['=', ':']) {
        Some(at) if tag.end == End::Broken => (between(key, 0, at), from(key, at + 1)),
        _ => (key, ""),
    };
    let key = key.trim().trim_end_matches('=');
    (!key.is_empty()).then(|| (key.to_owned(), inline))
}

/// A value whose tag may say what it is.
fn typed(tag: &Tag<'_>, text: &str) -> Value {
    let is_string = match (tag.attribute(&["string"]), tag.attribute(&["type"])) {
        (Some(flag), _) => Some(flag == "true"),
        (None, Some(kind)) => Some(kind == "string"),
        _ => None,
    };
    match is_string {
        Some(true) => Value::Json(text.into(), Trust::Exact),
        Some(false) if toolmend_json::is_valid(text) => serde_json::from_str(text)
            .map_or(Value::Unreadable, |value| Value::Json(value, Trust::Exact)),
        Some(false) => Value::Text(text.to_owned()),
        None if tag.rest.trim_start().starts_with('=') => {
            Value::Text(off_its_lines(text).to_owned())
        }
        None => Value::Text(character_data(text).unwrap_or(text).to_owned()),
    }
}

/// What stands between `<![CDATA[` and `]]>`.
fn character_data(text: &str) -> Option<&str> {
    text.strip_prefix("<![CDATA[")?.strip_suffix("]]>")
}

/// Whether a value stands on lines of its own, as behind `<parameter=k>`.
fn is_on_its_lines(text: &str) -> bool {
    text.starts_with(['\n', '\r'])
}

/// A value without the line breaks that put it on lines of its own, one at each end. One that starts right
/// behind its tag is meant as it is written, with its last line break.
fn off_its_lines(text: &str) -> &str {
    let Some(inner) = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')) else {
        return text;
    };
    inner.strip_suffix('\n').map_or(inner, |inner| inner.strip_suffix('\r').unwrap_or(inner))
}
