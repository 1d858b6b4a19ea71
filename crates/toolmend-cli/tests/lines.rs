//! Runs each file under `cases/line`: a turn in as a line of `toolmend fix --jsonl`, the turn that
//! must come out; whole and in pieces of 1, 7 and 4,096 bytes. The turns of `cases/turn` go the same
//! way, all in one run for each size.

#[path = "support/line.rs"]
mod line;
#[path = "../../toolmend/tests/support/tools.rs"]
mod tools;

use std::iter::repeat;
use std::path::Path;
use std::process::ExitCode;

use cases::Case;
use cases::harness::{Finding, Harness, Test, under_root};
use line::{CHUNKS, run};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let also: &[Test] = &[("cases/turn in pieces", turns_in_pieces)];
    Harness { also, ..line::HARNESS }.main()
}

/// Every turn comes out the same, whatever the size of the pieces.
fn turns_in_pieces() -> Finding {
    let paths = cases::find(&under_root("cases/turn")).map_err(|error| error.to_string())?;
    let lines: Result<Vec<String>, String> = paths.iter().map(|path| turn_line(path)).collect();
    let input = lines?.join("\n");
    let whole = run(&input, None, None)?;
    if whole.lines().count() != paths.len() {
        return Err(format!("{} lines of {}", whole.lines().count(), paths.len()));
    }
    for chunk in CHUNKS {
        let out = run(&input, None, Some(chunk))?;
        let mut both = whole.lines().zip(out.lines().chain(repeat("")));
        if let Some((a, b)) = both.find(|(a, b)| a != b) {
            return Err(format!("in pieces of {chunk}:\n{b}\nand whole:\n{a}"));
        }
    }
    Ok(())
}

/// A case of a turn as a line.
fn turn_line(path: &Path) -> Result<String, String> {
    let case = Case::read(path)?;
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
