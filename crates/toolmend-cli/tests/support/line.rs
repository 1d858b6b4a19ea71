//! Runs a case of `cases/line`: a turn in as a line of `toolmend fix --jsonl`, the turn that must come
//! out; whole and in pieces.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use cases::Case;
use serde_json::Value;

/// The sizes of the pieces.
pub(crate) const CHUNKS: [Option<&str>; 4] = [None, Some("1"), Some("7"), Some("4096")];

pub(crate) fn check(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut case = Case::parse(&text)?;
    if case.prose().is_empty() {
        return Err("a case says in a sentence or two why it is there".to_owned());
    }
    let line: Value = serde_json::from_str(case.text("line")).map_err(|error| error.to_string())?;
    let line = line.to_string();
    let settings = settings(path, &case)?;
    let outs: Result<Vec<String>, String> =
        CHUNKS.iter().map(|chunk| fix(&line, settings.as_deref(), *chunk)).collect();
    let outs = outs?;
    let whole = outs.first().cloned().unwrap_or_default();
    if env::var_os("UPDATE").is_some() {
        case.set("out", &whole);
        fs::write(path, case.to_markdown()).map_err(|error| error.to_string())?;
    }
    if case.text("out") != whole {
        return Err(format!("wanted:\n{}\ngot:\n{whole}", case.text("out")));
    }
    match CHUNKS.iter().zip(&outs).find(|(_, out)| **out != whole) {
        Some((chunk, out)) => Err(format!("in pieces of {chunk:?}:\n{out}")),
        None => Ok(()),
    }
}

/// Writes the settings of a case to a file of their own.
fn settings(path: &Path, case: &Case) -> Result<Option<PathBuf>, String> {
    let Some(block) = case.block("settings") else { return Ok(None) };
    let name: String = path.to_string_lossy().replace(['/', '\\', ':'], "_");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).with_extension("toml");
    fs::write(&file, block.text()).map_err(|error| error.to_string())?;
    Ok(Some(file))
}

/// The turn that comes out, one member a line.
fn fix(line: &str, settings: Option<&Path>, chunk: Option<&str>) -> Result<String, String> {
    let out = run(line, settings, chunk)?;
    let out: Value = serde_json::from_str(&out).map_err(|error| error.to_string())?;
    serde_json::to_string_pretty(&out).map_err(|error| error.to_string())
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
    let output = std::thread::scope(|scope| {
        let feeder = scope.spawn(move || input.write_all(lines.as_bytes()));
        let output = child.wait_with_output();
        feeder.join().map_err(|_| "feeding the command failed".to_owned())?.ok();
        output.map_err(|error| error.to_string())
    })?;
    String::from_utf8(output.stdout).map_err(|error| error.to_string())
}
