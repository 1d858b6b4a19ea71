//! Calls with tagged parameters, in all their spellings: `<parameter=k>v</parameter>`,
//! `<parameter name="k">v</parameter>`, `<arg_key>k</arg_key><arg_value>v</arg_value>`, `<k>v</k>`.
//!
//! Values stay text here; the schema decides later whether `1` is a number.

use std::ops::Range;

use memchr::memchr2;
use toolmend_json::Trust;

use super::json;
use crate::cursor::{Look, between, byte, follows, from, skip_space};
use crate::found::{Arguments, Draft, Ending, Field, Value};
use crate::lex::{End, Mark, Tag, mark_at};
use crate::lexicon::{self, CALL_TAGS, PARAMETER_TAGS};
use crate::offered::Offered;

/// More parameters than this no call has.
const FIELDS_MAX: usize = 256;

/// The key of a parameter is short.
const KEY_BYTES_MAX: usize = 128;

/// Elements stand inside elements so deep; what is deeper cannot be read.
const NESTING_MAX: usize = 16;

/// Elements that only hold the parameters.
const HOLDERS: [&str; 4] = ["parameters", "arguments", "args", "params"];
/// Elements that hold the name.
const NAMES: [&str; 2] = ["tool_name", "name"];

/// A call that was read, and where it ends.
pub(crate) struct Read {
    pub(crate) draft: Draft,
    pub(crate) end: usize,
    pub(crate) ending: Ending,
}

/// What is known while the body is read.
pub(crate) struct Reading<'t, 'o> {
    pub(crate) text: &'t str,
    pub(crate) offered: &'o Offered,
    /// Whether nothing comes after the text.
    pub(crate) is_ended: bool,
    /// The element that the call is; its closer ends it.
    pub(crate) element: &'t str,
    /// How many values of the call stand around it.
    pub(crate) depth: usize,
}

/// What was read of a call so far.
struct Call {
    name: Option<String>,
    fields: Vec<Field>,
}

impl Call {
    fn tool(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }
}

/// The next part of a body.
enum Part {
    /// The name in an element of its own, and the place behind it.
    Name(String, usize),
    /// A parameter, the place behind it, and whether it ended.
    Field(Field, usize, bool),
    /// Nothing that says anything, up to here.
    Noise(usize),
    /// The end of the call.
    End(usize, Ending),
    /// The rest is the whole call.
    Whole(Read),
}

/// Where a value ends.
struct Stop {
    /// The end of the value, and the place behind its closer.
    value: usize,
    after: usize,
    is_closed: bool,
}

impl<'t> Reading<'t, '_> {
    /// Reads the body from here on. The name may still be missing.
    pub(crate) fn body(&self, name: Option<String>, start: usize) -> Look<Read> {
        let mut call = Call { name, fields: Vec::new() };
        let mut at = start;
        loop {
            match self.part(&call, at) {
                Look::Is(Part::Name(name, after)) => {
                    call.name = Some(name);
                    at = after;
                }
                Look::Is(Part::Field(..)) if call.fields.len() == FIELDS_MAX => return Look::Not,
                Look::Is(Part::Field(field, after, is_closed)) => {
                    call.fields.push(field);
                    if !is_closed {
                        return self.finish(call, after, Ending::Cut);
                    }
                    at = after;
                }
                Look::Is(Part::Noise(after)) => at = after,
                Look::Is(Part::End(end, ending)) => return self.finish(call, end, ending),
                Look::Is(Part::Whole(read)) => return Look::Is(read),
                Look::More => return Look::More,
                Look::Not => return Look::Not,
            }
        }
    }

    fn part(&self, call: &Call, at: usize) -> Look<Part> {
        let place = skip_space(self.text, at);
        match mark_at(self.text, place).ended(self.is_ended) {
            Look::More => Look::More,
            Look::Is((Mark::Tag(tag), end)) if tag.closes => {
                // `</function>` inside an invoke, or a closer twice, closes nothing.
                let is_stray = !lexicon::is_frame(tag.name) && self.is_stray(tag.name, call);
                Look::Is(match tag.name == self.element {
                    true => Part::End(end, Ending::Closed),
                    false if is_stray => Part::Noise(end),
                    false => Part::End(at, Ending::Unclosed),
                })
            }
            Look::Is((Mark::Tag(tag), end)) => self.opener(call, &tag, at, end),
            Look::Is((Mark::Token(_), _)) => Look::Is(Part::End(at, Ending::Unclosed)),
            Look::Not => self.text_in_body(call, at, place),
        }
    }

    /// A tag that opens: a parameter, the name, or the next call.
    fn opener(&self, call: &Call, tag: &Tag<'t>, at: usize, end: usize) -> Look<Part> {
        let name = tag.name;
        let is_next = CALL_TAGS.contains(&name) && tag.rest.contains(['=', ' ']);
        // GLM repeats its opener in place of the first `<arg_key>`.
        if name == self.element {
            match self.orphan_key(end) {
                Look::Is(_) => return Look::Is(Part::Noise(end)),
                Look::More => return Look::More,
                Look::Not => {}
            }
        }
        if is_next || lexicon::is_frame(name) && !tag.is_prefixed {
            return Look::Is(Part::End(at, Ending::Unclosed));
        }
        if HOLDERS.contains(&name) && tag.value().is_none() || name == "tool_sep" {
            return Look::Is(Part::Noise(end));
        }
        let is_name = NAMES.contains(&name) && call.name.is_none();
        match self.element(tag, end, call.tool()) {
            Look::Is((Field { value: Value::Text(text), .. }, after, true)) if is_name => {
                Look::Is(Part::Name(text.trim().to_owned(), after))
            }
            Look::Is((field, after, is_closed)) => Look::Is(Part::Field(field, after, is_closed)),
            Look::More => Look::More,
            Look::Not => Look::Is(Part::End(at, Ending::Unclosed)),
        }
    }

    /// Whether a closer that does not fit can be passed over.
    fn is_stray(&self, name: &str, call: &Call) -> bool {
        self.offered.has_key(call.tool(), name)
            || PARAMETER_TAGS.contains(&name)
            || lexicon::PAIR_TAGS.contains(&name)
            || HOLDERS.contains(&name)
            || name == "function" && self.element != "function"
    }

    /// Text where a parameter should stand: JSON, a key that lost its opener, or the end.
    fn text_in_body(&self, call: &Call, at: usize, place: usize) -> Look<Part> {
        let is_first = call.fields.is_empty();
        match byte(self.text, place) {
            None if self.is_ended => return Look::Is(Part::End(at, Ending::Unclosed)),
            None => return Look::More,
            Some(b'{') if is_first => return self.json_body(call.tool(), place).map(Part::Whole),
            Some(_) => {}
        }
        match self.orphan(place) {
            Look::Not => {}
            look => return look,
        }
        // A tool's own element may hold the one argument as it stands.
        if is_first && self.offered.knows(self.element) {
            let tag = Tag { name: self.element, ..Tag::default() };
            return match self.stop(&tag, at, "") {
                Look::Is(stop) if stop.is_closed => {
                    let text = between(self.text, at, stop.value).to_owned();
                    let draft = Draft::new(call.tool(), Arguments::Text(text));
                    Look::Is(Part::Whole(Read { draft, end: stop.after, ending: Ending::Closed }))
                }
                Look::More => Look::More,
                _ => Look::Not,
            };
        }
        Look::Is(Part::End(at, Ending::Unclosed))
    }

    /// A parameter whose key lost its opener: `key</arg_key><arg_value>v</arg_value>`.
    fn orphan(&self, place: usize) -> Look<Part> {
        let (key, end) = match self.orphan_key(place) {
            Look::Is(found) => found,
            Look::More => return Look::More,
            Look::Not => return Look::Not,
        };
        match mark_at(self.text, skip_space(self.text, end)).ended(self.is_ended) {
            Look::Is((Mark::Tag(tag), _)) if tag.name != "arg_value" || tag.closes => Look::Not,
            Look::Is((Mark::Tag(tag), start)) => self.stop(&tag, start, "").map(|stop| {
                let text = between(self.text, start, stop.value).to_owned();
                let field = Field { key: Some(key), value: Value::Text(text) };
                Part::Field(field, stop.after, stop.is_closed)
            }),
            Look::More => Look::More,
            _ => Look::Not,
        }
    }

    /// `key</arg_key>`: the key, and the place behind its closer.
    fn orphan_key(&self, at: usize) -> Look<(String, usize)> {
        let rest = from(self.text, at);
        let Some(end) = rest.find('<') else {
            let is_short = rest.len() < KEY_BYTES_MAX && !rest.contains(['{', '(']);
            return if is_short && !self.is_ended { Look::More } else { Look::Not };
        };
        if end >= KEY_BYTES_MAX || between(rest, 0, end).contains(['{', '(']) {
            return Look::Not;
        }
        match mark_at(self.text, at + end).ended(self.is_ended) {
            Look::Is((Mark::Tag(tag), after)) if tag.closes && tag.name == "arg_key" => {
                Look::Is((between(rest, 0, end).trim().to_owned(), after))
            }
            Look::More => Look::More,
            _ => Look::Not,
        }
    }

    /// A JSON object in place of parameters.
    fn json_body(&self, name: &str, at: usize) -> Look<Read> {
        let tag = Tag { name: self.element, ..Tag::default() };
        let (body_end, end, ending) = match json::end(self.text, at) {
            Look::Is(end) => {
                let place = skip_space(self.text, end);
                match mark_at(self.text, place).ended(self.is_ended) {
                    Look::Is((Mark::Tag(tag), after)) if tag.closes && tag.name == self.element => {
                        (end, after, Ending::Closed)
                    }
                    Look::More => return Look::More,
                    _ => (end, end, Ending::Unclosed),
                }
            }
            // As long as more may come, a closer could still stand inside a string.
            _ if !self.is_ended => return Look::More,
            _ => match self.stop(&tag, at, "") {
                Look::Is(stop) if stop.is_closed => (stop.value, stop.after, Ending::Closed),
                Look::Is(stop) => (stop.value, stop.after, Ending::Cut),
                Look::More => return Look::More,
                Look::Not => return Look::Not,
            },
        };
        let drafts = json::arguments(self.text, at..body_end, name, self.offered);
        match drafts.into_iter().next() {
            Some(draft) => Look::Is(Read { draft, end, ending }),
            None => Look::Not,
        }
    }

    /// One parameter whose opening tag was read: the field, the place behind it, whether it ended.
    fn element(&self, tag: &Tag<'t>, start: usize, tool: &str) -> Look<(Field, usize, bool)> {
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
            return Look::Is((field, start, true));
        }
        self.stop(tag, start, tool).map(|stop| {
            let text = between(self.text, start, stop.value);
            let value = match tag {
                _ if tag.end == End::Broken && !inline.is_empty() => {
                    Value::Text(inline.trim().to_owned())
                }
                _ if is_parameter => typed(tag, text),
                _ => {
                    self.nested(tag, text).unwrap_or_else(|| Value::Text(one_line_break_off(text)))
                }
            };
            (Field { key: Some(key), value }, stop.after, stop.is_closed)
        })
    }

    /// `<arg_key>k</arg_key><arg_value>v</arg_value>`.
    fn pair(&self, tag: &Tag<'t>, start: usize) -> Look<(Field, usize, bool)> {
        let stop = match self.stop(tag, start, "") {
            Look::Is(stop) => stop,
            Look::More => return Look::More,
            Look::Not => return Look::Not,
        };
        let key = between(self.text, start, stop.value).trim().to_owned();
        let place = skip_space(self.text, stop.after);
        match mark_at(self.text, place).ended(self.is_ended) {
            Look::Is((Mark::Tag(tag), start)) if tag.name == "arg_value" && !tag.closes => {
                self.stop(&tag, start, "").map(|stop| {
                    let text = between(self.text, start, stop.value).to_owned();
                    (Field { key: Some(key), value: Value::Text(text) }, stop.after, stop.is_closed)
                })
            }
            Look::More => Look::More,
            _ if self.is_ended && byte(self.text, place).is_none() => {
                Look::Is((Field { key: Some(key), value: Value::Unreadable }, place, false))
            }
            _ => Look::Not,
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
                draft: Draft { arguments: Arguments::Fields(fields), .. },
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

    /// Where the value of an element ends. Only its own closer ends it, as long as openers and
    /// closers of its kind balance; a closer that was forgotten is found by what follows.
    fn stop(&self, tag: &Tag<'_>, start: usize, tool: &str) -> Look<Stop> {
        let mut depth = 0_usize;
        let mut calls_open = 0_usize;
        let mut next_sibling = None;
        let mut call_end = None;
        let mut is_over = self.is_ended;
        let mut at = start;
        while let Some(found) = memchr2(b'<', b']', from(self.text, at).as_bytes()) {
            let place = at + found;
            let (mark, end) = match mark_at(self.text, place).ended(self.is_ended) {
                Look::Is((Mark::Tag(mark), end)) => (mark, end),
                Look::Is((Mark::Token(token), end)) => {
                    // Any other token in a value is data: only tags close what tags opened.
                    match self.glued_closer(tag, &token, start..place, end) {
                        Look::Is(stop) => return Look::Is(stop),
                        Look::More if !self.is_ended => return Look::More,
                        _ => at = end,
                    }
                    continue;
                }
                Look::More => return Look::More,
                Look::Not => {
                    at = place + 1;
                    continue;
                }
            };
            at = end;
            let is_own = mark.name == tag.name;
            match mark.closes {
                true if is_own && depth == 0 => {
                    return Look::Is(Stop { value: place, after: end, is_closed: true });
                }
                true if is_own => depth -= 1,
                true if self.is_around(mark.name) && calls_open > 0 => calls_open -= 1,
                true if self.is_around(mark.name) => {
                    call_end = call_end.or(Some(place));
                    if self.is_last_closer(end, mark.name) {
                        is_over = true;
                        break;
                    }
                }
                // A call inside the value is data, with its closers.
                false if self.is_around(mark.name) && mark.end != End::Broken => calls_open += 1,
                false if is_own && Self::opens_sibling(&mark) => {
                    next_sibling = next_sibling.or(Some(place));
                    depth += 1;
                }
                false
                    if mark.name != tool && self.offered.has_key(tool, mark.name)
                    // A sibling written inside: the value ends here, its own closer strays.
                    && self.is_at_line_start(place) && !tag.is_prefixed && tag.rest.is_empty() =>
                {
                    return Look::Is(Stop { value: place, after: place, is_closed: true });
                }
                _ => {}
            }
        }
        if !is_over {
            return Look::More;
        }
        let end = next_sibling.or(call_end);
        Look::Is(match end {
            Some(end) => Stop { value: end, after: end, is_closed: true },
            None => Stop { value: self.text.len(), after: self.text.len(), is_closed: false },
        })
    }

    /// `src/appargument<|sep|>`: the closer of Kimi K3 without its first token. What follows must
    /// be another element.
    fn glued_closer(
        &self,
        tag: &Tag<'_>,
        token: &str,
        value: Range<usize>,
        end: usize,
    ) -> Look<Stop> {
        let text = between(self.text, value.start, value.end);
        if token != "sep" || !tag.is_prefixed {
            return Look::Not;
        }
        let Some(inner) = text.strip_suffix(tag.name) else { return Look::Not };
        let stop = Stop { value: value.start + inner.len(), after: end, is_closed: true };
        match (follows(self.text, end, "<|open|>"), follows(self.text, end, "<|close|>")) {
            (Look::Is(_), _) | (_, Look::Is(_)) => Look::Is(stop),
            (Look::More, _) | (_, Look::More) => Look::More,
            _ => Look::Not,
        }
    }

    /// Whether an element of this name stands around parameters.
    fn is_around(&self, name: &str) -> bool {
        name == self.element || lexicon::is_frame(name) || CALL_TAGS.contains(&name)
    }

    fn opens_sibling(mark: &Tag<'_>) -> bool {
        mark.end != End::Broken && (mark.rest.contains('=') || mark.name.starts_with("arg_"))
    }

    fn is_at_line_start(&self, place: usize) -> bool {
        let before = between(self.text, 0, place).trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }

    /// Whether a closer of the call or its frame is followed by nothing that a value could hold.
    fn is_last_closer(&self, end: usize, name: &str) -> bool {
        let next = skip_space(self.text, end);
        if byte(self.text, next).is_none() {
            return self.is_ended;
        }
        let is_frame = lexicon::is_frame(name);
        match mark_at(self.text, next) {
            Look::Is((Mark::Tag(tag), _)) => {
                lexicon::is_frame(tag.name)
                    || is_frame && !tag.closes
                    || tag.closes && tag.name == name
            }
            Look::Is((Mark::Token(_), _)) => true,
            _ => false,
        }
    }

    fn finish(&self, call: Call, end: usize, ending: Ending) -> Look<Read> {
        let (name, fields) = (call.name.unwrap_or_default(), call.fields);
        if name.trim().is_empty() && self.element.is_empty() && fields.is_empty() {
            return Look::Not;
        }
        let arguments = if fields.is_empty() { Arguments::None } else { Arguments::Fields(fields) };
        Look::Is(Read { draft: Draft::new(name, arguments), end, ending })
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
        Some(true) => Value::Json(json::quoted(text), Trust::Exact),
        Some(false) if toolmend_json::is_valid(text) => {
            Value::Json(text.trim().to_owned(), Trust::Exact)
        }
        Some(false) => Value::Text(text.to_owned()),
        // `<parameter=k>` puts the value on lines of its own.
        None if tag.rest.trim_start().starts_with('=') => Value::Text(one_line_break_off(text)),
        None => Value::Text(character_data(text).unwrap_or(text).to_owned()),
    }
}

/// What stands between `<![CDATA[` and `]]>`.
fn character_data(text: &str) -> Option<&str> {
    text.strip_prefix("<![CDATA[")?.strip_suffix("]]>")
}

fn one_line_break_off(text: &str) -> String {
    let text = text.strip_prefix("\r\n").or_else(|| text.strip_prefix('\n')).unwrap_or(text);
    let text = text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
    text.to_owned()
}
