//! Says which dialect a call is written in, once it is read. Nothing depends on it but the report.

use std::sync::LazyLock;

use aho_corasick::automaton::Automaton;
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, MatchKind};
use memchr::memchr;

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
    let head = before_body(head, body);
    alone(openers, head, body).unwrap_or_else(|| best(&Seen::new(openers, head, body)))
}

/// The row that fits best by what was seen.
fn best(seen: &Seen<'_>) -> &'static Dialect {
    // Rows of which nothing was seen differ in the kind of body alone, so one stands for them all.
    let unseen = INDEX.unseen.iter().find(|(kind, _)| *kind == seen.body).map(|(_, at)| *at);
    let rows = bits(seen.rows).chain(unseen);
    let scored = rows.filter_map(|at| Some((at, INDEX.rows.get(at)?)));
    let best = scored.max_by_key(|(at, row)| (seen.score(row), std::cmp::Reverse(*at)));
    best.map_or(&UNKNOWN, |(_, row)| row.dialect)
}

/// The openers of all rows, each one once, and where the rows have them.
struct Index {
    /// For each opener, the rows that have it.
    marks: Vec<Rows>,
    search: Option<DFA>,
    starts: Starts,
    /// The bytes that the shortest marks start with.
    commons: Starts,
    rows: Vec<Row>,
    /// For each kind of body, the row that fits best where no mark was seen.
    unseen: Vec<(Body, usize)>,
}

/// Rows, one bit each. A test says that there are not more.
type Rows = u128;

/// The places of rows, in order.
fn bits(mut rows: Rows) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let at = rows.trailing_zeros();
        rows &= rows.wrapping_sub(1);
        (at < Rows::BITS).then_some(at as usize)
    })
}

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
    let commons = Starts::of(texts.iter().copied().filter(|mark| mark.len() <= COMMON_BYTES));
    let has = |at: usize, row: &Row| row.frame.contains(&at) || row.call.contains(&at);
    let having = |at: usize| {
        let rows = rows.iter().enumerate().filter(|(_, row)| has(at, row));
        rows.fold(0, |rows, (at, _)| rows | 1 << at)
    };
    let marks = (0..texts.len()).map(having).collect();
    let unseen = unseen(&rows);
    Index { marks, search, starts, commons, rows, unseen }
});

/// What stands between a mark and the first member of a body most often.
const BETWEEN: [&str; 5] = ["{", "\n{", "[{", " [{", "[\n    {"];

/// A mark, and the rows of calls of which nothing else stands before the first member.
type Alone = (&'static str, [&'static Dialect; BETWEEN.len()]);

/// The marks by their length, of which few share one.
static ALONE: LazyLock<Vec<Vec<Alone>>> = LazyLock::new(|| {
    // The bracket of `functools[` belongs to the list.
    let marks = dialects().flat_map(Dialect::openers).chain(["functools"]);
    let mut marks: Vec<&'static str> = marks.collect();
    marks.sort_unstable();
    marks.dedup();
    let row = |mark: &str, between: &str| {
        best(&Seen::new(&[mark], &[mark, between].concat(), Body::Json))
    };
    let mut alone: Vec<Vec<Alone>> = Vec::new();
    for mark in marks {
        if alone.len() <= mark.len() {
            alone.resize_with(mark.len() + 1, Vec::new);
        }
        if let Some(alike) = alone.get_mut(mark.len()) {
            alike.push((mark, BETWEEN.map(|between| row(mark, between))));
        }
    }
    alone
});

/// The row of a call of which nothing but one mark stands before its body, as before most.
fn alone(openers: &[&str], head: &str, body: Body) -> Option<&'static Dialect> {
    let ([mark], Body::Json) = (openers, body) else { return None };
    let rest = head.strip_prefix(mark)?;
    let between = BETWEEN.iter().position(|between| *between == rest)?;
    let (_, rows) = ALONE.get(mark.len())?.iter().find(|(known, _)| known == mark)?;
    rows.get(between).copied()
}

/// For each kind of body, the row that fits best where no mark was seen.
fn unseen(rows: &[Row]) -> Vec<(Body, usize)> {
    let mut unseen: Vec<(Body, usize)> = Vec::new();
    for body in rows.iter().map(|row| row.dialect.call.body) {
        let nothing = Seen::nothing("", body);
        let rows = rows.iter().enumerate();
        let best = rows.max_by_key(|(at, row)| (nothing.score(row), std::cmp::Reverse(*at)));
        if let (Some((at, _)), false) = (best, unseen.iter().any(|(kind, _)| *kind == body)) {
            unseen.push((body, at));
        }
    }
    unseen
}

/// So many marks there are at most. A test says that there are not more.
const MARKS_MAX: usize = 160;

/// What is known of a call.
struct Seen<'t> {
    head: &'t str,
    body: Body,
    /// For each mark what was seen of it.
    sights: [Sight; MARKS_MAX],
    /// The rows that have one of the marks that were seen.
    rows: Rows,
}

/// What was seen of a mark. All places in the head of a call are small.
#[derive(Clone, Copy, Default)]
struct Sight {
    /// Its length, where it stands for its row; text has the shortest ones, too.
    length: u8,
    /// The place behind the first one in the head; 0 where none stands there.
    end: u8,
}

impl<'t> Seen<'t> {
    fn nothing(head: &'t str, body: Body) -> Self {
        Self { head, body, sights: [Sight::default(); MARKS_MAX], rows: 0 }
    }

    fn new(openers: &[&str], head: &'t str, body: Body) -> Self {
        let mut seen = Self::nothing(head, body);
        // Marks in the head also stand in others.
        find(head, |mark, length, end| {
            let length = if length > COMMON_BYTES { length } else { 0 };
            seen.see(mark, length, end);
        });
        let mut rest = head;
        for opener in openers {
            // What opens the call stands at its head, and was found there but for the shortest marks.
            let is_common =
                opener.bytes().next().is_some_and(|first| INDEX.commons.has_byte(first));
            let after = rest.trim_ascii_start().strip_prefix(opener).filter(|_| !is_common);
            if let Some(after) = after {
                rest = after;
                continue;
            }
            find(opener, |mark, length, end| {
                if length == end {
                    seen.see(mark, length, 0);
                }
            });
        }
        seen
    }

    fn see(&mut self, mark: usize, length: usize, end: usize) {
        let byte = |place: usize| u8::try_from(place).unwrap_or(u8::MAX);
        if let Some(sight) = self.sights.get_mut(mark) {
            sight.length = sight.length.max(byte(length));
            sight.end = if sight.end == 0 { byte(end) } else { sight.end };
        }
        self.rows |= INDEX.marks.get(mark).copied().unwrap_or_default();
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
        marks.iter().filter_map(|mark| self.sights.get(*mark))
    }

    /// The length of the longest of these marks that was seen.
    fn longest(&self, marks: &[usize]) -> Option<usize> {
        let longest = self.of(marks).map(|sight| sight.length).max();
        longest.filter(|length| *length > 0).map(usize::from)
    }

    /// Whether the name ends as the row says.
    fn name(&self, row: &Row) -> usize {
        let Name::Until(marks) = row.dialect.call.name else { return 0 };
        let ends = self.of(&row.call).map(|sight| sight.end).filter(|end| *end > 0);
        let Some(start) = ends.min() else { return 0 };
        let rest = from(self.head, usize::from(start)).trim_start();
        let end = rest.find(['<', '\n', '[', '✿', '{']).map_or("", |end| from(rest, end));
        if marks.iter().any(|mark| end.starts_with(mark)) { 8 } else { 0 }
    }
}

/// Tells all marks in a text, also those that stand in others: which, how long, and the place behind.
fn find(text: &str, mut tell: impl FnMut(usize, usize, usize)) {
    let Index { search, starts, .. } = &*INDEX;
    let Some(dfa) = search else { return };
    let Ok(start) = dfa.start_state(Anchored::No) else { return };
    let mut state = start;
    let mut left = text.as_bytes().iter();
    loop {
        // Most bytes start no mark.
        let next = match state == start {
            true => left.find(|byte| starts.has_byte(**byte)),
            false => left.next(),
        };
        let Some(&byte) = next else { return };
        state = dfa.next_state(Anchored::No, state, byte);
        if dfa.is_special(state) && dfa.is_match(state) {
            for index in 0..dfa.match_len(state) {
                let mark = dfa.match_pattern(state, index);
                tell(mark.as_usize(), dfa.pattern_len(mark), text.len() - left.len());
            }
        }
    }
}

/// What is left of a header of Harmony without its tokens.
const HEADERS: [&str; 3] = ["commentary to=", "analysis to=", "to=functions."];

/// The words before a name that stands alone.
const ACTIONS: [&str; 4] = ["Action:", "Tool:", "Function:", "Action "];

/// The id of the row for JSON that no mark opened.
fn bare(openers: &[&str], head: &str, body: Body) -> Option<&'static str> {
    if !openers.is_empty() || body != Body::Json {
        return None;
    }
    let head = head.trim_start();
    let has = |word: &str| head.contains(word);
    // Values may hold anything.
    let before = before_body(head, body);
    match head.chars().next() {
        Some('{' | '[') if has("\"tool_use\"") => Some("anthropic_tool_use_json"),
        Some('{') if has("function_call\"") || has("\"tool_calls\"") || has("\"function\"") => {
            Some("openai_function_call")
        }
        Some('{') => Some("bare_json"),
        Some('[') => Some("xlam"),
        Some('T') if head.starts_with("Tool call ") => Some("text_call"),
        Some(_) if HEADERS.iter().any(|header| head.starts_with(header)) => Some("harmony"),
        Some('A' | 'T' | 'F' | '*') if ACTIONS.iter().any(|mark| before.contains(mark)) => {
            Some("react")
        }
        Some(c) if c.is_alphabetic() && before.contains("[ARGS]") => Some("mistral_v11"),
        Some(c) if c.is_alphabetic() && !before.contains('<') => Some("glm4_name_newline"),
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

/// The head of a call up to the brace that opens its body. Behind it stand values, not marks.
fn before_body(head: &str, body: Body) -> &str {
    let brace = memchr(b'{', head.as_bytes()).filter(|_| matches!(body, Body::Json | Body::Map));
    brace.map_or(head, |brace| between(head, 0, brace + 1))
}

#[cfg(test)]
mod tests {
    use super::{INDEX, MARKS_MAX, Rows};

    #[test]
    fn every_row_has_a_bit_and_every_mark_a_place() {
        assert!(INDEX.rows.len() <= Rows::BITS as usize);
        assert!(INDEX.marks.len() <= MARKS_MAX, "{}", INDEX.marks.len());
    }
}
