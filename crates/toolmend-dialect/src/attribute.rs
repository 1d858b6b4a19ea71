//! Says which dialect a call is written in, once it is read. Nothing depends on it but the report.

use crate::cursor::{between, from};
use crate::dialect::{Body, Dialect, Marks, Name};
use crate::rows::dialects;

/// Marks stand at the start of a call; its body is not searched for them.
const HEAD_BYTES: usize = 192;

/// The row that fits best: the marks that were seen, then the kind of body, then how the name ends.
pub(crate) fn dialect(openers: &[&str], call: &str, body: Body) -> &'static Dialect {
    let seen = Seen { openers, head: head(call), body };
    if let Some(row) = seen.bare().and_then(|id| dialects().find(|row| row.id == id)) {
        return row;
    }
    let rows = dialects().enumerate();
    let best = rows.max_by_key(|(at, row)| (seen.score(row), std::cmp::Reverse(*at)));
    best.map_or(&FALLBACK, |(_, row)| row)
}

/// What is known of a call.
struct Seen<'t> {
    openers: &'t [&'t str],
    head: &'t str,
    body: Body,
}

impl Seen<'_> {
    /// The id of the row for JSON that no mark opened.
    fn bare(&self) -> Option<&'static str> {
        if !self.openers.is_empty() || self.body != Body::Json {
            return None;
        }
        let head = self.head.trim_start();
        let has = |word: &str| head.contains(word);
        match head.chars().next() {
            Some('{' | '[') if has("\"tool_use\"") => Some("anthropic_tool_use_json"),
            Some('{') if has("function_call\"") || has("\"tool_calls\"") || has("\"function\"") => {
                Some("openai_function_call")
            }
            Some('{') => Some("bare_json"),
            Some('[') => Some("xlam"),
            Some('T') if head.starts_with("Tool call ") => Some("text_call"),
            Some('A' | 'T') if has("Action:") || has("Tool:") => Some("react"),
            Some(c) if c.is_alphabetic() && !has("<") && !has("[ARGS]") => {
                Some("glm4_name_newline")
            }
            _ => None,
        }
    }

    fn score(&self, row: &Dialect) -> usize {
        let frame = self.longest(row.frame.open).map_or(0, |length| 20 + length);
        let own = self.longest(row.call.open).map_or(0, |length| 10 + length);
        let missing = usize::from(!row.frame.open.is_empty() && frame == 0)
            + usize::from(!row.call.open.is_empty() && own == 0);
        let kind = if row.call.body == self.body { 40 } else { 0 };
        (frame + own + kind + self.name(row)).saturating_sub(missing * 30)
    }

    /// The length of the longest of these marks that was seen.
    fn longest(&self, marks: Marks) -> Option<usize> {
        let is_seen = |mark: &&&str| {
            self.openers.iter().any(|seen| seen.starts_with(**mark))
                || mark.len() > 4 && self.head.contains(**mark)
        };
        marks.iter().filter(is_seen).map(|mark| mark.len()).max()
    }

    /// Whether the name ends as the row says.
    fn name(&self, row: &Dialect) -> usize {
        let Name::Until(marks) = row.call.name else { return 0 };
        let openers =
            row.call.open.iter().filter_map(|open| self.head.find(open).map(|at| at + open.len()));
        let Some(start) = openers.min() else { return 0 };
        let rest = from(self.head, start).trim_start();
        let end = rest.find(['<', '\n', '[', '✿', '{']).map_or("", |end| from(rest, end));
        if marks.iter().any(|mark| end.starts_with(mark)) { 8 } else { 0 }
    }
}

fn head(call: &str) -> &str {
    let mut end = HEAD_BYTES.min(call.len());
    while !call.is_char_boundary(end) {
        end -= 1;
    }
    between(call, 0, end)
}

/// The table is never empty; this stands where it would be.
static FALLBACK: Dialect = Dialect {
    id: "unknown",
    title: "Unknown",
    models: &[],
    source: "",
    frame: crate::dialect::NO_FRAME,
    call: crate::dialect::call(&[], Body::Json, &[]),
    example: "",
};
