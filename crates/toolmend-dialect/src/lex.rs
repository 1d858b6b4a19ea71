//! Reads one mark: a token such as `<|tool_call_begin|>` or a tag such as `<invoke name="f">`.
//!
//! Models misspell marks in few ways, and all of them are folded here: one or two bars of three
//! kinds, spaces inside, `▁` or a space for `_`, a namespace before the name or a suffix after it.

use std::borrow::Cow;

use memchr::memchr;

use crate::cursor::{Look, between, byte, from, skip_blanks, stop_within};
use crate::lexicon;

/// No mark is longer than this.
const MARK_BYTES_MAX: usize = 512;
/// The name in a token is short.
const TOKEN_BYTES_MAX: usize = 48;

/// A mark that stands in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark<'t> {
    /// `<|name|>`; with a half bar, `name>` for `<|name>` and `name|` for `<name|>`.
    Token(Cow<'t, str>),
    Tag(Tag<'t>),
}

/// A tag, its name folded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tag<'t> {
    pub(crate) name: &'t str,
    pub(crate) closes: bool,
    /// The rest between the name and the end, as it is spelt.
    pub(crate) rest: &'t str,
    pub(crate) end: End,
    /// Whether a prefix says that this is markup and nothing else.
    pub(crate) is_prefixed: bool,
}

/// How a tag ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    /// With its bracket.
    #[default]
    Whole,
    /// With a slash before it: `<f/>`.
    Empty,
    /// With a line break or the next mark: `<parameter=k`.
    Broken,
}

impl<'t> Tag<'t> {
    /// The value of `<name=value>`.
    pub(crate) fn value(&self) -> Option<&'t str> {
        let value = self.rest.trim_start().strip_prefix('=')?.trim();
        Some(unquote(value))
    }

    /// The value of an attribute, decoded.
    pub(crate) fn attribute(&self, names: &[&str]) -> Option<String> {
        let (_, value) = self.attributes().find(|(name, _)| names.contains(name))?;
        Some(decoded(value))
    }

    /// The attributes as they are spelt.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'t str, &'t str)> + use<'t> {
        let mut rest = self.rest;
        std::iter::from_fn(move || {
            let (name, value, after) = attribute(rest)?;
            rest = after;
            Some((name, value))
        })
    }
}

/// The value of an attribute, its two entities decoded.
pub(crate) fn decoded(value: &str) -> String {
    match memchr(b'&', value.as_bytes()) {
        Some(_) => value.replace("&quot;", "\"").replace("&amp;", "&"),
        None => value.to_owned(),
    }
}

fn unquote(value: &str) -> &str {
    let inner = |quote| value.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(value)
}

/// The next attribute and what follows it.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let at = memchr(b'=', text.as_bytes())?;
    let name = between(text, 0, at).trim_end();
    let name = from(name, name.rfind([' ', '\n', '\t']).map_or(0, |space| space + 1));
    let value = from(text, at + 1).trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (value, after) = if let Some(quote) = quote {
        let value = from(value, 1);
        let end = value.find(quote).unwrap_or(value.len());
        (between(value, 0, end), from(value, end + 1))
    } else {
        let end = value.find([' ', '\n', '\t']).unwrap_or(value.len());
        (between(value, 0, end), from(value, end))
    };
    Some((name, value, after))
}

/// The namespace that `MiniMax` M3 puts before each tag.
pub(crate) const NAMESPACE: &str = "]<]minimax[>[";

/// The mark at this place, and where it ends.
pub(crate) fn mark_at(text: &str, at: usize) -> Look<(Mark<'_>, usize)> {
    match byte(text, at) {
        Some(b'<') => {}
        Some(b']') => return spaced(text, at),
        Some(_) => return Look::Not,
        None => return Look::More,
    }
    let after = skip_blanks(text, at + 1);
    let (closes, inner) = match byte(text, after) {
        None => return Look::More,
        Some(b'/') => (true, skip_blanks(text, after + 1)),
        Some(_) => (false, after),
    };
    if let Some(mark) = plain_mark(text, inner, closes) {
        return mark;
    }
    let seed = Tag { closes, ..Tag::default() };
    match bars(text, inner) {
        Look::Is(end) => barred(text, end, closes),
        Look::More => Look::More,
        Look::Not => tag(text, inner, seed),
    }
}

/// Whether a name is that of the family whose tags stand behind bars.
fn is_dsml(name: &str) -> bool {
    name.eq_ignore_ascii_case("dsml")
}

/// The letters of most marks.
#[expect(clippy::indexing_slicing, reason = "a constant that would panic does not compile")]
const LETTERS: [bool; 256] = {
    let mut letters = [false; 256];
    letters[b'_' as usize] = true;
    let mut at = 0;
    while at < 26 {
        letters[b'a' as usize + at] = true;
        letters[b'A' as usize + at] = true;
        at += 1;
    }
    letters
};

/// The mark whose name stands here, if that is nothing but letters up to its end, as most are.
fn plain_mark(text: &str, at: usize, closes: bool) -> Option<Look<(Mark<'_>, usize)>> {
    let start = at + usize::from(byte(text, at) == Some(b'|'));
    let bytes = text.as_bytes().get(start..)?;
    let is_letter = |byte: &u8| LETTERS.get(usize::from(*byte)).is_some_and(|is| *is);
    let near = bytes.get(..MARK_BYTES_MAX).unwrap_or(bytes);
    let length = near.iter().position(|byte| !is_letter(byte)).filter(|length| *length > 0)?;
    let end = start + length;
    let name = between(text, start, end);
    let behind = bytes.get(length..)?;
    if start == at && behind.starts_with(b">") {
        let is_tag = !is_dsml(name);
        let seed = Tag { closes, ..Tag::default() };
        return is_tag.then(|| Look::Is((Mark::Tag(lexicon::fold_plain(name, seed)), end + 1)));
    }
    if is_dsml(name) || start > at && (closes || length >= TOKEN_BYTES_MAX) {
        return None;
    }
    // Half tokens keep the bar or the bracket that they have: `<|tool_call>`, `<tool_call|>`.
    let half = |end: usize| Look::Is((Mark::Token(Cow::Borrowed(between(text, start, end))), end));
    match behind {
        [b'|', b'>', ..] if start > at => Some(element(text, end + 2, Cow::Borrowed(name))),
        [b'|', b'>', ..] => Some(half(end + 1).map(|(mark, end)| (mark, end + 1))),
        [b'>', ..] => Some(half(end + 1)),
        _ => None,
    }
}

/// A tag behind the namespace.
fn spaced(text: &str, at: usize) -> Look<(Mark<'_>, usize)> {
    let end = match crate::cursor::follows(text, at, NAMESPACE) {
        Look::Is(end) => crate::cursor::skip_space(text, end),
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    match byte(text, end) {
        None => return Look::More,
        Some(b'<') => {}
        Some(_) => return Look::Not,
    }
    match mark_at(text, end) {
        Look::Is((Mark::Tag(tag), end)) => {
            Look::Is((Mark::Tag(Tag { is_prefixed: true, ..tag }), end))
        }
        Look::More => Look::More,
        _ => Look::Not,
    }
}

/// One or two bars, with spaces around.
fn bars(text: &str, at: usize) -> Look<usize> {
    // Most tags have none.
    if byte(text, at).is_some_and(|first| first.is_ascii() && first != b'|') {
        return Look::Not;
    }
    let rest = from(text, at);
    let is_bar = |c: char| matches!(c, '|' | '｜' | '‖');
    let inner = rest.trim_start_matches(is_bar);
    let count = between(rest, 0, rest.len() - inner.len()).chars().count();
    match (count, inner.is_empty()) {
        (0..=2, true) => Look::More,
        (1..=2, false) => Look::Is(skip_blanks(text, text.len() - inner.len())),
        _ => Look::Not,
    }
}

/// What stands behind opening bars: a token, or a tag of the DSML family.
fn barred(text: &str, at: usize, closes: bool) -> Look<(Mark<'_>, usize)> {
    let rest = from(text, at);
    let is_stop = |c: char| matches!(c, '<' | '>' | '|' | '｜' | '‖' | '\n');
    let Some(end) = rest.find(is_stop) else {
        return if rest.len() < TOKEN_BYTES_MAX { Look::More } else { Look::Not };
    };
    if end >= TOKEN_BYTES_MAX {
        return Look::Not;
    }
    let name = fold_token(between(rest, 0, end));
    let end = at + end;
    match bars(text, end) {
        Look::More => Look::More,
        Look::Is(after) if name == "dsml" => {
            tag(text, after, Tag { closes, is_prefixed: true, ..Tag::default() })
        }
        Look::Is(after) => match byte(text, after) {
            None => Look::More,
            Some(b'>') if !closes => element(text, after + 1, name),
            Some(_) => Look::Not,
        },
        Look::Not if byte(text, end) == Some(b'>') && !closes => {
            Look::Is((Mark::Token(with_bar(&name, between(text, at, end + 1), ">")), end + 1))
        }
        Look::Not => Look::Not,
    }
}

/// A name and the byte behind it, which most often stand in the text as they are.
fn with_bar<'t>(name: &str, spelt: &'t str, bar: &str) -> Cow<'t, str> {
    match spelt.strip_suffix(bar) == Some(name) {
        true => Cow::Borrowed(spelt),
        false => Cow::Owned([name, bar].concat()),
    }
}

/// The tokens of `DeepSeek` as it spells them, and their names: told without a copy.
const SPELT: [(&str, &str); 5] = [
    ("tool▁calls▁begin", "tool_calls_begin"),
    ("tool▁call▁begin", "tool_call_begin"),
    ("tool▁sep", "tool_sep"),
    ("tool▁call▁end", "tool_call_end"),
    ("tool▁calls▁end", "tool_calls_end"),
];

/// `tool▁calls begin` and its kin are one name.
fn fold_token(name: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'_' | b'0'..=b'9');
    if name.bytes().all(is_plain) {
        return Cow::Borrowed(name);
    }
    if let Some((_, known)) = SPELT.iter().find(|(spelt, _)| *spelt == name) {
        return Cow::Borrowed(known);
    }
    let name = name.trim();
    if is_dsml(name) {
        Cow::Borrowed("dsml")
    } else if name.contains(['\\', '▁', ' ']) {
        Cow::Owned(name.replace("\\_", "_").replace(['▁', ' '], "_"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Kimi K3 writes elements with tokens: `<|open|>call tool="f"<|sep|>`.
fn element<'t>(text: &'t str, at: usize, token: Cow<'t, str>) -> Look<(Mark<'t>, usize)> {
    let closes = match token.as_ref() {
        "open" => false,
        "close" => true,
        _ => return Look::Is((Mark::Token(token), at)),
    };
    let rest = from(text, at);
    // Of the two characters only the second may stand outside the bound.
    let Some(end) = rest.find("<|") else {
        return if rest.len() <= MARK_BYTES_MAX { Look::More } else { Look::Not };
    };
    if end >= MARK_BYTES_MAX {
        return Look::Not;
    }
    let inner = between(rest, 0, end);
    let name_end = inner.find([' ', '\n']).unwrap_or(inner.len());
    let name = unglued(between(inner, 0, name_end), closes);
    let (how, end) = match crate::cursor::follows(text, at + end, "<|sep|>") {
        Look::Is(end) => (End::Whole, end),
        Look::More => return Look::More,
        Look::Not => (End::Broken, at + end),
    };
    let rest = from(inner, name_end);
    let tag = Tag { name, closes, rest, end: how, is_prefixed: true };
    Look::Is((Mark::Tag(tag), end))
}

/// The element that words mean from between which tokens were dropped: the inner one where they
/// open, the outer one where they close (seen with Kimi K3 behind routers, 2026).
fn unglued(name: &str, closes: bool) -> &str {
    match (name, closes) {
        ("toolscall", false) => "call",
        ("toolsmessage", true) => "tools",
        _ => name,
    }
}

/// A tag from its name on.
fn tag<'t>(text: &'t str, at: usize, seed: Tag<'t>) -> Look<(Mark<'t>, usize)> {
    let rest = from(text, at);
    match rest.chars().next() {
        None => return Look::More,
        Some(first) if first.is_alphabetic() || first == '_' => {}
        Some(_) => return Look::Not,
    }
    let name_end = match tag_name_end(text, at) {
        Look::Is(end) => end - at,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let name = between(rest, 0, name_end);
    let after = from(rest, name_end);
    // `<DSML｜invoke`: the bar before the name was lost.
    if !seed.is_prefixed && is_dsml(name) {
        return match bars(text, at + name_end) {
            Look::Is(after) => tag(text, after, Tag { is_prefixed: true, ..seed }),
            Look::More => Look::More,
            Look::Not => Look::Not,
        };
    }
    if let Some(half) = half(name, after) {
        let spelt = between(rest, 0, name_end + 1);
        let token = with_bar(&fold_token(name), spelt, "|");
        return half.map(|end| (Mark::Token(token), at + name_end + end));
    }
    let mut tag = lexicon::fold_tag(name, seed);
    // A quote can hold anything; a line break or another mark ends what was not closed.
    let mut quote = None;
    for (place, c) in after.char_indices().take_while(|(place, _)| *place < MARK_BYTES_MAX) {
        let end = at + name_end + place;
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (None, '"' | '\'')
                if after.get(..place).is_some_and(|s| s.trim_end().ends_with('=')) =>
            {
                quote = Some(c);
            }
            (None, '>') => {
                let inner = between(after, 0, place);
                let bare = inner.trim_end().strip_suffix('/');
                let bare =
                    bare.filter(|bare| !bare.contains('=') || bare.trim_end().ends_with('"'));
                tag.end = if bare.is_some() { End::Empty } else { End::Whole };
                tag.rest = bare.unwrap_or(inner);
                return Look::Is((Mark::Tag(tag), end + 1));
            }
            // `<function=f{"k": 1}`: the arguments stand where the bracket was forgotten.
            (None, '{') if tag.name == "function" && after.starts_with('=') && place > 1 => {
                tag.rest = between(after, 0, place);
                tag.end = End::Broken;
                return Look::Is((Mark::Tag(tag), end));
            }
            (None, '<') | (_, '\n') => {
                tag.rest = between(after, 0, place);
                tag.end = End::Broken;
                return Look::Is((Mark::Tag(tag), end));
            }
            _ => {}
        }
    }
    if after.len() < MARK_BYTES_MAX { Look::More } else { Look::Not }
}

/// The end of the name of a tag. Most are plain letters, which need no decoding.
fn tag_name_end(text: &str, at: usize) -> Look<usize> {
    let bytes = text.as_bytes().get(at..).unwrap_or_default();
    let bytes = bytes.get(..MARK_BYTES_MAX).unwrap_or(bytes);
    let is_plain =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.' | b'-');
    let plain = bytes.iter().position(|byte| !is_plain(byte)).unwrap_or(bytes.len());
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '-');
    stop_within(text, at + plain, MARK_BYTES_MAX - plain, |c| !is_name(c))
}

/// `<tool_call|>`: where the half token ends behind its name.
fn half(name: &str, after: &str) -> Option<Look<usize>> {
    if name.is_empty() || !after.starts_with('|') {
        return None;
    }
    Some(match after.as_bytes().get(1) {
        None => Look::More,
        Some(b'>') => Look::Is(2),
        Some(_) => Look::Not,
    })
}

#[cfg(test)]
mod tests {
    use super::{Look, Mark, Tag, barred, bars, mark_at, plain_mark, tag};

    fn name(text: &str) -> String {
        match mark_at(text, 0) {
            Look::Is((Mark::Token(name), end)) => format!("token {name} {end}"),
            Look::Is((Mark::Tag(tag), end)) => {
                let slash = if tag.closes { "/" } else { "" };
                format!("tag {slash}{} {:?} {end}", tag.name, tag.rest)
            }
            Look::Not => "not".to_owned(),
            Look::More => "more".to_owned(),
        }
    }

    #[test]
    fn tokens_fold_their_bars_and_underscores() {
        for (text, want) in [
            ("<|tool_call_begin|>x", "token tool_call_begin 19"),
            ("<｜tool▁call▁begin｜>x", "token tool_call_begin 27"),
            ("<｜tool call begin｜>x", "token tool_call_begin 23"),
            ("<|tool_call>x", "token tool_call> 12"),
            ("<tool_call|>x", "token tool_call| 12"),
            ("<|\"|>x", "token \" 5"),
            ("<|tool_call", "more"),
            ("<|", "more"),
            ("<", "more"),
            ("< b", "more"),
            ("<3", "not"),
            ("<|a\n|>", "not"),
        ] {
            assert_eq!(name(text), want, "{text}");
        }
    }

    #[test]
    fn tags_fold_their_namespace() {
        for (text, want) in [
            ("<invoke name=\"f\">x", "tag invoke \" name=\\\"f\\\"\" 17"),
            ("</invoke>", "tag /invoke \"\" 9"),
            ("<｜DSML｜invoke name=\"f\">", "tag invoke \" name=\\\"f\\\"\" 27"),
            ("</ | DSML | invoke>", "tag /invoke \"\" 19"),
            ("<||DSML||tool_calls>", "tag tool_calls \"\" 20"),
            ("<seed:tool_call>", "tag tool_call \"\" 16"),
            ("<tool_call:opensource>", "tag tool_call \"\" 22"),
            ("<longcat_arg_key>", "tag arg_key \"\" 17"),
            ("]<]minimax[>[</invoke>", "tag /invoke \"\" 22"),
            (
                "<|open|>call tool=\"f\" index=\"1\"<|sep|>",
                "tag call \" tool=\\\"f\\\" index=\\\"1\\\"\" 38",
            ),
            ("<function=f>", "tag function \"=f\" 12"),
            ("<parameter=query\nrust", "tag parameter \"=query\" 16"),
            ("<function=f{\"k\": 1}</function>", "tag function \"=f\" 11"),
            ("<DSML｜invoke name=\"f\">", "tag invoke \" name=\\\"f\\\"\" 24"),
            ("<TOOL_CALL>", "tag tool_call \"\" 11"),
            ("<DSML", "more"),
            ("<a", "more"),
        ] {
            assert_eq!(name(text), want, "{text}");
        }
    }

    #[test]
    fn a_plain_mark_is_read_as_any_other() {
        let names =
            ["", "a", "tool_call", "TOOL_CALL", "dsml", "Dsml", "dots_call", "parametername"];
        let ends = ["", ">", ">x", "|>", "|>x", "||>", "|", "｜>", "/>", "<", " a>", "=a>", "\n>"];
        let mut count = 0;
        for closes in [false, true] {
            for open in ["", "|", "||", "｜"] {
                for text in names.iter().flat_map(|name| ends.map(|end| [open, name, end].concat()))
                {
                    let Some(mark) = plain_mark(&text, 0, closes) else { continue };
                    let any = match bars(&text, 0) {
                        Look::Is(end) => barred(&text, end, closes),
                        Look::More => Look::More,
                        Look::Not => tag(&text, 0, Tag { closes, ..Tag::default() }),
                    };
                    assert_eq!(mark, any, "{closes} {text}");
                    count += 1;
                }
            }
        }
        assert_eq!(count, 60);
    }
}
