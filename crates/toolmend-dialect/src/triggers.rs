//! Where a call can start: one automaton for all rows, run byte by byte so that chunks do not
//! matter, and the look at the start of a line for shapes that have no marks.

use std::collections::VecDeque;
use std::sync::LazyLock;

use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind};

use crate::cursor::{Look, between, byte, follows, from, skip_blanks, unescaped, word_end};
use crate::decode::python;
use crate::dialect::is_line_mark;
use crate::items::{bullet_end, is_bullet, item, listed};
use crate::lex::{End, Mark, Tag, mark_at};
use crate::lexicon::{self, STRAY_WORDS, Starts};
use crate::offered::Offered;
use crate::probe;

/// An opener that lost its first bracket (seen with Claude, 2026).
const BEHEADED: &str = "antml:invoke name=";

/// The automaton, and how many bytes of a pattern each state has seen.
pub(crate) struct Automata {
    dfa: DFA,
    start: StateID,
    /// The first bytes of patterns, those that are whole patterns, and the second bytes.
    starts: Starts,
    wholes: Starts,
    seconds: Starts,
    depths: Vec<Option<u8>>,
}

static AUTOMATA: LazyLock<Option<Automata>> = LazyLock::new(Automata::build);

/// All patterns. Every mark in angle brackets is found by its first one.
pub(crate) fn patterns() -> Vec<&'static str> {
    let mut patterns = vec!["\n", "<", crate::lex::NAMESPACE, BEHEADED, crate::escaped::OPENER];
    patterns
        .extend(lexicon::literals().filter(|mark| !is_line_mark(mark) && !mark.starts_with('<')));
    patterns.sort_unstable();
    patterns.dedup();
    patterns
}

impl Automata {
    fn build() -> Option<Self> {
        let mut builder = DFA::builder();
        builder.match_kind(MatchKind::Standard).prefilter(false);
        let dfa = builder.build(patterns()).ok()?;
        let start = dfa.start_state(Anchored::No).ok()?;
        let mut depths: Vec<Option<u8>> = Vec::new();
        set(&mut depths, start, 0);
        let mut open = VecDeque::from([(start, 0)]);
        while let Some((state, depth)) = open.pop_front() {
            for byte in 0..=u8::MAX {
                let next = dfa.next_state(Anchored::No, state, byte);
                let is_new = depths.get(next.as_usize()).is_none_or(Option::is_none);
                if is_new && !dfa.is_match(next) {
                    set(&mut depths, next, depth + 1);
                    open.push_back((next, depth + 1));
                }
            }
        }
        let (starts, seconds) = (Starts::of(patterns()), Starts::nth(patterns(), 1));
        let wholes = Starts::of(patterns().into_iter().filter(|pattern| pattern.len() == 1));
        Some(Self { dfa, start, starts, wholes, seconds, depths })
    }
}

fn set(depths: &mut Vec<Option<u8>>, state: StateID, depth: u8) {
    let at = state.as_usize();
    if depths.len() <= at {
        depths.resize(at + 1, None);
    }
    if let Some(place) = depths.get_mut(at) {
        *place = Some(depth);
    }
}

/// What the automaton has seen of the text so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    state: Option<StateID>,
}

impl Watch {
    pub(crate) fn new() -> Self {
        Self { state: AUTOMATA.as_ref().map(|automata| automata.start) }
    }

    /// Runs on until a pattern ends: where, and how long it is.
    pub(crate) fn run(&mut self, bytes: &[u8]) -> Option<(usize, usize)> {
        let (Some(automata), Some(mut state)) = (AUTOMATA.as_ref(), self.state) else {
            return None;
        };
        let Automata { dfa, start, starts, wholes, seconds, .. } = automata;
        let mut left = bytes.iter();
        loop {
            let is_start = state == *start;
            // Most bytes start no pattern, and that is told without waiting for the last one.
            let next = match is_start {
                true => left.find(|byte| starts.has_byte(**byte)),
                false => left.next(),
            };
            let Some(&byte) = next else { break };
            // Most often the first byte or the one behind it says all.
            if is_start && wholes.has_byte(byte) {
                self.state = Some(*start);
                return Some((bytes.len() - left.len(), 1));
            }
            let second = left.as_slice().first().filter(|_| is_start);
            if second.is_some_and(|second| !seconds.has_byte(*second)) {
                continue;
            }
            state = dfa.next_state(Anchored::No, state, byte);
            if dfa.is_special(state) && dfa.is_match(state) {
                let length = dfa.pattern_len(dfa.match_pattern(state, 0));
                self.state = Some(*start);
                return Some((bytes.len() - left.len(), length));
            }
        }
        self.state = Some(state);
        None
    }

    /// Whether no pattern has begun, and none begins in these bytes.
    pub(crate) fn passes(self, bytes: &[u8]) -> bool {
        AUTOMATA.as_ref().is_some_and(|automata| {
            let starts = &automata.starts;
            self.state == Some(automata.start) && !bytes.iter().any(|byte| starts.has_byte(*byte))
        })
    }

    /// How many of the last bytes may be the start of a pattern.
    pub(crate) fn held(self) -> usize {
        let (Some(automata), Some(state)) = (AUTOMATA.as_ref(), self.state) else { return 0 };
        if state == automata.start {
            return 0;
        }
        let depth = automata.depths.get(state.as_usize()).copied().flatten();
        depth.map_or(0, usize::from)
    }
}

/// What a mark starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// A region, perhaps.
    Region,
    /// The answer behind thinking, which starts here as at the start of a line.
    Answer(usize),
}

/// Whether a mark starts something.
pub(crate) fn opens(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<Opening> {
    if is_plain_tag(text, at, offered) {
        return Look::Not;
    }
    match follows(text, at, "<<function>>").ended(is_ended) {
        Look::Not => {}
        look => return look.map(|_| Opening::Region),
    }
    match mark_at(text, at).ended(is_ended) {
        Look::More => Look::More,
        Look::Is((mark, _)) if is_of_interest(&mark, offered) => Look::Is(Opening::Region),
        Look::Is((Mark::Tag(tag), end)) if tag.closes && is_thinking(tag.name) => {
            Look::Is(Opening::Answer(end))
        }
        _ => Look::Not,
    }
}

/// Whether a line starts with what starts no call, told without much looking.
pub(crate) fn is_plain_line(text: &str, start: usize, offered: &Offered) -> bool {
    let at = skip_blanks(text, start);
    match byte(text, at) {
        None | Some(b'{' | b'[' | b'`' | b'>' | 0x80..) => false,
        Some(b'*') if starts_mark(text, at, false) != Look::Not => false,
        Some(b'-' | b'*' | b'0'..=b'9') => match item(text, at) {
            Look::Is(place) => match byte(text, place) {
                None | Some(b'{' | b'[') => false,
                Some(next) => {
                    !lexicon::is_call_mark_start(next)
                        && head_of_call(text, place, offered, false) == Look::Not
                }
            },
            Look::More => false,
            // Words that announce a call may stand right behind a bullet.
            Look::Not => byte(text, bullet_end(text, at))
                .is_some_and(|next| !lexicon::is_call_mark_start(next)),
        },
        Some(first) if first.is_ascii_alphabetic() || first == b'_' => is_prose(text, at, offered),
        Some(_) => true,
    }
}

/// Whether a tag such as `<div class=…>` has nothing to do with calls, told by its name alone.
pub(crate) fn is_plain_tag(text: &str, at: usize, offered: &Offered) -> bool {
    let closes = byte(text, at + 1) == Some(b'/');
    let start = at + 1 + usize::from(closes);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let Some(length) = rest.iter().position(|byte| !byte.is_ascii_alphanumeric()) else {
        return false;
    };
    // A separator may go on to a namespace or a longer name.
    let is_over = !matches!(rest.get(length), Some(b'_' | b':' | b'-' | b'.' | b'|' | 0x80..));
    let name = between(text, start, start + length);
    let is_plain = is_over && length > 0 && !(closes && is_thinking(name));
    is_plain && !lexicon::may_be_markup(name) && !offered.may_be_tag(name)
}

fn is_thinking(name: &str) -> bool {
    matches!(name, "think" | "thinking")
}

fn is_of_interest(mark: &Mark<'_>, offered: &Offered) -> bool {
    match mark {
        Mark::Token(token) => lexicon::token(token).is_some(),
        Mark::Tag(tag) => {
            lexicon::is_markup(tag.name)
                || !tag.closes && may_be_tool(tag) && offered.knows(tag.name)
        }
    }
}

/// Whether a tag may be that of a tool. Elements of HTML and its kin have attributes as well, but no
/// underscore in their names.
fn may_be_tool(tag: &Tag<'_>) -> bool {
    tag.rest.trim().is_empty() || tag.end == End::Empty && tag.name.contains('_')
}

/// Whether a region without marks may start at this line: where.
pub(crate) fn line(text: &str, start: usize, offered: &Offered, is_ended: bool) -> Look<usize> {
    let mut at = skip_blanks(text, start);
    // Code in a line of its own between backticks.
    if byte(text, at) == Some(b'`') && !matches!(byte(text, at + 1), Some(b'`') | None) {
        at += 1;
    }
    let rest = from(text, at);
    let Some(first) = rest.chars().next() else {
        return if is_ended { Look::Not } else { Look::More };
    };
    match first {
        '{' => object(text, at, offered, is_ended).map(|()| at),
        '[' => list(text, at, offered, is_ended).map(|()| at),
        '`' => fenced(text, at, is_ended),
        '>' => follows(text, at, ">>>").ended(is_ended).map(|_| at),
        '*' if starts_mark(text, at, is_ended) != Look::Not => {
            starts_mark(text, at, is_ended).map(|()| at)
        }
        c if is_bullet(c) || c.is_ascii_digit() => listed(text, at, offered, is_ended),
        c if c.is_ascii_alphabetic() || c == '_' => {
            if is_prose(text, at, offered) {
                return Look::Not;
            }
            word(text, at, offered, is_ended).map(|()| at)
        }
        c if c.is_alphabetic() && offered.may_start_with(from(text, at)) => {
            word(text, at, offered, is_ended).map(|()| at)
        }
        _ => Look::Not,
    }
}

/// Whether a line starts like a sentence: a word that starts no mark and names no tool, and then
/// another word.
fn is_prose(text: &str, at: usize, offered: &Offered) -> bool {
    let rest = from(text, at).as_bytes();
    let Some(end) = rest.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
    else {
        return false;
    };
    let goes_on = match rest.get(end) {
        Some(b' ') => rest.get(end + 1).is_some_and(u8::is_ascii_alphanumeric),
        Some(b',' | b'\'' | b';' | b'!' | b'?') => true,
        _ => false,
    };
    if !goes_on {
        return false;
    }
    let word = from(text, at).get(..end).unwrap_or_default();
    !offered.may_start_with(word) && !lexicon::starts_line_mark(word)
}

fn fenced(text: &str, at: usize, is_ended: bool) -> Look<usize> {
    follows(text, at, "```tool_code").ended(is_ended).map(|_| at)
}

pub(crate) fn object(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<()> {
    // Small models copy the doubled braces of a template.
    let at = at + usize::from(byte(text, at + 1) == Some(b'{'));
    match probe::object(text, at, offered) {
        // A text that ends here may have ended inside a call.
        Look::More if is_ended => Look::Is(()),
        look => look,
    }
}

pub(crate) fn list(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<()> {
    match bracketed_mark(text, at).ended(is_ended) {
        Look::Not => {}
        look => return look,
    }
    let inner = crate::cursor::skip_space(text, at + 1);
    match byte(text, inner) {
        None if is_ended => Look::Not,
        None => Look::More,
        Some(b'{') if !matches!(byte(text, inner + 1), Some(b'\'' | b'"')) => {
            object(text, inner, offered, is_ended)
        }
        Some(b'{' | b'\'' | b'"') => {
            let object = object(text, inner, offered, is_ended);
            if object == Look::Is(()) {
                return object;
            }
            let rest = from(text, inner).trim_start_matches(['{', '\'', '"', '[']);
            match head_of_call(text, text.len() - rest.len(), offered, is_ended) {
                Look::Not => object,
                look => look,
            }
        }
        Some(b'[') => {
            // A list for each call: `[[f()], [g()]]`.
            let rest = from(text, inner).trim_start_matches(['[', ' ', '\n']);
            head_of_call(text, text.len() - rest.len(), offered, is_ended)
        }
        Some(_) => head_of_call(text, inner, offered, is_ended),
    }
}

/// `[Tool Use:` and its kin.
fn bracketed_mark(text: &str, at: usize) -> Look<()> {
    let mut is_half = false;
    for mark in lexicon::bracketed_marks() {
        match follows(text, at, mark) {
            Look::Is(_) => return Look::Is(()),
            Look::More => is_half = true,
            Look::Not => {}
        }
    }
    if is_half { Look::More } else { Look::Not }
}

/// A name of an offered tool, and an opening bracket.
pub(crate) fn head_of_call(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<()> {
    let end = match word_end(text, at).ended(is_ended) {
        Look::Is(end) => end,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    match byte(text, skip_blanks(text, end)) {
        None if is_ended => Look::Not,
        None => Look::More,
        Some(b'(') if offered.knows(&unescaped(between(text, at, end))) => Look::Is(()),
        Some(_) => Look::Not,
    }
}

/// Whether a mark of a line starts here.
fn starts_mark(text: &str, at: usize, is_ended: bool) -> Look<()> {
    let mut is_half = false;
    for mark in lexicon::line_marks(from(text, at)) {
        match follows(text, at, mark) {
            Look::Is(_) => return Look::Is(()),
            Look::More => is_half = true,
            Look::Not => {}
        }
    }
    if is_half && !is_ended { Look::More } else { Look::Not }
}

/// A line that starts with a word: a mark of the line, a name, or prose.
fn word(text: &str, at: usize, offered: &Offered, is_ended: bool) -> Look<()> {
    // Half a mark may turn out to be one of the words below.
    let mut is_half = match starts_mark(text, at, false) {
        Look::Is(()) => return Look::Is(()),
        look => look == Look::More,
    };
    for stray in STRAY_WORDS {
        match follows(text, at, stray) {
            Look::Is(end) => match stray_before_invoke(text, end) {
                Look::Not => {}
                look => return look.ended(is_ended),
            },
            Look::More => is_half = true,
            Look::Not => {}
        }
    }
    if is_half {
        return if is_ended { Look::Not } else { Look::More };
    }
    let call = match python::opening(text, at, is_ended) {
        Look::Is(call) => call,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    if call > at {
        match byte(text, call) {
            None if !is_ended => return Look::More,
            Some(b'{') => return object(text, call, offered, is_ended),
            Some(b'[') => return list(text, call, offered, is_ended),
            _ => {}
        }
    }
    let end = match word_end(text, call).ended(is_ended) {
        Look::Is(end) => end,
        Look::More => return Look::More,
        Look::Not => return Look::Not,
    };
    let next = crate::cursor::skip_space(text, end);
    let opening = match byte(text, next) {
        None if is_ended => Look::Not,
        None => Look::More,
        Some(b'(') if next == skip_blanks(text, end) => Look::Is(()),
        Some(b'{') => Look::Is(()),
        Some(b'[') => follows(text, next, "[ARGS]").ended(is_ended).map(|_| ()),
        // The opener before the name was lost.
        Some(b'<') => follows(text, next, "<arg_key>").ended(is_ended).map(|_| ()),
        Some(_) => Look::Not,
    };
    // Most words open nothing, so that they are not looked up.
    let is_named = opening != Look::Not && offered.knows(&unescaped(between(text, call, end)));
    if is_named { opening } else { Look::Not }
}

fn stray_before_invoke(text: &str, end: usize) -> Look<()> {
    let next = crate::cursor::skip_space(text, end);
    match byte(text, next) {
        None => Look::More,
        Some(b'<') if next > end => follows(text, next, "<invoke").map(|_| ()),
        Some(_) => Look::Not,
    }
}
