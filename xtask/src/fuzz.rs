//! Fuzz targets, seeded from the cases: a short run that is the same each time, so that a change is
//! judged by what it changes, and a long one that explores. What exploring found is made small and
//! kept beside the targets, where that is little.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use cases::Case;
use toolmend_dialect::dialects;

use crate::{Failure, process};

/// How long each target explores unless told otherwise.
pub(crate) const SECONDS: u64 = 20;
/// A repeatable run: where its dice start, how many texts it tries beside the seeds, and how long it
/// may take on a slow machine.
const SEED: u32 = 1;
const RUNS: u32 = 40_000;
const SECONDS_MAX: u64 = 60;
/// What is kept of a target's findings is no larger than this: a repository is no place for more.
const KEPT_BYTES_MAX: u64 = 256 * 1024;

/// How far a target runs.
#[derive(Clone, Copy)]
pub(crate) enum Effort {
    /// The same texts each time.
    Repeatable,
    /// For so many seconds, from what earlier runs found.
    Explore(u64),
}

/// Runs every target, or tells why not.
pub(crate) fn run(root: &Path, effort: Effort) -> Result<String, Failure> {
    each_target(root, |work, target| run_target(root, work, target, effort))
}

/// Keeps the fewest findings that reach what the seeds do not, for every target where they are small.
pub(crate) fn keep(root: &Path) -> Result<String, Failure> {
    each_target(root, |work, target| keep_findings(root, work, target))
}

fn each_target(
    root: &Path,
    act: impl Fn(&Path, &str) -> Result<String, Failure>,
) -> Result<String, Failure> {
    if let Some(reason) = missing_tool(root) {
        return Ok(format!("skipped: {reason}"));
    }
    let work = work_folder(root);
    let seeds = write_seeds(root, &work)?;
    let mut report = vec![format!("{seeds} seeds from cases/ and the dialects")];
    for target in targets(root)? {
        report.push(format!("{target}: {}", act(&work, &target)?));
    }
    Ok(report.join("\n"))
}

/// Why fuzzing is not possible here. Installs what can be installed.
fn missing_tool(root: &Path) -> Option<&'static str> {
    if !process::answers("rustup", &["run", "nightly", "cargo", "--version"]) {
        return Some("there is no nightly toolchain (rustup toolchain install nightly)");
    }
    if process::answers("cargo", &["fuzz", "--version"]) {
        return None;
    }
    println!("   cargo-fuzz is missing: installing it");
    let install = &mut process::command(root, "cargo", &["install", "cargo-fuzz", "--locked"]);
    match process::run_silent(install) {
        Ok(_) => None,
        Err(failure) => {
            println!("{failure}");
            Some("cargo-fuzz is missing and could not be installed")
        }
    }
}

/// Where builds, seeds and corpora go: beside the other build output, never into the tree.
fn work_folder(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("fuzz")
}

/// The names of the targets, from their files.
fn targets(root: &Path) -> Result<Vec<String>, Failure> {
    let files = files(&root.join("fuzz/fuzz_targets"))?;
    let mut targets: Vec<String> =
        files.iter().filter_map(|path| path.file_stem()?.to_str().map(str::to_owned)).collect();
    targets.sort();
    Ok(targets)
}

/// One file per case: the bytes of its text; and one per dialect: its example.
fn write_seeds(root: &Path, work: &Path) -> Result<usize, Failure> {
    let folder = work.join("seeds");
    // A seed of another version would be one more.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = cases::find(&root.join("cases")).map_err(|error| error.to_string())?;
    let mut seeds: Vec<Vec<u8>> =
        dialects().map(|dialect| dialect.example.as_bytes().to_vec()).collect();
    for path in paths {
        let case = Case::parse(&crate::read(&path)?)
            .map_err(|failure| format!("{}: {failure}", path.display()))?;
        for block in
            ["input", "content", "reasoning", "history"].iter().filter_map(|name| case.block(name))
        {
            seeds.push(match block.option("escapes") {
                Some(_) => cases::unescape(block.text())?,
                None => block.text().as_bytes().to_vec(),
            });
        }
    }
    for (index, bytes) in seeds.iter().enumerate() {
        let seed = folder.join(format!("{index:04}"));
        fs::write(&seed, bytes).map_err(|error| format!("{}: {error}", seed.display()))?;
    }
    Ok(seeds.len())
}

/// A target on these folders, the first of which gets what is new.
fn target_on(root: &Path, work: &Path, target: &str, folders: &[PathBuf]) -> Command {
    // The crate forbids unsafe code, so a sanitizer would only make it slower.
    let arguments = ["run", "nightly", "cargo", "fuzz", "run", "--sanitizer", "none"];
    let mut command = process::command(root, "rustup", &arguments);
    command.arg("--target-dir").arg(work.join("target")).arg(target).args(folders);
    command.args(["--", "-max_len=4096", "-timeout=10"]);
    command
}

/// Runs one target and tells its closing line.
fn run_target(root: &Path, work: &Path, target: &str, effort: Effort) -> Result<String, Failure> {
    let mut folders = vec![corpus(work, target, effort)?, work.join("seeds")];
    folders.extend(Some(kept_folder(root, target)).filter(|kept| kept.is_dir()));
    let mut command = target_on(root, work, target, &folders);
    match effort {
        Effort::Repeatable => command.args([
            format!("-seed={SEED}"),
            format!("-runs={RUNS}"),
            format!("-max_total_time={SECONDS_MAX}"),
        ]),
        Effort::Explore(seconds) => command.arg(format!("-max_total_time={seconds}")),
    };
    let out = process::run_silent(&mut command)?;
    let done = out.lines().rev().find(|line| line.starts_with("Done "));
    Ok(done.unwrap_or("ended without telling how many runs").to_owned())
}

fn kept_folder(root: &Path, target: &str) -> PathBuf {
    root.join("fuzz/corpus").join(target)
}

/// Keeps what earlier runs found for one target, made small.
fn keep_findings(root: &Path, work: &Path, target: &str) -> Result<String, Failure> {
    let (found, seeds) = (corpus(work, target, Effort::Explore(0))?, work.join("seeds"));
    let small = work.join("small").join(target);
    let _ = fs::remove_dir_all(&small);
    copy_files(&seeds, &small)?;
    // Lines of the program that are reached count, not how often.
    let flags = ["-set_cover_merge=1", "-use_counters=0", "-use_value_profile=0"];
    let folders = [small.clone(), found, kept_folder(root, target)];
    let folders: Vec<PathBuf> = folders.into_iter().filter(|folder| folder.is_dir()).collect();
    process::run_silent(target_on(root, work, target, &folders).args(flags))?;
    for seed in files(&seeds)? {
        let name = seed.file_name().unwrap_or_default();
        fs::remove_file(small.join(name))
            .map_err(|error| format!("{}: {error}", seed.display()))?;
    }
    let new = files(&small)?;
    let bytes: u64 = new.iter().filter_map(|path| path.metadata().ok()).map(|it| it.len()).sum();
    let told = format!("{} texts of {bytes} bytes", new.len());
    if bytes > KEPT_BYTES_MAX {
        return Ok(format!("{told}: too large to keep"));
    }
    let kept = kept_folder(root, target);
    let _ = fs::remove_dir_all(&kept);
    copy_files(&small, &kept)?;
    Ok(told)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
}

fn copy_files(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    for path in files(from)? {
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, to.join(name)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Where new texts go: a repeatable run starts with none, and exploring goes on where it was.
fn corpus(work: &Path, target: &str, effort: Effort) -> Result<PathBuf, Failure> {
    let folder = match effort {
        Effort::Repeatable => work.join("repeatable").join(target),
        Effort::Explore(_) => work.join("corpus").join(target),
    };
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    if matches!(effort, Effort::Repeatable) && folder.exists() {
        fs::remove_dir_all(&folder).map_err(told)?;
    }
    fs::create_dir_all(&folder).map_err(told)?;
    Ok(folder)
}
