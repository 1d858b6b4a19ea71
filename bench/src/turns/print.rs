//! Tables: each rival beside ours on the turns that it was asked about.

use serde_json::{Value, json};

use super::judged::{Judged, Tally};
use super::suites::{Kind, Suite};
use super::{Column, Way};
use crate::report::{Report, Table, note, section, table as print_table};

/// What contenders come to over all suites.
#[derive(Default)]
pub(super) struct Totals(Vec<Total>);

/// What one contender comes to, and we on the same turns.
struct Total {
    kind: Kind,
    name: String,
    is_ours: bool,
    turns: usize,
    its: Tally,
    beside: Tally,
    differs: Option<usize>,
}

impl Totals {
    /// The totals of one contender, so far.
    fn of(&mut self, kind: Kind, name: &str, is_ours: bool) -> Option<&mut Total> {
        if !self.0.iter().any(|total| total.kind == kind && total.name == name) {
            let (name, zero) = (name.to_owned(), Tally::default());
            self.0.push(Total {
                kind,
                name,
                is_ours,
                turns: 0,
                its: zero,
                beside: zero,
                differs: None,
            });
        }
        self.0.iter_mut().find(|total| total.kind == kind && total.name == name)
    }

    /// All of them in one table.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::new(std::iter::once("asked for").chain(HEAD).map(String::from));
        for kind in [Kind::Text, Kind::Arguments] {
            for total in self.0.iter().filter(|total| total.kind == kind) {
                let own = [title(kind).to_lowercase()];
                table.row(own.into_iter().chain(total.cells()));
            }
        }
        table
    }
}

impl Total {
    fn cells(&self) -> impl Iterator<Item = String> {
        let differs = self.differs.map_or_else(String::new, |count| count.to_string());
        let beside = match self.is_ours {
            true => [const { String::new() }; 5],
            false => cells(&self.beside),
        };
        let own = [self.name.clone(), self.turns.to_string()];
        own.into_iter().chain(cells(&self.its)).chain([differs]).chain(beside)
    }
}

const HEAD: [&str; 13] = [
    "contender",
    "turns",
    "right",
    "recall",
    "exactness",
    "false calls",
    "harm",
    "≠ whole",
    "ours right",
    "recall",
    "exactness",
    "false calls",
    "harm",
];

/// Prints a suite and keeps its figures.
pub(super) fn suite(
    suite: &Suite,
    ours: &[Column<'_>],
    theirs: &[Column<'_>],
    totals: &mut Totals,
    report: &mut Report,
) {
    let mut table = Table::new(HEAD.map(String::from));
    let mut data = Vec::new();
    let mut lost = Lost::default();
    for column in ours.iter().chain(theirs) {
        let way = usize::from(column.way == Way::Streamed);
        let Some(same) = ours.get(way) else { continue };
        let all = ours.iter().chain(theirs);
        let whole = all
            .into_iter()
            .find(|other| other.contender == column.contender && other.way == Way::Whole);
        let is_ours = column.contender == same.contender;
        if is_ours && suite.kind == Kind::Arguments && column.way == Way::Streamed {
            continue;
        }
        let its = tally(suite, column, column);
        let beside = tally(suite, same, column);
        let differs =
            whole.filter(|_| column.way == Way::Streamed).map(|whole| differing(whole, column));
        let name = match suite.kind {
            Kind::Text => {
                format!("{} {}, {}", column.contender, column.version, column.way.as_str())
            }
            Kind::Arguments => format!("{} {}", column.contender, column.version),
        };
        if !is_ours {
            lost.look(&name, &beside, &its);
        }
        if let Some(total) = totals.of(suite.kind, &name, is_ours) {
            total.turns += asked(column);
            count(&mut total.its, suite, column, column);
            count(&mut total.beside, suite, same, column);
            total.differs = differs.map(|differs| total.differs.unwrap_or(0) + differs);
        }
        let turns = asked(column);
        let kind = suite.kind;
        let one = Total { kind, name, is_ours, turns, its, beside, differs };
        table.row(one.cells());
        data.push(json!({
            "contender": column.contender, "version": column.version, "way": column.way.as_str(),
            "turns": asked(column), "differs_from_whole": differs,
            "its": value(&its), "ours": value(&beside),
        }));
    }
    section(&format!("{}: {}", title(suite.kind), suite.name));
    print_table(&table);
    targets(suite, ours, &lost, report);
    report.data(&format!("turns: {}", suite.name), Value::Array(data));
}

/// Says who could not be had.
pub(super) fn left_out(names: &[String], report: &mut Report) {
    if !names.is_empty() {
        note(&format!("Left out: {}.", names.join(", ")));
    }
    report.data("turns_left_out", json!(names));
}

const fn title(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "Calls in text",
        Kind::Arguments => "Declared calls",
    }
}

fn targets(suite: &Suite, ours: &[Column<'_>], lost: &Lost, report: &mut Report) {
    let [whole, streamed] = ours else { return };
    let name = &suite.name;
    let counts = tally(suite, whole, whole);
    let differs = differing(whole, streamed);
    let who = |names: &[String]| match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    };
    report.target(
        &format!("{name}: no rival gets more of its own turns right"),
        lost.right.is_empty(),
        &who(&lost.right),
    );
    report.target(
        &format!(
            "{name}: no rival has more recall, fewer false calls or less harm on its own turns"
        ),
        lost.part.is_empty(),
        &who(&lost.part),
    );
    report.target(
        &format!("{name}: streamed as whole"),
        differs == 0,
        &format!("{differs} of {} differ", suite.tasks.len()),
    );
    report.target(
        &format!("{name}: what was right is not touched"),
        counts.harmed == 0,
        &format!("{} of {}", counts.harmed, counts.came_right),
    );
}

/// The rivals that do better than we do on the turns that they were asked about.
#[derive(Default)]
struct Lost {
    /// More turns are right as a whole.
    right: Vec<String>,
    /// More is found, less is false or less is harmed, whatever the rest is like.
    part: Vec<String>,
}

impl Lost {
    fn look(&mut self, name: &str, ours: &Tally, its: &Tally) {
        if its.left_right > ours.left_right {
            self.right.push(name.to_owned());
        }
        let finds_more = its.score.recall().0 > ours.score.recall().0;
        if finds_more || its.false_calls < ours.false_calls || its.harmed < ours.harmed {
            self.part.push(name.to_owned());
        }
    }
}

fn asked(column: &Column<'_>) -> usize {
    column.replies.iter().flatten().count()
}

fn tally(suite: &Suite, column: &Column<'_>, which: &Column<'_>) -> Tally {
    let mut tally = Tally::default();
    count(&mut tally, suite, column, which);
    tally
}

/// Counts over the turns that `which` was asked about.
fn count(tally: &mut Tally, suite: &Suite, column: &Column<'_>, which: &Column<'_>) {
    let replies = suite.tasks.iter().zip(&column.replies).zip(&which.replies);
    for ((task, reply), other) in replies {
        if let (Some(reply), Some(_)) = (reply, other) {
            tally.add(Judged::of(task, reply));
        }
    }
}

fn differing(whole: &Column<'_>, streamed: &Column<'_>) -> usize {
    let calls = |column: &Column<'_>, at: usize| -> Option<Vec<Value>> {
        Some(column.replies.get(at)?.as_ref()?.calls.clone())
    };
    (0..whole.replies.len()).filter(|&at| calls(whole, at) != calls(streamed, at)).count()
}

fn cells(tally: &Tally) -> [String; 5] {
    let harm = match tally.came_right {
        0 => "–".to_owned(),
        right => format!("{} of {right}", tally.harmed),
    };
    [
        share((tally.left_right, tally.score.lines())),
        share(tally.score.recall()),
        share(tally.score.exactness()),
        tally.false_calls.to_string(),
        harm,
    ]
}

fn share((part, whole): (usize, usize)) -> String {
    match whole {
        0 => "–".to_owned(),
        _ => format!("{:.1} %", 100.0 * part as f64 / whole as f64),
    }
}

fn value(tally: &Tally) -> Value {
    json!({
        "score": tally.score.value("all"), "false_calls": tally.false_calls,
        "left_right": tally.left_right, "right_as_it_came": tally.came_right, "harmed": tally.harmed,
    })
}
