//! Broken input: every class, in one place and throughout, at every size.

use std::io::IsTerminal;
use std::time::Duration;

use damage::{Case, Class, Extent, Family, Group, classes, damaged_as};
use serde_json::{Value, json};

use super::rival::{self, Ladder, Trial};
use super::valid::rival_data;
use super::{Plan, read_and_write};
use crate::contender::{Role, library};
use crate::driver::Driver;
use crate::ours::{self, SETTINGS};
use crate::report::{Report, Table, section, table as print_table};
use crate::timing::{Effort, fair_times, ratio, shown_size, shown_speed};
use crate::verdict::{Verdict, judge};

/// Classes that damage the whole text, or several places, whatever the extent.
const NOT_SINGLE: &[&str] = &[
    "python-repr",
    "js-object",
    "escaped-whole",
    "double-encoded",
    "same-twice",
    "two-objects",
    "several-at-once",
    "braces-doubled",
    "no-braces",
    "python-tuples",
];

/// One text of one class.
struct Point {
    size: usize,
    bytes: usize,
    ours: Duration,
    /// Our time on the same payload undamaged, for as many bytes.
    undamaged: Duration,
    verdict: Verdict,
    rivals: Vec<(String, Trial)>,
}

/// One class to one extent, at all sizes.
struct Line {
    class: &'static Class,
    extent: Extent,
    points: Vec<Point>,
    /// Our time for 1 MB over that for 100 KB.
    growth: Option<f64>,
}

pub(super) fn run(plan: &Plan, drivers: &mut [Driver], report: &mut Report) {
    let mut lines = Vec::new();
    for class in classes().iter().filter(|class| class.group != Group::Valid) {
        if plan.class.as_deref().is_some_and(|name| name != class.name) {
            continue;
        }
        for extent in [Extent::Once, Extent::Throughout] {
            if std::io::stderr().is_terminal() {
                eprint!("\r{:<40}", class.name);
            }
            lines.push(line(class, extent, plan, drivers));
        }
    }
    if std::io::stderr().is_terminal() {
        eprintln!("\r{:<40}", "");
    }
    print(&lines, plan);
    targets(&lines, report);
    for point in lines.iter().flat_map(|line| &line.points) {
        for role in [Role::Repairer, Role::Lenient] {
            for (name, ratio) in point.right_rivals(role) {
                report.raced("broken, where both are right", name, ratio);
            }
        }
    }
    report.data("broken", lines.iter().map(line_data).collect());
}

fn line(class: &'static Class, extent: Extent, plan: &Plan, drivers: &mut [Driver]) -> Line {
    let mut ladder = Ladder::default();
    let points = plan
        .sizes
        .iter()
        .filter_map(|&size| {
            Some(point(&case(class, extent, size, plan.seed)?, plan, drivers, &mut ladder))
        })
        .collect();
    Line { class, extent, points, growth: growth(class, extent, plan) }
}

/// How many texts of either size the growth is told by, and how many seeds are tried for them.
const GROWN_TEXTS: usize = 5;
const GROWN_SEEDS: u64 = 60;

/// How the time for a byte grows from 100 KB to 1 MB, times ten. Several texts of both sizes, made from the
/// same seeds, are read one after the other: a processor that reads one text of 100 KB again and again
/// learns its branches by heart, and reads it faster than any that is new to it.
fn growth(class: &Class, extent: Extent, plan: &Plan) -> Option<f64> {
    let options = ours::options(&[]);
    let pair = |source| {
        let small = made(class, extent, 100_000, source)?;
        Some([small, made(class, extent, 1_000_000, source)?])
    };
    let cases: Vec<Case> = FAMILIES
        .into_iter()
        .map(|family| {
            let seeds = plan.seed..plan.seed + GROWN_SEEDS;
            let pairs = seeds.filter_map(|seed| pair((family, seed)));
            pairs.take(GROWN_TEXTS).flatten().collect::<Vec<_>>()
        })
        .find(|cases| !cases.is_empty())?;
    let calls: Vec<Box<dyn Fn() + '_>> = cases
        .iter()
        .map(|case| Box::new(|| read_and_write(&case.text, &options)) as Box<dyn Fn() + '_>)
        .collect();
    let calls: Vec<&dyn Fn()> = calls.iter().map(Box::as_ref).collect();
    // With no time for a turn, each text is read once in it.
    let times = fair_times(&calls, Effort { turn: Duration::ZERO, ..plan.growth });
    let per_byte =
        times.iter().zip(&cases).map(|(time, case)| time.as_secs_f64() / case.text.len() as f64);
    let (mut small, mut large) = (0.0, 0.0);
    for (index, time) in per_byte.enumerate() {
        if index % 2 == 0 { small += time } else { large += time }
    }
    Some(10.0 * large / small)
}

/// The families that texts are made from, best first.
const FAMILIES: [Family; 4] = [Family::Records, Family::Flat, Family::Code, Family::Numbers];

/// What a text of a class may be made from: a family and a seed, best first.
fn sources(seed: u64) -> impl Iterator<Item = (Family, u64)> {
    FAMILIES.into_iter().flat_map(move |family| (0..12).map(move |turn| (family, seed + turn)))
}

/// A cut falls anywhere: the text must still be about as long as it was asked to be.
fn made(class: &Class, extent: Extent, size: usize, source: (Family, u64)) -> Option<Case> {
    damaged_as(class, source.0, extent, size, source.1)
        .filter(|case| case.text.len() * 10 > size * 7)
}

fn case(class: &Class, extent: Extent, size: usize, seed: u64) -> Option<Case> {
    sources(seed).find_map(|source| made(class, extent, size, source))
}

fn point(case: &Case, plan: &Plan, drivers: &mut [Driver], ladder: &mut Ladder) -> Point {
    let options = ours::options(&[]);
    let text = case.text.as_str();
    let values = SETTINGS.first().and_then(|setting| ours::values(text, &[], *setting));
    let able = if plan.has_rivals { rival::able(case, ladder) } else { Vec::new() };
    let ours = || read_and_write(text, &options);
    let undamaged = || read_and_write(&case.undamaged, &options);
    let others: Vec<Box<dyn Fn() + '_>> = able
        .iter()
        .filter(|(_, result)| matches!(result, Trial::Right(_)))
        .map(|(library, _)| rival::call(library, text))
        .collect();
    let mut calls: Vec<&dyn Fn()> = vec![&ours, &undamaged];
    calls.extend(others.iter().map(Box::as_ref));
    let times = fair_times(&calls, plan.effort.for_size(case.size));
    let mut measured = times.iter().copied();
    let (ours, undamaged) =
        (measured.next().unwrap_or_default(), measured.next().unwrap_or_default());
    let mut rivals: Vec<(String, Trial)> = able
        .iter()
        .map(|(library, result)| match result {
            Trial::Right(_) => {
                (library.name.into(), Trial::Right(measured.next().unwrap_or_default()))
            }
            other => (library.name.into(), *other),
        })
        .collect();
    rivals.extend(rival::foreign(drivers, case, ladder));
    let scale = text.len() as f64 / case.undamaged.len().max(1) as f64;
    Point {
        size: case.size,
        bytes: text.len(),
        ours,
        undamaged: undamaged.mul_f64(scale),
        verdict: judge(case, values.as_deref()),
        rivals,
    }
}

impl Point {
    /// The fastest repairer that gets the text right, and its time over ours.
    fn best_rival(&self) -> Option<(&str, f64)> {
        self.right_rivals(Role::Repairer).min_by(|left, right| left.1.total_cmp(&right.1))
    }

    /// Rivals of a role that get the text right, each with its time over ours.
    fn right_rivals(&self, role: Role) -> impl Iterator<Item = (&str, f64)> {
        self.rivals.iter().filter_map(move |(name, result)| match result {
            Trial::Right(time)
                if library(name).map_or(Role::Repairer, |library| library.role) == role =>
            {
                Some((name.as_str(), ratio(*time, self.ours)))
            }
            _ => None,
        })
    }
}

impl Line {
    fn name(&self) -> String {
        format!("{}, {}", self.class.name, if self.extent == Extent::Once { "once" } else { "all" })
    }
}

fn print(lines: &[Line], plan: &Plan) {
    let sizes: Vec<String> = plan.sizes.iter().map(|&size| shown_size(size)).collect();
    let title = sizes.join(" / ");
    let head = [
        "class, where",
        "answer",
        "MB/s",
        "of our valid speed",
        "over the best right repairer",
        "over serde_json_lenient",
        "1 MB : 100 KB",
    ];
    let mut table = Table::new(head.map(String::from));
    for line in lines {
        let joined = |cell: &dyn Fn(&Point) -> String| {
            line.points.iter().map(cell).collect::<Vec<_>>().join(" / ")
        };
        let lenient = |point: &Point| {
            point
                .right_rivals(Role::Lenient)
                .next()
                .map_or("–".into(), |(_, ratio)| format!("{ratio:.1}"))
        };
        table.row([
            line.name(),
            joined(&|point| format!("{:?}", point.verdict).chars().take(3).collect()),
            joined(&|point| shown_speed(point.bytes, point.ours)),
            joined(&|point| format!("{:.2}", ratio(point.undamaged, point.ours))),
            joined(&|point| {
                point
                    .best_rival()
                    .map_or("–".into(), |(name, ratio)| format!("{ratio:.1} {name}"))
            }),
            joined(&lenient),
            line.growth.map_or("–".into(), |growth| format!("{growth:.1}")),
        ]);
    }
    section(&format!("Speed on broken input at {title}"));
    print_table(&table);
}

/// Collects where a target fails, and how near or far the worst place is.
struct Check {
    what: &'static str,
    least: f64,
    worst: f64,
    failures: Vec<String>,
}

impl Check {
    fn new(what: &'static str, least: f64) -> Self {
        Self { what, least, worst: f64::INFINITY, failures: Vec::new() }
    }

    fn add(&mut self, ratio: f64, place: impl FnOnce() -> String) {
        self.worst = self.worst.min(ratio);
        if ratio < self.least {
            self.failures.push(format!("{} ({ratio:.2})", place()));
        }
    }

    fn report(self, report: &mut Report) {
        let count = self.failures.len();
        let few = self.failures.into_iter().take(12).collect::<Vec<_>>().join("; ");
        let more = if count > 12 { format!("; and {} more", count - 12) } else { String::new() };
        let failed = if count == 0 { String::new() } else { format!(": {few}{more}") };
        report.target(self.what, count == 0, &format!("worst {:.2}{failed}", self.worst));
    }
}

fn targets(lines: &[Line], report: &mut Report) {
    let mut repairers =
        Check::new("broken: faster than every repairer that gets it right, from 1 KB", 1.0);
    let mut lenient =
        Check::new("broken: ≥ 0.7× of serde_json_lenient where it reads the class", 0.7);
    let mut valid = Check::new("one fault: ≥ half of our own valid speed, from 1 KB", 0.5);
    let mut tiny = Check::new("one fault: ≥ half of our own valid speed, at 100 B", 0.5);
    let mut growth =
        Check::new("linear: time(1 MB) : time(100 KB) ≤ 12 (shown: 12 over growth)", 1.0);
    for line in lines {
        for point in &line.points {
            let place = || format!("{}, {}", line.name(), shown_size(point.size));
            if point.size >= 1_000 {
                point.right_rivals(Role::Repairer).for_each(|(name, ratio)| {
                    repairers.add(ratio, || format!("{} vs {name}", place()));
                });
            }
            point.right_rivals(Role::Lenient).for_each(|(_, ratio)| lenient.add(ratio, place));
            if line.extent == Extent::Once && !NOT_SINGLE.contains(&line.class.name) {
                let check = if point.size >= 1_000 { &mut valid } else { &mut tiny };
                check.add(ratio(point.undamaged, point.ours), place);
            }
        }
        if let Some(times) = line.growth {
            growth.add(12.0 / times, || line.name());
        }
    }
    for check in [repairers, lenient, valid, tiny, growth] {
        check.report(report);
    }
}

fn line_data(line: &Line) -> Value {
    let points: Vec<Value> = line
        .points
        .iter()
        .map(|point| {
            json!({
                "size": point.size, "bytes": point.bytes, "ours_ns": point.ours.as_nanos() as u64,
                "undamaged_ns": point.undamaged.as_nanos() as u64, "verdict": format!("{:?}", point.verdict),
                "rivals_ns": rival_data(&point.rivals),
            })
        })
        .collect();
    json!({ "class": line.class.name, "extent": format!("{:?}", line.extent), "growth": line.growth, "points": points })
}
