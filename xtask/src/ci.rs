//! Everything that must hold before a change lands, step by step.

use std::path::Path;
use std::time::Instant;

use crate::servers::Agents;
use crate::{Failure, clients, fuzz, generate, page, process, servers, tidy};

/// How much is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What fits before each commit.
    Quick,
    /// Everything.
    Full,
}

struct Step {
    name: &'static str,
    extent: Extent,
    /// How to run this step alone.
    rerun: &'static str,
    /// Tells what is worth telling: counts, or why something was left out.
    run: fn(&Path) -> Result<String, Failure>,
}

const STEPS: &[Step] = &[
    Step { name: "format", extent: Extent::Quick, rerun: "cargo fmt --all --check", run: format },
    Step {
        name: "lints",
        extent: Extent::Quick,
        rerun: "cargo clippy --workspace --all-targets -- -D warnings",
        run: lints,
    },
    Step { name: "tests", extent: Extent::Quick, rerun: "cargo test --workspace", run: tests },
    Step {
        name: "clients",
        extent: Extent::Full,
        rerun: "cargo xtask clients",
        run: |root| clients::run(root, &[]),
    },
    Step { name: "servers", extent: Extent::Full, rerun: "cargo xtask servers", run: servers::run },
    Step {
        name: "agents",
        extent: Extent::Full,
        rerun: "cargo xtask agents",
        run: |root| servers::run_agents(root, Agents::First),
    },
    Step {
        name: "docs",
        extent: Extent::Full,
        rerun: "RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps",
        run: docs,
    },
    Step {
        name: "tidy",
        extent: Extent::Quick,
        rerun: "cargo xtask tidy",
        run: |root| tidy::run(root).map(|()| String::new()),
    },
    Step {
        name: "gen",
        extent: Extent::Quick,
        rerun: "cargo xtask gen --check",
        run: |root| generate::check(root).map(|()| String::new()),
    },
    Step { name: "page", extent: Extent::Full, rerun: "cargo xtask page", run: page::run },
    Step {
        name: "fuzz",
        extent: Extent::Full,
        rerun: "cargo xtask fuzz",
        run: |root| fuzz::run(root, fuzz::Effort::Repeatable),
    },
    Step { name: "deny", extent: Extent::Full, rerun: "cargo deny check", run: deny },
];

/// Runs the steps in order and stops at the first that fails.
pub(crate) fn run(root: &Path, extent: Extent) -> Result<(), Failure> {
    let started = Instant::now();
    let mut steps_run = 0;
    for step in STEPS.iter().filter(|step| extent == Extent::Full || step.extent == extent) {
        println!("== {}", step.name);
        let step_started = Instant::now();
        let told = (step.run)(root).map_err(|failure| {
            format!("{failure}\n\nci: {} failed; run it again with: {}", step.name, step.rerun)
        })?;
        if !told.is_empty() {
            println!("{}", told.trim_end());
        }
        println!("   {} took {:.1} s", step.name, step_started.elapsed().as_secs_f64());
        steps_run += 1;
    }
    println!("ci: all {steps_run} steps passed in {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

fn format(root: &Path) -> Result<String, Failure> {
    process::run(&mut process::command(root, "cargo", &["fmt", "--all", "--check"]))
}

fn lints(root: &Path) -> Result<String, Failure> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    process::run(&mut process::command(root, "cargo", &arguments))
}

/// Tells only the closing lines of the test runners; a failure shows everything.
fn tests(root: &Path) -> Result<String, Failure> {
    let out = process::run(&mut process::command(root, "cargo", &["test", "--workspace"]))?;
    Ok(lines_with(&out, "test result:"))
}

fn docs(root: &Path) -> Result<String, Failure> {
    let mut command = process::command(root, "cargo", &["doc", "--workspace", "--no-deps"]);
    process::run(command.env("RUSTDOCFLAGS", "-D warnings"))
}

fn deny(root: &Path) -> Result<String, Failure> {
    if !process::answers("cargo", &["deny", "--version"]) {
        return Ok("skipped: cargo-deny is not installed".to_owned());
    }
    process::run(&mut process::command(root, "cargo", &["deny", "check"]))
}

fn lines_with(text: &str, start: &str) -> String {
    text.lines().filter(|line| line.starts_with(start)).collect::<Vec<_>>().join("\n")
}
