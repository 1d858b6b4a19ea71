//! Chooses what part of a line is shown. A line of a thousand columns is shown around its marks.

use std::ops::Range;

use super::listing::Mark;
use crate::glyph;

/// A part of a line, with the marks that point into it.
#[derive(Debug)]
pub(super) struct Excerpt<'m> {
    /// The bytes that are shown.
    pub(super) bytes: Range<usize>,
    /// Whether the line has more before or after them.
    pub(super) has_before: bool,
    pub(super) has_after: bool,
    pub(super) marks: Vec<&'m Mark>,
}

/// Cuts a line into as many excerpts as its marks need. Marks are in order of their start.
pub(super) fn of_line<'m>(
    text: &str,
    line: &Range<usize>,
    marks: &[&'m Mark],
    room: usize,
) -> Vec<Excerpt<'m>> {
    let mut excerpts: Vec<Excerpt<'m>> = Vec::new();
    for &mark in marks {
        match excerpts.last_mut() {
            Some(last) if !last.has_after || mark.range.start < last.bytes.end => {
                last.marks.push(mark);
            }
            _ => {
                let bytes = around(text, line, mark.range.start, room);
                excerpts.push(Excerpt {
                    has_before: bytes.start > line.start,
                    has_after: bytes.end < line.end,
                    bytes,
                    marks: vec![mark],
                });
            }
        }
    }
    excerpts
}

/// The start of a line that nothing points into.
pub(super) fn of_start<'m>(text: &str, line: &Range<usize>, room: usize) -> Excerpt<'m> {
    let end = forward(text, line.start, line.end, room);
    let has_after = end < line.end;
    Excerpt { bytes: line.start..end, has_before: false, has_after, marks: Vec::new() }
}

/// The part of a line around a byte that fits: a third before it, the rest after.
fn around(text: &str, line: &Range<usize>, at: usize, room: usize) -> Range<usize> {
    if forward(text, line.start, line.end, room) == line.end {
        return line.clone();
    }
    let start = backward(text, line.start, at, room / 3);
    let end = forward(text, start, line.end, room);
    // Near the end of the line the room behind it goes to the front.
    let start = if end == line.end { backward(text, line.start, end, room) } else { start };
    start..end
}

fn forward(text: &str, from: usize, limit: usize, room: usize) -> usize {
    let mut columns = 0;
    for (offset, character) in text.get(from..limit).unwrap_or_default().char_indices() {
        columns += glyph::width(character);
        if columns > room {
            return from + offset;
        }
    }
    limit
}

fn backward(text: &str, limit: usize, from: usize, room: usize) -> usize {
    let mut columns = 0;
    let mut start = from;
    for (offset, character) in text.get(limit..from).unwrap_or_default().char_indices().rev() {
        columns += glyph::width(character);
        if columns > room {
            return start;
        }
        start = limit + offset;
    }
    start
}
