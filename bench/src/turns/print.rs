//! Tables: each rival beside ours on the turns that it was asked about.

use serde_json::{Value, json};

use super::judged::{Judged, Tally};
use super::suites::{Kind, Suite};
use super::{Column, Way};
use crate::report::{Report, Table, note, section, table as print_table};

/// Prints a suite and keeps its figures.
pub(super) fn suite(
    suite: &Suite,
    ours: &[Column<'_>],
    theirs: &[Column<'_>],
    report: &mut Report,
) {
    let head = [
        "contender",
        "turns",
        "recall",
        "exactness",
        "false calls",
        "harm",
        "≠ whole",
        "our recall",
        "exactness",
        "false calls",
        "harm",
    ];
    let mut table = Table::new(head.map(String::from));
    let mut data = Vec::new();
    let mut lost = Vec::new();
    for column in ours.iter().chain(theirs) {
        let way = usize::from(column.way == Way::Streamed);
        let Some(same) = ours.get(way) else { continue };
        let all = ours.iter().chain(theirs);
        let whole = all
            .into_iter()
            .find(|other| other.contender == column.contender && other.way == Way::Whole);
        let mine = column.contender == same.contender;
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
        if mine && suite.kind == Kind::Arguments && column.way == Way::Streamed {
            continue;
        }
        if !mine && loses(&beside, &its) {
            lost.push(name.clone());
        }
        let own = cells(&its);
        let others = if mine { [const { String::new() }; 4] } else { cells(&beside) };
        let differs_cell = differs.map_or_else(String::new, |count| count.to_string());
        let turns = asked(column).to_string();
        table.row([vec![name, turns], own.to_vec(), vec![differs_cell], others.to_vec()].concat());
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

fn targets(suite: &Suite, ours: &[Column<'_>], lost: &[String], report: &mut Report) {
    let [whole, streamed] = ours else { return };
    let name = &suite.name;
    let counts = tally(suite, whole, whole);
    let differs = differing(whole, streamed);
    report.target(
        &format!(
            "{name}: no rival has more recall, fewer false calls or less harm on its own turns"
        ),
        lost.is_empty(),
        &if lost.is_empty() { "none".to_owned() } else { lost.join(", ") },
    );
    report.target(
        &format!("{name}: streamed as whole"),
        differs == 0,
        &format!("{differs} of {} differ", suite.tasks.len()),
    );
    report.target(
        &format!("{name}: what was right is not touched"),
        counts.harmed == 0,
        &format!("{} of {}", counts.harmed, counts.right),
    );
}

/// Whether it does something better than we do on the same turns.
fn loses(ours: &Tally, its: &Tally) -> bool {
    let (our_recall, its_recall) = (ours.score.recall().0, its.score.recall().0);
    its_recall > our_recall || its.false_calls < ours.false_calls || its.harmed < ours.harmed
}

fn asked(column: &Column<'_>) -> usize {
    column.replies.iter().flatten().count()
}

/// Counts over the turns that `which` was asked about.
fn tally(suite: &Suite, column: &Column<'_>, which: &Column<'_>) -> Tally {
    let mut tally = Tally::default();
    let replies = suite.tasks.iter().zip(&column.replies).zip(&which.replies);
    for ((task, reply), other) in replies {
        if let (Some(reply), Some(_)) = (reply, other) {
            tally.add(Judged::of(task, reply));
        }
    }
    tally
}

fn differing(whole: &Column<'_>, streamed: &Column<'_>) -> usize {
    let calls = |column: &Column<'_>, at: usize| -> Option<Vec<Value>> {
        Some(column.replies.get(at)?.as_ref()?.calls.clone())
    };
    (0..whole.replies.len()).filter(|&at| calls(whole, at) != calls(streamed, at)).count()
}

fn cells(tally: &Tally) -> [String; 4] {
    let harm = match tally.right {
        0 => "–".to_owned(),
        right => format!("{} of {right}", tally.harmed),
    };
    [
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
        "right_as_it_came": tally.right, "harmed": tally.harmed,
    })
}
