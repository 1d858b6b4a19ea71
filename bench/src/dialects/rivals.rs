//! The parsers that other projects publish. Each is told the format of the text; we are not.

mod dynamo;
mod dynamo_v2;
mod smg;

use std::error::Error;
use std::hint::black_box;
use std::time::Duration;

use serde_json::{Value, json};

use super::calls::{FOUR, Ours, micros};
use super::formats::{FORMATS, Format};
use super::{Answer, Plan, Sample, pieces, tools};
use crate::contender::guarded;
use crate::report::{Report, Table, note, section, table as print_table};
use crate::timing::{fair_times, ratio};

/// Name and arguments of a call, as they were written out.
type Call = (String, String);

/// What a parser makes of a text.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) calls: Vec<Call>,
    /// What is no call.
    pub(crate) text: String,
}

impl Reply {
    /// Adds a piece of the call of this index.
    fn add(&mut self, index: usize, name: Option<&str>, arguments: &str) {
        if self.calls.len() <= index {
            self.calls.resize_with(index + 1, Default::default);
        }
        if let Some(call) = self.calls.get_mut(index) {
            call.0.push_str(name.unwrap_or_default());
            call.1.push_str(arguments);
        }
    }
}

/// A parser that is told the format.
pub(crate) trait Rival {
    /// The name that tables show.
    fn name(&self) -> &'static str;
    /// What it calls a format; `None` where it does not read it.
    fn format(&self, format: &Format) -> Option<&'static str>;
    /// The calls of a whole text.
    fn whole(&self, format: &str, text: &str) -> Result<Reply, Box<dyn Error>>;
    /// The calls of a text that comes in pieces.
    fn pieces(&self, format: &str, pieces: &[&str]) -> Result<Reply, Box<dyn Error>>;
}

/// What a rival made of a text, and how long it took.
struct Trial {
    rival: &'static str,
    answer: Answer,
    time: Duration,
}

/// The trials of one text.
struct Row<'s> {
    sample: &'s Sample,
    is_whole: bool,
    answer: Answer,
    search: Duration,
    scan: Duration,
    trials: Vec<Option<Trial>>,
}

/// The parser of this name, for these tools.
pub(crate) fn rival(name: &str, tools: &[Value]) -> Result<Box<dyn Rival>, Box<dyn Error>> {
    Ok(match name {
        smg::NAME => Box::new(smg::Smg::new(tools)?),
        dynamo::NAME => Box::new(dynamo::Dynamo::new(tools)?),
        _ => Box::new(dynamo_v2::DynamoV2::new(tools)),
    })
}

/// Names and parameters of tools as the `OpenAI` API has them.
fn named(tools: &[Value]) -> impl Iterator<Item = (&str, &Value)> {
    tools.iter().filter_map(|tool| {
        let function = tool.get("function")?;
        Some((function.get("name")?.as_str()?, function.get("parameters")?))
    })
}

pub(super) fn run(
    plan: &Plan,
    samples: &[Sample],
    report: &mut Report,
) -> Result<(), Box<dyn Error>> {
    let tools = tools::openai();
    let dynamo = dynamo::Dynamo::new(&tools)?;
    let (smg, dynamo_v2) = (smg::Smg::new(&tools)?, dynamo_v2::DynamoV2::new(&tools));
    let rivals: [&dyn Rival; 3] = [&smg, &dynamo, &dynamo_v2];
    // A panic of a rival is an answer here, and its message would only be noise.
    std::panic::set_hook(Box::new(|_| {}));
    let harmony = dynamo.harmony_error();
    let ours = Ours::new();
    let mut rows = Vec::new();
    for is_whole in [true, false] {
        for sample in samples {
            let Some(format) = FORMATS.iter().find(|format| format.dialect == sample.dialect)
            else {
                continue;
            };
            if format.dialect == "harmony" && harmony.is_some() {
                continue;
            }
            rows.push(measure(&ours, &rivals, format, sample, is_whole, plan));
        }
    }
    drop(std::panic::take_hook());
    if let Some(error) = harmony {
        note(&format!("Harmony is left out: its tokens cannot be loaded ({error})."));
    }
    for row in &rows {
        let what = if row.is_whole { "one call, whole" } else { "one call, in 4-byte pieces" };
        for trial in row.trials.iter().flatten() {
            report.raced(what, trial.rival, ratio(trial.time, row.search));
        }
    }
    for is_whole in [true, false] {
        let rows: Vec<&Row<'_>> = rows.iter().filter(|row| row.is_whole == is_whole).collect();
        print(&rivals, &rows, is_whole, report);
    }
    report.data("dialects_rivals", rows.iter().map(data).collect());
    Ok(())
}

fn measure<'s>(
    ours: &Ours,
    rivals: &[&dyn Rival],
    format: &Format,
    sample: &'s Sample,
    is_whole: bool,
    plan: &Plan,
) -> Row<'s> {
    let text = sample.text.as_str();
    let parts = pieces(text);
    let chunk = if is_whole { None } else { FOUR };
    let able: Vec<Option<(&dyn Rival, &'static str)>> =
        rivals.iter().map(|rival| Some((*rival, rival.format(format)?))).collect();
    let ask = |rival: &dyn Rival, name: &str| {
        if is_whole { rival.whole(name, text) } else { rival.pieces(name, &parts) }
    };
    let search = || drop(black_box(ours.search(black_box(text), chunk)));
    let scan = || {
        if is_whole {
            ours.scan(std::iter::once(text));
        } else {
            ours.scan(parts.iter().copied());
        }
    };
    let others: Vec<Box<dyn Fn() + '_>> = able
        .iter()
        .flatten()
        .map(|&(rival, name)| -> Box<dyn Fn() + '_> {
            Box::new(move || drop(black_box(guarded(|| ask(rival, name).ok()))))
        })
        .collect();
    let mut all: Vec<&dyn Fn()> = vec![&search, &scan];
    all.extend(others.iter().map(Box::as_ref));
    let mut times = fair_times(&all, plan.effort).into_iter();
    let (search, scan) = (times.next().unwrap_or_default(), times.next().unwrap_or_default());
    let trials = able.iter().map(|able| {
        let (rival, name) = (*able)?;
        let told = guarded(|| Some(ask(rival, name)));
        let found = told.as_ref().and_then(|told| told.as_ref().ok());
        let calls = found.into_iter().flat_map(|reply| &reply.calls).map(|(name, arguments)| {
            (name.as_str(), serde_json::from_str::<Value>(arguments).ok())
        });
        let answer = sample.meant.judge(calls);
        if plan.shows_wrong && answer != Answer::Right {
            let how = if is_whole { "whole" } else { "pieces" };
            println!("{} {} {} {how}: {told:?}", rival.name(), sample.dialect, sample.size);
        }
        Some(Trial { rival: rival.name(), answer, time: times.next().unwrap_or_default() })
    });
    let trials = trials.collect();
    Row { sample, is_whole, answer: ours.answer(sample, chunk), search, scan, trials }
}

fn print(rivals: &[&dyn Rival], rows: &[&Row<'_>], is_whole: bool, report: &mut Report) {
    let head = ["format", "argument", "search µs", "answer", "scanner µs"].map(String::from);
    let names = rivals.iter().map(|rival| format!("{} µs (× search)", rival.name()));
    let mut table = Table::new(head.into_iter().chain(names));
    for row in rows {
        let own = [
            row.sample.dialect.into(),
            row.sample.size.into(),
            micros(row.search),
            row.answer.as_str().into(),
            micros(row.scan),
        ];
        let cells = row.trials.iter().map(|trial| match trial {
            None => String::new(),
            Some(trial) => format!(
                "{} ({:.1}×) {}",
                micros(trial.time),
                ratio(trial.time, row.search),
                trial.answer.as_str()
            ),
        });
        table.row(own.into_iter().chain(cells));
    }
    let how = if is_whole { "whole" } else { "in 4-byte pieces" };
    section(&format!("The parsers of other projects, each told its format, {how}"));
    print_table(&table);
    for rival in rivals {
        target(rival.name(), rows, how, report);
    }
}

fn target(rival: &str, rows: &[&Row<'_>], how: &str, report: &mut Report) {
    let trials = rows.iter().flat_map(|row| {
        row.trials.iter().flatten().filter(|trial| trial.rival == rival).map(|trial| (*row, trial))
    });
    let trials: Vec<_> = trials.collect();
    let right = trials.iter().filter(|(_, trial)| trial.answer == Answer::Right).count();
    let ours = trials.iter().filter(|(row, _)| row.answer == Answer::Right).count();
    let lost: Vec<String> = trials
        .iter()
        .filter(|(row, trial)| trial.time <= row.search)
        .map(|(row, trial)| {
            let than = ratio(row.search, trial.time);
            let answer = trial.answer.as_str();
            format!("{} {} {than:.1}× slower ({answer})", row.sample.dialect, row.sample.size)
        })
        .collect();
    let count = trials.len();
    report.target(
        &format!("faster than {rival} on every format it shares, {how}"),
        lost.is_empty(),
        &format!(
            "{} of {count}; right: we {ours}, {rival} {right}{}{}",
            count - lost.len(),
            if lost.is_empty() { "" } else { "; lost: " },
            lost.join(", ")
        ),
    );
}

fn data(row: &Row<'_>) -> Value {
    let trials = row.trials.iter().flatten();
    let rivals = trials.map(|trial| {
        let value = json!({ "ns": trial.time.as_nanos() as u64, "answer": trial.answer.as_str() });
        (trial.rival.to_owned(), value)
    });
    json!({
        "dialect": row.sample.dialect, "argument": row.sample.size, "is_whole": row.is_whole,
        "answer": row.answer.as_str(), "search_ns": row.search.as_nanos() as u64,
        "scan_ns": row.scan.as_nanos() as u64, "rivals": rivals.collect::<serde_json::Map<_, _>>(),
    })
}
