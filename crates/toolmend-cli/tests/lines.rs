//! Runs each file under `cases/line`: a turn in as a line of `toolmend fix --jsonl`, the turn that
//! must come out; whole and in pieces of 1, 7 and 4,096 bytes. `UPDATE=1` rewrites what comes out.
//! The turns of `cases/turn` go the same way, all in one run for each size.
#![expect(clippy::print_stderr, reason = "a test that cannot start says why")]

#[path = "../../toolmend/tests/support/tools.rs"]
mod tools;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::{env, fs};

use cases::Case;
use libtest_mimic::{Arguments, Trial};
use serde_json::{Value, json};

/// Where the cases are.
const ROOT: &str = "../..";

/// The sizes of the pieces.
const CHUNKS: [Option<&str>; 4] = [None, Some("1"), Some("7"), Some("4096")];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(ROOT);
    let trials = match cases::find(&root.join("cases/line")) {
        Ok(paths) => paths.into_iter().map(|path| trial(root, path)).chain([turns(root)]).collect(),
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

/// Every turn comes out the same, whatever the size of the pieces.
fn turns(root: &Path) -> Trial {
    let folder = root.join("cases/turn");
    Trial::test("cases/turn in pieces", move || {
        let paths = cases::find(&folder).map_err(|error| error.to_string())?;
        let lines: Result<Vec<String>, String> = paths.iter().map(|path| turn_line(path)).collect();
        let input = lines?.join("\n");
        let mut outs = Vec::new();
        for chunk in CHUNKS {
            outs.push(run(&input, None, chunk)?);
        }
        let whole: Vec<&str> = outs.first().map(|out| out.lines().collect()).unwrap_or_default();
        if whole.len() != paths.len() {
            return Err(format!("{} lines of {}", whole.len(), paths.len()).into());
        }
        for (chunk, out) in CHUNKS.iter().zip(&outs) {
            if let Some((a, b)) = whole.iter().zip(out.lines()).find(|(a, b)| *a != b) {
                return Err(format!("in pieces of {chunk:?}:\n{b}\nand whole:\n{a}").into());
            }
        }
        Ok(())
    })
}

/// A case of a turn as a line.
fn turn_line(path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let case = Case::parse(&text)?;
    let channel = |name: &str| -> Result<Value, String> {
        match case.block(name) {
            Some(block) if block.option("escapes").is_some() => {
                let bytes = cases::unescape(block.text())?;
                Ok(Value::from(String::from_utf8_lossy(&bytes)))
            }
            Some(block) => Ok(Value::from(block.text())),
            None => Ok(Value::Null),
        }
    };
    let declared = case.text("declared").lines().filter_map(|line| line.split_once(' '));
    let declared: Vec<Value> =
        declared.map(|(name, text)| json!({"name": name, "arguments": text})).collect();
    let messages: Value = serde_json::from_str(case.text("messages")).unwrap_or_default();
    let is_cut = case.block("content").is_some_and(|block| block.option("cut").is_some());
    let line = json!({
        "id": path.to_string_lossy(),
        "tools": tools::read(case.text("tools"))?,
        "messages": messages,
        "reasoning": channel("reasoning")?,
        "content": channel("content")?,
        "tool_calls": declared,
        "finish_reason": if is_cut { "length" } else { "stop" },
    });
    Ok(line.to_string())
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
fn run(lines: &str, settings: Option<&Path>, chunk: Option<&str>) -> Result<String, String> {
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
