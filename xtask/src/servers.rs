//! A real model server behind the proxy: llama.cpp, with a model that says what it is told.

use std::fs;
use std::path::Path;

use crate::clients::{install_python, target_folder};
use crate::{Failure, process};

/// Plays the scripts of `tests/servers`, or tells why not.
pub(crate) fn run(root: &Path) -> Result<String, Failure> {
    if !process::answers("python3", &["--version"]) {
        return Ok("skipped: python3 is missing".to_owned());
    }
    let (target, sources) = (target_folder(root), root.join("tests/servers"));
    let python = match install_python(root, &target, &sources) {
        Ok(python) => python,
        Err(failure) => {
            println!("{failure}");
            return Ok("skipped: llama.cpp could not be installed".to_owned());
        }
    };
    process::run(&mut process::command(
        root,
        "cargo",
        &["build", "--quiet", "-p", "toolmend-cli"],
    ))?;
    let scratch = target.join("servers");
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    let mut command = process::command(root, &python.to_string_lossy(), &["-B"]);
    command.arg(sources.join("play.py")).arg(target.join("debug/toolmend")).arg(scratch);
    process::run(&mut command)
}
