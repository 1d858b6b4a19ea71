//! The page of the proxy in a real browser: one that is installed, or the one that playwright fetches.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::install::Skipped;
use crate::{Failure, install, process};

const SCRIPT: &str = "tests/page/page.py";
const LOAD_SCRIPT: &str = "tests/page/load.py";
/// So many calls are in the store when nobody says how many.
pub(crate) const CALLS: u32 = 100_000;

/// Builds the program and lets the script look at its page.
pub(crate) fn run(root: &Path) -> Result<String, Failure> {
    let target = install::target(root)?;
    let mut python = match python(root, &target) {
        Ok(python) => python,
        Err(why) => return Ok(why),
    };
    process::run(&mut process::command(root, "cargo", &["build", "-p", "toolmend-cli"]))?;
    process::run(python.arg(SCRIPT).arg(install::program(&target, "debug", "toolmend")))
}

/// Fills a store and measures the page with it: nothing is judged, the times are printed.
pub(crate) fn load(root: &Path, calls: u32) -> Result<String, Failure> {
    let target = install::target(root)?;
    let mut python = match python(root, &target) {
        Ok(python) => python,
        Err(why) => return Ok(why),
    };
    let cargo = |arguments: &[&str]| {
        process::run(&mut process::command(root, "cargo", arguments)).map(|_| ())
    };
    cargo(&["build", "--release", "-p", "toolmend-cli"])?;
    cargo(&["build", "--release", "-p", "toolmend-store", "--example", "load"])?;
    let folder = env::temp_dir().join(format!("toolmend-page-{}", std::process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let store = folder.join("calls.db").to_string_lossy().into_owned();
    let fill = install::program(&target, "release/examples", "load").to_string_lossy().into_owned();
    let mut measure = || {
        let calls = calls.to_string();
        let filled = process::run(&mut process::command(root, &fill, &[&calls, &store]))?;
        let toolmend = install::program(&target, "release", "toolmend");
        let measured = process::run(python.arg(LOAD_SCRIPT).arg(toolmend).arg(&store))?;
        Ok(format!("{filled}\n{measured}"))
    };
    let told = measure();
    // What is left of it is in the way of nobody.
    let _ = fs::remove_dir_all(&folder);
    told
}

/// A Python that has playwright, to be told what to run. A browser that playwright fetches goes beside
/// it, and is gone with it.
fn python(root: &Path, target: &Path) -> Result<Command, Skipped> {
    let python = install::python(root, target, &root.join("tests/page"))?;
    let mut command = process::command(root, &python.to_string_lossy(), &["-B"]);
    command.env("PLAYWRIGHT_BROWSERS_PATH", "0");
    Ok(command)
}
