//! A region with the calls that stand right beside it, and the lines around them.

use std::ops::Range;

use super::Judge;
use crate::evidence::tail;

/// So many calls in a row are taken together.
const ROW_MAX: usize = 64;

/// Calls with more between them stand apart.
const GAP_BYTES_MAX: usize = 64;

/// So far around a row it is looked.
const AROUND_BYTES_MAX: usize = 1024;

impl Judge<'_, '_> {
    /// Where the calls stand that go with a region: no words between them.
    pub(super) fn row(&self, at: usize) -> Range<usize> {
        let mut row = self.outer(at);
        for before in (0..at).rev().take(ROW_MAX) {
            let outer = self.outer(before);
            if outer.start >= row.start {
                continue;
            }
            if !self.is_gap(outer.end..row.start) {
                break;
            }
            row.start = outer.start;
        }
        for behind in (at + 1..self.regions.len()).take(ROW_MAX) {
            let outer = self.outer(behind);
            if outer.end <= row.end {
                continue;
            }
            if !self.is_gap(row.end..outer.start) {
                break;
            }
            row.end = outer.end;
        }
        row
    }

    /// A region with its fence.
    fn outer(&self, at: usize) -> Range<usize> {
        let region = self.regions.get(at).cloned().unwrap_or_default();
        self.layout.fence(region.start).map_or(region, |fence| fence.whole.clone())
    }

    fn is_gap(&self, gap: Range<usize>) -> bool {
        gap.len() <= GAP_BYTES_MAX && !self.layout.slice(gap).contains(char::is_alphanumeric)
    }

    /// What stands not far before a row, as far as the region before it.
    pub(super) fn before_row(&self, row: &Range<usize>) -> &str {
        let last = self.regions.partition_point(|region| region.end <= row.start);
        let last = last.checked_sub(1).and_then(|last| self.regions.get(last));
        let before = self.layout.slice(last.map_or(0, |last| last.end)..row.start);
        tail(before, AROUND_BYTES_MAX)
    }

    /// What stands not far behind a row, as far as the next region.
    pub(super) fn behind_row(&self, row: &Range<usize>) -> &str {
        let next = self.regions.partition_point(|region| region.start < row.end);
        let next = self.regions.get(next).map_or(self.text.len(), |next| next.start);
        near(self.layout.slice(row.end..next.max(row.end)), AROUND_BYTES_MAX)
    }

    /// What stands not far before the first region.
    pub(super) fn before_all(&self) -> &str {
        let first = self.regions.first().map_or(0, |first| first.start);
        tail(self.layout.slice(0..first), AROUND_BYTES_MAX)
    }
}

fn near(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

/// As much of a text as a mark needs.
pub(super) fn head(text: &str) -> &str {
    near(text, 128)
}

/// The last line that is not blank.
pub(super) fn last_line(text: &str) -> &str {
    text.trim_end().rsplit('\n').next().unwrap_or_default()
}

/// The first line that is not blank.
pub(super) fn first_line(text: &str) -> &str {
    text.trim_start().split('\n').next().unwrap_or_default().trim_end()
}

/// The white space that a line starts with.
pub(super) fn line_indent(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
