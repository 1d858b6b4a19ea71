//! One call out of each dialect's example.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Duration;

use serde_json::{Value, json};
use toolmend::{Echo, Findings, Search, Settings, ToolSet};
use toolmend_dialect::{Offered, dialects};

use super::scan::scan;
use super::{Answer, Meant, Plan, Sample, pieces, tools};
use crate::report::{Report, Table, section, table as print_table};
use crate::timing::fair_times;

/// The word that every example has in its text argument.
const WORD: &str = "Lima";
/// How long the text argument of the long examples is.
const LONG_BYTES: usize = 4_000;

/// Every dialect's example as it stands, and with a long argument.
pub(super) fn samples() -> Vec<Sample> {
    let long = long_text();
    let mut samples = Vec::new();
    for dialect in dialects() {
        for (size, word) in [("short", WORD), ("4 KB", &long)] {
            samples.push(Sample {
                dialect: dialect.id,
                size,
                text: dialect.example.replace(WORD, word),
                meant: meant(dialect.example, word),
            });
        }
    }
    samples
}

fn meant(example: &str, word: &str) -> Meant {
    if example.contains("brave_search") {
        let query = format!("weather in {word}");
        Meant { name: "brave_search", arguments: json!({ "query": query }) }
    } else {
        Meant { name: "get_weather", arguments: json!({ "city": word, "days": 2 }) }
    }
}

/// Text that is the same in every dialect: no quotes, brackets, breaks or white space around it.
fn long_text() -> String {
    let sentence =
        "Lima lies on the coast, south of the river; mist keeps it cool from June to October. ";
    let mut text = sentence.repeat(LONG_BYTES / sentence.len() + 1);
    text.truncate(LONG_BYTES);
    text.trim_end().to_owned() + "."
}

/// Our side of one text.
pub(super) struct Ours {
    tools: ToolSet,
    echo: Echo,
    offered: Offered,
    settings: Settings,
}

impl Ours {
    pub(super) fn new() -> Self {
        Self {
            tools: ToolSet::read(&tools::openai()),
            echo: Echo::of(&[json!({ "role": "user", "content": "What is the weather like?" })]),
            offered: Offered::new(tools::names()),
            settings: Settings::default(),
        }
    }

    /// Finds and judges, as `toolmend fix` does.
    pub(super) fn search(&self, text: &str, chunk: Option<NonZeroUsize>) -> Findings {
        let search = Search {
            tools: &self.tools,
            echo: &self.echo,
            settings: &self.settings,
            is_turn_cut: false,
            is_turn_over: false,
            declared: &[],
            chunk,
        };
        search.run(text, "")
    }

    pub(super) fn answer(&self, sample: &Sample, chunk: Option<NonZeroUsize>) -> Answer {
        let findings = self.search(&sample.text, chunk);
        let calls = findings.calls.iter();
        sample.meant.judge(calls.map(|call| (call.name.as_str(), Some(call.arguments.clone()))))
    }

    /// Only looks.
    pub(super) fn scan<'t>(&self, parts: impl Iterator<Item = &'t str>) {
        scan(parts, &self.offered);
    }
}

/// Pieces of four bytes.
pub(super) const FOUR: Option<NonZeroUsize> = NonZeroUsize::new(4);

struct Row {
    answers: [Answer; 2],
    search: Duration,
    search_pieces: Duration,
    scan: Duration,
    scan_pieces: Duration,
}

pub(super) fn run(plan: &Plan, samples: &[Sample], report: &mut Report) {
    let ours = Ours::new();
    let head = [
        "dialect",
        "argument",
        "bytes",
        "answer",
        "search µs",
        "4-byte pieces",
        "pieces : whole",
        "scanner µs",
        "4-byte pieces",
        "pieces : whole",
    ];
    let mut table = Table::new(head.map(String::from));
    let mut data = Vec::new();
    let (mut right, mut worst) = (0, (0.0, String::new()));
    for sample in samples {
        let row = measure(&ours, sample, plan);
        let answer = match row.answers {
            [whole, pieces] if whole == pieces => whole.as_str().into(),
            [whole, pieces] => format!("{}/{}", whole.as_str(), pieces.as_str()),
        };
        right += usize::from(row.answers == [Answer::Right; 2]);
        let cost = crate::timing::ratio(row.search_pieces, row.search);
        if cost > worst.0 {
            worst = (cost, format!("{}, {}", sample.dialect, sample.size));
        }
        table.row([
            sample.dialect.into(),
            sample.size.into(),
            sample.text.len().to_string(),
            answer.clone(),
            micros(row.search),
            micros(row.search_pieces),
            format!("{cost:.2}"),
            micros(row.scan),
            micros(row.scan_pieces),
            format!("{:.2}", crate::timing::ratio(row.scan_pieces, row.scan)),
        ]);
        data.push(json!({
            "dialect": sample.dialect, "argument": sample.size, "bytes": sample.text.len(), "answer": answer,
            "search_ns": row.search.as_nanos() as u64, "search_pieces_ns": row.search_pieces.as_nanos() as u64,
            "scan_ns": row.scan.as_nanos() as u64, "scan_pieces_ns": row.scan_pieces.as_nanos() as u64,
        }));
    }
    section("One call out of each dialect, told nothing");
    print_table(&table);
    report.data("dialects_calls", Value::Array(data));
    report.target(
        "every example gives its call, whole and in 4-byte pieces",
        right == samples.len(),
        &format!("{right} of {}", samples.len()),
    );
    report.target(
        "one call in 4-byte pieces: ≤ 4× the whole",
        worst.0 <= 4.0,
        &format!("{:.2}× ({})", worst.0, worst.1),
    );
}

fn measure(ours: &Ours, sample: &Sample, plan: &Plan) -> Row {
    let text = sample.text.as_str();
    let parts = pieces(text);
    let times = fair_times(
        &[
            &|| drop(black_box(ours.search(black_box(text), None))),
            &|| drop(black_box(ours.search(black_box(text), FOUR))),
            &|| ours.scan(std::iter::once(black_box(text))),
            &|| ours.scan(black_box(&parts).iter().copied()),
        ],
        plan.effort,
    );
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    Row {
        answers: [ours.answer(sample, None), ours.answer(sample, FOUR)],
        search: at(0),
        search_pieces: at(1),
        scan: at(2),
        scan_pieces: at(3),
    }
}

/// Microseconds for people.
pub(super) fn micros(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 9.95 { format!("{micros:.2}") } else { format!("{micros:.1}") }
}
