//! The chores of the project, in Rust so that they run wherever the project does.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to who runs it")]

mod ci;
mod clients;
mod fuzz;
mod generate;
mod install;
mod page;
mod process;
mod servers;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use crate::servers::Agents;

const USAGE: &str = "\
usage: cargo xtask COMMAND

  ci [--quick]   format, lints, tests, clients, servers, agents, docs, tidy, gen, page, fuzz, deny; --quick leaves
                 out clients, servers, agents, docs, page, fuzz, deny
  clients [CASE…] play the wire cases through the proxy to real SDKs; --update, --direct: see tests/clients
  servers        play calls from a real llama.cpp through the proxy: see tests/servers
  agents [--all] run a real Codex on that llama.cpp through the proxy; --all: Claude Code and opencode as well
  tidy           what no compiler checks: crate graph, sizes, words, coverage of the catalogues
  gen [--check]  write the generated documents, or say which are out of date
  page [--load [CALLS]] look at the proxy's page in Chromium, where there is a python3;
                 --load: print how fast it is with so many calls (100,000) in the store
  fuzz [SECONDS] explore with each fuzz target for so long (20), from the cases and what was found before
  fuzz keep      keep the fewest findings that reach more than the cases, in fuzz/corpus, where they are small
";

/// What went wrong, for a person to read.
type Failure = String;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = root();
    let result = match *arguments.as_slice() {
        ["ci"] => ci::run(&root, ci::Extent::Full),
        ["ci", "--quick"] => ci::run(&root, ci::Extent::Quick),
        ["tidy"] => tidy::run(&root),
        ["gen"] => generate::write(&root),
        ["gen", "--check"] => generate::check(&root),
        ["clients", ref words @ ..] => clients::run(&root, words).map(show),
        ["servers"] => servers::run(&root).map(show),
        ["agents"] => servers::run_agents(&root, Agents::First).map(show),
        ["agents", "--all"] => servers::run_agents(&root, Agents::All).map(show),
        ["page"] => page::run(&root).map(show),
        ["page", "--load"] => page::load(&root, page::CALLS).map(show),
        ["page", "--load", calls] => match calls.parse() {
            Ok(calls) => page::load(&root, calls).map(show),
            Err(_) => Err(format!("not a number of calls: {calls}")),
        },
        ["fuzz"] => explore(&root, fuzz::SECONDS),
        ["fuzz", "keep"] => fuzz::keep(&root).map(show),
        ["fuzz", seconds] => match seconds.parse() {
            Ok(seconds) => explore(&root, seconds),
            Err(_) => Err(format!("not a number of seconds: {seconds}")),
        },
        _ => Err(USAGE.to_owned()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{}", failure.trim_end());
            ExitCode::FAILURE
        }
    }
}

fn explore(root: &Path, seconds: u64) -> Result<(), Failure> {
    fuzz::run(root, fuzz::Effort::Explore(seconds)).map(show)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what a chore gives")]
fn show(told: String) {
    println!("{}", told.trim_end());
}

/// The root of the workspace: asked at each run, because clones that share a target folder share
/// this program.
fn root() -> PathBuf {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    manifest.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Reads a file, or says which one could not be read.
fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
