//! Marks inside a region: tokens, tags, literal marks, and the headers that follow some of them.

use super::{Calls, Parser, Step};
use crate::cursor::{Look, between, byte, follows, from, name_end, skip_blanks, skip_space};
use crate::decode::{header, tags};
use crate::dialect::Body;
use crate::found::{Arguments, Ending, Field, Found, Value};
use crate::lex::{End, Mark, Tag, decoded, mark_at};
use crate::lexicon::{self, CALL_TAGS, Kind};

/// Between a mark and the arguments stands a name.
const HEADER_CHARS: usize = 256;

/// Whether the arguments are an object, be it one that cannot be read.
fn has_object(draft: &Found) -> bool {
    matches!(draft.arguments, Arguments::Object(..) | Arguments::Unreadable(_))
}

/// Actions are not numbered further.
const NUMBER_DIGITS_MAX: usize = 3;

/// The arguments of an element that is nothing but its tag: its attributes, but for its own name.
fn attributes(tag: &Tag<'_>, is_tool: bool) -> Arguments {
    let is_own = |key: &str| !is_tool && matches!(key, "name" | "tool" | "id");
    let field = |(key, value): (&str, &str)| {
        let is_field = !key.is_empty() && !is_own(key);
        is_field.then(|| Field { key: Some(key.to_owned()), value: Value::Text(decoded(value)) })
    };
    let fields: Vec<Field> = tag.attributes().filter_map(field).collect();
    if fields.is_empty() { Arguments::None } else { Arguments::Fields(fields) }
}

impl<'t> Parser<'t, '_> {
    /// A mark in angle brackets.
    pub(super) fn mark(&self, place: usize) -> Step {
        let (mark, end) = match mark_at(self.text, place).ended(self.is_ended) {
            Look::Is(found) => found,
            Look::More => return Step::More,
            Look::Not => return Step::Over,
        };
        let tag = match mark {
            Mark::Token(token) => return self.token(place, end, &token),
            Mark::Tag(tag) => tag,
        };
        let kind = lexicon::tag(tag.name);
        match tag.closes {
            _ if lexicon::is_turn_tag(tag.name) => self.turn_mark(end),
            _ if kind.only_closes() => Step::Close(end),
            true if kind.is_markup => Step::Close(end),
            true => Step::Over,
            false if self.is_name_in_frame(&tag) => self.tagged(self.frame_of_name(), None, place),
            false => self.tag(&tag, kind, end),
        }
    }

    /// Whether this is the element of a name, right behind the tag that GLM writes names in.
    fn is_name_in_frame(&self, tag: &Tag<'t>) -> bool {
        let is_name = matches!(tag.name, "name" | "tool_name") && tag.rest.trim().is_empty();
        let is_frame = self.is_glm() || self.frame_of_name() == "tool_use";
        is_name && is_frame && self.used < self.openers.len()
    }

    /// The frame whose first element is a name.
    fn frame_of_name(&self) -> &'static str {
        let is_use = self.openers.last().is_some_and(|mark| mark.starts_with("<tool_use"));
        if is_use { "tool_use" } else { "tool_call" }
    }

    /// A mark between messages goes with the call before it, together with the role behind it.
    pub(super) fn turn_mark(&self, end: usize) -> Step {
        if self.calls.is_empty() && !self.signs.is_open {
            return Step::Over;
        }
        match follows(self.text, end, "assistant") {
            Look::Is(role) => Step::Bracket(role),
            Look::More if !self.is_ended && !from(self.text, end).is_empty() => Step::More,
            _ => Step::Bracket(end),
        }
    }

    /// A token: it opens, it closes, or a header follows it.
    pub(super) fn token(&self, place: usize, end: usize, token: &str) -> Step {
        if matches!(token, "start" | "channel") {
            let look = header::harmony(self.text, place, self.offered, self.is_ended);
            return match self.headed(look, true) {
                // Muse Glimmer has the header of Harmony and tags behind it.
                Step::Over => self.addressed(place),
                step => step,
            };
        }
        match lexicon::composite_at(self.text, place, token).ended(self.is_ended) {
            Look::Is(end) => return Step::Open(end),
            Look::More => return Step::More,
            Look::Not => {}
        }
        if lexicon::is_turn_token(token) {
            return self.turn_mark(end);
        }
        match lexicon::token(token) {
            Some(role) if role.opens => match token {
                // The header before the body names the tool a second time, or nothing.
                "message_model" => {
                    let next = name_end(self.text, skip_blanks(self.text, end));
                    if next == self.text.len() && !self.is_ended {
                        return Step::More;
                    }
                    Step::Open(next)
                }
                _ => Step::Open(end),
            },
            Some(_) => Step::Close(end),
            None if token == "tool_sep" || token == "tool_call_argument_begin" => Step::Noise(end),
            None => Step::Over,
        }
    }

    /// A header with a recipient, before tagged calls.
    pub(super) fn addressed(&self, place: usize) -> Step {
        let rest = from(self.text, place);
        let Some(end) = rest.find("<|message|>") else {
            let may_come = rest.len() < HEADER_CHARS && !self.is_ended;
            return if may_come { Step::More } else { Step::Over };
        };
        let header = between(rest, 0, end);
        let recipient = header.rsplit_once(" to=").map(|(_, recipient)| recipient);
        match recipient {
            Some(recipient)
                if !matches!(recipient, "self" | "user")
                    && end < HEADER_CHARS - "<|message|>".len() =>
            {
                Step::Open(place + end + "<|message|>".len())
            }
            _ => Step::Over,
        }
    }

    /// A tag that opens: a call, a frame, or nothing of ours.
    fn tag(&self, tag: &Tag<'t>, kind: Kind, end: usize) -> Step {
        let name = tag.value().map(str::to_owned).or_else(|| tag.attribute(&["name", "tool"]));
        let is_named = matches!(tag.name, "tool_call" | "tool_use" | "tool") && name.is_some();
        let is_call = CALL_TAGS.contains(&tag.name) || is_named;
        let has_child = matches!(tag.name, "invoke" | "function") && name.is_none();
        let is_tool = !kind.is_markup && self.offered.knows(tag.name);
        if tag.name == "call" && !tag.is_prefixed {
            return Step::Over;
        }
        if is_call && (name.is_some() || has_child) || is_tool {
            let name = if is_tool { Some(tag.name.to_owned()) } else { name };
            if tag.end == End::Empty {
                let draft = Found::new(name.unwrap_or_default(), attributes(tag, is_tool));
                if self.only_describes(&draft) {
                    return Step::Over;
                }
                let drafts = vec![draft];
                return if is_call {
                    Calls::marked(drafts, end, Ending::Closed, Body::Tags)
                } else {
                    Calls::bare(drafts, end, Ending::Closed, Body::Tags)
                };
            }
            return self.tagged(tag.name, name, end);
        }
        if kind.is_frame { Step::Open(end) } else { Step::Over }
    }

    /// Whether the attributes only tell of the tool: `<tool name="f" description="…"/>`.
    fn only_describes(&self, draft: &Found) -> bool {
        let Arguments::Fields(fields) = &draft.arguments else { return false };
        let keys = fields.iter().filter_map(|field| field.key.as_deref());
        self.offered.is_described(&draft.name, keys)
    }

    /// A call with tagged parameters.
    pub(super) fn tagged(&self, element: &'t str, name: Option<String>, start: usize) -> Step {
        let reading = tags::Reading {
            text: self.text,
            offered: self.offered,
            is_ended: self.is_ended,
            element,
            depth: 0,
        };
        if self.is_ended {
            self.look_to(self.text.len());
        }
        match reading.body(name, start) {
            Look::Is(read) => {
                let body = match read.draft.arguments {
                    Arguments::Object(..) | Arguments::Unreadable(_) => Body::Json,
                    _ => Body::Tags,
                };
                let is_marked = lexicon::is_markup(element);
                let drafts = vec![read.draft];
                let is_element = element != "tool_call";
                Step::Calls(Calls {
                    drafts,
                    end: read.end,
                    ending: read.ending,
                    body,
                    is_marked,
                    is_element,
                })
            }
            Look::More => Step::More,
            Look::Not => Step::Over,
        }
    }

    /// Calls whose name stood in a header.
    pub(super) fn headed(&self, look: Look<header::Read>, is_marked: bool) -> Step {
        if self.is_ended {
            self.look_to(self.text.len());
        }
        match look {
            Look::Is(read) => {
                self.look_past(read.end, read.looked);
                Step::Calls(Calls {
                    drafts: read.drafts,
                    end: read.end,
                    ending: read.ending,
                    body: Body::Json,
                    is_marked,
                    is_element: true,
                })
            }
            Look::More if !self.is_ended => Step::More,
            _ => Step::Over,
        }
    }

    /// A mark that is no word and stands in no brackets.
    pub(super) fn literal(&self, place: usize) -> Step {
        if let Some(step) = self.half_literal(place) {
            return step;
        }
        match lexicon::literal_at(from(self.text, place)) {
            Some(("✿FUNCTION✿", _)) => {
                self.headed(self.flower(place + "✿FUNCTION✿".len()), true)
            }
            Some((mark, role)) if role.opens => Step::Open(place + mark.len()),
            Some((mark, _)) => Step::Close(place + mark.len()),
            None => Step::Over,
        }
    }

    /// `✿FUNCTION✿: f` and `✿ARGS✿: {…}`.
    pub(super) fn flower(&self, at: usize) -> Look<header::Read> {
        let rest = from(self.text, at);
        // The name is short: what stands further on belongs to another call.
        let stop = rest.char_indices().nth(HEADER_CHARS).map_or(rest.len(), |(stop, _)| stop);
        let Some(args) = between(rest, 0, stop).find("✿ARGS✿") else {
            return if self.is_ended || stop < rest.len() { Look::Not } else { Look::More };
        };
        let name = between(rest, 0, args).trim().trim_start_matches([':', '：']).trim();
        let after = at + args + "✿ARGS✿".len();
        let body = skip_space(self.text, after);
        let body = body + usize::from(byte(self.text, body) == Some(b':'));
        let body = skip_space(self.text, body);
        match byte(self.text, body) {
            None if !self.is_ended => Look::More,
            Some(b'{') => header::body(self.text, body, name, None, self.offered, self.is_ended),
            _ => Look::Not,
        }
    }

    /// A mark that is a word: a header follows it, or a body.
    pub(super) fn word_mark(&self, mark: &str, role: lexicon::Role, place: usize) -> Step {
        let end = place + mark.len();
        match mark {
            "Action:" | "Tool:" | "Function:" | "**Action:**" | "**Tool:**" => self.action(end),
            "Action " => self.numbered_action(end),
            "commentary to=" | "analysis to=" | "to=functions." => {
                self.headed(header::harmony(self.text, place, self.offered, self.is_ended), true)
            }
            "Tool call " => {
                self.headed(header::record(self.text, end, self.offered, self.is_ended), false)
            }
            // The bracket belongs to the list.
            "functools[" => Step::Open(end - 1),
            _ if role.opens => Step::Open(end),
            _ => Step::Close(end),
        }
    }

    /// `Action 1:`. Plans are numbered as well, but have no objects.
    fn numbered_action(&self, place: usize) -> Step {
        let digits = from(self.text, place).bytes().take_while(u8::is_ascii_digit).count();
        match byte(self.text, place + digits) {
            _ if digits > NUMBER_DIGITS_MAX => Step::Over,
            None if !self.is_ended => Step::More,
            Some(b':') if digits > 0 => match self.action(place + digits + 1) {
                Step::Calls(calls) if calls.drafts.iter().any(|draft| !has_object(draft)) => {
                    Step::Over
                }
                step => step,
            },
            _ => Step::Over,
        }
    }

    /// What stands behind `Action:`: a body, a call in Python syntax, or a name.
    fn action(&self, end: usize) -> Step {
        let next = skip_space(self.text, end);
        match byte(self.text, next) {
            None if !self.is_ended => return Step::More,
            // A name in backticks; with a body, they are around all of the call.
            Some(b'`') if byte(self.text, next + 1).is_none_or(|tick| tick != b'`') => {
                let look = header::react(self.text, end, self.offered, self.is_ended);
                return match look {
                    Look::Not => Step::Open(end),
                    look => self.headed(look, false),
                };
            }
            Some(b'`' | b'[' | b'{') => return Step::Open(end),
            _ => {}
        }
        match self.call_head(next) {
            Look::Is(()) => Step::Open(end),
            Look::More => Step::More,
            Look::Not => {
                self.headed(header::react(self.text, end, self.offered, self.is_ended), false)
            }
        }
    }

    /// `antml:invoke name="f">`: the bracket before it was lost.
    pub(super) fn beheaded(&self, place: usize) -> Step {
        let rest = from(self.text, place);
        let Some(end) = rest.find('>') else {
            return if self.is_ended || rest.len() > HEADER_CHARS {
                Step::Over
            } else {
                Step::More
            };
        };
        if end > HEADER_CHARS {
            return Step::Over;
        }
        let tag = Tag { rest: between(rest, 0, end), ..Tag::default() };
        self.tagged("invoke", tag.attribute(&["name"]), place + end + 1)
    }

    /// A fence around a body: it opens before the calls, and closes behind them.
    pub(super) fn fence(&self, place: usize) -> Step {
        let is_tick = byte(self.text, place + 1).is_some_and(|next| next != b'`');
        // `Function call: \`f()\``: the tick that opens it, and the one that closes it.
        if is_tick && self.signs.is_open && self.calls.is_empty() {
            return Step::Noise(place + 1);
        }
        if self.signs.is_fenced && !self.calls.is_empty() {
            return match follows(self.text, place, "```").ended(self.is_ended) {
                Look::Is(end) => Step::Fence(end),
                Look::More => Step::More,
                Look::Not => Step::Over,
            };
        }
        if !self.calls.is_empty() {
            return self.closing_tick(place);
        }
        match follows(self.text, place, "```tool_code").ended(self.is_ended) {
            Look::Is(end) => return Step::Open(end),
            Look::More if !self.signs.is_open => return Step::More,
            _ => {}
        }
        match header::fence(self.text, place) {
            Look::Is(end) if self.signs.is_open => Step::Fence(end),
            Look::More if self.signs.is_open && !self.is_ended => Step::More,
            _ => Step::Over,
        }
    }

    /// The tick right behind a call that opened with one.
    fn closing_tick(&self, place: usize) -> Step {
        let is_opened = self.last().is_some_and(|(call, trace)| {
            let call = between(self.text, call.span.start, trace.end);
            let line = call.find('(').or_else(|| call.find(['{', '['])).unwrap_or(0);
            between(call, 0, line).matches('`').count() == 1
        });
        let is_behind = self.calls.last().is_some_and(|call| call.span.end == place);
        let is_fence = from(self.text, place).starts_with("``");
        if is_opened && is_behind && !is_fence { Step::Bracket(place + 1) } else { Step::Over }
    }

    /// Whether the text here may still become a literal mark.
    pub(super) fn half_literal(&self, place: usize) -> Option<Step> {
        let is_half = !self.is_ended && lexicon::is_half_literal(from(self.text, place));
        is_half.then_some(Step::More)
    }
}
