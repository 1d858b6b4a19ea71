//! The page of the proxy in a real browser, where the machine has one.

use std::path::Path;

use serde_json::Value;

use crate::{Failure, process};

const SCRIPT: &str = "tests/page/page.py";

/// Builds the program and lets the script look at its page.
pub(crate) fn run(root: &Path) -> Result<String, Failure> {
    if !process::answers("python3", &["--version"]) {
        return Ok("skipped: python3 is not installed".to_owned());
    }
    process::run(&mut process::command(root, "cargo", &["build", "-p", "toolmend-cli"]))?;
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let metadata = process::run(&mut process::command(root, "cargo", &arguments))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let target = metadata.get("target_directory").and_then(Value::as_str).unwrap_or("target");
    let program = Path::new(target).join("debug").join("toolmend");
    let program = program.with_extension(std::env::consts::EXE_EXTENSION);
    process::run(&mut process::command(root, "python3", &[SCRIPT, &program.to_string_lossy()]))
}
