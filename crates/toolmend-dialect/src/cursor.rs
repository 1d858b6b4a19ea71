//! Slices of a text that never panic, and the small looks that every reader of marks needs.

use std::borrow::Cow;

use memchr::memchr;

/// What looking at the text so far tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look<T> {
    /// It is there.
    Is(T),
    /// It is not, whatever comes next.
    Not,
    /// More text is needed to tell.
    More,
}

impl<T> Look<T> {
    /// What is known once the text has ended: what is not there by then is not there.
    pub(crate) fn ended(self, is_ended: bool) -> Self {
        match self {
            Self::More if is_ended => Self::Not,
            look => look,
        }
    }

    pub(crate) fn map<U>(self, change: impl FnOnce(T) -> U) -> Look<U> {
        match self {
            Self::Is(value) => Look::Is(change(value)),
            Self::Not => Look::Not,
            Self::More => Look::More,
        }
    }
}

/// The text from a place on; empty where the place is none.
pub(crate) fn from(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or_default()
}

/// The text between two places; empty where they are none.
pub(crate) fn between(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

pub(crate) fn byte(text: &str, at: usize) -> Option<u8> {
    text.as_bytes().get(at).copied()
}

/// The place of the first byte at or after `at` that is no white space.
pub(crate) fn skip_space(text: &str, at: usize) -> usize {
    let rest = from(text, at);
    match rest.as_bytes().first() {
        // Most often there is none.
        Some(b'!'..=b'~') => at,
        _ => at + (rest.len() - rest.trim_start().len()),
    }
}

/// The same, but stays on the line.
pub(crate) fn skip_blanks(text: &str, at: usize) -> usize {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t')).unwrap_or(rest.len())
}

/// Whether the text goes on with this mark.
pub(crate) fn follows(text: &str, at: usize, mark: &str) -> Look<usize> {
    let rest = from(text, at);
    if rest.starts_with(mark) {
        Look::Is(at + mark.len())
    } else if rest.len() < mark.len() && mark.starts_with(rest) {
        Look::More
    } else {
        Look::Not
    }
}

/// The place of the first character at or after `at` that stops what is shorter than so many bytes.
/// What is longer is none, whether its stop has come yet or not.
pub(crate) fn stop_within(
    text: &str,
    at: usize,
    bytes_max: usize,
    is_stop: impl Fn(char) -> bool,
) -> Look<usize> {
    let rest = from(text, at);
    for (place, c) in rest.char_indices() {
        if place >= bytes_max {
            return Look::Not;
        }
        if is_stop(c) {
            return Look::Is(at + place);
        }
    }
    if rest.len() < bytes_max { Look::More } else { Look::Not }
}

/// The quotes that close a string which this character opens; none where it opens none.
pub(crate) fn closing_quotes(open: char) -> &'static [char] {
    match open {
        '"' => &['"'],
        '\'' => &['\''],
        '“' | '”' | '„' => &['”', '“'],
        '‘' | '’' | '‚' => &['’', '‘'],
        _ => &[],
    }
}

/// Whether this character may stand in the name of a tool.
pub(crate) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | ':' | '\\' | '/')
}

/// A name without the backslashes that models write before its underscores.
pub(crate) fn unescaped(name: &str) -> Cow<'_, str> {
    match memchr(b'\\', name.as_bytes()) {
        Some(_) => Cow::Owned(name.replace('\\', "")),
        None => Cow::Borrowed(name),
    }
}

/// No name of a tool that stands without marks is longer.
pub(crate) const WORD_BYTES_MAX: usize = 128;

/// The end of the identifier that starts here and is no longer than a name without marks.
pub(crate) fn word_end(text: &str, at: usize) -> Look<usize> {
    let bytes = text.as_bytes().get(at..).unwrap_or_default();
    let bytes = bytes.get(..WORD_BYTES_MAX).unwrap_or(bytes);
    // Most letters need no decoding, and neither does what most words end with.
    let plain = plain_bytes(bytes);
    match bytes.get(plain) {
        Some(stop) if stop.is_ascii() && !is_name_char(char::from(*stop)) => Look::Is(at + plain),
        _ => stop_within(text, at + plain, WORD_BYTES_MAX - plain, |c| !is_name_char(c)),
    }
}

/// The letters, the digits and the underscore.
#[expect(clippy::indexing_slicing, reason = "a constant that would panic does not compile")]
const WORD_BYTES: [bool; 256] = {
    let mut bytes = [false; 256];
    let mut byte = 0_u8;
    while byte.is_ascii() {
        bytes[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    bytes
};

fn plain_bytes(bytes: &[u8]) -> usize {
    let is_plain = |byte: &u8| WORD_BYTES.get(usize::from(*byte)).is_some_and(|is| *is);
    bytes.iter().position(|byte| !is_plain(byte)).unwrap_or(bytes.len())
}

/// How many bytes of the word that a text starts with are letters of ASCII, digits or underscores.
pub(crate) fn word_bytes(text: &str) -> usize {
    plain_bytes(text.as_bytes())
}

/// The end of the identifier that starts here.
pub(crate) fn name_end(text: &str, at: usize) -> usize {
    let plain = at + word_bytes(from(text, at));
    let rest = from(text, plain);
    plain + rest.find(|c| !is_name_char(c)).unwrap_or(rest.len())
}
