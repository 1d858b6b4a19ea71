//! Lines of a text with carets under what is meant, and a label at each.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use toolmend_json::Lines;

use clap::builder::styling::Style;

use super::excerpt::{self, Excerpt};
use super::labels::{self, Placed};
use crate::console::BLUE;
use crate::glyph;

/// A place to point at, and what to say there.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) range: Range<usize>,
    pub(crate) label: String,
    pub(crate) style: Style,
}

/// Columns that are kept free for labels where a line is too long to be shown whole.
const LABEL_ROOM: usize = 20;
/// A gap of one line is shown; a longer one is not.
const GAP_SHOWN: usize = 2;

/// Shows all lines that have marks. Each mark stands on one line: see [`on_one_line`].
pub(super) fn render(text: &str, lines: &Lines<'_>, marks: &[Mark], width: usize) -> String {
    let mut by_line: BTreeMap<usize, Vec<&Mark>> = BTreeMap::new();
    for mark in marks {
        by_line.entry(lines.line_of(mark.range.start)).or_default().push(mark);
    }
    let digits = digits(by_line.keys().last().copied().unwrap_or(0) + 1);
    let room = width.saturating_sub(digits + 3 + LABEL_ROOM).max(LABEL_ROOM);
    let mut page = Page { text, digits, out: String::new() };
    let mut before: Option<usize> = None;
    for (line, mut marks) in by_line {
        let range = lines.range(line);
        marks.sort_by_key(|mark| (mark.range.start, mark.range.end));
        match before.map(|before| line - before) {
            Some(GAP_SHOWN) => {
                page.row(Some(line), &excerpt::of_start(text, &lines.range(line - 1), room));
            }
            Some(gap) if gap > GAP_SHOWN => page.out.push_str("...\n"),
            _ => {}
        }
        for excerpt in excerpt::of_line(text, &range, &marks, room) {
            page.row(Some(line + 1), &excerpt);
        }
        before = Some(line);
    }
    page.out
}

/// How wide the line numbers of a listing of these marks are.
pub(super) fn gutter(lines: &Lines<'_>, marks: &[Mark]) -> usize {
    digits(marks.iter().map(|mark| lines.line_of(mark.range.start)).max().unwrap_or(0) + 1)
}

fn digits(number: usize) -> usize {
    number.to_string().len()
}

/// Points a mark at what can be seen of it on its first line; the label tells where it ends.
pub(super) fn on_one_line(text: &str, lines: &Lines<'_>, mark: &Mark) -> Mark {
    let whole = text.get(mark.range.clone()).unwrap_or_default();
    let seen = whole.trim();
    let (start, end) = if whole.is_empty() {
        // What is missing is missing after what stands before, not on the next line.
        let at = text.get(..mark.range.start).map_or(text.len(), |before| before.trim_end().len());
        let is_above = lines.line_of(at) < lines.line_of(mark.range.start);
        let at = if is_above { at } else { mark.range.start.min(text.len()) };
        (at, at)
    } else if seen.is_empty() {
        // A raw line break or tab: its first character is enough to see.
        (mark.range.start, mark.range.start + 1)
    } else {
        let start = mark.range.start + (whole.len() - whole.trim_start().len());
        (start, start + seen.len())
    };
    let line = lines.line_of(start);
    let last = lines.line_of(end.saturating_sub(1).max(start));
    let line_end = lines.range(line).end;
    let label = match last - line {
        0 => mark.label.clone(),
        _ => format!("{} (to line {})", mark.label, last + 1),
    };
    Mark { range: start.min(line_end)..end.min(line_end), label, style: mark.style }
}

struct Page<'t> {
    text: &'t str,
    digits: usize,
    out: String,
}

impl Page<'_> {
    fn row(&mut self, number: Option<usize>, excerpt: &Excerpt<'_>) {
        let (shown, columns) = self.show(excerpt);
        let number = number.map(|number| number.to_string()).unwrap_or_default();
        self.put(&number, &shown);
        let placed = excerpt.marks.iter().map(|mark| {
            let start = column_of(&columns, mark.range.start);
            let end = column_of(&columns, mark.range.end.min(excerpt.bytes.end));
            Placed { start, end: end.max(start + 1), label: mark.label.clone(), style: mark.style }
        });
        for line in labels::draw(placed.collect()) {
            self.put("", &line);
        }
    }

    fn put(&mut self, number: &str, content: &str) {
        let digits = self.digits;
        let space = if content.is_empty() { "" } else { " " };
        let _ = writeln!(self.out, "{BLUE}{number:>digits$} |{BLUE:#}{space}{content}");
    }

    /// The excerpt as it is shown, and the column of each byte at which a character starts.
    fn show(&self, excerpt: &Excerpt<'_>) -> (String, Vec<(usize, usize)>) {
        let source = self.text.get(excerpt.bytes.clone()).unwrap_or_default();
        let mut shown = String::new();
        let mut columns = Vec::new();
        let mut column = 0;
        if excerpt.has_before {
            shown.push('…');
            column += 1;
        }
        for (offset, character) in source.char_indices() {
            columns.push((excerpt.bytes.start + offset, column));
            glyph::push(character, &mut shown);
            column += glyph::width(character);
        }
        columns.push((excerpt.bytes.end, column));
        if excerpt.has_after {
            shown.push('…');
        }
        (shown, columns)
    }
}

fn column_of(columns: &[(usize, usize)], at: usize) -> usize {
    let index = columns.partition_point(|&(byte, _)| byte < at);
    columns.get(index).or(columns.last()).map_or(0, |&(_, column)| column)
}
