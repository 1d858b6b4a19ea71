//! Runs each file under `cases/line`: a turn in as a line of `toolmend fix --jsonl`, the turn that
//! must come out; whole and in pieces of 1, 7 and 4,096 bytes. `UPDATE=1` rewrites what comes out.
//! The turns of `cases/turn` go the same way, all in one run for each size.
#![expect(clippy::print_stderr, reason = "a test that cannot start says why")]

#[path = "support/line.rs"]
mod line;
#[path = "../../toolmend/tests/support/tools.rs"]
mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cases::Case;
use libtest_mimic::{Arguments, Trial};
use line::{CHUNKS, check, run};
use serde_json::{Value, json};

/// Where the cases are.
const ROOT: &str = "../..";

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
