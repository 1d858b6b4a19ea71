//! Any text, cut into any pieces: the scanner tells the same, and nothing is lost.
#![no_main]

#[path = "../../crates/toolmend-dialect/tests/support/scan.rs"]
mod scan;

use std::iter;

use libfuzzer_sys::fuzz_target;
use toolmend_dialect::Offered;

fuzz_target!(|text: &str| {
    let offered = Offered::new([
        ("get_weather", vec!["city", "days"]),
        ("find_route", vec!["to", "stops"]),
        ("read_sensor", vec!["room"]),
        ("save_note", vec!["text", "page"]),
        ("run_job", vec!["script"]),
    ]);
    let told = scan::scan([text], &offered).and_then(|whole| {
        let pieces = scan::scan(scan::pieces(text, sizes(text)), &offered)?;
        scan::agree(&whole, &pieces)
    });
    if let Err(finding) = told {
        panic!("{finding}");
    }
});

/// Sizes of one to sixteen. They follow from the text, so that every case file is a seed as it is.
fn sizes(text: &str) -> impl Iterator<Item = usize> {
    let start = text.bytes().fold(text.len(), |sum, byte| sum.rotate_left(5) ^ usize::from(byte));
    let dice = iter::successors(Some(start), |dice| {
        Some(dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1))
    });
    dice.map(|dice| 1 + (dice >> 60))
}
