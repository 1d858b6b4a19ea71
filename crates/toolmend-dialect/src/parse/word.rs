//! Words inside a region: a name before its arguments, or something that only looks like one.

use super::{Calls, Parser, Step};
use crate::cursor::{
    Look, between, byte, follows, from, name_end, skip_blanks, skip_space, word_end,
};
use crate::decode::{header, map, python};
use crate::dialect::Body;
use crate::found::{Arguments, Ending, Found};
use crate::lex::{Mark, mark_at};
use crate::lexicon::{self, STRAY_WORDS};

/// A name is short.
const NAME_BYTES_MAX: usize = 256;

impl Parser<'_, '_> {
    /// A letter, or anything else that is no mark.
    pub(super) fn word(&self, place: usize) -> Step {
        let rest = from(self.text, place);
        if let Some((mark, role)) = lexicon::literal_at(rest) {
            return self.word_mark(mark, role, place);
        }
        if let Some(step) = self.half_literal(place) {
            return step;
        }
        if rest.starts_with("antml:invoke") {
            return self.beheaded(place);
        }
        let stray = STRAY_WORDS.iter().find(|word| rest.starts_with(**word));
        if let (true, Some(word)) = (self.calls.is_empty() && !self.signs.is_open, stray) {
            let next = skip_space(self.text, place + word.len());
            match follows(self.text, next, "<invoke").ended(self.is_ended) {
                Look::Is(_) => return Step::Noise(next),
                Look::More => return Step::More,
                Look::Not => {}
            }
        }
        match map::call(self.text, place) {
            Look::Is((draft, end)) => {
                return Calls::bare(vec![draft], end, Ending::Closed, Body::Map);
            }
            Look::More if !self.is_ended => return Step::More,
            Look::More if rest.starts_with("call:") => return self.cut_map(place),
            _ => {}
        }
        self.named(place)
    }

    /// A map that never closes.
    pub(super) fn cut_map(&self, place: usize) -> Step {
        let start = place + "call:".len();
        let name = between(self.text, start, name_end(self.text, start)).to_owned();
        let body = skip_blanks(self.text, start + name.len());
        let rest = from(self.text, body);
        let inner = between(rest, 0, map::unclosed(rest));
        // `{k:<|"|>v}`: only the quote mark is missing.
        let has_more = || map::keys_behind(inner).any(|key| self.offered.has_key(&name, key));
        let is_whole = inner.ends_with('}') && !has_more();
        let whole = is_whole.then(|| map::read(self.text, body..body + inner.len()));
        let (arguments, faults, ending) = match whole {
            Some((arguments @ Arguments::Object(..), faults)) => {
                (arguments, faults, Ending::Unclosed)
            }
            _ => (Arguments::Unreadable(None), Vec::new(), Ending::Cut),
        };
        let drafts = vec![Found { faults, ..Found::new(name, arguments) }];
        Calls::bare(drafts, body + inner.len(), ending, Body::Map)
    }

    /// A name, and then its arguments in one way or another.
    pub(super) fn named(&self, place: usize) -> Step {
        let Look::Is(call) = python::opening(self.text, place, self.is_ended) else {
            return Step::More;
        };
        if call > place && matches!(byte(self.text, call), Some(b'{' | b'[')) {
            return if byte(self.text, call) == Some(b'{') {
                self.json(call)
            } else {
                self.list(call)
            };
        }
        let end = name_end(self.text, call);
        let name = between(self.text, call, end);
        let is_long = !self.signs.is_open && word_end(self.text, call) == Look::Not;
        // Behind a call only the name of a tool can start another one.
        let is_behind = !self.calls.is_empty() && self.used == self.openers.len();
        if is_long || is_behind && self.may_become_call(place) == Look::Not {
            return Step::Over;
        }
        match byte(self.text, skip_blanks(self.text, end)) {
            None if !self.is_ended => return Step::More,
            _ if name.is_empty() => return Step::Over,
            Some(b'(') => return self.statement(call, place),
            _ => {}
        }
        if self.is_glm() {
            return self.glm(place);
        }
        let is_header = self.signs.is_open || self.offered.knows(name);
        let next = skip_space(self.text, end);
        if is_header && !self.signs.is_open {
            match follows(self.text, next, "<arg_key>").ended(self.is_ended) {
                Look::Is(_) => return self.tagged("tool_call", Some(name.to_owned()), end),
                Look::More if next < self.text.len() => return Step::More,
                _ => {}
            }
        }
        match from(self.text, next).chars().next() {
            _ if !is_header => Step::Over,
            None if !self.is_ended => Step::More,
            Some(first) => {
                let args = follows(self.text, next, "[ARGS]").ended(self.is_ended);
                if !self.signs.is_open && first != '{' && args == Look::Not {
                    return Step::Over;
                }
                let look = header::named(self.text, place, self.offered, self.is_ended);
                match self.headed(look, args != Look::Not) {
                    // DeepSeek and Step-3 write the type before the name.
                    Step::Over if name == "function" => Step::Noise(end),
                    step => step,
                }
            }
            None => Step::Over,
        }
    }

    /// Whether the tag that opened the call is the one that GLM writes names in.
    pub(super) fn is_glm(&self) -> bool {
        self.openers
            .last()
            .is_some_and(|mark| mark.contains("tool_call") && !mark.contains(['|', '｜', '‖']))
    }

    /// `NAME<arg_key>…` in a tag.
    pub(super) fn glm(&self, place: usize) -> Step {
        let rest = from(self.text, place);
        let Some(stop) = rest.find(['<', '\n', '{']) else {
            return match self.is_ended {
                true => Step::Over,
                false if rest.len() > NAME_BYTES_MAX => Step::Over,
                false => Step::More,
            };
        };
        if stop > NAME_BYTES_MAX {
            return Step::Over;
        }
        if byte(rest, stop) == Some(b'{') {
            let look = header::named(self.text, place, self.offered, self.is_ended);
            return self.headed(look, false);
        }
        let name = between(rest, 0, stop).trim();
        let is_key = |key: &str| !key.is_empty() && !key.contains([' ', '"']);
        let split = self.offered.split(name).filter(|(_, key)| is_key(key));
        let mark = mark_at(self.text, place + stop).ended(self.is_ended);
        if split.is_some() && matches!(mark, Look::More) {
            return Step::More;
        }
        let is_glued = matches!(
            mark,
            Look::Is((Mark::Tag(tag), _)) if tag.closes && tag.name == "arg_key"
        );
        match split.filter(|_| is_glued) {
            Some((name, _)) => {
                let start = place + name.len();
                self.tagged("tool_call", Some(name.to_owned()), start)
            }
            None if name.is_empty() || name.contains([' ', '"']) => Step::Over,
            None => self.tagged("tool_call", Some(name.to_owned()), place + stop),
        }
    }
}
