//! Builds the copy, and drops the mutants that do not compile.

use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Outcome;
use crate::render::Rendered;
use crate::tree::{Source, Tree};

/// More rounds than this are no progress.
const ROUNDS: usize = 40;

/// The tests of a crate, as arguments of `cargo test`: its own, and those of others that test it.
fn suites(name: &str, is_own: bool) -> Vec<Vec<&str>> {
    let mut suites = vec![vec!["-p", name, "--lib", "--tests"]];
    match name {
        _ if is_own => {}
        "toolmend-dialect" => suites.push(vec!["-p", "toolmend", "--lib", "--tests"]),
        "toolmend" => suites.push(vec!["-p", "toolmend-cli", "--test", "lines"]),
        "toolmend-wire" => {
            let mut tests = vec!["-p", "toolmend-proxy"];
            for test in ["proxy", "captures", "recovery"] {
                tests.extend(["--test", test]);
            }
            suites.push(tests);
        }
        _ => {}
    }
    suites
}

/// A program of tests, and where it runs.
#[derive(Debug)]
pub struct Program {
    pub name: String,
    pub path: PathBuf,
    pub folder: PathBuf,
}

/// Builds the tests with as many mutants as compile; tells which do not.
pub fn build(
    tree: &Tree,
    name: &str,
    is_own: bool,
    sources: &[Source],
) -> Outcome<(Vec<Program>, BTreeSet<u32>)> {
    let memory = tree.copy.with_file_name(format!("{name}.dropped"));
    let key = key(sources);
    let mut dropped = recall(&memory, key).unwrap_or_default();
    let mut steps = vec![vec!["check", "-p", name, "--lib"]];
    for suite in suites(name, is_own) {
        steps.push([vec!["test", "--no-run"], suite].concat());
    }
    let mut programs = Vec::new();
    for step in steps {
        programs.extend(settle(tree, sources, &step, &mut dropped)?);
    }
    let numbers = dropped.iter().map(|number| format!("{number}\n"));
    fs::write(memory, format!("{key}\n{}", numbers.collect::<String>()))?;
    Ok((programs, dropped))
}

/// What did not compile when the crate was the same: without it, each run would build all anew.
fn recall(memory: &Path, key: u64) -> Option<BTreeSet<u32>> {
    let text = fs::read_to_string(memory).ok()?;
    let (own, numbers) = text.split_once('\n')?;
    let numbers = numbers.lines().filter_map(|line| line.parse().ok());
    (own == key.to_string()).then(|| numbers.collect())
}

fn key(sources: &[Source]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for source in sources {
        (&source.path, &source.text, source.mutants.len()).hash(&mut hasher);
    }
    hasher.finish()
}

fn settle(
    tree: &Tree,
    sources: &[Source],
    step: &[&str],
    dropped: &mut BTreeSet<u32>,
) -> Outcome<Vec<Program>> {
    for _ in 0..ROUNDS {
        let known = dropped.clone();
        let files = tree.write(sources, &known)?;
        let (is_built, messages) = cargo(tree, step)?;
        if is_built {
            return Ok(messages.iter().filter_map(program).collect());
        }
        for (error, spans) in messages.iter().filter_map(error) {
            let blamed = spans.iter().find_map(|span| blame(sources, &files, span));
            match blamed {
                Some(blamed) => dropped.extend(blamed),
                None => eprintln!("{error}"),
            }
        }
        if *dropped == known {
            break;
        }
        eprintln!("{} mutants do not compile", dropped.len());
    }
    Err("the copy does not build".into())
}

fn cargo(tree: &Tree, arguments: &[&str]) -> Outcome<(bool, Vec<Value>)> {
    let mut command = Command::new("cargo");
    command.args(arguments).arg("--message-format=json").current_dir(&tree.copy);
    command.env("CARGO_TARGET_DIR", &tree.target).stderr(Stdio::null());
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Ok((output.status.success(), messages))
}

fn program(message: &Value) -> Option<Program> {
    let path = message.get("executable")?.as_str()?;
    let is_test = message.pointer("/profile/test")?.as_bool()?;
    let manifest = PathBuf::from(message.get("manifest_path")?.as_str()?);
    let folder = manifest.parent()?.to_path_buf();
    let target = message.pointer("/target/name")?.as_str()?;
    let name = format!("{}/{target}", folder.file_name()?.to_string_lossy());
    is_test.then(|| Program { name, path: path.into(), folder })
}

/// What an error says, and the places that it names: first its own, then where macros were used.
fn error(message: &Value) -> Option<(String, Vec<Place>)> {
    let message = message.get("message")?;
    if message.get("level")?.as_str()? != "error" {
        return None;
    }
    let mut places = Vec::new();
    for span in message.get("spans")?.as_array()? {
        let mut span = Some(span);
        while let Some(one) = span {
            places.extend(Place::read(one));
            span = one.pointer("/expansion/span");
        }
    }
    places.sort_by_key(|place| !place.is_primary);
    let text = message.get("rendered")?.as_str()?.to_owned();
    // Sums of errors have no place.
    (!places.is_empty()).then_some((text, places))
}

struct Place {
    file: String,
    range: Range<usize>,
    is_primary: bool,
}

impl Place {
    fn read(span: &Value) -> Option<Self> {
        let number = |key| usize::try_from(span.get(key)?.as_u64()?).ok();
        Some(Self {
            file: span.get("file_name")?.as_str()?.to_owned(),
            range: number("byte_start")?..number("byte_end")?,
            is_primary: span.get("is_primary")?.as_bool()?,
        })
    }
}

fn blame(sources: &[Source], files: &[Rendered<'_>], place: &Place) -> Option<Vec<u32>> {
    let index = sources.iter().position(|source| source.path == place.file)?;
    Some(files.get(index)?.to_blame(&place.range)).filter(|blamed| !blamed.is_empty())
}
