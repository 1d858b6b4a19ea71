//! A real model server behind the proxy, llama.cpp with a model that says what it is told; and real
//! agents in front of it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::install::Skipped;
use crate::{Failure, install, process};

/// What the scripts need to run.
struct Stage {
    python: PathBuf,
    sources: PathBuf,
    target: PathBuf,
    scratch: PathBuf,
}

/// Plays the scripts of `tests/servers`, or tells why not.
pub(crate) fn run(root: &Path) -> Result<String, Failure> {
    let stage = match stage(root)? {
        Ok(stage) => stage,
        Err(why) => return Ok(why),
    };
    let mut command = process::command(root, &stage.python.to_string_lossy(), &["-B"]);
    command.arg(stage.sources.join("play.py"));
    command.arg(install::program(&stage.target, "debug", "toolmend"));
    process::run(command.arg(&stage.scratch))
}

/// Which agents run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Agents {
    /// Codex, which takes a minute.
    First,
    /// Codex, Claude Code and opencode, which take several, and most of a gigabyte.
    All,
}

/// Runs real agents on the same server, where nothing but this machine can be reached; or tells why
/// not.
pub(crate) fn run_agents(root: &Path, agents: Agents) -> Result<String, Failure> {
    let stage = match stage(root)? {
        Ok(stage) => stage,
        Err(why) => return Ok(why),
    };
    // An agent must not reach anything but what is tested.
    if !process::answers("unshare", &["-n", "ip", "link", "set", "lo", "up"]) {
        return Ok("skipped: this machine gives no network of its own (unshare, ip)".to_owned());
    }
    let mut told = drive_agents(root, &stage, &stage.sources, &["codex"])?;
    if agents == Agents::All {
        let sources = stage.sources.join("more");
        told += &drive_agents(root, &stage, &sources, &["claude_code", "opencode"])?;
    }
    Ok(told)
}

/// Runs the agents that the lock file in a folder has.
fn drive_agents(
    root: &Path,
    stage: &Stage,
    locked: &Path,
    names: &[&str],
) -> Result<String, Failure> {
    let node = match install::node(&stage.target, locked) {
        Ok(node) => node,
        Err(why) => return Ok(format!("{}: {why}\n", names.join(", "))),
    };
    let alone = "ip link set lo up && exec \"$@\"";
    let mut command = process::command(root, "unshare", &["-n", "sh", "-c", alone, "sh"]);
    command.arg(&stage.python).arg("-B").arg(stage.sources.join("agents.py"));
    command.arg(install::program(&stage.target, "debug", "toolmend")).arg(node);
    command.arg(&stage.scratch);
    process::run(command.args(names))
}

/// Installs and builds what is needed; or why that cannot be.
fn stage(root: &Path) -> Result<Result<Stage, Skipped>, Failure> {
    let (target, sources) = (install::target(root)?, root.join("tests/servers"));
    let python = match install::python(root, &target, &sources) {
        Ok(python) => python,
        Err(why) => return Ok(Err(why)),
    };
    process::run(&mut process::command(
        root,
        "cargo",
        &["build", "--quiet", "-p", "toolmend-cli"],
    ))?;
    let scratch = target.join("servers");
    fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
    Ok(Ok(Stage { python, sources, target, scratch }))
}
