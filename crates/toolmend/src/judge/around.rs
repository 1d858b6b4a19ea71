//! The gates of the place: quotes, fences, code, and the line that a region stands on.

use std::ops::Range;

use super::between::is_pointed_at;
use super::line::{
    continues, ends_sentence, goes_on, is_finished, is_idle, is_line_end, outside, spoken,
};
use super::{Judge, echoed};
use crate::evidence::{Lead, Shape};
use crate::layout::{Fence, elements, is_call_element, is_markup, without_marks};
use crate::refusal::{No, Reason};

impl Judge<'_, '_> {
    /// What the layout and the words around a region say; the fence that goes with it.
    pub(super) fn around(&self, at: usize, is_marked: bool) -> Result<Option<Range<usize>>, No> {
        let Some(range) = self.regions.get(at) else { return Ok(None) };
        // Where nothing is said, nothing can take a call back, or go with it.
        let around = if self.is_alone { None } else { self.said_around(at, range, is_marked)? };
        if self.search.echo.has(self.layout.slice(range.clone())) {
            return Err(echoed());
        }
        Ok(around)
    }

    fn said_around(
        &self,
        at: usize,
        range: &Range<usize>,
        is_marked: bool,
    ) -> Result<Option<Range<usize>>, No> {
        if self.layout.is_quoted(range.start) {
            return Err((Reason::Quoted, "it stands in a block quote".to_owned()));
        }
        if self.layout.is_aside(range.start) {
            return Err((Reason::Quoted, "its message is not addressed to a tool".to_owned()));
        }
        if self.layout.is_shown(range) {
            return Err((Reason::Example, "it stands in an element that shows it".to_owned()));
        }
        if self.layout.is_cited(range) {
            return Err((Reason::Quoted, "it stands in quotation marks".to_owned()));
        }
        let row = self.row(at);
        self.contained(at, &row, is_marked)?;
        self.between(range, &row)?;
        if is_pointed_at(self.layout.slice(row.end..self.text.len())) {
            return Err((Reason::Example, "the text points at it".to_owned()));
        }
        let fence = self.layout.fence(range.start);
        let around = match fence {
            Some(fence) => self.fenced(at, is_marked, fence)?,
            None => self.unfenced(at, range, is_marked)?,
        };
        let shape = if is_marked { Shape::Marked } else { Shape::Bare };
        let own_start = fence.map_or(range.start, |fence| fence.whole.start);
        let message_end = self.layout.message(range).end;
        let own_end = fence.map_or(message_end, |fence| fence.whole.end);
        self.words(at, own_start..own_end, shape)?;
        Ok(around)
    }

    fn fenced(
        &self,
        at: usize,
        is_marked: bool,
        fence: &Fence,
    ) -> Result<Option<Range<usize>>, No> {
        if !self.holds_calls_only(fence) {
            return Err((Reason::Fenced, "the fenced block holds more than calls".to_owned()));
        }
        let is_announced = self.lead(at, fence.whole.start) == Lead::Announced;
        if is_marked && !is_announced && !self.is_whole() {
            return Err((
                Reason::Fenced,
                "it stands in a fenced block that nothing announces".to_owned(),
            ));
        }
        Ok(Some(fence.whole.clone()))
    }

    /// Whether nothing that matters stands beside the calls of a fence. What was found is kept for its
    /// other calls.
    fn holds_calls_only(&self, fence: &Fence) -> bool {
        let start = fence.whole.start;
        if let Some((_, known)) = self.fence.get().filter(|(last, _)| *last == start) {
            return known;
        }
        let [first, end] = [fence.inner.start, fence.inner.end]
            .map(|place| self.regions.partition_point(|range| range.start < place));
        let inside = self.regions.get(first..end).unwrap_or_default();
        let rest = outside(self.text, fence.inner.clone(), inside.iter());
        let is_so = rest.lines().all(is_idle);
        self.fence.set(Some((start, is_so)));
        is_so
    }

    fn unfenced(
        &self,
        at: usize,
        range: &Range<usize>,
        is_marked: bool,
    ) -> Result<Option<Range<usize>>, No> {
        let (before, after) = self.on_line(at, range);
        let (before, after) = (spoken(before), spoken(after));
        let (before, after) = (before.as_ref(), after.as_ref());
        let is_alone = is_markup(before) && is_line_end(after);
        let is_code = self.layout.is_code(range) && (is_marked || !is_alone);
        if is_code || self.layout.is_in_span(range) {
            return Err((Reason::Quoted, "it stands in backticks".to_owned()));
        }
        if before.trim_start().starts_with('|') && after.trim_end().ends_with('|') {
            return Err((Reason::Quoted, "it stands in a table".to_owned()));
        }
        let is_inline = match is_marked {
            true => {
                (goes_on(after) || ends_sentence(after)) && !is_finished(before) || continues(after)
            }
            false => !is_alone,
        };
        if !is_marked && self.layout.is_in_block(range.start) {
            let message = "it stands in a program that holds more than calls".to_owned();
            return Err((Reason::Quoted, message));
        }
        match is_inline {
            true => Err((Reason::Inline, "it stands inside a sentence".to_owned())),
            false => Ok(self.markup(range).or_else(|| {
                let message = self.layout.message(range);
                (message != *range).then_some(message)
            })),
        }
    }

    /// What stands around a region on its line, other regions left out.
    fn on_line(&self, at: usize, range: &Range<usize>) -> (&str, &str) {
        let last = at.checked_sub(1).and_then(|at| self.regions.get(at)).map_or(0, |last| last.end);
        let before = self.layout.slice(last..range.start);
        let before = before.get(before.rfind('\n').map_or(0, |line| line + 1)..);
        let next = self.regions.get(at + 1).map_or(self.text.len(), |next| next.start);
        let after = self.layout.slice(range.end..next).split('\n').next();
        (before.unwrap_or_default(), after.unwrap_or_default())
    }

    /// The number, the bullet and the backticks around a line go with it.
    fn markup(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let start = self.layout.item_start(range.start);
        let after = self.layout.slice(range.end..self.text.len());
        let is_mark = |c: char| matches!(c, '`' | '*' | '_');
        let marks = after.len() - after.trim_start_matches(is_mark).len();
        let before = self.layout.slice(start..range.start);
        let is_item = !before.is_empty() && before.ends_with(is_mark) == (marks > 0);
        is_item.then(|| start..range.end + marks)
    }

    /// Whether nothing but calls stands in the message.
    pub(super) fn is_whole(&self) -> bool {
        self.is_alone || *self.is_whole.get_or_init(|| self.has_calls_only())
    }

    fn has_calls_only(&self) -> bool {
        let rest = outside(self.text, 0..self.text.len(), self.regions.iter().chain(self.thinking));
        let is_of_call = |name: &str| is_call_element(name) || self.is_tool(name);
        if elements(&rest).any(|name| !is_of_call(name)) {
            return false;
        }
        let rest = without_marks(&rest);
        let is_idle = |line: &str| {
            !line.chars().any(char::is_alphanumeric) || line.trim_start().starts_with("```")
        };
        rest.lines().all(is_idle)
    }
}
