//! Whole turns, ours and the rivals': which of the calls that were meant come out, what else comes
//! out as a call, and what becomes of turns that were right.

mod contender;
#[path = "../../crates/toolmend-cli/src/eval/item.rs"]
mod item;
mod judged;
mod ours;
mod print;
mod rivals;
#[path = "../../crates/toolmend-cli/src/eval/score.rs"]
mod score;
mod serve;
mod suites;
mod task;

use std::error::Error;

use serde_json::Value;

use crate::arguments::Arguments;
use crate::report::Report;
use contender::Contender;
use judged::Judged;
use suites::Suite;
use task::Task;

pub use serve::serve;

/// What came of a turn.
#[derive(Clone, Debug, Default)]
struct Reply {
    /// Names and arguments.
    calls: Vec<Value>,
    /// What is left of the answer, where the contender tells it.
    text: Option<String>,
}

/// How a turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Whole,
    /// In pieces of four bytes.
    Streamed,
}

impl Way {
    const ALL: [Self; 2] = [Self::Whole, Self::Streamed];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Streamed => "streamed",
        }
    }
}

/// What a contender makes of the turns of a suite: `None` for those that it is not asked about.
struct Column<'c> {
    contender: &'c str,
    version: &'c str,
    way: Way,
    replies: Vec<Option<Reply>>,
}

/// Judges everybody on every suite.
pub fn run(arguments: &Arguments, report: &mut Report) -> Result<(), Box<dyn Error>> {
    let suites = suites::all(arguments)?;
    let rivals = if arguments.only_us { Vec::new() } else { rivals::all() };
    let mut contenders: Vec<Contender> = Vec::new();
    let mut left_out: Vec<String> = Vec::new();
    for rival in &rivals {
        match rival.start() {
            Ok(contender) => contenders.push(contender),
            Err(reason) => left_out.push(format!("{} ({reason})", rival.name)),
        }
    }
    let mut totals = print::Totals::default();
    for suite in &suites {
        let ours = Way::ALL.map(|way| {
            let replies = suite.tasks.iter().map(|task| Some(ours::reply(task, way)));
            let version = env!("CARGO_PKG_VERSION");
            Column { contender: "toolmend", version, way, replies: replies.collect() }
        });
        show(arguments, suite, &ours[0]);
        let mut theirs = Vec::new();
        for contender in contenders.iter_mut().filter(|contender| contender.takes(suite)) {
            theirs.extend(contender.columns(suite));
        }
        print::suite(suite, &ours, &theirs, &mut totals, report);
    }
    report.glance(totals.table());
    print::left_out(&left_out, report);
    Ok(())
}

/// Prints what we get wrong, where that is asked for and may be seen.
fn show(arguments: &Arguments, suite: &Suite, ours: &Column<'_>) {
    let replies = suite.tasks.iter().zip(&ours.replies);
    for (task, reply) in replies.filter(|(task, _)| arguments.show_wrong && task.is_shown) {
        let Some(reply) = reply else { continue };
        let judged = Judged::of(task, reply);
        if judged.verdict.is_wrong() || judged.is_harmed == Some(true) {
            let (item, verdict) = (&task.item, judged.verdict.as_str());
            println!("### {verdict}: {} {} ({}, {})", suite.name, item.id, item.class, item.model);
            println!("{}", item.line);
            println!("→ {:?}\n", reply.calls.iter().map(Value::to_string).collect::<Vec<_>>());
        }
    }
}
