//! Says which dialect a call is written in, once it is read. Nothing depends on it but the report.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::cursor::{between, from};
use crate::dialect::{Body, Dialect, Marks, Name};
use crate::rows::dialects;

/// Marks stand at the start of a call; its body is not searched for them.
const HEAD_BYTES: usize = 192;

/// A mark that is no longer is looked for among the openers only: text has it, too.
const COMMON_BYTES: usize = 4;

/// The row that fits best: the marks that were seen, then the kind of body, then how the name ends.
pub(crate) fn dialect(openers: &[&str], call: &str, body: Body) -> &'static Dialect {
    let head = head(call);
    if let Some(id) = bare(openers, head, body) {
        return dialects().find(|row| row.id == id).unwrap_or(&FALLBACK);
    }
    let seen = Seen::new(openers, head, body);
    let rows = INDEX.rows.iter().enumerate();
    let best = rows.max_by_key(|(at, row)| (seen.score(row), std::cmp::Reverse(*at)));
    best.map_or(&FALLBACK, |(_, row)| row.dialect)
}

/// The openers of all rows, each one once, and where the rows have them.
struct Index {
    marks: Vec<&'static str>,
    search: Option<AhoCorasick>,
    rows: Vec<Row>,
}

struct Row {
    dialect: &'static Dialect,
    frame: Vec<usize>,
    call: Vec<usize>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut marks: Vec<&'static str> = dialects().flat_map(Dialect::openers).collect();
    marks.sort_unstable();
    marks.dedup();
    let places = |of: Marks| of.iter().filter_map(|mark| marks.binary_search(mark).ok()).collect();
    let rows = dialects().map(|dialect| Row {
        dialect,
        frame: places(dialect.frame.open),
        call: places(dialect.call.open),
    });
    let rows = rows.collect();
    let search = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&marks).ok();
    Index { marks, search, rows }
});

/// What is known of a call.
struct Seen<'t> {
    head: &'t str,
    body: Body,
    /// For each mark, its length where it was seen, and the place behind it in the head.
    lengths: Vec<usize>,
    ends: Vec<Option<usize>>,
}

impl<'t> Seen<'t> {
    fn new(openers: &[&str], head: &'t str, body: Body) -> Self {
        let count = INDEX.marks.len();
        let mut seen = Self { head, body, lengths: vec![0; count], ends: vec![None; count] };
        let found = INDEX.search.iter().flat_map(|search| search.find_overlapping_iter(head));
        for mark in found {
            let at = mark.pattern().as_usize();
            if let Some(end) = seen.ends.get_mut(at) {
                *end = end.or(Some(mark.end()));
            }
            if mark.len() > COMMON_BYTES {
                seen.see(at, mark.len());
            }
        }
        for opener in openers {
            for (at, mark) in INDEX.marks.iter().enumerate() {
                if opener.starts_with(mark) {
                    seen.see(at, mark.len());
                }
            }
        }
        seen
    }

    fn see(&mut self, at: usize, length: usize) {
        if let Some(place) = self.lengths.get_mut(at) {
            *place = length;
        }
    }

    fn score(&self, row: &Row) -> usize {
        let frame = self.longest(&row.frame).map_or(0, |length| 20 + length);
        let own = self.longest(&row.call).map_or(0, |length| 10 + length);
        let missing = usize::from(!row.frame.is_empty() && frame == 0)
            + usize::from(!row.call.is_empty() && own == 0);
        let kind = if row.dialect.call.body == self.body { 40 } else { 0 };
        (frame + own + kind + self.name(row)).saturating_sub(missing * 30)
    }

    /// The length of the longest of these marks that was seen.
    fn longest(&self, marks: &[usize]) -> Option<usize> {
        let lengths = marks.iter().filter_map(|at| self.lengths.get(*at).copied());
        lengths.max().filter(|length| *length > 0)
    }

    /// Whether the name ends as the row says.
    fn name(&self, row: &Row) -> usize {
        let Name::Until(marks) = row.dialect.call.name else { return 0 };
        let ends = row.call.iter().filter_map(|at| *self.ends.get(*at)?);
        let Some(start) = ends.min() else { return 0 };
        let rest = from(self.head, start).trim_start();
        let end = rest.find(['<', '\n', '[', '✿', '{']).map_or("", |end| from(rest, end));
        if marks.iter().any(|mark| end.starts_with(mark)) { 8 } else { 0 }
    }
}

/// What is left of a header of Harmony without its tokens.
const HEADERS: [&str; 3] = ["commentary to=", "analysis to=", "to=functions."];

/// The id of the row for JSON that no mark opened.
fn bare(openers: &[&str], head: &str, body: Body) -> Option<&'static str> {
    if !openers.is_empty() || body != Body::Json {
        return None;
    }
    let head = head.trim_start();
    let has = |word: &str| head.contains(word);
    match head.chars().next() {
        Some('{' | '[') if has("\"tool_use\"") => Some("anthropic_tool_use_json"),
        Some('{') if has("function_call\"") || has("\"tool_calls\"") || has("\"function\"") => {
            Some("openai_function_call")
        }
        Some('{') => Some("bare_json"),
        Some('[') => Some("xlam"),
        Some('T') if head.starts_with("Tool call ") => Some("text_call"),
        Some(_) if HEADERS.iter().any(|header| head.starts_with(header)) => Some("harmony"),
        Some('A' | 'T') if has("Action:") || has("Tool:") => Some("react"),
        Some(c) if c.is_alphabetic() && !has("<") && !has("[ARGS]") => Some("glm4_name_newline"),
        _ => None,
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
