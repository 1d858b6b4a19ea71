//! The text of one channel on its way through a mender: what came, what is decided, what changes.

use std::collections::VecDeque;

/// Where text stood in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channel {
    /// The thinking.
    Reasoning,
    /// The answer.
    Content,
}

/// What a mender decides about text that came.
///
/// Text stays held until it is decided, in order. A frame leaves as the bytes that came if all of
/// its text was kept.
#[derive(Debug)]
pub struct Flow<'c> {
    pub(crate) text: &'c mut Text,
}

impl Flow<'_> {
    /// How many bytes came and are not decided.
    #[must_use]
    pub fn undecided(&self) -> usize {
        self.text.arrived - self.text.decided
    }

    /// Lets the next bytes pass. Counts end between characters; more than came is all that came.
    pub fn keep(&mut self, bytes: usize) {
        self.text.decided += bytes.min(self.undecided());
    }

    /// Lets everything pass that came.
    pub fn keep_all(&mut self) {
        self.text.decided = self.text.arrived;
    }

    /// Takes the next bytes out.
    pub fn cut(&mut self, bytes: usize) {
        self.replace(bytes, "");
    }

    /// Puts another text in the place of the next bytes, of which there must be some.
    pub fn replace(&mut self, bytes: usize, with: &str) {
        let start = self.text.decided;
        self.keep(bytes);
        let end = self.text.decided;
        if start < end {
            self.text.edits.push_back(Edit { start, end, with: with.to_owned() });
        }
    }
}

/// One channel's text: counts and changes, not the text itself, which is in the held frames.
#[derive(Debug, Default)]
pub(crate) struct Text {
    arrived: usize,
    decided: usize,
    edits: VecDeque<Edit>,
}

#[derive(Debug)]
struct Edit {
    start: usize,
    end: usize,
    with: String,
}

/// The text of one frame, as a place in its channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    start: usize,
    end: usize,
}

impl Text {
    /// Takes note of text that came.
    pub(crate) fn arrive(&mut self, text: &str) -> Stretch {
        let start = self.arrived;
        self.arrived += text.len();
        Stretch { start, end: self.arrived }
    }

    pub(crate) fn is_decided(&self, stretch: Stretch) -> bool {
        stretch.end <= self.decided
    }

    pub(crate) fn keep_all(&mut self) {
        self.decided = self.arrived;
    }

    /// Whether the stretch's text does not stay as it came. Stretches are asked for in order, so
    /// changes that end before this one are done with.
    pub(crate) fn is_changed(&mut self, stretch: Stretch) -> bool {
        while self.edits.front().is_some_and(|edit| edit.end <= stretch.start) {
            self.edits.pop_front();
        }
        self.edits.front().is_some_and(|edit| edit.start < stretch.end)
    }

    /// The stretch's text after all changes; `None` where it stays as it came.
    pub(crate) fn changed(&mut self, stretch: Stretch, text: &str) -> Option<String> {
        if !self.is_changed(stretch) {
            return None;
        }
        let mut out = String::new();
        let mut at = stretch.start;
        for edit in self.edits.iter().take_while(|edit| edit.start < stretch.end) {
            let (start, end) = (edit.start.max(stretch.start), edit.end.min(stretch.end));
            out.push_str(part(text, at - stretch.start, start - stretch.start));
            if edit.start >= stretch.start {
                out.push_str(&edit.with);
            }
            at = end;
        }
        out.push_str(part(text, at - stretch.start, text.len()));
        Some(out)
    }
}

/// Nothing where a mender counted into the middle of a character.
fn part(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Flow, Text};

    #[test]
    fn changes_reach_over_stretches() {
        let mut text = Text::default();
        let (one, two, three) = (text.arrive("ab<"), text.arrive("cd>"), text.arrive("ef"));
        let mut flow = Flow { text: &mut text };
        flow.keep(2);
        flow.replace(4, "X");
        assert_eq!(flow.undecided(), 2);
        assert!(text.is_decided(two) && !text.is_decided(three));
        text.keep_all();
        assert_eq!(text.changed(one, "ab<").as_deref(), Some("abX"));
        assert_eq!(text.changed(two, "cd>").as_deref(), Some(""));
        assert_eq!(text.changed(three, "ef"), None);
    }

    #[test]
    fn a_change_at_a_border_is_made_once() {
        let mut text = Text::default();
        let (one, two, three) = (text.arrive("abc"), text.arrive("def"), text.arrive("ghi"));
        let mut flow = Flow { text: &mut text };
        flow.replace(1, "X");
        // No bytes, no place.
        flow.replace(0, "Z");
        flow.keep(2);
        flow.replace(1, "Y");
        flow.keep(3);
        flow.replace(1, "V");
        flow.keep(1);
        assert_eq!(text.changed(one, "abc").as_deref(), Some("Xbc"));
        assert_eq!(text.changed(two, "def").as_deref(), Some("Yef"));
        assert_eq!(text.changed(three, "ghi").as_deref(), Some("gVi"));
    }
}
