//! Any bytes, cut into any pieces: the same is read, nothing is lost, what is mended stays mended.
#![no_main]

#[path = "../../crates/toolmend-json/tests/support/check.rs"]
mod check;

use libfuzzer_sys::fuzz_target;
use toolmend_json::{Expected, Options, Want};

fuzz_target!(|bytes: &[u8]| {
    let dice = bytes.iter().fold(bytes.len(), |sum, &byte| sum.rotate_left(5) ^ usize::from(byte));
    let options = options(dice);
    let whole = check::read_whole(bytes, &options);
    found(check::holds(&whole, &options));
    found(check::agree(&whole, &check::read_pieces(pieces(bytes, dice), &options)));
});

/// The pieces and options follow from the bytes, so that every case file is a seed as it is.
fn options(dice: usize) -> Options {
    let want = match dice % 3 {
        0 => Want::Any,
        1 => Want::Object,
        _ => Want::Array,
    };
    let keys = ["a", "path", "content", "command"];
    let keys_known = if (dice / 3).is_multiple_of(2) { 0 } else { keys.len() };
    let expected = Expected::root(want).with_keys(keys.into_iter().take(keys_known));
    Options { expected, ..Options::default() }
}

/// Pieces of one to sixteen bytes.
fn pieces(bytes: &[u8], dice: usize) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    let mut dice = dice;
    std::iter::from_fn(move || {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let size = (1 + (dice >> 60)).min(rest.len());
        let (piece, after) = rest.split_at(size);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

fn found(finding: check::Finding) {
    if let Err(finding) = finding {
        panic!("{finding}");
    }
}
