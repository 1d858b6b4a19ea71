//! Right, wrong and refused, per class, for us and the rivals.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use damage::{Case, cases, classes};
use serde_json::{Value, json};

use crate::arguments::Arguments;
use crate::contender::LIBRARIES;
use crate::driver::{Answer, Driver, Start};
use crate::ours::{self, SETTINGS};
use crate::provenance::with_version;
use crate::report::{Report, Table, section, table as print_table};
use crate::verdict::{Verdict, difference, judge, shortened};

/// How long a rival may think about one text of at most a few kilobytes.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    right: usize,
    wrong: usize,
    refused: usize,
}

impl Tally {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Right => self.right += 1,
            Verdict::Wrong => self.wrong += 1,
            Verdict::Refused => self.refused += 1,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            right: self.right + other.right,
            wrong: self.wrong + other.wrong,
            refused: self.refused + other.refused,
        }
    }

    fn count(self) -> usize {
        self.right + self.wrong + self.refused
    }

    fn cell(self) -> String {
        format!("{}/{}/{}", self.right, self.wrong, self.refused)
    }
}

/// One column: a contender's tallies per class, and over texts that keep all information.
struct Column {
    name: String,
    classes: BTreeMap<&'static str, Tally>,
    keeping: Tally,
}

impl Column {
    fn new(name: &str) -> Self {
        Self { name: name.into(), classes: BTreeMap::new(), keeping: Tally::default() }
    }

    fn add(&mut self, case: &Case, verdict: Verdict) {
        self.classes.entry(case.class).or_default().add(verdict);
        if case.keeps_information {
            self.keeping.add(verdict);
        }
    }

    fn total(&self) -> Tally {
        self.classes.values().copied().fold(Tally::default(), Tally::plus)
    }
}

/// Runs all contenders over the generated cases and reports.
pub fn run(arguments: &Arguments, foreign: &[Start], report: &mut Report) {
    let cases: Vec<Case> = cases(arguments.seed, arguments.per_class)
        .filter(|case| arguments.class.as_deref().is_none_or(|class| case.class == class))
        .collect();
    let mut columns: Vec<Column> = Vec::new();
    for setting in SETTINGS {
        let mut column = Column::new(setting.name);
        for case in &cases {
            let values = ours::values(&case.text, &case.keys, *setting);
            let verdict = judge(case, values.as_deref());
            column.add(case, verdict);
            show(arguments, setting.name, case, verdict, values.as_deref());
        }
        columns.push(column);
    }
    if !arguments.only_us {
        for start in local().into_iter().chain(foreign.iter().cloned()) {
            columns.push(rival(start, &cases));
        }
    }
    tables(&columns, cases.len(), report);
    targets(&columns, report);
}

/// Our own libraries, each in a child of this binary.
fn local() -> Vec<Start> {
    let program = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("bench"));
    LIBRARIES
        .iter()
        .map(|library| Start {
            name: library.name.into(),
            program: program.clone(),
            arguments: vec!["--serve".into(), library.name.into()],
        })
        .collect()
}

fn rival(start: Start, cases: &[Case]) -> Column {
    let mut column = Column::new(&start.name);
    let mut driver = Driver::new(start);
    let mut failures = 0;
    for case in cases {
        let values = match driver.ask(&case.text, Duration::ZERO, PATIENCE) {
            Answer::Mended(out, _) => {
                serde_json::from_str::<Value>(&out).ok().map(|value| vec![value])
            }
            Answer::Refused => None,
            Answer::Crashed | Answer::Hung => {
                failures += 1;
                None
            }
        };
        column.add(case, judge(case, values.as_deref()));
    }
    if failures > 0 {
        eprintln!("{} crashed or hung on {failures} texts", driver.name());
    }
    column
}

fn show(
    arguments: &Arguments,
    name: &str,
    case: &Case,
    verdict: Verdict,
    values: Option<&[Value]>,
) {
    let is_shown = match verdict {
        Verdict::Wrong => arguments.show_wrong,
        Verdict::Refused => arguments.show_refused && case.keeps_information,
        Verdict::Right => false,
    };
    if !is_shown || case.text.len() > arguments.show_bytes_max {
        return;
    }
    println!(
        "### {verdict:?}: {} by {name}, {} {} B, seed {}",
        case.class,
        case.family.as_str(),
        case.size,
        case.seed
    );
    println!("{}", shortened(&case.text, arguments.show_bytes_max));
    let want = case.accepted.first().cloned().unwrap_or_default();
    match values {
        Some([got]) => println!("→ {}\n", difference(got, &want)),
        Some(values) => {
            println!("→ {} values: {}\n", values.len(), shortened(&json!(values).to_string(), 400));
        }
        None => println!("→ {}\n", ours::reason(&case.text)),
    }
}

fn tables(columns: &[Column], count: usize, report: &mut Report) {
    let header = columns.iter().map(|column| column.name.clone());
    let mut table = Table::new(std::iter::once("class".to_owned()).chain(header));
    for class in classes() {
        let cells: Vec<Tally> =
            columns.iter().filter_map(|column| column.classes.get(class.name).copied()).collect();
        if !cells.is_empty() {
            table.row(
                std::iter::once(class.name.to_owned())
                    .chain(cells.iter().map(|tally| tally.cell())),
            );
        }
    }
    table.row(
        std::iter::once("all".to_owned()).chain(columns.iter().map(|column| column.total().cell())),
    );
    section("Correctness: right/wrong/refused per class");
    print_table(&table);

    let mut summary = Table::new(
        ["contender", "right", "wrong", "refused", "right where all is kept", "wrong"]
            .map(String::from),
    );
    for column in columns {
        let (total, keeping) = (column.total(), column.keeping);
        summary.row([
            with_version(&column.name),
            total.right.to_string(),
            total.wrong.to_string(),
            total.refused.to_string(),
            format!(
                "{} of {} ({:.2} %)",
                keeping.right,
                keeping.count(),
                share(keeping.right, keeping.count())
            ),
            format!("{:.2} %", share(total.wrong, total.count())),
        ]);
    }
    section(&format!("Correctness: {count} texts in all"));
    print_table(&summary);
    report.glance(summary);
    let data = columns.iter().map(|column| (column.name.clone(), column_data(column)));
    report.data("correctness", Value::Object(data.collect()));
}

fn column_data(column: &Column) -> Value {
    let tally = |tally: Tally| json!({ "right": tally.right, "wrong": tally.wrong, "refused": tally.refused });
    let classes: serde_json::Map<String, Value> =
        column.classes.iter().map(|(name, cell)| ((*name).to_owned(), tally(*cell))).collect();
    json!({ "classes": classes, "all": tally(column.total()), "keeping": tally(column.keeping) })
}

fn targets(columns: &[Column], report: &mut Report) {
    for column in columns.iter().take(2) {
        let (total, keeping) = (column.total(), column.keeping);
        let right = share(keeping.right, keeping.count());
        report.target(
            &format!("{}: right on ≥ 99 % of texts that keep all information", column.name),
            right >= 99.0,
            &format!("{right:.2} %"),
        );
        let wrong = share(total.wrong, total.count());
        report.target(
            &format!("{}: wrong on ≤ 0.3 % of all texts", column.name),
            wrong <= 0.3,
            &format!("{wrong:.2} %"),
        );
    }
}

fn share(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
