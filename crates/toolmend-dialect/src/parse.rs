//! Reads one region: marks, and the calls between them, by what follows and not by which row
//! opened it. Any frame may hold any body, because models mix them.
//!
//! What is told of a text holds for every longer text: that makes chunks not matter.

mod bare;
mod marks;
mod word;

use std::cell::Cell;

use crate::attribute;
use crate::cursor::{Look, between, byte, follows, from, skip_space};
use crate::dialect::{Body, Dialect, is_line_mark};
use crate::found::{Ending, Found};
use crate::items;
use crate::lex::NAMESPACE;
use crate::lexicon;
use crate::offered::Offered;

/// So many calls one region has at most.
const CALLS_MAX: usize = 64;

/// So many of the last openers tell which dialect a call is written in.
const RECENT_MAX: usize = 6;

/// What a region turned out to be.
#[derive(Debug)]
pub(crate) enum Parse {
    /// So many bytes are a region with these calls; so many behind them were looked at for nothing.
    Region { len: usize, calls: Vec<Found>, is_marked: bool, wasted: usize },
    /// It is ordinary text, and so many bytes were looked at to tell.
    Not(usize),
    /// More text is needed.
    More,
}

/// What stands at a place.
enum Step {
    /// A mark that opens, up to here.
    Open(usize),
    /// A mark that closes, up to here.
    Close(usize),
    /// A fence inside the region, up to here.
    Fence(usize),
    /// A bracket or a quote that closes what stands around a call without marks, up to here.
    Bracket(usize),
    /// Something that says nothing: a fence, a comma, a stray word.
    Noise(usize),
    Calls(Calls),
    /// The region is over.
    Over,
    More,
}

/// How far a region was read.
#[derive(Default)]
struct Path {
    at: usize,
    /// Where the region ends if nothing more comes.
    end: usize,
    /// Where the call at hand began.
    start: Option<usize>,
    /// The frames that are open, and the marks that closed something.
    depth: usize,
    closers: usize,
    /// What is left of the text behind the region, once that has ended: half a closer, perhaps.
    half: Option<usize>,
}

/// What comes after a step.
enum Flow {
    On,
    Over,
    More,
}

/// Calls that were read in one go.
struct Calls {
    drafts: Vec<Found>,
    end: usize,
    ending: Ending,
    body: Body,
    /// Whether the call's own marks are ones that nothing else uses.
    is_marked: bool,
    /// Whether it is an element of its own inside the frame.
    is_element: bool,
}

impl Calls {
    fn bare(drafts: Vec<Found>, end: usize, ending: Ending, body: Body) -> Step {
        Step::Calls(Self { drafts, end, ending, body, is_marked: false, is_element: true })
    }

    fn marked(drafts: Vec<Found>, end: usize, ending: Ending, body: Body) -> Step {
        Step::Calls(Self { drafts, end, ending, body, is_marked: true, is_element: true })
    }
}

/// What the marks so far say of a region.
#[derive(Default)]
struct Signs {
    /// Whether a mark or a word opened it.
    is_open: bool,
    /// Whether a fence is open.
    is_fenced: bool,
    /// Whether one of its marks is one that nothing else uses.
    is_marked: bool,
}

/// How a call was read. Which dialect it is written in is said once the region is known.
struct Trace {
    body: Body,
    /// Where its own text ends, without what closes it.
    end: usize,
    /// How many openers stood before it, and whether none of them stood behind the call before.
    openers: usize,
    is_next: bool,
}

struct Parser<'t, 'o> {
    text: &'t str,
    offered: &'o Offered,
    is_ended: bool,
    /// Where a body starts with which something is wrong.
    wrong: Option<usize>,
    signs: Signs,
    /// The marks that opened something since the last call, as they are spelt.
    openers: Vec<&'t str>,
    /// How many of them stood before the last call.
    used: usize,
    calls: Vec<Found>,
    /// How the last call was read, and those before it.
    trace: Option<Trace>,
    traces: Vec<Trace>,
    /// How far a body was read that came to nothing.
    looked: Cell<usize>,
    /// How much was looked at behind bodies for what ends them, all of them together.
    wasted: Cell<usize>,
}

/// Reads the region at the start of the text. With the body that starts at one place, something may be
/// known to be wrong.
pub(crate) fn region(text: &str, offered: &Offered, is_ended: bool, wrong: Option<usize>) -> Parse {
    let parser = Parser {
        text,
        offered,
        is_ended,
        wrong,
        signs: Signs::default(),
        openers: Vec::new(),
        used: 0,
        calls: Vec::new(),
        trace: None,
        traces: Vec::new(),
        looked: Cell::new(0),
        wasted: Cell::new(0),
    };
    parser.run()
}

impl<'t> Parser<'t, '_> {
    fn run(mut self) -> Parse {
        let mut path = Path::default();
        loop {
            let place = skip_space(self.text, path.at);
            let step = self.step(place);
            // Marks that stray before a call do not belong to it.
            let is_call = matches!(step, Step::Open(_) | Step::Calls(_));
            if is_call && path.closers > 0 && self.calls.is_empty() && self.openers.is_empty() {
                break;
            }
            match self.go(step, place, &mut path) {
                Flow::On => {}
                Flow::Over => break,
                Flow::More => return Parse::More,
            }
        }
        let is_region = !self.calls.is_empty() || path.closers > 0 && self.openers.is_empty();
        if !is_region || path.end == 0 {
            return Parse::Not(self.looked.get().max(path.at));
        }
        let (text, is_marked) = (self.text, self.signs.is_marked);
        let wasted = self.wasted.get();
        // Behind a fence that is closed, ticks are text, whether more may come or not.
        let is_closer = |half: &usize| self.signs.is_fenced || byte(text, *half) != Some(b'`');
        let half = path.half.filter(is_closer);
        let mut calls = self.found();
        // Half a closer closes nothing, but it is no text either.
        if let (Some(half), Some(call)) = (half, calls.last_mut())
            && call.dialect.closers().any(|mark| mark.starts_with(from(text, half)))
        {
            call.span.end = text.len();
            path.end = text.len();
        }
        Parse::Region { len: path.end, calls, is_marked, wasted }
    }

    /// The last call, and how it was read.
    fn last(&self) -> Option<(&Found, &Trace)> {
        self.calls.last().zip(self.trace.as_ref())
    }

    /// The calls, and the dialects that they are written in.
    fn found(mut self) -> Vec<Found> {
        let mut last: Option<(&'static Dialect, Body)> = None;
        for (call, trace) in self.calls.iter_mut().zip(self.traces.into_iter().chain(self.trace)) {
            let recent = trace.openers.saturating_sub(RECENT_MAX)..trace.openers;
            let openers = self.openers.get(recent).unwrap_or_default();
            let text = between(self.text, call.span.start, trace.end);
            // What follows a call in its frame is written as it is.
            let same = last.filter(|(_, body)| trace.is_next && *body == trace.body);
            call.dialect = same
                .map_or_else(|| attribute::dialect(openers, text, trace.body), |(same, _)| same);
            last = Some((call.dialect, trace.body));
        }
        self.calls
    }

    /// Takes one step.
    fn go(&mut self, step: Step, place: usize, path: &mut Path) -> Flow {
        match step {
            Step::Open(_) if !self.calls.is_empty() && path.depth == 0 && path.closers > 0 => {
                return Flow::Over;
            }
            Step::Open(next) => {
                self.open(between(self.text, place, next));
                path.start = path.start.or(Some(place));
                path.depth += 1;
                path.at = next;
            }
            Step::Close(next) => {
                self.close(next);
                (path.at, path.end) = (next, next);
                self.signs.is_marked = true;
                return self.leave(path);
            }
            Step::Fence(next) => {
                self.signs.is_fenced = !self.signs.is_fenced;
                if !self.signs.is_fenced {
                    self.close(next);
                    path.end = next;
                }
                path.at = next;
            }
            Step::Bracket(next) => {
                self.close_list(next);
                (path.at, path.end) = (next, next);
            }
            Step::Noise(next) => path.at = next,
            Step::Calls(calls) => return self.add(calls, place, path),
            Step::Over => {
                match self.is_ended && path.end > 0 {
                    // An opener that nothing follows was meant as a closer.
                    true if place == self.text.len() => path.end = path.at,
                    true => path.half = Some(place),
                    false => {}
                }
                return Flow::Over;
            }
            Step::More => return Flow::More,
        }
        Flow::On
    }

    fn add(&mut self, calls: Calls, place: usize, path: &mut Path) -> Flow {
        // What comes after so many is another region.
        if self.calls.len() >= CALLS_MAX {
            return Flow::Over;
        }
        (path.at, path.end) = (calls.end, calls.end);
        self.signs.is_marked |= calls.is_marked;
        // The mark that closes a call of GLM is that of its frame.
        let is_tagged = calls.ending == Ending::Closed && calls.body == Body::Tags;
        let closes_frame = is_tagged && self.is_glm() && path.depth > 0 && !calls.is_element;
        self.take(calls, path.start.take().unwrap_or(place));
        if closes_frame { self.leave(path) } else { Flow::On }
    }

    /// Goes out of a frame; out of the last one, the region is over.
    fn leave(&self, path: &mut Path) -> Flow {
        path.closers += 1;
        path.depth = path.depth.saturating_sub(1);
        match path.depth == 0 && !self.calls.is_empty() {
            true => Flow::Over,
            false => Flow::On,
        }
    }

    /// Takes note of how far the text was read.
    fn look_to(&self, end: usize) {
        self.looked.set(self.looked.get().max(end));
    }

    /// Takes note of what was looked at behind a body. Before the text has ended, such a body is waited
    /// for, so that pieces do not matter.
    fn look_past(&self, end: usize, looked: usize) {
        self.wasted.set(self.wasted.get() + looked.saturating_sub(end));
    }

    /// Takes note of a mark that opens.
    fn open(&mut self, mark: &'t str) {
        // Few calls have more.
        if self.openers.is_empty() {
            self.openers = Vec::with_capacity(4);
        }
        self.openers.push(mark);
        self.signs.is_open = true;
        self.signs.is_fenced |= mark.starts_with("```");
        self.signs.is_marked |= !is_line_mark(mark);
    }

    /// A bracket closes a list of calls in Python syntax; behind any other call it only strays.
    fn close_list(&mut self, end: usize) {
        let is_python = self.trace.as_ref().is_some_and(|trace| trace.body == Body::Python);
        match self.calls.last_mut() {
            Some(call) if !is_python => call.span.end = end,
            _ => self.close(end),
        }
    }

    /// A closing mark belongs to the call before it.
    fn close(&mut self, end: usize) {
        if let Some(call) = self.calls.last_mut() {
            call.span.end = end;
            if call.ending == Ending::Unclosed {
                call.ending = Ending::Closed;
            }
        }
    }

    fn take(&mut self, calls: Calls, start: usize) {
        let mut is_next = self.used == self.openers.len() && self.signs.is_open;
        self.used = self.openers.len();
        let Calls { mut drafts, end, ending, body, .. } = calls;
        for draft in &mut drafts {
            draft.span = start..end;
            draft.ending = ending;
            let trace = Trace { body, end, openers: self.openers.len(), is_next };
            self.traces.extend(self.trace.replace(trace));
            is_next = true;
        }
        match self.calls.is_empty() {
            true => self.calls = drafts,
            false => self.calls.append(&mut drafts),
        }
    }

    fn step(&self, place: usize) -> Step {
        let rest = from(self.text, place);
        let Some(first) = rest.chars().next() else {
            return if self.is_ended { Step::Over } else { Step::More };
        };
        match first {
            '<' => match follows(self.text, place, "<<function>>").ended(self.is_ended) {
                Look::Is(end) => Step::Open(end),
                Look::More if rest.len() > 1 => Step::More,
                _ => self.mark(place),
            },
            ']' if follows(self.text, place, NAMESPACE).ended(self.is_ended) != Look::Not => {
                self.mark(place)
            }
            '>' if follows(self.text, place, ">>>").ended(self.is_ended) != Look::Not => {
                self.literal(place)
            }
            '{' => self.json(place),
            '"' if self.signs.is_open && self.calls.is_empty() => self.unbraced(place),
            '[' => match self.index_end(place) {
                Look::Is(end) => Step::Bracket(end),
                Look::More => Step::More,
                Look::Not => self.list(place),
            },
            '`' => self.fence(place),
            '(' if self.is_right_behind(place) => {
                match follows(self.text, place, "()").ended(self.is_ended) {
                    Look::Is(end) => Step::Bracket(end),
                    Look::More => Step::More,
                    Look::Not => Step::Over,
                }
            }
            ',' | ';' | '+' | ']' | '>' | '"' | '\'' | '}' | ')' if !self.calls.is_empty() => {
                self.separator(place, first)
            }
            // Operators between calls; at the start of a line a dash is something else.
            '-' | '|' | '&' if self.is_on_line_behind(place) => self.separator(place, first),
            'a' if self.is_on_line_behind(place) => self.conjunction(place),
            '✿' | '>' => self.literal(place),
            '*' if place == 0 && lexicon::may_be_literal(rest, self.is_ended) => self.word(place),
            // Emphasis behind the words that announce a call.
            '*' if self.signs.is_open && self.calls.is_empty() => Step::Noise(place + 1),
            '*' if self.signs.is_open && self.is_right_behind(place) => Step::Bracket(place + 1),
            bullet if place == 0 && items::is_bullet(bullet) => {
                match items::behind_bullet(self.text, place).ended(self.is_ended) {
                    Look::Is(next) => Step::Noise(next),
                    Look::More => Step::More,
                    Look::Not => Step::Over,
                }
            }
            _ => self.word(place),
        }
    }
}
