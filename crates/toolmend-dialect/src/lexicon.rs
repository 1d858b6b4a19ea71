//! The marks of all rows, folded, and what each one is for.

use std::sync::LazyLock;

use crate::cursor::Look;
use crate::dialect::is_line_mark;
use crate::lex::{Mark, NAMESPACE, Tag, mark_at};
use crate::rows::dialects;

/// What a mark does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Role {
    pub(crate) opens: bool,
    pub(crate) closes: bool,
}

/// Elements that hold a call, a parameter, or a part of one, in any dialect of tags.
pub(crate) const CALL_TAGS: [&str; 4] = ["function", "invoke", "function_call", "call"];
pub(crate) const PARAMETER_TAGS: [&str; 3] = ["parameter", "param", "argument"];
pub(crate) const PAIR_TAGS: [&str; 3] = ["arg_key", "arg_value", "tool_sep"];

/// Words that models write for the opener before an invoke (seen with Claude, 2026).
pub(crate) const STRAY_WORDS: [&str; 3] = ["court", "count", "call"];

/// Whether a token only ends or starts a message. Such say nothing about calls, and leak where a server
/// does not strip them.
pub(crate) fn is_turn_token(name: &str) -> bool {
    matches!(
        name,
        "im_start"
            | "im_end"
            | "start_header_id"
            | "end_header_id"
            | "eot_id"
            | "eom_id"
            | "eot"
            | "eom"
            | "endoftext"
            | "end_of_text"
            | "assistant"
            | "begin_of_text"
            | "tool_response"
            | "user"
    )
}

/// The same for what is written like a tag.
pub(crate) fn is_turn_tag(name: &str) -> bool {
    matches!(name, "end_of_turn" | "start_of_turn" | "eos" | "s" | "bot_end")
}

/// Namespaces that stand before the name of an element. All end in a colon, but for two that start
/// with the letters that [`fold_tag`] looks for.
const NAMESPACES: [&str; 10] = [
    "antml:", "atem:", "dots_", "longcat_", "minimax:", "seed:", "steptml:", "xai:", "mm:", "DSML:",
];

/// Names by their length, of which few share one.
#[derive(Default)]
struct Table {
    by_length: Vec<Vec<(String, Kind)>>,
}

/// What a name is for.
#[derive(Clone, Copy, Default)]
pub(crate) struct Kind {
    role: Role,
    /// Whether it stands around calls.
    pub(crate) is_frame: bool,
    /// Whether it is part of a dialect's markup.
    pub(crate) is_markup: bool,
}

impl Kind {
    /// Whether it opens nothing and closes something, such as `<end_function_call>`.
    pub(crate) fn only_closes(self) -> bool {
        self.role.closes && !self.role.opens
    }
}

impl Table {
    fn get(&self, name: &str) -> Option<Kind> {
        let names = self.by_length.get(name.len())?;
        let first = name.as_bytes().first();
        let is_name = |known: &str| known.as_bytes().first() == first && known == name;
        names.iter().find(|(known, _)| is_name(known)).map(|(_, kind)| *kind)
    }

    /// The place of a name, made where there is none.
    fn at(&mut self, name: &str) -> Option<&mut Kind> {
        if self.by_length.len() <= name.len() {
            self.by_length.resize_with(name.len() + 1, Vec::new);
        }
        let names = self.by_length.get_mut(name.len())?;
        let at = names.iter().position(|(known, _)| known == name).unwrap_or(names.len());
        if at == names.len() {
            names.push((name.to_owned(), Kind::default()));
        }
        names.get_mut(at).map(|(_, kind)| kind)
    }

    fn kinds(&mut self) -> impl Iterator<Item = (&str, &mut Kind)> {
        self.by_length.iter_mut().flatten().map(|(name, kind)| (name.as_str(), kind))
    }
}

/// The bytes that marks start with.
pub(crate) struct Starts([bool; 256]);

impl Default for Starts {
    fn default() -> Self {
        Self([false; 256])
    }
}

impl Starts {
    pub(crate) fn of<'m>(marks: impl IntoIterator<Item = &'m str>) -> Self {
        Self::nth(marks, 0)
    }

    /// The bytes that marks have behind so many others.
    pub(crate) fn nth<'m>(marks: impl IntoIterator<Item = &'m str>, at: usize) -> Self {
        let mut starts = Self::default();
        for byte in marks.into_iter().filter_map(|mark| mark.as_bytes().get(at)) {
            if let Some(place) = starts.0.get_mut(usize::from(*byte)) {
                *place = true;
            }
        }
        starts
    }

    pub(crate) fn has_byte(&self, byte: u8) -> bool {
        self.0.get(usize::from(byte)).is_some_and(|is| *is)
    }
}

#[derive(Default)]
struct Lexicon {
    tokens: Table,
    tags: Table,
    /// Longest first.
    literals: Vec<(&'static str, Role)>,
    /// The same by the byte that they start with.
    literals_by_start: Vec<Vec<(&'static str, Role)>>,
    /// Their second bytes.
    literal_seconds: Starts,
    /// The literal marks that mean something only at the start of a line.
    line_marks: Vec<&'static str>,
    /// Those of them that start with a bracket.
    bracketed_marks: Vec<&'static str>,
    /// Those of them that announce a call and nothing else.
    call_marks: Vec<&'static str>,
    call_starts: Starts,
    /// The first words of literal marks.
    line_words: Vec<&'static str>,
    /// Openers that are several tokens in a row.
    composites: Vec<&'static str>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut lexicon = Lexicon::default();
    for row in dialects() {
        for mark in row.openers() {
            lexicon.add(mark, Role { opens: true, closes: false });
        }
        for mark in row.closers() {
            lexicon.add(mark, Role { opens: false, closes: true });
        }
    }
    let words = lexicon.literals.iter().filter_map(|(mark, _)| mark.split([' ', ':']).next());
    lexicon.line_words =
        words.filter(|word| word.starts_with(|c: char| c.is_alphabetic())).collect();
    lexicon.line_words.sort_unstable();
    lexicon.line_words.dedup();
    lexicon.literals.sort_by_key(|(mark, _)| std::cmp::Reverse(mark.len()));
    lexicon.literals_by_start = by_start(&lexicon.literals);
    lexicon.literal_seconds = Starts::nth(lexicon.literals.iter().map(|(mark, _)| *mark), 1);
    let marks = lexicon.literals.iter().map(|(mark, _)| *mark);
    lexicon.line_marks = marks.filter(|mark| is_line_mark(mark)).chain(["call:"]).collect();
    let is_bracketed = |mark: &&&'static str| mark.starts_with('[');
    lexicon.bracketed_marks = lexicon.line_marks.iter().filter(is_bracketed).copied().collect();
    let is_call = |mark: &&&'static str| mark.ends_with(" call:");
    lexicon.call_marks = lexicon.line_marks.iter().filter(is_call).copied().collect();
    lexicon.call_starts = Starts::of(lexicon.call_marks.iter().copied());
    lexicon.mark_tags();
    lexicon
});

/// Marks by the byte that they start with, in the order that they have.
fn by_start(marks: &[(&'static str, Role)]) -> Vec<Vec<(&'static str, Role)>> {
    let starting = |first: u8| {
        let marks = marks.iter().filter(move |(mark, _)| mark.bytes().next() == Some(first));
        marks.copied().collect()
    };
    (0..=u8::MAX).map(starting).collect()
}

impl Lexicon {
    /// Adds a mark. One that is several tokens in a row is found by its first.
    fn add(&mut self, mark: &'static str, role: Role) {
        if mark.matches("|>").count() > 1 && role.opens {
            self.composites.push(mark);
        }
        let at = if mark.starts_with('<') || mark.starts_with(NAMESPACE) { 0 } else { usize::MAX };
        let (map, name) = match mark_at(mark, at) {
            Look::Is((Mark::Token(name), _)) => (&mut self.tokens, name.into_owned()),
            Look::Is((Mark::Tag(tag), _)) => (&mut self.tags, tag.name.to_owned()),
            _ if mark.starts_with("<<") || !mark.starts_with('<') => {
                match self.literals.iter_mut().find(|(known, _)| *known == mark) {
                    Some((_, known)) => known.join(role),
                    None => self.literals.push((mark, role)),
                }
                return;
            }
            // An opener up to its first attribute, such as `<invoke`.
            _ => {
                let name = mark.trim_start_matches('<').trim_end_matches('=');
                let name =
                    name.rsplit(['｜', ' ', ':', '[', '<', '>']).find(|part| !part.is_empty());
                (&mut self.tags, name.unwrap_or_default().trim_end_matches(" name").to_owned())
            }
        };
        if let Some(kind) = map.at(&name) {
            kind.role.join(role);
        }
    }

    /// Says of each tag what it is for.
    fn mark_tags(&mut self) {
        for (name, kind) in self.tags.kinds() {
            kind.is_frame =
                !matches!(name, "function" | "invoke" | "call") && !PARAMETER_TAGS.contains(&name);
            kind.is_markup = true;
        }
        for name in CALL_TAGS.iter().chain(&PARAMETER_TAGS).chain(&PAIR_TAGS) {
            if let Some(kind) = self.tags.at(name) {
                kind.is_markup = true;
            }
        }
    }
}

impl Role {
    fn join(&mut self, other: Self) {
        self.opens |= other.opens;
        self.closes |= other.closes;
    }
}

/// The end of the opener of several tokens that starts with this one here, white space left out.
pub(crate) fn composite_at(text: &str, at: usize, token: &str) -> Look<usize> {
    let mut is_half = false;
    let first = token.as_bytes().first();
    // Most start with another letter.
    let may_start = |mark: &str| first.is_none() || mark.as_bytes().get("<|".len()) == first;
    let starts_so = |mark: &str| {
        may_start(mark) && mark.strip_prefix("<|").is_some_and(|mark| mark.starts_with(token))
    };
    for mark in LEXICON.composites.iter().filter(|mark| starts_so(mark)) {
        match follows_loosely(text, at, mark) {
            Look::Is(end) => return Look::Is(end),
            Look::More => is_half = true,
            Look::Not => {}
        }
    }
    if is_half { Look::More } else { Look::Not }
}

fn follows_loosely(text: &str, at: usize, mark: &str) -> Look<usize> {
    let rest = crate::cursor::from(text, at);
    let mut chars = rest.char_indices().filter(|(_, c)| !c.is_whitespace());
    let mut end = at;
    for wanted in mark.chars().filter(|c| !c.is_whitespace()) {
        match chars.next() {
            None => return Look::More,
            Some((place, c)) if c == wanted => end = at + place + c.len_utf8(),
            Some(_) => return Look::Not,
        }
    }
    Look::Is(end)
}

/// What a token does; `None` where no dialect has it.
pub(crate) fn token(name: &str) -> Option<Role> {
    LEXICON.tokens.get(name).map(|kind| kind.role)
}

/// What a tag is for: nothing, where no dialect has it.
pub(crate) fn tag(name: &str) -> Kind {
    LEXICON.tags.get(name).unwrap_or_default()
}

/// Whether a name of letters and digits may be one of ours.
pub(crate) fn may_be_markup(name: &str) -> bool {
    // The names are all of some length, and few are without a separator.
    name.len() > 3 && is_markup(name) || name.ends_with("name")
}

/// Whether a mark that stands at the start of a line may start with this word.
pub(crate) fn starts_line_mark(word: &str) -> bool {
    LINE_WORDS.contains(&word) || LEXICON.line_words.contains(&word)
}

/// Words that may stand before a call on its line.
const LINE_WORDS: [&str; 10] =
    ["return", "await", "const", "let", "var", "print", "call", "court", "count", "json"];

/// Whether a tag is part of a dialect's markup.
pub(crate) fn is_markup(name: &str) -> bool {
    tag(name).is_markup
}

/// Whether a tag stands around calls.
pub(crate) fn is_frame(name: &str) -> bool {
    tag(name).is_frame
}

/// The longest literal mark that starts here: `[TOOL_CALLS]`, `functools[`, `✿FUNCTION✿`.
pub(crate) fn literal_at(rest: &str) -> Option<(&'static str, Role)> {
    // Most texts go on otherwise, which is told without comparing all of a mark.
    let second = *rest.as_bytes().get(1)?;
    if !LEXICON.literal_seconds.has_byte(second) {
        return None;
    }
    let is_second = |mark: &str| mark.as_bytes().get(1) == Some(&second);
    let is_here = |(mark, _): &&(&str, Role)| is_second(mark) && rest.starts_with(mark);
    literals_like(rest).iter().find(is_here).copied()
}

/// The literal marks that start with the byte that a text starts with; none for no text.
fn literals_like(rest: &str) -> &'static [(&'static str, Role)] {
    let first = rest.as_bytes().first();
    let marks = first.and_then(|first| LEXICON.literals_by_start.get(usize::from(*first)));
    marks.map_or(&[], Vec::as_slice)
}

/// Whether a text may go on to be a literal mark.
pub(crate) fn is_half_literal(rest: &str) -> bool {
    let is_half = |(mark, _): &(&str, Role)| rest.len() < mark.len() && mark.starts_with(rest);
    rest.is_empty() || literals_like(rest).iter().any(is_half)
}

/// Whether a literal mark starts here, or may.
pub(crate) fn may_be_literal(rest: &str, is_ended: bool) -> bool {
    literal_at(rest).is_some() || !is_ended && is_half_literal(rest)
}

/// The literal marks of lines that start with a bracket: `[Tool Use:`.
pub(crate) fn bracketed_marks() -> &'static [&'static str] {
    &LEXICON.bracketed_marks
}

/// The marks that mean something only at the start of a line, and start with the byte that a text starts
/// with.
pub(crate) fn line_marks(rest: &str) -> impl Iterator<Item = &'static str> {
    let first = rest.as_bytes().first().copied();
    let is_like = move |mark: &&str| mark.as_bytes().first().copied() == first;
    LEXICON.line_marks.iter().copied().filter(is_like)
}

/// Words at the start of a line that announce a call and nothing else: `Tool call:`.
pub(crate) fn call_marks() -> &'static [&'static str] {
    &LEXICON.call_marks
}

/// Whether one of them may start with this byte.
pub(crate) fn is_call_mark_start(byte: u8) -> bool {
    LEXICON.call_starts.has_byte(byte)
}

/// All literal marks, longest first.
pub(crate) fn literals() -> impl Iterator<Item = &'static str> {
    LEXICON.literals.iter().map(|(mark, _)| *mark)
}

/// Folds the name of a tag: namespace, suffix, and an attribute that lost its space.
pub(crate) fn fold_tag<'t>(name: &'t str, mut tag: Tag<'t>) -> Tag<'t> {
    let known = |name: &str| {
        CALL_TAGS.contains(&name)
            || PARAMETER_TAGS.contains(&name)
            || PAIR_TAGS.contains(&name)
            || FRAME_TAGS.contains(&name)
            || name == "think"
    };
    let colon = name.bytes().position(|byte| byte == b':');
    let stripped = match colon.is_none() && !name.starts_with(['d', 'l']) {
        true => None,
        false => NAMESPACES.iter().find_map(|space| name.strip_prefix(space)),
    };
    let before = colon.and_then(|colon| name.get(..colon));
    if let Some(inner) = stripped.filter(|inner| known(inner)) {
        tag.is_prefixed = true;
        tag.name = inner;
    } else if let Some(inner) = before.filter(|inner| known(inner)) {
        tag.is_prefixed = true;
        tag.name = inner;
    } else if let Some(inner) = name
        .strip_suffix("name")
        .filter(|inner| CALL_TAGS.contains(inner) || PARAMETER_TAGS.contains(inner))
    {
        tag.name = inner;
    } else {
        tag.name = lower(name).unwrap_or(name);
    }
    tag
}

/// The same for a name that is nothing but letters and underscores: few of them need folding.
pub(crate) fn fold_plain<'t>(name: &'t str, tag: Tag<'t>) -> Tag<'t> {
    let may_fold = matches!(name.as_bytes().first(), Some(b'd' | b'l' | b'A'..=b'Z'));
    match may_fold || name.ends_with("name") {
        true => fold_tag(name, tag),
        false => Tag { name, ..tag },
    }
}

/// The element that is meant by a name in capitals.
fn lower(name: &str) -> Option<&'static str> {
    let is_capital = name.bytes().next().is_some_and(|first| first.is_ascii_uppercase());
    if !is_capital || name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    let mut known = CALL_TAGS.iter().chain(&PARAMETER_TAGS).chain(&FRAME_TAGS);
    known.find(|known| known.eq_ignore_ascii_case(name)).copied()
}

/// Frames in which tags of a namespace or with a suffix are read.
const FRAME_TAGS: [&str; 6] =
    ["tool_call", "tool_calls", "function_calls", "tool_use", "calls", "function_call"];

#[cfg(test)]
mod tests {
    use super::literals;

    #[test]
    fn every_literal_mark_has_a_second_byte() {
        assert!(literals().all(|mark| mark.len() > 1));
    }
}
