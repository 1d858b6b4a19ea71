//! Draws carets and labels under one line: labels side by side where they fit, else below each
//! other, with bars that lead to them.

use std::fmt::Write as _;

use clap::builder::styling::Style;

/// A mark of which the columns are known.
#[derive(Debug)]
pub(super) struct Placed {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) label: String,
    pub(super) style: Style,
}

/// The lines to print under the text. Marks are in order of their start.
pub(super) fn draw(marks: Vec<Placed>) -> Vec<String> {
    let marks = with_counts(marks);
    let levels = levels(&marks);
    let depth = levels.iter().max().map_or(0, |deepest| deepest + 1);
    let mut rows = vec![Row::default(); depth];
    for (mark, &level) in marks.iter().zip(&levels) {
        for (at, row) in rows.iter_mut().enumerate().take(level + 1) {
            match at {
                0 => row.put(mark.start, &"^".repeat(mark.end - mark.start), mark.style),
                _ if at < level => row.put(mark.start, "|", mark.style),
                _ => row.put(mark.start, &mark.label, mark.style),
            }
        }
        if level == 0 && !mark.label.is_empty() {
            rows.iter_mut().take(1).for_each(|row| row.put(mark.end + 1, &mark.label, mark.style));
        }
    }
    rows.iter().map(Row::render).collect()
}

/// Says once, at the last one, what several marks of one line have in common.
fn with_counts(mut marks: Vec<Placed>) -> Vec<Placed> {
    let labels: Vec<String> = marks.iter().map(|mark| mark.label.clone()).collect();
    for (at, mark) in marks.iter_mut().enumerate() {
        let same = labels.iter().filter(|label| **label == mark.label).count();
        let is_last = labels.iter().rposition(|label| *label == mark.label) == Some(at);
        match (same, is_last) {
            (0 | 1, _) => {}
            (_, true) => mark.label = format!("{} ×{same}", mark.label),
            (_, false) => mark.label.clear(),
        }
    }
    marks
}

/// How far below the text each label stands: 0 is beside the carets, which only the last can have.
fn levels(marks: &[Placed]) -> Vec<usize> {
    let mut levels = vec![0; marks.len()];
    let right_end = marks.iter().map(|mark| mark.end).max().unwrap_or(0);
    // From right to left: what stands to the right of a mark, and how deep it hangs.
    let mut hanging: Vec<(usize, usize)> = Vec::new();
    for (index, mark) in marks.iter().enumerate().rev() {
        if mark.label.is_empty() {
            continue;
        }
        let is_last = hanging.is_empty() && mark.end == right_end;
        let end = mark.start + mark.label.chars().count();
        let level = if is_last {
            0
        } else {
            let is_blocked = |level: usize| {
                hanging.iter().any(|&(start, depth)| depth >= level && start < end + 2)
            };
            // Each label to the right can block one level.
            (1..=marks.len()).find(|&level| !is_blocked(level)).unwrap_or(marks.len())
        };
        hanging.push((mark.start, level));
        if let Some(slot) = levels.get_mut(index) {
            *slot = level;
        }
    }
    levels
}

/// One line of cells.
#[derive(Clone, Debug, Default)]
struct Row {
    cells: Vec<(char, Style)>,
}

impl Row {
    fn put(&mut self, column: usize, text: &str, style: Style) {
        let end = column + text.chars().count();
        if self.cells.len() < end {
            self.cells.resize(end, (' ', Style::new()));
        }
        for (cell, character) in self.cells.iter_mut().skip(column).zip(text.chars()) {
            *cell = (character, style);
        }
    }

    fn render(&self) -> String {
        let mut out = String::new();
        for run in self.cells.chunk_by(|(_, one), (_, other)| one == other) {
            let style = run.first().map(|(_, style)| *style).unwrap_or_default();
            let text: String = run.iter().map(|(character, _)| character).collect();
            let _ = write!(out, "{style}{text}{style:#}");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use clap::builder::styling::Style;

    use super::{Placed, draw};

    fn drawn(marks: &[(usize, usize, &str)]) -> String {
        let placed = marks.iter().map(|&(start, end, label)| Placed {
            start,
            end,
            label: label.to_owned(),
            style: Style::new(),
        });
        draw(placed.collect()).join("\n")
    }

    #[test]
    fn one_mark_has_its_label_beside_it() {
        assert_eq!(drawn(&[(2, 5, "comment")]), "  ^^^ comment");
    }

    #[test]
    fn labels_that_fit_stand_side_by_side() {
        let marks = [(0, 2, "fence"), (10, 12, "comment"), (20, 21, "tuple")];
        assert_eq!(drawn(&marks), "^^        ^^        ^ tuple\nfence     comment");
    }

    #[test]
    fn labels_that_do_not_fit_hang_from_bars() {
        let marks = [(0, 2, "single-quotes"), (4, 6, "comment"), (8, 9, "tuple")];
        assert_eq!(drawn(&marks), "^^  ^^  ^ tuple\n|   comment\nsingle-quotes");
    }

    #[test]
    fn the_same_label_is_said_once() {
        let marks = [(0, 2, "fence"), (4, 6, "fence"), (8, 9, "tuple"), (11, 12, "fence")];
        assert_eq!(drawn(&marks), "^^  ^^  ^  ^ fence ×3\n        tuple");
    }

    #[test]
    fn a_mark_inside_another_one_has_its_label_below() {
        assert_eq!(drawn(&[(0, 9, "fence"), (2, 4, "tuple")]), "^^^^^^^^^\n| tuple\nfence");
    }
}
