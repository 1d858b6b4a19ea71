//! The gates of the words before and behind a region.

use std::ops::Range;

use super::Judge;
use super::line::{continues, ends_sentence, outside, spoken};
use crate::evidence::{After, Before, Lead, Order, Shape, after, is_answer, lead, tail};
use crate::name::Match;
use crate::refusal::{No, Reason};

/// So many labels in a row go with what was said before the first.
const LABELS_MAX: usize = 16;

/// So many calls in a row have one lead; nobody means more of them.
const ROW_MAX: usize = 128;

/// Words between calls of which only one is to run, or that are compared.
const OR: [&str; 15] = [
    "or",
    "vs",
    "versus",
    "alternatively",
    "or alternatively",
    "或",
    "或者",
    "oder",
    "alternativ",
    "ou",
    "ou bien",
    "oppure",
    "или",
    "または",
    "또는",
];

/// Words with which a call goes on from the one before it.
const JOINING: [&str; 22] = [
    "and",
    "also",
    "then",
    "next",
    "plus",
    "meanwhile",
    "second",
    "secondly",
    "finally",
    "und",
    "dann",
    "außerdem",
    "et",
    "puis",
    "ensuite",
    "y",
    "luego",
    "también",
    "e",
    "poi",
    "и",
    "затем",
];

/// So far before a place something that is said on its line is looked for.
const NEAR_BYTES_MAX: usize = 1024;

/// A line longer than this is more than a title.
const TITLE_CHARS: usize = 48;

/// The heading of a section stands no more lines before a call.
const SECTION_LINES: usize = 16;

/// Titles of what a tool takes in a document, and of what it gives.
const TAKEN: [&str; 6] = ["request", "input", "usage", "sample request", "request body", "payload"];
const GIVEN: [&str; 8] = [
    "response",
    "output",
    "returns",
    "return",
    "result",
    "results",
    "sample response",
    "response body",
];

/// Titles over calls in a document. A model may write the same words over its own.
const CALLED: [&str; 4] = ["call", "calls", "tool call", "tool calls"];

impl Judge<'_, '_> {
    /// What the words before and after say.
    pub(super) fn words(&self, at: usize, own: Range<usize>, shape: Shape) -> Result<(), No> {
        let Range { start, end } = own;
        if self.answers(at, start) {
            let message = "it answers what the text itself says".to_owned();
            return Err((Reason::Quoted, message));
        }
        let lead = self.lead(at, start);
        // Who announces a call under the name of its tool makes it.
        let is_in_section = || lead != Lead::Announced && self.is_in_section(at, start);
        if self.is_documented(at, start, end) || shape == Shape::Bare && is_in_section() {
            return Err((Reason::Example, "a document tells of its tool".to_owned()));
        }
        match lead {
            Lead::Announced | Lead::Silent => {}
            Lead::Example => {
                return Err((Reason::Example, "it is introduced as an example".to_owned()));
            }
            Lead::Refusal => return Err((Reason::Warned, "the text warns of it".to_owned())),
            Lead::Possibility => {
                return Err((Reason::Possible, "it is introduced as a possibility".to_owned()));
            }
            Lead::Unclear => {
                return Err((
                    Reason::Quoted,
                    "nothing says that it is a call that is made".to_owned(),
                ));
            }
            Lead::Quotation => {
                return Err((
                    Reason::Quoted,
                    "it is introduced as someone else's words".to_owned(),
                ));
            }
        }
        if self.is_one_of(at, start, end) {
            return Err((Reason::Possible, "it is one of several that could run".to_owned()));
        }
        let (rest, has_next) = self.rest(end);
        let leading = self.layout.slice(0..start).trim_end();
        if (continues(&rest) || ends_sentence(&rest)) && leading.ends_with(char::is_alphanumeric) {
            return Err((Reason::Inline, "a sentence goes on around it".to_owned()));
        }
        let is_own = self.is_row(at) || self.leads(at, start);
        let before = match lead {
            Lead::Announced if is_own => Before::Announced,
            _ => Before::Silent,
        };
        match after(&rest, has_next, shape, before) {
            After::Silent => Ok(()),
            After::Example => Err((Reason::Example, "the text calls it an example".to_owned())),
            After::Refusal => {
                Err((Reason::Warned, "the text says that it does not run".to_owned()))
            }
        }
    }

    /// The lines before a place, the last one first, as far as the region before it.
    fn lines_before(&self, at: usize, start: usize) -> impl Iterator<Item = &str> {
        // Other regions of the same fence stand behind the place.
        let others = self.regions.get(..at).unwrap_or_default();
        let before = others.iter().rev().find(|before| before.end <= start);
        let from = before.map_or(0, |before| before.end);
        self.layout.slice(from..start).lines().rev().take(SECTION_LINES)
    }

    /// Whether a region stands in a section that is named for a tool, as in a document.
    fn is_in_section(&self, at: usize, start: usize) -> bool {
        let mut lines = self.lines_before(at, start).enumerate();
        let Some((above, line)) = lines.find(|(_, line)| line.starts_with('#')) else {
            return false;
        };
        // Right over code that is in no fence, it is a comment.
        let is_fenced = self.regions.get(at).is_some_and(|r| self.layout.fence(r.start).is_some());
        let is_comment = above == 0 && !is_fenced && line.starts_with("# ");
        // `Step 1: get_weather` names a step.
        !is_comment && !line.contains(": ") && self.is_tool(line.trim_matches(is_mark))
    }

    /// Whether a region stands with what it gives under a title of its own: so do documents show what a
    /// tool takes.
    fn is_documented(&self, at: usize, start: usize, end: usize) -> bool {
        let is_said = |line: &&str| line.contains(char::is_alphanumeric);
        // Only behind such a title is it looked for the other one, so that many calls are not each
        // followed by a look at all that is left.
        let Some(taken) = self.lines_before(at, start).find(is_said) else { return false };
        let is_call = is_title(taken, &CALLED);
        if !is_call && !is_title(taken, &TAKEN) {
            return false;
        }
        let mut behind = self.layout.slice(end..self.text.len()).lines();
        let is_given = |given: &str| {
            // A model labels its own call so, too, but not as a title like the other.
            let mark = title_mark(taken);
            is_title(given, &GIVEN) && (!is_call || mark.is_some() && mark == title_mark(given))
        };
        behind.find(is_said).is_some_and(is_given)
    }

    /// Whether an offered tool has this name, but for case and separators.
    pub(super) fn is_tool(&self, name: &str) -> bool {
        let tool = self.search.tools.resolve(name);
        tool.is_some_and(|(_, how)| matches!(how, Match::Exact | Match::Folded))
    }

    /// Whether a region starts with a label for an answer, and words stand before it.
    fn answers(&self, at: usize, start: usize) -> bool {
        let region = self.regions.get(at).map_or("", |range| self.layout.slice(range.clone()));
        let label = region.split_once(':').filter(|(label, _)| label.len() < TITLE_CHARS);
        label.is_some_and(|(label, _)| is_answer(label))
            && (at > 0 || self.said(0..start).contains(char::is_alphanumeric))
    }

    /// Whether nothing but an `or` stands between this region and the one before or behind it.
    fn is_one_of(&self, at: usize, start: usize, end: usize) -> bool {
        let outer = |at: usize| {
            let range = self.regions.get(at)?;
            Some(self.layout.fence(range.start).map_or(range, |fence| &fence.whole))
        };
        let before = at.checked_sub(1).and_then(outer).map(|before| before.end..start);
        let behind = outer(at + 1).map(|behind| end..behind.start);
        before.into_iter().chain(behind).any(|gap| {
            let said = self.said(gap).to_lowercase();
            OR.contains(&said.trim_matches(|c: char| !c.is_alphanumeric()))
        })
    }

    /// The words behind a place, and whether a region follows them. Titles are passed over, and calls
    /// with nothing between them: where calls are listed, what is said behind the last goes for all.
    fn rest(&self, end: usize) -> (String, bool) {
        let first = self.regions.partition_point(|range| range.start < end);
        let near = self.rest_until(end, first);
        let (mut far, mut behind) = (near.clone(), first);
        while let Some(next) = self.regions.get(behind)
            && behind < first + LABELS_MAX
            && (is_label(&far) || self.is_row(behind))
        {
            behind += 1;
            let end = self.layout.fence(next.start).map_or(next.end, |fence| fence.whole.end);
            far = self.rest_until(end, behind);
        }
        match behind > first && far.starts_with('\n') && !continues(&far) {
            true => (far, behind < self.regions.len()),
            false => (near, first < self.regions.len()),
        }
    }

    /// Whether nothing stands between a region and the one before it, and both are laid out alike.
    fn is_row(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.regions.get(before));
        let (Some(before), Some(region)) = (before, self.regions.get(at)) else { return false };
        let (one, two) = (self.layout.fence(before.start), self.layout.fence(region.start));
        let end = one.map_or(before.end, |fence| fence.whole.end);
        let start = two.map_or(region.start, |fence| fence.whole.start);
        let start = self.layout.item_start(start);
        one.is_some() == two.is_some()
            && !self.said(end..start.max(end)).contains(char::is_alphanumeric)
    }

    /// Whether words stand right before a place, with no region between.
    fn leads(&self, at: usize, start: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.regions.get(before));
        let end = before.map_or(0, |before| {
            self.layout.fence(before.start).map_or(before.end, |fence| fence.whole.end)
        });
        self.said(end.min(start)..start).contains(char::is_alphanumeric)
    }

    /// What is said from a place to a region, or to the end.
    fn rest_until(&self, end: usize, at: usize) -> String {
        let start = self.regions.get(at).map_or(self.text.len(), |next| {
            let fence = self.layout.fence(next.start);
            let start = fence.map_or(next.start, |fence| fence.whole.start);
            self.layout.header_start(self.layout.item_start(start))
        });
        let said = self.said(end..start.max(end));
        // The marks around a call are no part of what is said.
        said.trim_start_matches(['`', '*', '_']).to_owned()
    }

    /// What is said in a stretch of text, thinking left out.
    fn said(&self, range: Range<usize>) -> String {
        let thinking = self.thoughts(&range).iter();
        spoken(&outside(self.text, range.clone(), thinking)).into_owned()
    }

    /// The words that lead to a place. Where nothing stands between two regions, the words before
    /// the first lead to both.
    pub(super) fn lead(&self, at: usize, start: usize) -> Lead {
        let own = self.own_lead(at, start);
        // A label goes with the call before it, where calls are listed without marks.
        let before = at.checked_sub(1).and_then(|at| Some((at, self.regions.get(at)?)));
        match (own, before) {
            (Lead::Unclear, Some((at, region))) if at < LABELS_MAX => {
                let start =
                    self.layout.fence(region.start).map_or(region.start, |fence| fence.whole.start);
                let before = || self.lead(at, start);
                if self.is_listed(at) || self.is_numbered(at) {
                    before()
                } else if self.is_joined(at) && before() == Lead::Announced {
                    Lead::Announced
                } else {
                    own
                }
            }
            _ => own,
        }
    }

    /// Whether the words between a region and the one behind it only join the two: `And the other file:`.
    fn is_joined(&self, at: usize) -> bool {
        let gap = self.regions.get(at).zip(self.regions.get(at + 1));
        let said = gap.map_or_else(String::new, |(one, two)| self.said(one.end..two.start));
        let said = said.trim().to_lowercase();
        let first = said.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        said.ends_with([':', '：'])
            && said.chars().count() < TITLE_CHARS
            && JOINING.contains(&first)
    }

    /// Whether a region and the one behind it are written without marks, in the same way.
    fn is_listed(&self, at: usize) -> bool {
        let first = |at: usize| {
            let range = self.regions.get(at)?;
            let first = self.layout.slice(range.clone()).chars().next()?;
            Some(if first.is_alphabetic() { 'a' } else { first })
        };
        first(at) == first(at + 1) && matches!(first(at), Some('{' | '[' | 'a'))
    }

    /// Whether the words between a region and the one behind it are an item of a numbered list.
    fn is_numbered(&self, at: usize) -> bool {
        let gap = self.regions.get(at).zip(self.regions.get(at + 1));
        let gap = gap.map_or("", |(one, two)| self.layout.slice(one.end..two.start));
        let gap = gap.trim_start_matches(|c: char| !c.is_alphanumeric());
        gap.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(['.', ')', '、'])
    }

    /// Where the title over a place starts, if it is the name of a tool; else the place.
    fn title_start(&self, at: usize, start: usize) -> usize {
        // A title stands right over the place, with a blank line between at most.
        let breaks = self.layout.slice(0..start).bytes().rev().take_while(|byte| *byte == b'\n');
        let end = start - breaks.take(2).count();
        let line = self.layout.short_line(end).filter(|_| end < start).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|before| self.regions.get(before));
        if before.is_some_and(|before| before.end > end - line.len()) {
            return start;
        }
        let line_only = line.trim_start_matches(is_mark);
        let step = ["Step ", "step ", "STEP "].iter().find_map(|step| line_only.strip_prefix(step));
        let step = step.filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let name =
            step.unwrap_or(line).trim_start_matches(|c: char| c.is_ascii_digit() || is_mark(c));
        let name = name.trim_end_matches(is_mark);
        let is_word = !name.is_empty() && !name.contains(' ');
        if is_word && self.is_tool(name) { end - line.len() } else { start }
    }

    /// Whether something is said before a place on its line. Of a long line only the end is looked at.
    fn is_on_line(&self, at: usize) -> bool {
        let near = tail(self.layout.slice(0..at), NEAR_BYTES_MAX);
        match near.rfind('\n') {
            Some(line) => !spoken(near.get(line + 1..).unwrap_or_default()).trim().is_empty(),
            None if near.len() == at => !spoken(near).trim().is_empty(),
            None => !self.said(at - near.len()..at).trim().is_empty(),
        }
    }

    fn own_lead(&self, at: usize, start: usize) -> Lead {
        let mut start = self.title_start(at, self.layout.item_start(start));
        let is_on_line = self.is_on_line(self.layout.header_start(start));
        let mut from = 0;
        for (back, before) in self.regions.iter().enumerate().take(at).rev() {
            if at - back > ROW_MAX {
                return Lead::Unclear;
            }
            let fence = self.layout.fence(before.start);
            let gap_start = fence.map_or(before.end, |fence| fence.whole.end).min(start);
            if self.layout.slice(gap_start..start).chars().any(char::is_alphanumeric) {
                from = gap_start;
                break;
            }
            let outer = fence.map_or(before.start, |fence| fence.whole.start).min(start);
            start = self.title_start(back, self.layout.item_start(outer));
        }
        let start = self.layout.header_start(start);
        let order = if from == 0 { Order::First } else { Order::Later };
        lead(&self.said(from..start), is_on_line, order)
    }
}

/// Whether words only name what follows them: a heading, an item, or a line that ends in a colon.
fn is_label(rest: &str) -> bool {
    let line = rest.trim();
    let is_alone = rest.starts_with('\n') && rest.ends_with('\n') && !line.contains('\n');
    let is_marked = line.starts_with(|c: char| matches!(c, '#' | '*' | '-' | '•' | '0'..='9'));
    let is_led = line.ends_with([':', '：']);
    let is_short = line.chars().count() < TITLE_CHARS;
    is_alone && is_short && (is_marked || is_led) && !line.ends_with(is_end) && !continues(line)
}

/// Whether a line is one of these titles, or starts with one and a colon. Numbers and marks may stand
/// around it.
fn is_title(line: &str, titles: &[&str]) -> bool {
    let line = line.split([':', '：']).next().unwrap_or_default();
    let line = line.trim_start_matches(|c: char| is_mark(c) || c.is_ascii_digit());
    let line = line.trim_end_matches(is_mark);
    titles.iter().any(|title| title.eq_ignore_ascii_case(line))
}

/// The sign that makes a title of a line.
fn title_mark(line: &str) -> Option<char> {
    line.trim_start()
        .chars()
        .next()
        .filter(|c| matches!(c, '#' | '*' | '=' | '_') || c.is_ascii_digit())
}

fn is_mark(c: char) -> bool {
    !c.is_alphanumeric()
}

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ',' | '。' | '！' | '？' | '，')
}
