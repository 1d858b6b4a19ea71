//! Valid input: into a tree, and skipped.

use std::hint::black_box;
use std::time::Duration;

use damage::{Case, Extent, Family, class, damaged_as};
use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::rival::{self, Ladder, Trial};
use super::{Plan, read_and_write};
use crate::driver::Driver;
use crate::ours;
use crate::report::{Report, Table, section, table as print_table};
use crate::timing::{fair_times, ratio, shown_size, shown_speed};

const INPUTS: &[(&str, &str, Family)] = &[
    ("compact", "valid-compact", Family::Nested),
    ("pretty", "valid-pretty", Family::Nested),
    ("escaped", "valid-escaped", Family::Flat),
    ("code-writing", "valid-compact", Family::Code),
    ("deep", "valid-compact", Family::Deep),
    ("wide", "valid-compact", Family::Wide),
    ("records", "valid-compact", Family::Records),
    ("numbers", "valid-compact", Family::Numbers),
    ("unicode", "valid-compact", Family::Unicode),
];

/// The times of one input, in the order of the table.
struct Times {
    read: Duration,
    to_value: Duration,
    serde: Duration,
    sonic: Duration,
    is_valid: Duration,
    skip: Duration,
}

/// The worst of a ratio, and where.
struct Worst {
    ratio: f64,
    place: String,
}

pub(super) fn run(plan: &Plan, drivers: &mut [Driver], report: &mut Report) {
    let head = [
        "input",
        "size",
        "read",
        "serde_json",
        "× floor",
        "sonic-rs",
        "× sonic",
        "read to Value",
        "is_valid",
        "skip",
        "of skip",
    ];
    let mut table = Table::new(head.map(String::from));
    let mut rivals: Option<Table> = None;
    let mut tree = Worst { ratio: 0.0, place: String::new() };
    let mut skipping = Worst { ratio: f64::INFINITY, place: String::new() };
    let mut data = Vec::new();
    for &(name, class_name, family) in INPUTS {
        let mut ladder = Ladder::default();
        for &size in plan.sizes {
            let Some(case) = input(class_name, family, size, plan.seed) else { continue };
            let (times, others) = measure(&case, plan, drivers, &mut ladder);
            let bytes = case.text.len();
            let place = format!("{name}, {}", shown_size(size));
            let (floor, of_skip) =
                (ratio(times.read, times.serde), ratio(times.skip, times.is_valid));
            if floor > tree.ratio {
                tree = Worst { ratio: floor, place: place.clone() };
            }
            if of_skip < skipping.ratio {
                skipping = Worst { ratio: of_skip, place };
            }
            table.row(row(name, size, bytes, &times));
            race(&times, &others, report);
            rival_row(&mut rivals, name, size, bytes, times.read, &others);
            data.push(json!({
                "input": name, "size": size, "bytes": bytes, "read_ns": times.read.as_nanos() as u64,
                "serde_json_ns": times.serde.as_nanos() as u64, "sonic_ns": times.sonic.as_nanos() as u64,
                "read_to_value_ns": times.to_value.as_nanos() as u64, "is_valid_ns": times.is_valid.as_nanos() as u64,
                "skip_ns": times.skip.as_nanos() as u64, "rivals_ns": rival_data(&others),
            }));
        }
    }
    section("Speed on valid input, MB/s (× floor: our time over serde_json's)");
    print_table(&table);
    if let Some(rivals) = rivals {
        section("Rivals on valid input: MB/s (our speed over theirs)");
        print_table(&rivals);
    }
    report.data("valid", data.into());
    targets(&tree, &skipping, report);
}

/// Takes down who is faster. `read` gives a tree and the text as JSON.
fn race(times: &Times, others: &[(String, Trial)], report: &mut Report) {
    let (what, floor) = ("valid, into a tree", "serde_json (the floor)");
    report.raced(what, floor, ratio(times.serde, times.read));
    report.raced(what, "sonic-rs", ratio(times.sonic, times.read));
    for (name, trial) in others {
        if let Trial::Right(time) = trial {
            report.raced(what, name, ratio(*time, times.read));
        }
    }
    report.raced("valid, skipped", floor, ratio(times.skip, times.is_valid));
}

fn targets(tree: &Worst, skipping: &Worst, report: &mut Report) {
    let shown = |worst: &Worst| format!("{:.2}× ({})", worst.ratio, worst.place);
    report.target(
        "valid into a tree: within 1.3× of serde_json → Value",
        tree.ratio <= 1.3,
        &shown(tree),
    );
    report.target(
        "no tree wanted: ≥ 0.8× of serde_json's skipping speed",
        skipping.ratio >= 0.8,
        &shown(skipping),
    );
}

fn input(class_name: &str, family: Family, size: usize, seed: u64) -> Option<Case> {
    damaged_as(class(class_name)?, family, Extent::Once, size, seed)
}

fn measure(
    case: &Case,
    plan: &Plan,
    drivers: &mut [Driver],
    ladder: &mut Ladder,
) -> (Times, Vec<(String, Trial)>) {
    let text = case.text.as_str();
    let options = ours::options(&[]);
    let able = if plan.has_rivals { rival::able(case, ladder) } else { Vec::new() };
    let calls: Vec<Box<dyn Fn() + '_>> = vec![
        Box::new(|| read_and_write(text, &options)),
        Box::new(|| {
            let document = toolmend_json::read(black_box(text), &options);
            black_box(document.value().map(|node| node.to_value()));
        }),
        Box::new(|| drop(black_box(serde_json::from_str::<Value>(black_box(text)).ok()))),
        Box::new(|| drop(black_box(sonic_rs::from_str::<sonic_rs::Value>(black_box(text)).ok()))),
        Box::new(|| {
            black_box(toolmend_json::is_valid(black_box(text)));
        }),
        Box::new(|| {
            black_box(serde_json::from_str::<IgnoredAny>(black_box(text)).is_ok());
        }),
    ];
    let rivals: Vec<_> =
        able.iter().filter(|(_, result)| matches!(result, Trial::Right(_))).collect();
    let others: Vec<Box<dyn Fn() + '_>> =
        rivals.iter().map(|(library, _)| rival::call(library, text)).collect();
    let all: Vec<&dyn Fn()> = calls.iter().chain(&others).map(Box::as_ref).collect();
    let times = fair_times(&all, plan.effort.for_size(case.size));
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    let ours = Times {
        read: at(0),
        to_value: at(1),
        serde: at(2),
        sonic: at(3),
        is_valid: at(4),
        skip: at(5),
    };
    let mut results: Vec<(String, Trial)> = Vec::new();
    let mut measured = times.iter().skip(calls.len());
    for (library, result) in &able {
        let result = match result {
            Trial::Right(_) => Trial::Right(measured.next().copied().unwrap_or_default()),
            other => *other,
        };
        results.push((library.name.into(), result));
    }
    results.extend(rival::foreign(drivers, case, ladder));
    (ours, results)
}

fn row(name: &str, size: usize, bytes: usize, times: &Times) -> Vec<String> {
    let speed = |time| shown_speed(bytes, time);
    vec![
        name.into(),
        shown_size(size),
        speed(times.read),
        speed(times.serde),
        format!("{:.2}", ratio(times.read, times.serde)),
        speed(times.sonic),
        format!("{:.2}", ratio(times.read, times.sonic)),
        speed(times.to_value),
        speed(times.is_valid),
        speed(times.skip),
        format!("{:.2}", ratio(times.skip, times.is_valid)),
    ]
}

fn rival_row(
    table: &mut Option<Table>,
    name: &str,
    size: usize,
    bytes: usize,
    ours: Duration,
    others: &[(String, Trial)],
) {
    if others.is_empty() {
        return;
    }
    let head = ["input", "size"]
        .map(String::from)
        .into_iter()
        .chain(others.iter().map(|(name, _)| name.clone()));
    let table = table.get_or_insert_with(|| Table::new(head));
    let cells = others.iter().map(|(_, result)| match result {
        Trial::Right(time) => {
            format!("{} ({:.1}×)", shown_speed(bytes, *time), ratio(*time, ours))
        }
        Trial::Not => "F".into(),
        Trial::Slow => "slow".into(),
    });
    table.row([name.to_owned(), shown_size(size)].into_iter().chain(cells));
}

/// Times by name, null where there is none.
pub(super) fn rival_data(others: &[(String, Trial)]) -> Value {
    let cell = |result: &Trial| match result {
        Trial::Right(time) => json!(time.as_nanos() as u64),
        _ => Value::Null,
    };
    Value::Object(others.iter().map(|(name, result)| (name.clone(), cell(result))).collect())
}
