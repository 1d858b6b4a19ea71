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
  agents [--all] run a real Codex on that llama.cpp through the proxy; --all: Claude Code and opencode as well
  servers        play calls from a real llama.cpp through the proxy: see tests/servers
  tidy           what no compiler checks: crate graph, sizes, words, coverage of the catalogues
  gen [--check]  write the generated documents, or say which are out of date
  page [--load [CALLS]] look at the proxy's page in Chromium, where there is a python3;
                 --load: print how fast it is with so many calls (100,000) in the store
  fuzz [SECONDS] explore with each fuzz target for so long (20), from the cases and what was found before
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
        ["clients", ref words @ ..] => {
            clients::run(&root, words).map(|told| println!("{}", told.trim_end()))
        }
        ["servers"] => servers::run(&root).map(|told| println!("{}", told.trim_end())),
        ["agents"] => drive(&root, Agents::First),
        ["agents", "--all"] => drive(&root, Agents::All),
        ["page"] => page::run(&root).map(|told| println!("{}", told.trim_end())),
        ["page", "--load"] => show_load(&root, page::CALLS),
        ["page", "--load", calls] => match calls.parse() {
            Ok(calls) => show_load(&root, calls),
            Err(_) => Err(format!("not a number of calls: {calls}")),
        },
        ["fuzz"] => explore(&root, fuzz::SECONDS),
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

fn drive(root: &Path, agents: Agents) -> Result<(), Failure> {
    servers::run_agents(root, agents).map(|told| println!("{}", told.trim_end()))
}

fn show_load(root: &Path, calls: u32) -> Result<(), Failure> {
    page::load(root, calls).map(|told| println!("{}", told.trim_end()))
}

fn explore(root: &Path, seconds: u64) -> Result<(), Failure> {
    fuzz::run(root, fuzz::Effort::Explore(seconds)).map(|report| println!("{report}"))
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
