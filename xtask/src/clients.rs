//! Real clients behind the proxy: the SDKs that agents are made with.

use std::path::Path;

use crate::install::{self, copy};
use crate::{Failure, process};

/// Plays the wire cases to the clients, or tells why not.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<String, Failure> {
    let (target, sources) = (install::target(root)?, root.join("tests/clients"));
    let python = install::python(root, &target, &sources);
    let (python, node) = match (python, install::node(&target, &sources)) {
        (Ok(python), Ok(node)) => (python, node),
        (Err(why), _) | (_, Err(why)) => return Ok(why),
    };
    process::run(&mut process::command(
        root,
        "cargo",
        &["build", "--quiet", "-p", "toolmend-cli"],
    ))?;
    let driver = node.join("drive.mjs");
    copy(&sources.join("drive.mjs"), &driver)?;
    let mut command = process::command(root, &python.to_string_lossy(), &["-B"]);
    command.arg(sources.join("run.py")).arg("--node-driver").arg(driver);
    command.args(arguments.iter().filter(|word| word.starts_with("--")));
    command.arg(install::program(&target, "debug", "toolmend"));
    command.args(arguments.iter().filter(|word| !word.starts_with("--")));
    process::run(&mut command)
}
