//! Cases of `cases/line`: a turn in as a line of `toolmend fix --jsonl`, the turn that must come out;
//! whole and in pieces.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::{fs, thread};

use cases::Case;
use cases::harness::{Finding, Harness};
use serde_json::Value;

/// The sizes of the pieces.
pub(crate) const CHUNKS: [&str; 3] = ["1", "7", "4096"];

pub(crate) const HARNESS: Harness = Harness {
    folder: "cases/line",
    inputs: &["line", "settings"],
    outputs: &["out"],
    optional: &[],
    see: |case| Ok(vec![("out", fix(case, None)?)]),
    holds: is_the_same_in_pieces,
    also: &[],
};

fn is_the_same_in_pieces(case: &Case) -> Finding {
    for chunk in CHUNKS {
        let out = fix(case, Some(chunk))?;
        if out != case.text("out") {
            return Err(format!("in pieces of {chunk}:\n{out}"));
        }
    }
    Ok(())
}

/// The turn that comes out, one member a line.
fn fix(case: &Case, chunk: Option<&str>) -> Result<String, String> {
    let line: Value = serde_json::from_str(case.text("line")).map_err(|error| error.to_string())?;
    let settings = settings(case)?;
    let out = run(&line.to_string(), settings.as_deref(), chunk);
    if let Some(file) = settings {
        fs::remove_file(file).map_err(|error| error.to_string())?;
    }
    let out: Value = serde_json::from_str(&out?).map_err(|error| error.to_string())?;
    serde_json::to_string_pretty(&out).map_err(|error| error.to_string())
}

/// Writes the settings of a case to a file that no other thread or program writes.
fn settings(case: &Case) -> Result<Option<PathBuf>, String> {
    let Some(block) = case.block("settings") else { return Ok(None) };
    let name = format!("settings-{}-{:?}.toml", process::id(), thread::current().id());
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&file, block.text()).map_err(|error| error.to_string())?;
    Ok(Some(file))
}

/// What the command writes. A thread feeds it, so that neither waits for the other.
pub(crate) fn run(
    lines: &str,
    settings: Option<&Path>,
    chunk: Option<&str>,
) -> Result<String, String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolmend"));
    command.args(["fix", "--jsonl"]).current_dir(env!("CARGO_TARGET_TMPDIR"));
    if let Some(settings) = settings {
        command.arg("--config").arg(settings);
    }
    if let Some(chunk) = chunk {
        command.args(["--chunk", chunk]);
    }
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let mut input = child.stdin.take().ok_or("the command has no input")?;
    let output = thread::scope(|scope| {
        let feeder = scope.spawn(move || input.write_all(lines.as_bytes()));
        let output = child.wait_with_output();
        feeder.join().map_err(|_| "feeding the command failed".to_owned())?.ok();
        output.map_err(|error| error.to_string())
    })?;
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
