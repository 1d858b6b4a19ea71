//! Runs each file under `cases/line`: a turn in as a line of `toolmend fix --jsonl`, the turn that
//! must come out; whole and in pieces of 1, 7 and 4,096 bytes. `UPDATE=1` rewrites what comes out.
#![expect(clippy::print_stderr, reason = "a test that cannot start says why")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use cases::Case;
use libtest_mimic::{Arguments, Trial};
use serde_json::Value;

/// Where the cases are.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The sizes of the pieces.
const CHUNKS: [Option<&str>; 4] = [None, Some("1"), Some("7"), Some("4096")];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(ROOT);
    let trials = match cases::find(&root.join("cases/line")) {
        Ok(paths) => paths.into_iter().map(|path| trial(root, path)).collect(),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(root: &Path, path: PathBuf) -> Trial {
    let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    Trial::test(name, move || check(&path).map_err(Into::into))
}

fn check(path: &Path) -> Result<(), String> {
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
    input.write_all(line.as_bytes()).map_err(|error| error.to_string())?;
    drop(input);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let out: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    serde_json::to_string_pretty(&out).map_err(|error| error.to_string())
}
