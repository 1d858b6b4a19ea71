//! A megabyte in pieces of four bytes, beside the same text at once.

use std::hint::black_box;

use damage::{Case, Extent, Family, class, damaged_as};
use serde_json::json;
use toolmend_json::Reader;

use super::{Plan, read_and_write};
use crate::ours;
use crate::report::{Report, Table, section, table as print_table};
use crate::timing::{fair_times, ratio, shown_speed};

const BYTES: usize = 1_000_000;

const INPUTS: &[(&str, Family, Extent)] = &[
    ("comma-trailing", Family::Records, Extent::Once),
    ("comma-trailing", Family::Code, Extent::Once),
    ("comma-trailing", Family::Numbers, Extent::Once),
    ("quotes-single", Family::Nested, Extent::Throughout),
    ("keys-unquoted", Family::Records, Extent::Throughout),
    ("unescaped-quotes-prose", Family::Flat, Extent::Throughout),
    ("raw-newlines", Family::Code, Extent::Throughout),
    ("fence", Family::Records, Extent::Once),
    ("valid-compact", Family::Records, Extent::Once),
    ("valid-compact", Family::Code, Extent::Once),
];

pub(super) fn run(plan: &Plan, report: &mut Report) {
    let mut table = Table::new(
        ["input", "whole MB/s", "4-byte pieces MB/s", "pieces : whole"].map(String::from),
    );
    let mut worst = (0.0, String::new());
    let mut data = Vec::new();
    for &(name, family, extent) in INPUTS {
        let found =
            class(name).and_then(|class| damaged_as(class, family, extent, BYTES, plan.seed));
        let Some(case) = found else { continue };
        let (whole, pieces) = measure(&case, plan);
        let input = format!("{name}, {}", family.as_str());
        let cost = ratio(pieces, whole);
        // Valid text read at once takes the strict path, which is not what pieces are compared to.
        if !name.starts_with("valid") && cost > worst.0 {
            worst = (cost, input.clone());
        }
        table.row([
            input.clone(),
            shown_speed(case.text.len(), whole),
            shown_speed(case.text.len(), pieces),
            format!("{cost:.2}"),
        ]);
        data.push(json!({
            "input": input, "whole_ns": whole.as_nanos() as u64, "pieces_ns": pieces.as_nanos() as u64,
        }));
    }
    section("1 MB in pieces of 4 bytes");
    print_table(&table);
    report.data("pieces", data.into());
    report.target(
        "1 MB in 4-byte pieces: ≤ 4× the tolerant read of the whole",
        worst.0 <= 4.0,
        &format!("{:.2}× ({})", worst.0, worst.1),
    );
}

fn measure(case: &Case, plan: &Plan) -> (std::time::Duration, std::time::Duration) {
    let options = ours::options(&[]);
    let text = case.text.as_str();
    let whole = || read_and_write(text, &options);
    let pieces = || {
        let mut reader = Reader::new(options.clone());
        for piece in text.as_bytes().chunks(4) {
            reader.push(black_box(piece));
        }
        black_box(reader.finish().to_json());
    };
    let times = fair_times(&[&whole, &pieces], plan.effort);
    (times.first().copied().unwrap_or_default(), times.get(1).copied().unwrap_or_default())
}
