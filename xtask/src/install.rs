//! What scripts need of other ecosystems: installed once into the build folder, from lock files, so
//! that nothing of the machine changes and what is tested is the same everywhere.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use serde_json::Value;

use crate::{Failure, process, read};

/// Why something is left out, in one line.
pub(crate) type Skipped = String;

/// Where cargo puts what it builds.
pub(crate) fn target(root: &Path) -> Result<PathBuf, Failure> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let metadata = process::run(&mut process::command(root, "cargo", &arguments))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|error| error.to_string())?;
    let target = metadata.get("target_directory").and_then(Value::as_str).unwrap_or("target");
    Ok(PathBuf::from(target))
}

/// A program that cargo built.
pub(crate) fn program(target: &Path, folder: &str, name: &str) -> PathBuf {
    target.join(folder).join(name).with_extension(env::consts::EXE_EXTENSION)
}

/// The Python that has what the lock file in a folder asks for; or why there is none.
pub(crate) fn python(root: &Path, target: &Path, sources: &Path) -> Result<PathBuf, Skipped> {
    if !process::answers("python3", &["--version"]) {
        return Err("skipped: python3 is missing".to_owned());
    }
    let lock = sources.join("requirements.lock");
    installed(&lock, python_of(root, target, &lock))
}

/// The folder that has what the lock file in another one asks for of Node.js; or why there is none.
pub(crate) fn node(target: &Path, sources: &Path) -> Result<PathBuf, Skipped> {
    for program in ["node", "npm"] {
        if !process::answers(program, &["--version"]) {
            return Err(format!("skipped: {program} is missing"));
        }
    }
    installed(&sources.join("package-lock.json"), node_of(target, sources))
}

/// Shows a failure, which may be long, and sums it up.
fn installed(lock: &Path, place: Result<PathBuf, Failure>) -> Result<PathBuf, Skipped> {
    place.map_err(|failure| {
        println!("{failure}");
        format!("skipped: what {} asks for could not be installed", lock.display())
    })
}

fn python_of(root: &Path, target: &Path, lock: &Path) -> Result<PathBuf, Failure> {
    let (folder, is_ready) = folder(target, "python", lock)?;
    let python = folder.join("bin/python");
    if !is_ready {
        let place = folder.to_string_lossy();
        process::run_silent(&mut process::command(root, "python3", &["-m", "venv", &place]))?;
        let pip =
            ["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check", "-r"];
        let mut command = process::command(root, &python.to_string_lossy(), &pip);
        process::run_silent(command.arg(lock))?;
        set_ready(&folder)?;
    }
    Ok(python)
}

fn node_of(target: &Path, sources: &Path) -> Result<PathBuf, Failure> {
    let (folder, is_ready) = folder(target, "node", &sources.join("package-lock.json"))?;
    if !is_ready {
        for name in ["package.json", "package-lock.json"] {
            copy(&sources.join(name), &folder.join(name))?;
        }
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
        process::run_silent(&mut process::command(&folder, "npm", &arguments))?;
        set_ready(&folder)?;
    }
    Ok(folder)
}

/// A folder for what a lock file asks for, and whether it is there already.
fn folder(target: &Path, name: &str, lock: &Path) -> Result<(PathBuf, bool), Failure> {
    let mut hasher = DefaultHasher::new();
    read(lock)?.hash(&mut hasher);
    let folder = target.join("clients").join(format!("{name}-{:016x}", hasher.finish()));
    let is_ready = folder.join("ready").exists();
    if !is_ready {
        println!("   installing packages of {name}");
        // What an earlier run left half done.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok((folder, is_ready))
}

fn set_ready(folder: &Path) -> Result<(), Failure> {
    let mark = folder.join("ready");
    fs::write(&mark, "").map_err(|error| format!("{}: {error}", mark.display()))
}

pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", to.display()))
}
