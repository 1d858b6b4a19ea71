//! Runs each file under `cases/json`: whole, byte by byte, at every split, cut at every byte (both at
//! spread places where the text is long), and mended twice.

#[path = "support/check.rs"]
mod check;
#[path = "support/expect.rs"]
mod expect;

use std::process::ExitCode;

use cases::Case;
use cases::harness::Harness;
use check::Finding;
use toolmend_json::{Document, Options};

/// Longer texts are split and cut at this many places, evenly spread, instead of at every byte.
const PLACES_MAX: usize = 512;
const EVERY_BYTE_MAX: usize = 2048;

/// So many bytes wait in the reader before they are read.
const WAITING_BYTES: usize = 256;

fn main() -> ExitCode {
    let harness = Harness {
        folder: "cases/json",
        inputs: &["input", "keys"],
        outputs: &["outcome", "value", "faults", "open", "closed", "closing"],
        optional: &[],
        see: |case| {
            let (input, options) = expect::input(case)?;
            Ok(expect::seen(&check::read_whole(&input, &options)))
        },
        holds,
        also: &[],
    };
    harness.main()
}

fn holds(case: &Case) -> Finding {
    let (input, options) = expect::input(case)?;
    let document = check::read_whole(&input, &options);
    check::holds(&document, &options)?;
    is_chunk_blind(&input, &document, &options)?;
    survives_cuts(&input, &options)
}

/// Byte by byte and at every two-way split the same is read.
fn is_chunk_blind(input: &[u8], whole: &Document<'_>, options: &Options) -> Finding {
    check::agree(whole, &check::read_pieces(input.chunks(1), options))
        .map_err(|finding| format!("byte by byte: {finding}"))?;
    for at in places(input.len()) {
        let (head, tail) = input.split_at_checked(at).unwrap_or_default();
        check::agree(whole, &check::read_pieces([head, tail], options))
            .map_err(|finding| format!("split at {at}: {finding}"))?;
    }
    is_blind_behind_space(input, options)
}

/// The same where as much white space stands before the text as may wait: each half is read on its own.
fn is_blind_behind_space(input: &[u8], options: &Options) -> Finding {
    let text = [&[b' '; WAITING_BYTES], input].concat();
    let whole = check::read_whole(&text, options);
    for at in places(input.len()) {
        let (head, tail) = text.split_at_checked(WAITING_BYTES + at).unwrap_or_default();
        check::agree(&whole, &check::read_pieces([head, tail], options))
            .map_err(|finding| format!("behind space, split at {at}: {finding}"))?;
    }
    Ok(())
}

/// Cut at every byte, nothing panics, nothing is lost, and bounds are kept.
fn survives_cuts(input: &[u8], options: &Options) -> Finding {
    for at in places(input.len()) {
        let (head, _) = input.split_at_checked(at).unwrap_or_default();
        check::holds(&check::read_whole(head, options), options)
            .map_err(|finding| format!("cut at {at}: {finding}"))?;
    }
    Ok(())
}

/// The places at which a text of this length is split.
fn places(length: usize) -> impl Iterator<Item = usize> {
    let step = if length > EVERY_BYTE_MAX { length.div_ceil(PLACES_MAX) } else { 1 };
    (0..=length).step_by(step)
}
