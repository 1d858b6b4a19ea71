//! The gates of the words before and behind a region.

use std::ops::Range;

use super::Judge;
use super::line::{continues, ends_sentence, outside, spoken};
use crate::evidence::{After, Lead, Shape, after, lead};
use crate::refusal::{No, Reason};

/// So many labels in a row go with what was said before the first.
const LABELS_MAX: usize = 16;

/// Words between calls of which only one is to run.
const OR: [&str; 13] = [
    "or",
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

/// A line longer than this is more than a title.
const TITLE_CHARS: usize = 48;

impl Judge<'_, '_> {
    /// What the words before and after say.
    pub(super) fn words(&self, at: usize, own: Range<usize>, shape: Shape) -> Result<(), No> {
        let Range { start, end } = own;
        match self.lead(at, start) {
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
        let before = self.layout.slice(0..start).trim_end();
        if (continues(&rest) || ends_sentence(&rest)) && before.ends_with(char::is_alphanumeric) {
            return Err((Reason::Inline, "a sentence goes on around it".to_owned()));
        }
        match after(&rest, has_next, shape) {
            After::Silent => Ok(()),
            After::Example => Err((Reason::Example, "the text calls it an example".to_owned())),
            After::Refusal => {
                Err((Reason::Warned, "the text says that it does not run".to_owned()))
            }
        }
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

    /// The words behind a place, and whether a region follows them. Titles are passed over: where
    /// calls are listed, what is said behind the last goes for all.
    fn rest(&self, end: usize) -> (String, bool) {
        let first = self.regions.partition_point(|range| range.start < end);
        let near = self.rest_until(end, first);
        let (mut far, mut behind) = (near.clone(), first);
        while let Some(next) = self.regions.get(behind)
            && behind < first + LABELS_MAX
            && is_label(&far)
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

    /// What is said from a place to a region, or to the end.
    fn rest_until(&self, end: usize, at: usize) -> String {
        let start = self.regions.get(at).map_or(self.text.len(), |next| {
            let fence = self.layout.fence(next.start);
            self.layout.header_start(fence.map_or(next.start, |fence| fence.whole.start))
        });
        self.said(end..start.max(end))
    }

    /// What is said in a stretch of text, thinking left out.
    fn said(&self, range: Range<usize>) -> String {
        let thinking =
            self.thinking.iter().filter(|span| span.end > range.start && span.start < range.end);
        spoken(&outside(self.text, range.clone(), thinking)).into_owned()
    }

    /// The words that lead to a place. Where nothing stands between two regions, the words before
    /// the first lead to both.
    pub(super) fn lead(&self, at: usize, start: usize) -> Lead {
        let own = self.own_lead(at, start);
        // A label goes with the call before it, where calls are listed without marks.
        let before = at.checked_sub(1).and_then(|at| Some((at, self.regions.get(at)?)));
        match (own, before) {
            (Lead::Unclear, Some((at, region)))
                if at < LABELS_MAX && (self.is_listed(at) || self.is_numbered(at)) =>
            {
                let start =
                    self.layout.fence(region.start).map_or(region.start, |fence| fence.whole.start);
                self.lead(at, start)
            }
            _ => own,
        }
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

    fn own_lead(&self, at: usize, start: usize) -> Lead {
        let line = self.layout.before_on_line(self.layout.header_start(start));
        let is_on_line = !spoken(line).trim().is_empty();
        let mut start = start;
        let mut from = 0;
        for before in self.regions.get(..at).unwrap_or_default().iter().rev() {
            let fence = self.layout.fence(before.start);
            let gap_start = fence.map_or(before.end, |fence| fence.whole.end).min(start);
            if self.layout.slice(gap_start..start).chars().any(char::is_alphanumeric) {
                from = gap_start;
                break;
            }
            start = fence.map_or(before.start, |fence| fence.whole.start).min(start);
        }
        let start = self.layout.header_start(start);
        lead(&self.said(from..start), is_on_line)
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

fn is_end(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ',' | '。' | '！' | '？' | '，')
}
