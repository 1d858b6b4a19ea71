//! Calls with tagged parameters, in all their spellings: `<parameter=k>v</parameter>`,
//! `<parameter name="k">v</parameter>`, `<arg_key>k</arg_key><arg_value>v</arg_value>`, `<k>v</k>`.
//!
//! Values stay text here; the schema decides later whether `1` is a number.

mod element;
mod stop;

use super::json;
use crate::cursor::{Look, between, byte, from, skip_space, stop_within};
use crate::found::{Arguments, Ending, Field, Found, Value};
use crate::lex::{Mark, Tag, mark_at};
use crate::lexicon::{self, CALL_TAGS, PARAMETER_TAGS};
use crate::offered::Offered;
use stop::Close;

/// More parameters than this no call has.
const FIELDS_MAX: usize = 256;

/// The key of a parameter is short.
const KEY_BYTES_MAX: usize = 128;

/// So far a closer is looked for behind text that stands between parameters.
const STRAY_BYTES_MAX: usize = 512;

/// Elements that only hold the parameters.
const HOLDERS: [&str; 4] = ["parameters", "arguments", "args", "params"];
/// Elements that hold the name.
const NAMES: [&str; 2] = ["tool_name", "name"];

/// A call that was read, and where it ends.
pub(crate) struct Read {
    pub(crate) draft: Found,
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
    /// Whether the last field has no closer of its own.
    is_loose: bool,
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
    /// A parameter, the place behind it, and what closed it.
    Field(Field, usize, Close),
    /// Nothing that says anything, up to here.
    Noise(usize),
    /// The end of the call.
    End(usize, Ending),
    /// The rest is the whole call.
    Whole(Read),
}

impl<'t> Reading<'t, '_> {
    /// Reads the body from here on. The name may still be missing.
    pub(crate) fn body(&self, name: Option<String>, start: usize) -> Look<Read> {
        let mut call = Call { name, fields: Vec::new(), is_loose: false };
        let mut at = start;
        loop {
            match self.part(&call, at) {
                Look::Is(Part::Name(name, after)) => {
                    call.name = Some(name);
                    at = after;
                }
                Look::Is(Part::Field(..)) if call.fields.len() == FIELDS_MAX => return Look::Not,
                Look::Is(Part::Field(field, after, close)) => {
                    call.fields.push(field);
                    call.is_loose = close == Close::Other;
                    if close == Close::Missing {
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
                let is_stray = || !lexicon::is_frame(tag.name) && self.is_stray(tag.name, call);
                Look::Is(match tag.name == self.element {
                    true => Part::End(end, Ending::Closed),
                    false if is_stray() => Part::Noise(end),
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
        // An opener that stands there twice opens one call.
        let is_again = || {
            let named = tag.value().map(str::to_owned).or_else(|| tag.attribute(&["name", "tool"]));
            let is_own =
                name == self.element && tag.rest.trim().is_empty() && !call.tool().is_empty();
            is_own && call.tool() == name || named.is_some_and(|named| named == call.tool())
        };
        let is_key = self.offered.has_key(call.tool(), name);
        let may_be_again = (is_next || name == self.element) && !is_key;
        if may_be_again && call.fields.is_empty() && is_again() {
            return Look::Is(Part::Noise(end));
        }
        // Inside of a value, such words are keys like any other.
        let is_call = self.depth == 0;
        let is_name = is_call && NAMES.contains(&name) && call.name.is_none();
        if is_next || lexicon::is_frame(name) && !tag.is_prefixed && !is_name {
            return Look::Is(Part::End(at, Ending::Unclosed));
        }
        let is_holder = is_call && HOLDERS.contains(&name) && !is_key && tag.value().is_none();
        if is_holder || name == "tool_sep" {
            return Look::Is(Part::Noise(end));
        }
        match self.element(tag, end, call.tool()) {
            Look::Is((Field { value: Value::Text(text), .. }, after, close))
                if is_name && close != Close::Missing =>
            {
                Look::Is(Part::Name(text.trim().to_owned(), after))
            }
            Look::Is((field, after, close)) => Look::Is(Part::Field(field, after, close)),
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
                Look::Is(stop) if stop.close != Close::Missing => {
                    let text = between(self.text, at, stop.value).to_owned();
                    let draft = Found {
                        is_loose: stop.close == Close::Other,
                        ..Found::new(call.tool(), Arguments::Text(text))
                    };
                    Look::Is(Part::Whole(Read { draft, end: stop.after, ending: Ending::Closed }))
                }
                Look::More => Look::More,
                _ => Look::Not,
            };
        }
        self.stray_value(at, place)
            .map(|is_stray| Part::End(at, if is_stray { Ending::Cut } else { Ending::Unclosed }))
    }

    /// Whether the text here is the value of a parameter whose opener was lost: nobody knows its key. Its
    /// closer tells. Behind a blank line, or where it is a sentence or no word at all, it is what is said
    /// behind the call.
    fn stray_value(&self, at: usize, place: usize) -> Look<bool> {
        let is_apart = between(self.text, at, place).matches('\n').count() > 1;
        let end = match stop_within(self.text, place, STRAY_BYTES_MAX, |c| c == '<') {
            // Half a closer is no value.
            Look::Is(end) if end == place => return Look::Is(false),
            Look::Is(end) => end,
            Look::More if !self.is_ended => return Look::More,
            _ => self.text.len(),
        };
        let said = between(self.text, place, end).trim_end();
        let is_value =
            said.contains(char::is_alphanumeric) && !said.ends_with(['.', '!', '?', '。']);
        match mark_at(self.text, end) {
            Look::Is((Mark::Tag(tag), _)) => {
                let is_closer = PARAMETER_TAGS.contains(&tag.name) || tag.name == "arg_value";
                Look::Is(tag.closes && is_closer && !is_apart)
            }
            Look::Is(_) => Look::Is(false),
            Look::More if !self.is_ended => Look::More,
            _ => Look::Is(is_value && !is_apart),
        }
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
                Part::Field(field, stop.after, stop.close)
            }),
            Look::More => Look::More,
            _ => Look::Not,
        }
    }

    /// `key</arg_key>`: the key, and the place behind its closer.
    fn orphan_key(&self, at: usize) -> Look<(String, usize)> {
        self.key_before(at, |tag| tag.closes && tag.name == "arg_key")
    }

    /// The key that stands before a tag, and the place behind that.
    fn key_before(&self, at: usize, is_wanted: impl Fn(&Tag<'t>) -> bool) -> Look<(String, usize)> {
        let rest = from(self.text, at);
        let Some(end) = rest.find('<') else {
            let is_short = rest.len() < KEY_BYTES_MAX && !rest.contains(['{', '(']);
            return if is_short && !self.is_ended { Look::More } else { Look::Not };
        };
        if end >= KEY_BYTES_MAX || between(rest, 0, end).contains(['{', '(']) {
            return Look::Not;
        }
        match mark_at(self.text, at + end).ended(self.is_ended) {
            Look::Is((Mark::Tag(tag), after)) if is_wanted(&tag) => {
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
                let holder = match self.holder_end(end) {
                    Look::Is(after) => after,
                    Look::More => return Look::More,
                    Look::Not => end,
                };
                let place = skip_space(self.text, holder);
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
                Look::Is(stop) if stop.close != Close::Missing => {
                    (stop.value, stop.after, Ending::Closed)
                }
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

    /// The place behind the closer of an element that only holds the parameters.
    fn holder_end(&self, at: usize) -> Look<usize> {
        match mark_at(self.text, skip_space(self.text, at)).ended(self.is_ended) {
            Look::Is((Mark::Tag(tag), after)) if tag.closes && HOLDERS.contains(&tag.name) => {
                Look::Is(after)
            }
            Look::More => Look::More,
            _ => Look::Not,
        }
    }

    fn finish(&self, call: Call, end: usize, ending: Ending) -> Look<Read> {
        let Call { name, fields, is_loose } = call;
        let name = name.unwrap_or_default();
        if name.trim().is_empty() && self.element.is_empty() && fields.is_empty() {
            return Look::Not;
        }
        let arguments = if fields.is_empty() { Arguments::None } else { Arguments::Fields(fields) };
        let draft = Found { is_loose, ..Found::new(name, arguments) };
        Look::Is(Read { draft, end, ending })
    }
}
