//! The gates of the words before and behind a region.

use std::ops::Range;

use super::Judge;
use super::line::{continues, ends_sentence, outside, spoken};
use crate::evidence::{After, Lead, Shape, after, lead};
use crate::refusal::{No, Reason};

/// So many labels in a row go with what was said before the first.
const LABELS_MAX: usize = 16;

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
        let next = self.regions.iter().map(|range| range.start).find(|&start| start >= end);
        let rest_end = next.map_or(self.text.len(), |next| self.layout.header_start(next).max(end));
        let thinking = self.thinking.iter().filter(|span| span.end > end && span.start < rest_end);
        let rest = outside(self.text, end..rest_end, thinking);
        let rest = spoken(&rest);
        let before = self.layout.slice(0..start).trim_end();
        if (continues(&rest) || ends_sentence(&rest)) && before.ends_with(char::is_alphanumeric) {
            return Err((Reason::Inline, "a sentence goes on around it".to_owned()));
        }
        match after(&rest, next.is_some(), shape) {
            After::Silent => Ok(()),
            After::Example => Err((Reason::Example, "the text calls it an example".to_owned())),
            After::Refusal => {
                Err((Reason::Warned, "the text says that it does not run".to_owned()))
            }
        }
    }

    /// The words that lead to a place. Where nothing stands between two regions, the words before
    /// the first lead to both.
    pub(super) fn lead(&self, at: usize, start: usize) -> Lead {
        let own = self.own_lead(at, start);
        // A label goes with the call before it, where calls are listed without marks.
        let before = at.checked_sub(1).and_then(|at| Some((at, self.regions.get(at)?)));
        match (own, before) {
            (Lead::Unclear, Some((at, region))) if at < LABELS_MAX && self.is_listed(at) => {
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
            self.regions.get(at).and_then(|range| self.layout.slice(range.clone()).chars().next())
        };
        let is_bare = |c: char| matches!(c, '{' | '[') || c.is_alphabetic();
        first(at) == first(at + 1) && first(at).is_some_and(is_bare)
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
        let thinking = self.thinking.iter().filter(|span| span.end > from && span.start < start);
        let text = outside(self.text, from..start, thinking);
        lead(&spoken(&text), is_on_line)
    }
}
