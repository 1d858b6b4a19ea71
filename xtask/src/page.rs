//! The page of the proxy in a real browser, where the machine has one.

use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

use crate::{Failure, process};

const SCRIPT: &str = "tests/page/page.py";
const LOAD_SCRIPT: &str = "tests/page/load.py";
/// So many calls are in the store when nobody says how many.
pub(crate) const CALLS: u32 = 100_000;

/// Builds the program and lets the script look at its page.
pub(crate) fn run(root: &Path) -> Result<String, Failure> {
    if !process::answers("python3", &["--version"]) {
        return Ok("skipped: python3 is not installed".to_owned());
    }
    process::run(&mut process::command(root, "cargo", &["build", "-p", "toolmend-cli"]))?;
    let program = program(&target(root)?, "debug", "toolmend");
    process::run(&mut process::command(root, "python3", &[SCRIPT, &program]))
}

/// Fills a store and measures the page with it: nothing is judged, the times are printed.
pub(crate) fn load(root: &Path, calls: u32) -> Result<String, Failure> {
    let cargo = |arguments: &[&str]| {
        process::run(&mut process::command(root, "cargo", arguments)).map(|_| ())
    };
    cargo(&["build", "--release", "-p", "toolmend-cli"])?;
    cargo(&["build", "--release", "-p", "toolmend-store", "--example", "load"])?;
    let target = target(root)?;
    let folder = env::temp_dir().join(format!("toolmend-page-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let store = folder.join("calls.db").to_string_lossy().into_owned();
    let fill = program(&target, "release/examples", "load");
    let measure = || {
        let calls = calls.to_string();
        let filled = process::run(&mut process::command(root, &fill, &[&calls, &store]))?;
        let toolmend = program(&target, "release", "toolmend");
        let arguments = [LOAD_SCRIPT, &toolmend, &store];
        let measured = process::run(&mut process::command(root, "python3", &arguments))?;
        Ok(format!("{filled}\n{measured}"))
    };
    let told = measure();
    // What is left of it is in the way of nobody.
    let _ = fs::remove_dir_all(&folder);
    told
}

/// Where cargo puts what it builds.
fn target(root: &Path) -> Result<PathBuf, Failure> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let metadata = process::run(&mut process::command(root, "cargo", &arguments))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let target = metadata.get("target_directory").and_then(Value::as_str).unwrap_or("target");
    Ok(PathBuf::from(target))
}

fn program(target: &Path, folder: &str, name: &str) -> String {
    let program = target.join(folder).join(name).with_extension(env::consts::EXE_EXTENSION);
    program.to_string_lossy().into_owned()
}
