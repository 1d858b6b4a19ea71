//! What came of all turns, counted.

use std::ops::AddAssign;

use crate::advice::counted;

/// Turns and their calls, by what came of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) turns: usize,
    pub(super) mended: usize,
    pub(super) refused: usize,
    pub(super) untouched: usize,
    /// Lines that are no turns.
    pub(super) bad_lines: usize,
}

impl Tally {
    /// Whether something did not come out.
    pub(super) fn has_refused(&self) -> bool {
        self.refused + self.bad_lines > 0
    }

    /// One line for a person. A check mends nothing, so it says what there is to mend.
    pub(super) fn summary(&self, is_check: bool) -> String {
        let Self { turns, mended, refused, untouched, bad_lines } = *self;
        let (turns, calls) = (counted(turns, "turn"), counted(mended, "call"));
        let mended = if is_check { "to mend" } else { "mended" };
        let bad = match bad_lines {
            0 => String::new(),
            1 => "; 1 line is no turn".to_owned(),
            lines => format!("; {lines} lines are no turns"),
        };
        format!("{turns}: {calls} {mended}, {refused} refused, {untouched} untouched{bad}\n")
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, more: Self) {
        self.turns += more.turns;
        self.mended += more.mended;
        self.refused += more.refused;
        self.untouched += more.untouched;
        self.bad_lines += more.bad_lines;
    }
}
