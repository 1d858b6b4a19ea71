//! Real clients behind the proxy: the SDKs that agents are made with, installed once into the build
//! folder from the lock files of `tests/clients`.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::{Failure, process, read};

/// Plays the wire cases to the clients, or tells why not.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Result<String, Failure> {
    for (program, about) in
        [("python3", "Python"), ("node", "Node.js"), ("npm", "the package manager of Node.js")]
    {
        if !process::answers(program, &["--version"]) {
            return Ok(format!("skipped: {program} is missing ({about})"));
        }
    }
    let target = target_folder(root);
    let (python, node) = match (
        install_python(root, &target, &sources(root)),
        install_node(&target, &sources(root)),
    ) {
        (Ok(python), Ok(node)) => (python, node),
        (Err(failure), _) | (_, Err(failure)) => {
            println!("{failure}");
            return Ok("skipped: the clients could not be installed".to_owned());
        }
    };
    process::run(&mut process::command(
        root,
        "cargo",
        &["build", "--quiet", "-p", "toolmend-cli"],
    ))?;
    let driver = node.join("drive.mjs");
    copy(&sources(root).join("drive.mjs"), &driver)?;
    let mut command = process::command(root, &python.to_string_lossy(), &["-B"]);
    command.arg(sources(root).join("run.py")).arg("--node-driver").arg(driver);
    command.args(arguments.iter().filter(|word| word.starts_with("--")));
    command.arg(target.join("debug/toolmend"));
    command.args(arguments.iter().filter(|word| !word.starts_with("--")));
    process::run(&mut command)
}

fn sources(root: &Path) -> PathBuf {
    root.join("tests/clients")
}

pub(crate) fn target_folder(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
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

/// The Python that has what the lock file in a folder asks for.
pub(crate) fn install_python(
    root: &Path,
    target: &Path,
    sources: &Path,
) -> Result<PathBuf, Failure> {
    let lock = sources.join("requirements.lock");
    let (folder, is_ready) = folder(target, "python", &lock)?;
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

/// The folder that has what the lock file in another one asks for of Node.js.
pub(crate) fn install_node(target: &Path, sources: &Path) -> Result<PathBuf, Failure> {
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

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::copy(from, to).map(|_| ()).map_err(|error| format!("{}: {error}", to.display()))
}
