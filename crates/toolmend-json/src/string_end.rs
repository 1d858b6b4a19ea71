//! Where does a string end whose quotes cannot be taken at their word?
//!
//! A quote ends a string if what follows makes sense there. Among several such quotes, those win
//! before which quotes come in pairs and brackets balance: people and programs pair them.

use crate::frame::FrameKind;
use crate::input::{Input, Look};
use crate::look::{Care, Context, Fit};
use crate::quote::Quote;
use crate::scan;

/// How far to look past an end that would do for a better one.
const WINDOW_BYTES: usize = 4096;
/// So far quotes are looked for in what may be a comment.
const REMARK_BYTES: usize = 512;

/// How a string ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// With a quote.
    Quoted,
    /// Without one: what follows shows that it is over.
    Bare,
    /// With the text.
    Cut,
}

/// The end of a string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StringEnd {
    /// Where its characters end.
    pub(crate) content_end: usize,
    /// Where reading goes on.
    pub(crate) next: usize,
    pub(crate) ending: Ending,
    /// Whether another end would have done as well.
    pub(crate) is_unclear: bool,
    /// How many bytes were looked at.
    pub(crate) looked: usize,
}

/// A search for the end of one string.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    pub(crate) input: Input<'a>,
    pub(crate) context: Context<'a>,
    pub(crate) quote: Quote,
    /// Where the opening quote stands.
    pub(crate) start: usize,
    /// Whether looking for a better end is still allowed.
    pub(crate) may_look: bool,
}

/// What stands between the opening quote and the place of the search.
#[derive(Clone, Copy, Debug, Default)]
struct Inside {
    /// Quotes that would end the string if they were taken at their word.
    open_quotes: usize,
    /// All of its kind, escaped ones too.
    quotes: usize,
    /// Opening less closing brackets, and the least it ever was.
    balance: i64,
    balance_min: i64,
}

impl Inside {
    fn is_balanced(self) -> bool {
        self.balance == 0 && self.balance_min == 0
    }

    fn is_paired(self) -> bool {
        self.quotes.is_multiple_of(2) && self.is_balanced()
    }

    fn count(&mut self, byte: u8) {
        match byte {
            b'{' | b'[' => self.balance += 1,
            b'}' | b']' => {
                self.balance -= 1;
                self.balance_min = self.balance_min.min(self.balance);
            }
            _ => {}
        }
    }
}

/// Why an end is not convincing although what follows it makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weakness {
    /// Its quote and the closer after it pair with those inside the string.
    InCode,
    /// The root ends, and text comes after it.
    Rest,
    /// What follows would be a comment, but quotes in it look like those of the string.
    Text,
    /// What follows is a comment as likely as not.
    Comment,
}

/// The best end so far that is not convincing.
#[derive(Clone, Copy, Debug)]
struct Fallback {
    at: usize,
    next: usize,
    fit: Fit,
    rivals: usize,
}

impl Search<'_> {
    /// Finds the end of a value.
    pub(crate) fn value_end(&self) -> Look<StringEnd> {
        let mut at = self.start + self.quote.width();
        let mut limit = usize::MAX;
        let mut inside = Inside::default();
        let mut fallback: Option<Fallback> = None;
        let mut has_rival = false;
        let mut is_in_code = false;
        while at < limit {
            at = self.skip_plain(at);
            let Some(byte) = self.input.peek(at)? else { break };
            let Some(width) = self.closing_width(at, byte)? else {
                if byte == b'\\' {
                    let is_quote = self.input.peek(at + 1)? == Some(self.quote.byte());
                    inside.quotes += usize::from(is_quote);
                    at += 1;
                }
                inside.count(byte);
                at += 1;
                continue;
            };
            // The first quote is where a string ends, unless what follows makes no sense at all.
            let care = if inside.open_quotes == 0 { Care::Loose } else { Care::Strict };
            let is_first = inside.open_quotes == 0;
            let fit = self.input.follow(at + width, Context { care, ..self.context })?;
            let weakness = self.weakness(at + width, fit, inside)?;
            let fit = if weakness.is_some() { Fit::Weak } else { fit };
            has_rival |= weakness == Some(Weakness::Comment);
            if fit == Fit::Good && (is_first || inside.is_paired() || self.is_sound(at + width)?) {
                let end = self.end(at, at + width, Ending::Quoted, at);
                return Some(StringEnd { is_unclear: has_rival, ..end });
            }
            if is_first {
                if let Some(content_end) = self.lost_quote(at, inside)? {
                    let end = self.end(content_end, content_end, Ending::Bare, at);
                    // The quote may be there, of another kind or behind a backslash.
                    let content = self.input.slice(self.start, content_end);
                    let is_unclear = content.ends_with(['"', '\'', '`', '’', '”']);
                    return Some(StringEnd { is_unclear, ..end });
                }
                has_rival |= self.looks_closing(at + width)?;
            }
            has_rival |= fit == Fit::No && self.opens_known_key(at)?;
            // An end before which only the quotes do not pair up is as good as a later one.
            has_rival |= fit == Fit::Good && inside.is_balanced();
            if fit != Fit::No {
                limit = limit.min(if self.may_look { at + WINDOW_BYTES } else { at });
                fallback = Some(Fallback::better(fallback, at, at + width, fit));
                is_in_code |= weakness == Some(Weakness::InCode);
            }
            if !self.is_apostrophe(at, width) {
                inside.quotes += 1;
            }
            inside.open_quotes += 1;
            at += width;
        }
        let looked = at.min(self.input.len());
        if let Some(found) = fallback {
            let end = self.end(found.at, found.next, Ending::Quoted, looked);
            let is_unclear =
                found.rivals > 1 || !self.may_look || (found.fit == Fit::Weak && is_in_code);
            return Some(StringEnd { is_unclear, ..end });
        }
        Some(self.unclosed(inside))
    }

    /// Why an end before which other quotes stand is not convincing although what follows makes
    /// sense.
    fn weakness(&self, next: usize, fit: Fit, inside: Inside) -> Look<Option<Weakness>> {
        if fit == Fit::No {
            return Some(None);
        }
        let comment = self.comment_with_quotes(next)?;
        if comment.is_some() {
            return Some(comment);
        }
        if fit != Fit::Good || inside.open_quotes == 0 {
            return Some(None);
        }
        let after = self.input.skip_gap(next)?;
        if !matches!(self.input.peek(after)?, Some(b'}' | b']')) {
            return Some(None);
        }
        // `d = {"a": "b"}`: quote and brace belong to those inside the string.
        if inside.balance > 0 && !inside.quotes.is_multiple_of(2) {
            return Some(Some(Weakness::InCode));
        }
        let is_rest = !inside.is_paired() && self.leaves_rest(after)?;
        Some(is_rest.then_some(if inside.balance > 0 { Weakness::InCode } else { Weakness::Rest }))
    }

    /// Whether the closers that stand here end the root and text follows it.
    fn leaves_rest(&self, at: usize) -> Look<bool> {
        let (run, after) = self.input.closers_run(at)?;
        if run.len() < self.context.frames.len() {
            return Some(false);
        }
        Some(match self.input.peek(after)? {
            None => false,
            Some(b'<') => !(self.input.has(after, "</")? || self.input.has(after, "<|")?),
            Some(b'`') => !self.input.has(after, "```")?,
            Some(_) => true,
        })
    }

    /// What stands after a quote may be a comment, but holds other quotes of its kind:
    /// `grep "//" a.js"`.
    fn comment_with_quotes(&self, next: usize) -> Look<Option<Weakness>> {
        let at = self.input.skip_space(next);
        if !matches!(self.input.peek(at)?, Some(b'#' | b'/')) {
            return Some(None);
        }
        let Some(gap) = self.input.gap(at)? else { return Some(None) };
        let end = gap.end.min(at + REMARK_BYTES);
        let comment = self.input.bytes().get(at..end).unwrap_or_default();
        let quotes = memchr::memchr_iter(self.quote.byte(), comment).count();
        let is_apart = at > next && quotes.is_multiple_of(2);
        Some((quotes > 0).then_some(if is_apart { Weakness::Comment } else { Weakness::Text }))
    }

    /// Whether a key that is expected stands here, after a comma: the string may have ended before.
    fn opens_known_key(&self, at: usize) -> Look<bool> {
        let is_after_comma = || self.input.slice(self.start, at).trim_end().ends_with(',');
        if !self.input.options.expected.names_keys() || !is_after_comma() {
            return Some(false);
        }
        Some(self.input.key_ahead(at, self.context)? == Fit::Good)
    }

    /// Whether a quote before this place looks like a closing one: then what comes after it is not
    /// likely to be part of the string.
    fn looks_closing(&self, at: usize) -> Look<bool> {
        Some(match self.input.peek(at)? {
            Some(b',' | b'}' | b']' | b':') => true,
            Some(b' ') => self.input.peek(at + 1)? == Some(b'"'),
            _ => false,
        })
    }

    /// The next place that may matter.
    fn skip_plain(&self, at: usize) -> usize {
        scan::find_bracket(self.input.bytes(), at, self.quote.byte())
    }

    fn is_sound(&self, at: usize) -> Look<bool> {
        self.input.is_sound(at, self.context.frames)
    }

    fn end(&self, content_end: usize, next: usize, ending: Ending, looked: usize) -> StringEnd {
        let looked = looked.saturating_sub(self.start);
        StringEnd { content_end, next, ending, is_unclear: false, looked }
    }

    /// The width of the closing quote that may stand here.
    fn closing_width(&self, at: usize, byte: u8) -> Look<Option<usize>> {
        if self.quote == Quote::Escaped {
            return Some((byte == b'\\' && self.input.has(at, "\\\"")?).then_some(2));
        }
        if byte == self.quote.byte() { self.quote.closing(&self.input, at) } else { Some(None) }
    }

    /// Whether a single quote stands inside a word.
    fn is_apostrophe(&self, at: usize, width: usize) -> bool {
        let is_letter = |place: Option<usize>| {
            place
                .and_then(|place| self.input.byte(place))
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80)
        };
        matches!(self.quote, Quote::Single | Quote::SmartSingle)
            && is_letter(at.checked_sub(1))
            && is_letter(Some(at + width))
    }

    /// If the quote at this place opens the next member because this string lost its closing
    /// quote, the end of the string's characters.
    fn lost_quote(&self, at: usize, inside: Inside) -> Look<Option<usize>> {
        let start = self.start + self.quote.width();
        let before = self.input.slice(start, at);
        // The next member may be the first of a new container.
        let (before, openers) = strip_any(before, ['{', '[']);
        let trimmed = before.trim_end();
        let has_break = before.get(trimmed.len()..).unwrap_or_default().contains('\n');
        let without_comma = trimmed.strip_suffix(',').map(str::trim_end);
        if without_comma.is_none() && !has_break {
            return Some(None);
        }
        let content = without_comma.unwrap_or(trimmed);
        // As many closers are structure as leave the brackets of the content in balance.
        let closers = openers - inside.balance;
        let Some(content) = strip_closers(content, closers).filter(|content| !content.is_empty())
        else {
            return Some(None);
        };
        let is_object = self.context.frames.last().is_some_and(|top| top.kind.is_object());
        let fit = if is_object || closers > 0 || openers > 0 {
            self.input.key_ahead(at, self.context)?
        } else if without_comma.is_some() {
            self.input.follow(start + without_comma.map_or(0, str::len), self.context)?
        } else {
            Fit::No
        };
        Some((fit != Fit::No).then_some(start + content.trim_end().len()))
    }

    /// The string has no closing quote that would do. If the text ends with just the closers that
    /// are due, the quote was lost before them; otherwise the text was cut.
    fn unclosed(&self, inside: Inside) -> StringEnd {
        let start = self.start + self.quote.width();
        let end = self.input.len();
        let trimmed = self.input.slice(start, end).trim_end();
        let mut content = trimmed;
        let mut closers = 0;
        for frame in self.context.frames {
            match content.trim_end().strip_suffix(char::from(frame.kind.closer())) {
                Some(less) => {
                    content = less;
                    closers += 1;
                }
                None if frame.kind == FrameKind::Bare => {}
                None => return self.end(end, end, Ending::Cut, end),
            }
        }
        let is_due = !self.context.frames.is_empty()
            && inside.balance == -closers
            && inside.open_quotes == 0;
        if is_due && !content.is_empty() {
            let content_end = start + content.trim_end().len();
            let bare = self.end(content_end, content_end, Ending::Bare, end);
            // The text may as well have been cut after a bracket inside the string.
            return StringEnd { is_unclear: !self.are_laid_out(content_end), ..bare };
        }
        self.end(end, end, Ending::Cut, end)
    }

    /// Whether the closers from this place to the end of the text stand on lines of their own, each
    /// where the line of its opener starts, and the string does not go over lines.
    fn are_laid_out(&self, content_end: usize) -> bool {
        let has_break = self.input.slice(self.start, content_end).contains('\n');
        let mut at = content_end;
        !has_break
            && self.context.frames.iter().rev().all(|frame| {
                at = self.input.skip_space(at);
                let indent = self.input.own_indent(at);
                at += 1;
                frame.kind != FrameKind::Bare
                    && indent.is_some()
                    && indent == self.input.indent(frame.at as usize)
            })
    }

    /// Finds the end of a key whose closing quote is not followed by a colon.
    pub(crate) fn key_end(&self) -> Look<Option<StringEnd>> {
        let start = self.start + self.quote.width();
        let mut at = start;
        let mut is_name = true;
        while at - start < 256 {
            let Some(byte) = self.input.peek(at)? else { break };
            if byte == b':' && is_name && at > start {
                return Some(Some(self.end(at, at, Ending::Bare, at)));
            }
            if byte == b'\n' {
                break;
            }
            if let Some(width) = self.closing_width(at, byte)? {
                let after = self.input.skip_gap(at + width)?;
                if matches!(self.input.peek(after)?, Some(b':' | b'=')) {
                    let end = self.end(at, at + width, Ending::Quoted, at);
                    return Some(Some(StringEnd { is_unclear: true, ..end }));
                }
            }
            let width = self.input.name_width(at)?;
            is_name &= width > 0;
            at += width.max(1 + usize::from(byte == b'\\'));
        }
        Some(None)
    }
}

impl Fallback {
    fn better(old: Option<Self>, at: usize, next: usize, fit: Fit) -> Self {
        match old {
            Some(old) if old.fit > fit => old,
            Some(old) if old.fit == fit => Self { rivals: old.rivals + 1, ..old },
            _ => Self { at, next, fit, rivals: 1 },
        }
    }
}

/// Takes so many closing brackets and the white space around them off the end.
fn strip_closers(text: &str, count: i64) -> Option<&str> {
    let mut content = text.trim_end();
    for _ in 0..usize::try_from(count).ok()? {
        content = content.strip_suffix(['}', ']'])?.trim_end();
    }
    Some(content)
}

/// Takes brackets and white space off the end and tells how many brackets there were.
fn strip_any(text: &str, brackets: [char; 2]) -> (&str, i64) {
    let mut content = text;
    let mut count = 0;
    while let Some(less) = content.trim_end().strip_suffix(brackets) {
        content = less;
        count += 1;
    }
    (content, count)
}
