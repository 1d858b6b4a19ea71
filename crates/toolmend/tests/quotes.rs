//! Quoted calls stay text, and genuine ones are found, in every dialect, in English and Chinese.
//!
//! With `QUOTES_SHOW=1` the tests of the first half print the texts that fail; `QUOTES_SHOW=prose`
//! prints one category. Of the second half only counts by kind and language are ever told.
#![expect(clippy::print_stderr, reason = "failing texts are shown on request")]

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use quotes::{Call, Half, Turn};
use toolmend::{Echo, Findings, Meant, Search, Settings, ToolSet};

const SEED: u64 = 20_260;
/// More draws of the half that may be looked at: each meets other phrases in other dialects.
const SEEDS: [u64; 4] = [SEED, 1, 2, 3];

/// The aim is that no quoted call is promoted and that 99 of 100 genuine ones are found, in both
/// halves. These bounds are what holds today, so that it only gets better: lower the first and raise
/// the second with every change that allows it, never the other way.
const SEEN: Bound = Bound { promoted_max: 0, found_min_permille: 997 };
const HELD: Bound = Bound { promoted_max: 0, found_min_permille: 993 };

struct Bound {
    promoted_max: usize,
    found_min_permille: usize,
}

#[test]
fn quoted_calls_stay_text() {
    for seed in SEEDS {
        tally(Half::Seen, quotes::quoted(Half::Seen, seed)).hold(&SEEN);
    }
}

#[test]
fn quoted_calls_stay_text_in_the_held_half() {
    let tally = tally(Half::Held, quotes::quoted(Half::Held, SEED));
    tally.hold(&HELD);
}

#[test]
fn genuine_calls_are_found() {
    for seed in SEEDS {
        tally(Half::Seen, quotes::genuine(Half::Seen, seed)).hold(&SEEN);
    }
}

#[test]
fn genuine_calls_are_found_in_the_held_half() {
    let tally = tally(Half::Held, quotes::genuine(Half::Held, SEED));
    tally.hold(&HELD);
}

/// What came of some turns.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    turns: usize,
    /// Turns with a call that nobody meant.
    promoted: usize,
    wanted: usize,
    /// Genuine calls that were not found.
    lost: usize,
}

/// Counts by category, language, and whether a genuine call stands beside the quoted one.
#[derive(Debug, Default)]
struct Tally {
    rows: BTreeMap<(&'static str, &'static str, bool), Counts>,
}

impl Tally {
    fn total(&self) -> Counts {
        self.rows.values().fold(Counts::default(), |sum, counts| Counts {
            turns: sum.turns + counts.turns,
            promoted: sum.promoted + counts.promoted,
            wanted: sum.wanted + counts.wanted,
            lost: sum.lost + counts.lost,
        })
    }

    fn hold(&self, bound: &Bound) {
        // The counts of what fails, by class and language; never a text.
        eprintln!("{self}");
        let Counts { promoted, wanted, lost, .. } = self.total();
        assert!(promoted <= bound.promoted_max, "{self}");
        assert!(wanted > 0, "{self}");
        assert!((wanted - lost) * 1000 >= wanted * bound.found_min_permille, "{self}");
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { turns, promoted, wanted, lost } = self.total();
        writeln!(out, "{turns} turns: {promoted} promoted; {lost} of {wanted} genuine lost")?;
        for ((what, language, is_mixed), counts) in &self.rows {
            let Counts { turns, promoted, wanted, lost } = counts;
            if *promoted + *lost > 0 {
                let beside = if *is_mixed { "beside a call" } else { "" };
                writeln!(
                    out,
                    "{what:28} {language} {beside:14} {promoted:3} of {turns} promoted, \
                     {lost:3} of {wanted} lost"
                )?;
            }
        }
        Ok(())
    }
}

fn tally(half: Half, turns: impl Iterator<Item = Turn>) -> Tally {
    let tools = ToolSet::read(&quotes::tools());
    let show = std::env::var("QUOTES_SHOW").ok().filter(|_| half == Half::Seen);
    let mut tally = Tally::default();
    for turn in turns {
        let findings = search(&tools, &turn);
        let (found, wanted) = (&findings.calls, &turn.wanted);
        let is_other = |call: &&Meant| wanted.iter().all(|wanted| !is_same(call, wanted));
        let is_lost = |wanted: &&Call| found.iter().all(|call| !is_same(call, wanted));
        let others = found.iter().filter(is_other).count();
        let lost = wanted.iter().filter(is_lost).count();
        let key = (turn.what, turn.language.as_str(), turn.is_mixed);
        let counts = tally.rows.entry(key).or_default();
        counts.turns += 1;
        counts.promoted += usize::from(others > 0);
        counts.wanted += turn.wanted.len();
        counts.lost += lost;
        if let Some(show) = &show
            && (others > 0 || lost > 0)
            && (show == "1" || show == turn.what)
        {
            eprintln!("{}", shown(&turn, &findings, others, lost));
        }
    }
    tally
}

fn search(tools: &ToolSet, turn: &Turn) -> Findings {
    let echo = Echo::of(&turn.messages);
    let search = Search {
        tools,
        echo: &echo,
        settings: &Settings::default(),
        is_turn_cut: false,
        is_turn_over: true,
        declared: &[],
        chunk: None,
    };
    search.run(&turn.content, &turn.reasoning)
}

fn is_same(found: &Meant, wanted: &Call) -> bool {
    found.name == wanted.name && found.arguments == wanted.arguments
}

fn shown(turn: &Turn, findings: &Findings, others: usize, lost: usize) -> String {
    let Turn { what, dialect, language, content, reasoning, .. } = turn;
    let mut out = format!(
        "== {what} {} {dialect}{}: {others} promoted, {lost} lost\n{content}",
        language.as_str(),
        if turn.is_mixed { " beside a call" } else { "" },
    );
    if !reasoning.is_empty() {
        let _ = write!(out, "\n-- thought: {reasoning}");
    }
    for call in &findings.calls {
        let _ = write!(out, "\n-- found {} {}", call.name, call.arguments);
    }
    for refused in &findings.refused {
        let _ = write!(out, "\n-- refused {}: {}", refused.name, refused.message);
    }
    out
}
