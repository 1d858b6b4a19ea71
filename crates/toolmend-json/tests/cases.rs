//! Runs each file under `cases/json`: whole, byte by byte, at every split, cut at every byte (both at
//! spread places where the text is long), and mended twice. `UPDATE=1` rewrites the expectations in
//! place; `UPDATE=faults,open` only those, and the others must still hold.

#[path = "support/check.rs"]
mod check;
#[path = "support/expect.rs"]
mod expect;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use cases::Case;
use check::Finding;
use libtest_mimic::{Arguments, Trial};
use toolmend_json::{Document, Options};

/// Where this crate's cases are.
const ROOT: &str = "../..";

/// Longer texts are split and cut at this many places, evenly spread, instead of at every byte.
const PLACES_MAX: usize = 512;
const EVERY_BYTE_MAX: usize = 2048;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(ROOT);
    let update = env::var("UPDATE").unwrap_or_default();
    let trials = match cases::find(&root.join("cases/json")) {
        Ok(paths) => paths.into_iter().map(|path| trial(root, path, update.clone())).collect(),
        Err(error) => vec![Trial::test("cases/json", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(root: &Path, path: PathBuf, update: String) -> Trial {
    let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    Trial::test(name, move || run(&path, &update).map_err(Into::into))
}

fn run(path: &Path, update: &str) -> Finding {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut case = Case::parse(&text)?;
    let (input, options) = expect::input(&case)?;
    let document = check::read_whole(&input, &options);
    if !update.is_empty() {
        expect::update(&mut case, &document, update);
        fs::write(path, case.to_markdown()).map_err(|error| error.to_string())?;
    }
    // What was not rewritten was written by hand, and must be what came out.
    expect::compare(&case, &document)?;
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
