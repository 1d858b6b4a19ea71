//! Where the value of a tagged parameter ends.

use std::ops::Range;

use memchr::memchr2;

use super::Reading;
use crate::cursor::{Look, between, byte, from, skip_space};
use crate::lex::{End, Mark, Tag, mark_at};
use crate::lexicon::{self, CALL_TAGS};

/// Where a value ends.
pub(super) struct Stop {
    /// The end of the value, and the place behind its closer.
    pub(super) value: usize,
    pub(super) after: usize,
    pub(super) close: Close,
}

/// What closes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Close {
    /// Its own closer.
    Own,
    /// What stands around it, or comes behind it: its own closer was forgotten, or is still to come.
    Other,
    /// Nothing.
    Missing,
}

impl Reading<'_, '_> {
    /// Where the value of an element ends. Only its own closer ends it, as long as openers and
    /// closers of its kind balance; a closer that was forgotten is found by what follows.
    pub(super) fn stop(&self, tag: &Tag<'_>, start: usize, tool: &str) -> Look<Stop> {
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
                    if let Some(stop) = self.glued_closer(tag, &token, start..place, end) {
                        return Look::Is(stop);
                    }
                    // Any other token in a value is data: only tags close what tags opened.
                    at = end;
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
                    return Look::Is(Stop { value: place, after: end, close: Close::Own });
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
                    return Look::Is(Stop { value: place, after: place, close: Close::Other });
                }
                _ => {}
            }
        }
        if !is_over {
            return Look::More;
        }
        let end = next_sibling.or(call_end);
        Look::Is(match end {
            Some(end) => Stop { value: end, after: end, close: Close::Other },
            None => Stop { value: self.text.len(), after: self.text.len(), close: Close::Missing },
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
    ) -> Option<Stop> {
        if token != "sep" || !tag.is_prefixed {
            return None;
        }
        let text = between(self.text, value.start, value.end);
        let inner = text.strip_suffix(tag.name)?;
        // Half a token that follows is waited for where the next mark is read.
        let rest = from(self.text, end);
        let is_closer = rest.starts_with("<|open|>") || rest.starts_with("<|close|>");
        let value = value.start + inner.len();
        is_closer.then_some(Stop { value, after: end, close: Close::Own })
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
}
