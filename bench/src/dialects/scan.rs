//! Answers without a call, with all dialects on, beside a bare search for the same openers.

use std::hint::black_box;
use std::time::Duration;

use aho_corasick::AhoCorasick;
use serde_json::json;
use toolmend_dialect::{Dialect, Event, Offered, Scanner, dialects};

use super::{Plan, pieces, prose, tools};
use crate::report::{Report, Table, section, table as print_table};
use crate::timing::{fair_times, ratio, shown_size, shown_speed};

/// The worst of a ratio, and where.
#[derive(Default)]
struct Worst {
    ratio: f64,
    place: String,
}

impl Worst {
    fn see(&mut self, ratio: f64, place: &str) {
        if ratio > self.ratio {
            *self = Self { ratio, place: place.into() };
        }
    }

    fn shown(&self) -> String {
        format!("{:.2}× ({})", self.ratio, self.place)
    }
}

struct Times {
    whole: Duration,
    pieces: Duration,
    bare: Duration,
}

pub(super) fn run(plan: &Plan, report: &mut Report) {
    let offered = Offered::new(tools::names());
    let mut openers: Vec<&str> = dialects().flat_map(Dialect::openers).collect();
    openers.sort_unstable();
    openers.dedup();
    let Ok(search) = AhoCorasick::new(&openers) else { return };
    let head = [
        "answer",
        "size",
        "scanner MB/s",
        "aho-corasick MB/s",
        "× bare",
        "4-byte pieces MB/s",
        "pieces : whole",
        "regions",
    ];
    let mut table = Table::new(head.map(String::from));
    let (mut bare, mut in_pieces, mut growth) =
        (Worst::default(), Worst::default(), Worst::default());
    let mut data = Vec::new();
    for &(name, paragraph) in prose::KINDS {
        let mut before: Option<f64> = None;
        for &size in plan.sizes {
            let text = prose::answer(paragraph, size, plan.seed);
            let times = measure(&text, &offered, &search, plan);
            let regions = regions(&text, &offered);
            let place = format!("{name}, {}", shown_size(size));
            bare.see(ratio(times.whole, times.bare), &place);
            in_pieces.see(ratio(times.pieces, times.whole), &place);
            let per_byte = times.whole.as_secs_f64() / text.len() as f64;
            if let Some(before) = before.filter(|_| size == 1_000_000) {
                growth.see(per_byte / before, &place);
            }
            before = Some(per_byte);
            table.row([
                name.into(),
                shown_size(size),
                shown_speed(text.len(), times.whole),
                shown_speed(text.len(), times.bare),
                format!("{:.2}", ratio(times.whole, times.bare)),
                shown_speed(text.len(), times.pieces),
                format!("{:.2}", ratio(times.pieces, times.whole)),
                regions.to_string(),
            ]);
            data.push(json!({
                "answer": name, "bytes": text.len(), "whole_ns": times.whole.as_nanos() as u64,
                "pieces_ns": times.pieces.as_nanos() as u64, "bare_ns": times.bare.as_nanos() as u64,
                "regions": regions,
            }));
        }
    }
    section("Answers without a call, all dialects on");
    println!("{} openers, searched bare as {:?}.\n", openers.len(), search.kind());
    print_table(&table);
    report.data("dialects_scan", data.into());
    let mut target = |what: &str, worst: &Worst, most: f64| {
        report.target(what, worst.ratio <= most, &worst.shown());
    };
    target("scanning: ≤ 2× a bare aho-corasick search for all openers", &bare, 2.0);
    target("scanning in 4-byte pieces: ≤ 4× the whole", &in_pieces, 4.0);
    target("scanning: time per byte at 1 MB ≤ 1.25× that at 100 KB", &growth, 1.25);
}

fn measure(text: &str, offered: &Offered, search: &AhoCorasick, plan: &Plan) -> Times {
    let parts = pieces(text);
    let whole = || scan(std::iter::once(black_box(text)), offered);
    let in_pieces = || scan(black_box(&parts).iter().copied(), offered);
    let bare = || {
        black_box(search.find_iter(black_box(text)).count());
    };
    let times = fair_times(&[&whole, &in_pieces, &bare], plan.effort);
    let at = |index: usize| times.get(index).copied().unwrap_or_default();
    Times { whole: at(0), pieces: at(1), bare: at(2) }
}

/// Scans a text and drops what is told.
pub(super) fn scan<'t>(parts: impl Iterator<Item = &'t str>, offered: &Offered) {
    let mut scanner = Scanner::new(offered);
    let mut drop = |event: Event<'_>| {
        black_box(event);
    };
    for part in parts {
        scanner.push(part, &mut drop);
    }
    scanner.finish(&mut drop);
}

/// How many stretches look like calls.
fn regions(text: &str, offered: &Offered) -> usize {
    let mut count = 0;
    let mut scanner = Scanner::new(offered);
    let mut take = |event: Event<'_>| count += usize::from(matches!(event, Event::Region(..)));
    scanner.push(text, &mut take);
    scanner.finish(&mut take);
    count
}
