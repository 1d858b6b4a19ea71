//! Says which dialect a call is written in, once it is read. Nothing depends on it but the report.

use std::sync::LazyLock;

use aho_corasick::automaton::Automaton;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind};

use crate::cursor::{between, from};
use crate::dialect::{Body, Dialect, Marks, Name, UNKNOWN};
use crate::lexicon::Starts;
use crate::rows::dialects;

/// Marks stand at the start of a call; its body is not searched for them.
const HEAD_BYTES: usize = 192;

/// A mark that is no longer is looked for among the openers only: text has it, too.
const COMMON_BYTES: usize = 4;

/// The row that fits best: the marks that were seen, then the kind of body, then how the name ends.
pub(crate) fn dialect(openers: &[&str], call: &str, body: Body) -> &'static Dialect {
    let head = head(call);
    if let Some(id) = bare(openers, head, body) {
        return dialects().find(|row| row.id == id).unwrap_or(&UNKNOWN);
    }
    let seen = Seen::new(openers, head, body);
    // Rows of which nothing was seen differ in the kind of body alone, so one stands for them all.
    let unseen = INDEX.unseen.iter().find(|(kind, _)| *kind == body).map(|(_, at)| *at);
    let rows = (0..INDEX.rows.len()).filter(|at| seen.rows >> at & 1 == 1).chain(unseen);
    let scored = rows.filter_map(|at| Some((at, INDEX.rows.get(at)?)));
    let best = scored.max_by_key(|(at, row)| (seen.score(row), std::cmp::Reverse(*at)));
    best.map_or(&UNKNOWN, |(_, row)| row.dialect)
}

/// The openers of all rows, each one once, and where the rows have them.
struct Index {
    marks: Vec<Mark>,
    search: Option<DFA>,
    starts: Starts,
    rows: Vec<Row>,
    /// For each kind of body, the row that fits best where no mark was seen.
    unseen: Vec<(Body, usize)>,
}

/// An opener, and the rows that have it, one bit each.
struct Mark {
    text: &'static str,
    rows: Rows,
}

/// Rows, one bit each. A test says that there are not more.
type Rows = u128;

struct Row {
    dialect: &'static Dialect,
    frame: Vec<usize>,
    call: Vec<usize>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut texts: Vec<&'static str> = dialects().flat_map(Dialect::openers).collect();
    texts.sort_unstable();
    texts.dedup();
    let places = |of: Marks| of.iter().filter_map(|mark| texts.binary_search(mark).ok()).collect();
    let rows = dialects().map(|dialect| Row {
        dialect,
        frame: places(dialect.frame.open),
        call: places(dialect.call.open),
    });
    let rows: Vec<Row> = rows.collect();
    let search = DFA::builder().match_kind(MatchKind::Standard).prefilter(false).build(&texts).ok();
    let starts = Starts::of(texts.iter().copied());
    let has = |at: usize, row: &Row| row.frame.contains(&at) || row.call.contains(&at);
    let having = |at: usize| {
        let rows = rows.iter().enumerate().filter(|(_, row)| has(at, row));
        rows.fold(0, |rows, (at, _)| rows | 1 << at)
    };
    let marks = texts.iter().enumerate().map(|(at, text)| Mark { text, rows: having(at) });
    let marks = marks.collect();
    let unseen = unseen(&rows);
    Index { marks, search, starts, rows, unseen }
});

/// For each kind of body, the row that fits best where no mark was seen.
fn unseen(rows: &[Row]) -> Vec<(Body, usize)> {
    let mut unseen: Vec<(Body, usize)> = Vec::new();
    for body in rows.iter().map(|row| row.dialect.call.body) {
        let nothing = Seen { head: "", body, found: Vec::new(), rows: 0 };
        let rows = rows.iter().enumerate();
        let best = rows.max_by_key(|(at, row)| (nothing.score(row), std::cmp::Reverse(*at)));
        if let (Some((at, _)), false) = (best, unseen.iter().any(|(kind, _)| *kind == body)) {
            unseen.push((body, at));
        }
    }
    unseen
}

/// What is known of a call.
struct Seen<'t> {
    head: &'t str,
    body: Body,
    found: Vec<Sight>,
    /// The rows that have one of the marks.
    rows: Rows,
}

/// A mark that was seen.
struct Sight {
    mark: usize,
    /// Its length, where it stands for its row; text has the shortest ones, too.
    length: usize,
    /// The place behind it in the head.
    end: Option<usize>,
}

impl<'t> Seen<'t> {
    fn new(openers: &[&str], head: &'t str, body: Body) -> Self {
        let mut seen = Self { head, body, found: Vec::new(), rows: 0 };
        seen.search();
        for opener in openers {
            let first = opener.as_bytes().first();
            let marks = INDEX.marks.iter().enumerate();
            let marks = marks.filter(|(_, mark)| mark.text.as_bytes().first() == first);
            for (at, mark) in marks.filter(|(_, mark)| opener.starts_with(mark.text)) {
                seen.see(at, mark.text.len(), None);
            }
        }
        seen
    }

    /// Sees the marks in the head, also those that stand in others.
    fn search(&mut self) {
        let Some(dfa) = &INDEX.search else { return };
        let Ok(start) = dfa.start_state(Anchored::No) else { return };
        let mut state = start;
        for (at, &byte) in self.head.as_bytes().iter().enumerate() {
            // Most bytes start no mark.
            if state == start && !INDEX.starts.has_byte(byte) {
                continue;
            }
            state = dfa.next_state(Anchored::No, state, byte);
            if dfa.is_special(state) && dfa.is_match(state) {
                for index in 0..dfa.match_len(state) {
                    let mark = dfa.match_pattern(state, index);
                    let length =
                        Some(dfa.pattern_len(mark)).filter(|length| *length > COMMON_BYTES);
                    self.see(mark.as_usize(), length.unwrap_or(0), Some(at + 1));
                }
            }
        }
    }

    fn see(&mut self, mark: usize, length: usize, end: Option<usize>) {
        self.found.push(Sight { mark, length, end });
        self.rows |= INDEX.marks.get(mark).map_or(0, |mark| mark.rows);
    }

    fn score(&self, row: &Row) -> usize {
        let frame = self.longest(&row.frame).map_or(0, |length| 20 + length);
        let own = self.longest(&row.call).map_or(0, |length| 10 + length);
        let missing = usize::from(!row.frame.is_empty() && frame == 0)
            + usize::from(!row.call.is_empty() && own == 0);
        let kind = if row.dialect.call.body == self.body { 40 } else { 0 };
        (frame + own + kind + self.name(row)).saturating_sub(missing * 30)
    }

    /// What was seen of these marks.
    fn of(&self, marks: &[usize]) -> impl Iterator<Item = &Sight> {
        self.found.iter().filter(|sight| marks.contains(&sight.mark))
    }

    /// The length of the longest of these marks that was seen.
    fn longest(&self, marks: &[usize]) -> Option<usize> {
        self.of(marks).map(|sight| sight.length).max().filter(|length| *length > 0)
    }

    /// Whether the name ends as the row says.
    fn name(&self, row: &Row) -> usize {
        let Name::Until(marks) = row.dialect.call.name else { return 0 };
        let Some(start) = self.of(&row.call).filter_map(|sight| sight.end).min() else { return 0 };
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

#[cfg(test)]
mod tests {
    use super::{INDEX, Rows};

    #[test]
    fn every_row_has_a_bit() {
        assert!(INDEX.rows.len() <= Rows::BITS as usize);
    }
}
