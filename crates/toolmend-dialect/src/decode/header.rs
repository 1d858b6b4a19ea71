//! Calls whose name stands in a header before the body: Kimi, `DeepSeek`, Mistral, Harmony, `ReAct`.

use memchr::memchr2;
use toolmend_json::{Document, Outcome, Plain};

use super::{json, plain, python};
use crate::cursor::{
    Look, between, byte, follows, from, skip_blanks, skip_space, stop_within, word_end,
};
use crate::found::{Arguments, Ending, Field, Found, Value};
use crate::lex::{Mark, mark_at};
use crate::lexicon;
use crate::offered::Offered;

/// A header is short.
const HEADER_BYTES_MAX: usize = 512;

/// What stands behind the bars of a fence is a word.
const INFO_BYTES_MAX: usize = 64;

/// Calls that were read, and where they end.
pub(crate) struct Read {
    pub(crate) drafts: Vec<Found>,
    pub(crate) end: usize,
    pub(crate) ending: Ending,
    /// How far the text was looked at.
    pub(crate) looked: usize,
}

/// Tokens between a name and its arguments.
const SEPARATORS: [&str; 6] = [
    "tool_call_argument_begin",
    "tool_sep",
    "tool_call:args",
    "message",
    "constrain",
    "tool_call:name",
];

/// The header before a JSON body: text and separators up to the first bracket.
struct Header {
    /// The parts between separators.
    parts: Vec<String>,
    /// Where the body starts.
    body: usize,
    /// Whether a fence opened before it.
    is_fenced: bool,
}

fn header(text: &str, at: usize, is_ended: bool) -> Look<Header> {
    let mut parts = vec![String::new()];
    let mut place = at;
    let mut is_fenced = false;
    loop {
        let rest = from(text, place);
        let Some(c) = rest.chars().next() else {
            return if is_ended { Look::Not } else { Look::More };
        };
        if place - at > HEADER_BYTES_MAX {
            return Look::Not;
        }
        match c {
            '{' => return Look::Is(Header { parts, body: place, is_fenced }),
            '<' => match mark_at(text, place).ended(is_ended) {
                Look::More => return Look::More,
                Look::Is((Mark::Token(token), end)) => {
                    let is_part = SEPARATORS.contains(&token.as_ref());
                    if !is_part && !matches!(token.as_ref(), "channel" | "start") {
                        return Look::Not;
                    }
                    parts.push(if token == "channel" { " ".to_owned() } else { String::new() });
                    place = end;
                    continue;
                }
                _ => return Look::Not,
            },
            '[' => match bracket_mark(text, place).ended(is_ended) {
                Look::Is(end) => {
                    parts.push(String::new());
                    place = end;
                    continue;
                }
                Look::More => return Look::More,
                Look::Not => return Look::Not,
            },
            '`' => match fence(text, place) {
                Look::Is(end) => {
                    is_fenced = true;
                    place = end;
                    continue;
                }
                Look::More if !is_ended => return Look::More,
                _ => return Look::Not,
            },
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
        place += c.len_utf8();
    }
}

/// The place behind `[ARGS]` or `[CALL_ID]`.
fn bracket_mark(text: &str, at: usize) -> Look<usize> {
    let marks = ["[ARGS]", "[CALL_ID]", "[args]"];
    let look = marks.map(|mark| follows(text, at, mark)).into_iter();
    look.reduce(|first, next| if first == Look::Not { next } else { first }).unwrap_or(Look::Not)
}

/// The place behind the line that opens a fence.
pub(crate) fn fence(text: &str, at: usize) -> Look<usize> {
    match follows(text, at, "```") {
        Look::Is(end) => match from(text, end).find(['\n', '{', '[']) {
            Some(line) if line < INFO_BYTES_MAX => Look::Is(end + line),
            None if from(text, end).len() < INFO_BYTES_MAX => Look::More,
            _ => Look::Not,
        },
        Look::More => Look::More,
        Look::Not => Look::Not,
    }
}

/// `functions.f:0<|…|>{…}`, `f<｜tool▁sep｜>{…}`, `f[ARGS]{…}`, `id<|…|>f<|…|>{…}`.
pub(crate) fn named(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<Read> {
    let header = match header(text, at, is_ended) {
        Look::Is(header) => header,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let parts: Vec<&str> =
        header.parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    let (name, id) = match parts.as_slice() {
        // DeepSeek V3 writes the type first, Solar the id.
        ["function", name, ..] => (*name, None),
        [id, name] | [name, id] if offered.knows(name) && !offered.knows(id) => (*name, Some(*id)),
        [name, ..] => (*name, None),
        [] => ("", None),
    };
    let kimi = kimi_name(name);
    let id = id.or(kimi.map(|_| name)).map(str::to_owned);
    let name = kimi.unwrap_or(name).to_owned();
    let read = body(text, header.body, &name, id, offered, is_ended);
    if header.is_fenced { fenced(text, read, is_ended) } else { read }
}

/// The name in `functions.f:0` and `functions_f_0`.
fn kimi_name(header: &str) -> Option<&str> {
    let rest = header.strip_prefix("functions.").or_else(|| header.strip_prefix("functions_"));
    let name = rest.unwrap_or(header);
    let cut = name.rfind(':').or_else(|| rest.and_then(|name| name.rfind('_')))?;
    let digits = from(name, cut + 1);
    let is_index = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    is_index.then(|| between(name, 0, cut))
}

/// The JSON body behind a header.
pub(crate) fn body(
    text: &str,
    at: usize,
    name: &str,
    id: Option<String>,
    offered: &Offered,
    is_ended: bool,
) -> Look<Read> {
    let mut body = Plain::new(text, at);
    if is_ended && let Some(draft) = plain::arguments(&mut body, name) {
        let drafts = vec![Found { id, ..draft }];
        let end = body.at();
        return Look::Is(Read { drafts, end, ending: Ending::Unclosed, looked: end });
    }
    let wrong = body.is_wrong().then_some(at);
    let Extent { end, ending, document, looked } = match body_end(text, at, is_ended, wrong) {
        Look::Is(found) => found,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    // What is right reads alike whatever is expected.
    let right = document.filter(|document| document.outcome() == Outcome::Untouched);
    let mut drafts = match right {
        Some(document) => json::arguments_in(&document, at, name, offered),
        None => json::arguments(text, at..end, name, offered),
    };
    if let Some(draft) = drafts.first_mut() {
        draft.id = draft.id.take().or(id);
    }
    Look::Is(Read { drafts, end, ending, looked })
}

/// The same, with the fence that closes behind it.
fn fenced(text: &str, read: Look<Read>, is_ended: bool) -> Look<Read> {
    let Look::Is(mut read) = read else { return read };
    match follows(text, skip_space(text, read.end), "```").ended(is_ended) {
        Look::Is(end) => read.end = end,
        Look::More => return Look::More,
        Look::Not => {}
    }
    Look::Is(read)
}

/// Where a JSON body ends: at its own bracket, else at the next mark that closes. As long as more
/// may come, a mark could still stand inside a string. With the one that starts at
/// one place, something may be known to be wrong.
pub(crate) fn body_end(
    text: &str,
    at: usize,
    is_ended: bool,
    wrong: Option<usize>,
) -> Look<Extent<'_>> {
    // Most bodies are right, and are read once they are whole; until then, looking for the bracket
    // is cheaper.
    if is_ended
        && wrong != Some(at)
        && let Some(document) = json::read_first(from(text, at))
    {
        let end = at + document.text().len();
        let document = Some(document);
        return Look::Is(Extent { end, ending: Ending::Unclosed, document, looked: end });
    }
    match json::end(text, at) {
        Look::Is(end) => {
            let document = json::read(between(text, at, end));
            match json::trust(&document) {
                Some(_) => {
                    let document = Some(document);
                    Look::Is(Extent { end, ending: Ending::Unclosed, document, looked: end })
                }
                None => broken_end(text, at, end, is_ended),
            }
        }
        _ if !is_ended => Look::More,
        // Its own bracket was looked for to the end of the text.
        _ => {
            let extent = match (fence_behind(text, at), mark_after(text, at, true)) {
                (Some(end), _) => Extent::unread(end, Ending::Unclosed),
                (None, Look::Is(mark)) => Extent::unread(trim(text, at, mark), Ending::Unclosed),
                _ => last(text, at),
            };
            Look::Is(Extent { looked: text.len(), ..extent })
        }
    }
}

/// A body that no mark closes and whose brackets do not match: cut, unless its last bracket closes
/// what was opened first, and only braces are missing before it.
fn last(text: &str, at: usize) -> Extent<'_> {
    let body = between(text, at, text.len()).trim_end();
    if lacks_only_braces(body.as_bytes()) {
        let document = json::read(body);
        if json::trust(&document).is_some() {
            let (end, document) = (at + body.len(), Some(document));
            return Extent { end, ending: Ending::Unclosed, document, looked: end };
        }
    }
    if ends_in_envelope(body) {
        return Extent::unread(at + body.len(), Ending::Open);
    }
    Extent::unread(text.len(), Ending::Cut)
}

/// The end of a body that lacks only brackets, and behind which a line closes the fence around it.
fn fence_behind(text: &str, at: usize) -> Option<usize> {
    let body = from(text, at);
    let body = between(body, 0, body.find("\n```")?).trim_end();
    ends_in_envelope(body).then_some(at + body.len())
}

/// Whether a body ends with the arguments of a call, and nothing but the brackets of what stands around
/// them is missing: of the call, of the list that it is in, or of both.
fn ends_in_envelope(body: &str) -> bool {
    let is_around = |open: Vec<u8>| matches!(open.as_slice(), b"{" | b"[" | b"[{");
    body.ends_with('}') && left_open(body.as_bytes()).is_some_and(is_around)
}

/// The brackets that a body leaves open, where all others match. Its quotes are taken at their word, as
/// where only braces are missing.
fn left_open(body: &[u8]) -> Option<Vec<u8>> {
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        at += 1;
        match byte {
            b'"' => at = plain_string_end(body, at)?,
            b'{' | b'[' => open.push(byte),
            b'}' if open.pop() != Some(b'{') => return None,
            b']' if open.pop() != Some(b'[') => return None,
            _ => {}
        }
    }
    Some(open)
}

/// The end of the string whose first character stands here, if structure follows it.
fn plain_string_end(body: &[u8], at: usize) -> Option<usize> {
    let end = json::string_end(body, at, b'"')?;
    let mut rest = body.get(end..).unwrap_or_default().iter();
    let next = rest.find(|byte| !byte.is_ascii_whitespace());
    matches!(next, Some(b',' | b':' | b'}' | b']')).then_some(end)
}

/// Whether a list lacks nothing but closing braces. Its quotes are taken at their word, which they
/// cannot be where anything but structure stands behind a string: that may be cut in the middle.
fn lacks_only_braces(body: &[u8]) -> bool {
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(&byte) = body.get(at) {
        at += 1;
        match byte {
            b'"' => {
                let Some(end) = plain_string_end(body, at) else { return false };
                at = end;
            }
            b'{' | b'[' => open.push(byte),
            b'}' if open.pop() != Some(b'{') => return false,
            b']' => {
                while open.pop_if(|last| *last == b'{').is_some() {}
                if open.pop().is_none() || open.is_empty() && at < body.len() {
                    return false;
                }
            }
            _ => {}
        }
    }
    open.is_empty() && body.first() == Some(&b'[')
}

/// How far a JSON body goes.
pub(crate) struct Extent<'t> {
    pub(crate) end: usize,
    pub(crate) ending: Ending,
    /// What was read of it, where it was and can be.
    pub(crate) document: Option<Document<'t>>,
    /// How far the text was looked at.
    pub(crate) looked: usize,
}

impl Extent<'_> {
    fn unread(end: usize, ending: Ending) -> Self {
        Self { end, ending, document: None, looked: end }
    }
}

/// Brackets inside broken strings mislead: where what they enclose does not read, what the marks
/// enclose may.
fn broken_end(text: &str, at: usize, end: usize, is_ended: bool) -> Look<Extent<'_>> {
    match mark_after(text, at, is_ended) {
        Look::Is(mark) if is_readable(between(text, at, mark)) => {
            Look::Is(Extent::unread(trim(text, at, mark), Ending::Unclosed))
        }
        Look::More => Look::More,
        _ => Look::Is(Extent::unread(end, Ending::Unclosed)),
    }
}

fn is_readable(body: &str) -> bool {
    json::trust(&json::read(body)).is_some()
}

pub(crate) fn trim(text: &str, at: usize, end: usize) -> usize {
    at + between(text, at, end).trim_end().trim_end_matches("```").trim_end().len()
}

/// The next mark that opens or closes a call.
pub(crate) fn mark_after(text: &str, at: usize, is_ended: bool) -> Look<usize> {
    let mut place = at;
    while let Some(found) = memchr2(b'<', b'[', from(text, place).as_bytes()) {
        place += found;
        if lexicon::literal_at(from(text, place)).is_some() {
            return Look::Is(place);
        }
        match mark_at(text, place).ended(is_ended) {
            Look::Is((Mark::Token(token), _))
                if lexicon::token(&token).is_some() || lexicon::is_turn_token(&token) =>
            {
                return Look::Is(place);
            }
            Look::Is((Mark::Tag(tag), _)) if lexicon::is_markup(tag.name) => {
                return Look::Is(place);
            }
            Look::More => return Look::More,
            _ => place += 1,
        }
    }
    if is_ended { Look::Not } else { Look::More }
}

/// A message of Harmony whose header names a recipient.
pub(crate) fn harmony(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<Read> {
    let header = match header(text, at, is_ended) {
        Look::Is(header) => header,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let joined = header.parts.join(" ");
    let Some(start) = joined.find("to=") else { return Look::Not };
    let rest = from(&joined, start + "to=".len());
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let name = between(rest, 0, end);
    if matches!(name, "" | "assistant" | "user" | "self" | "python") || name.starts_with("browser.")
    {
        return Look::Not;
    }
    body(text, header.body, name, None, offered, is_ended)
}

/// `Action: f` and `Action Input: {…}`.
pub(crate) fn react(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<Read> {
    let start = skip_space(text, at);
    let rest = from(text, start);
    let Some(line) = rest.find('\n') else {
        return if is_ended || rest.len() > HEADER_BYTES_MAX { Look::Not } else { Look::More };
    };
    if line > HEADER_BYTES_MAX {
        return Look::Not;
    }
    let name = between(rest, 0, line).trim().trim_matches(['`', '*']).to_owned();
    let place = skip_space(text, start + line);
    let input = match input_head(text, place).ended(is_ended) {
        Look::Is(end) => end,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let body_start = skip_blanks(text, input);
    let (body_start, is_fenced) = match fence(text, skip_space(text, body_start)) {
        Look::Is(inside) => (skip_space(text, inside), true),
        Look::More if !is_ended => return Look::More,
        _ => (skip_space(text, body_start), false),
    };
    match byte(text, body_start) {
        None if !is_ended => Look::More,
        Some(b'{') => {
            let read = body(text, body_start, &name, None, offered, is_ended);
            if is_fenced { fenced(text, read, is_ended) } else { read }
        }
        _ => plain_input(text, body_start, &name, offered, is_ended),
    }
}

/// `Tool call ID: calling 'f' with {…}`, from its id on.
pub(crate) fn record(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<Read> {
    let stop = stop_within(text, at, HEADER_BYTES_MAX, |c| matches!(c, '{' | '\n'));
    let open = match stop.ended(is_ended) {
        Look::Is(open) if byte(text, open) == Some(b'{') => open,
        Look::More => return Look::More,
        _ => return Look::Not,
    };
    let parts = between(text, at, open).split_once(": calling ");
    let parts = parts.and_then(|(id, rest)| Some((id, rest.trim_end().strip_suffix(" with")?)));
    match parts {
        Some((id, name)) if !id.contains(' ') => {
            let name = name.trim_matches(['\'', '"', '`']);
            body(text, open, name, Some(id.to_owned()), offered, is_ended)
        }
        _ => Look::Not,
    }
}

/// What stands over the input of an action, without emphasis and number.
const INPUT_HEADS: [&str; 9] = [
    "Action Input",
    "Action_Input",
    "Action input",
    "ActionInput",
    "Tool Input",
    "Input",
    "Arguments",
    "Parameters",
    "Args",
];
/// Such a head is short.
const INPUT_HEAD_BYTES_MAX: usize = 32;

/// The place behind the head of an input: `Action Input:`, `**Action Input:**`, `Action Input 1:`.
fn input_head(text: &str, at: usize) -> Look<usize> {
    let stop = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, ' ' | '_' | '*'));
    let colon = match stop_within(text, at, INPUT_HEAD_BYTES_MAX, stop) {
        Look::Is(colon) => colon,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let head = between(text, at, colon).trim_matches('*');
    let head = head.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    if byte(text, colon) != Some(b':') || !INPUT_HEADS.contains(&head) {
        return Look::Not;
    }
    match follows(text, colon + 1, "**") {
        Look::Not => Look::Is(colon + 1),
        look => look,
    }
}

/// Words that say that there is no input.
const NO_INPUT: [&str; 7] = ["", "None", "none", "null", "N/A", "n/a", "(none)"];

/// An input that is no object: the rest of the line, or the members of the tool that are named there and
/// on the lines behind it.
fn plain_input(text: &str, at: usize, name: &str, offered: &Offered, is_ended: bool) -> Look<Read> {
    let end = match line_end(text, at, is_ended) {
        Look::Is(end) => end,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let is_named = match member(text, at, name, offered).ended(is_ended) {
        Look::More => return Look::More,
        look => look != Look::Not,
    };
    let end = match is_named {
        true => members_end(text, end, name, offered, is_ended),
        false => Look::Is(end),
    };
    let end = match end {
        Look::Is(end) => end,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let input = between(text, at, end).trim();
    let has_none = !is_named && NO_INPUT.contains(&input);
    let draft = match is_named {
        true => named_input(input, at, name, offered),
        false if has_none => Found::new(name, Arguments::None),
        false => Found::new(name, Arguments::Text(input.to_owned())),
    };
    // A text that ends with its words may have been cut in them, or in the name of the next member.
    let may_go_on = || is_named && member(text, end + 1, name, offered) == Look::More;
    let is_last = !has_none && (end == text.len() || may_go_on());
    let ending = if is_last { Ending::Open } else { Ending::Unclosed };
    Look::Is(Read { drafts: vec![draft], end, ending, looked: end })
}

/// The end of the lines of members that follow the one that ends here.
fn members_end(
    text: &str,
    line: usize,
    tool: &str,
    offered: &Offered,
    is_ended: bool,
) -> Look<usize> {
    let mut end = line;
    loop {
        match member(text, end + 1, tool, offered).ended(is_ended) {
            Look::Is(_) => {}
            Look::More => return Look::More,
            Look::Not => return Look::Is(end),
        }
        match line_end(text, end + 1, is_ended) {
            Look::Is(next) => end = next,
            look => return look,
        }
    }
}

/// The end of the line that a place stands on.
fn line_end(text: &str, at: usize, is_ended: bool) -> Look<usize> {
    match from(text, at).find('\n') {
        Some(end) => Look::Is(at + end),
        None if is_ended => Look::Is(text.len()),
        None => Look::More,
    }
}

/// Whether the name of a parameter stands here, with a colon or an equals sign: where its value starts.
fn member(text: &str, at: usize, tool: &str, offered: &Offered) -> Look<usize> {
    let key_end = match word_end(text, at) {
        Look::Is(end) => end,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    // A word may end in a colon.
    let key = between(text, at, key_end);
    let (key, sign) = match key.split_once(':') {
        Some((key, _)) => (key, at + key.len()),
        None => (key, skip_blanks(text, key_end)),
    };
    match byte(text, sign) {
        _ if !offered.has_key(tool, key) => Look::Not,
        Some(b':' | b'=') => Look::Is(sign + 1),
        Some(_) => Look::Not,
        None => Look::More,
    }
}

/// Members without braces: `city: Lima, days: 2`. All of them must be named as the tool names them.
fn named_input(input: &str, at: usize, name: &str, offered: &Offered) -> Found {
    if let Some((fields, faults)) = python::members(input, at)
        && fields.iter().all(|field| is_of(field, name, offered))
    {
        return Found { faults, ..Found::new(name, Arguments::Fields(fields)) };
    }
    // One value may hold anything that could not be the start of another.
    let value = match member(input, 0, name, offered) {
        Look::Is(value) if !input.contains([',', '\n']) => value,
        _ => return Found::new(name, Arguments::Unreadable(None)),
    };
    let key = between(input, 0, value - 1).trim().to_owned();
    let value = from(input, value).trim();
    let arguments = match value.starts_with(['"', '\'', '{', '[']) {
        true => Arguments::Unreadable(None),
        false => {
            Arguments::Fields(vec![Field { key: Some(key), value: Value::Words(value.to_owned()) }])
        }
    };
    Found::new(name, arguments)
}

/// Whether a member is one of the tool's, and can be read.
fn is_of(field: &Field, tool: &str, offered: &Offered) -> bool {
    let is_known = field.key.as_ref().is_some_and(|key| offered.has_key(tool, key));
    is_known && field.value != Value::Unreadable
}
