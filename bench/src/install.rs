//! Puts the rivals of other languages into a scratch folder beside the build.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::driver::Start;

/// What one rival needs from a registry.
#[derive(Clone, Copy, Debug)]
pub struct Package {
    /// The name that tables show.
    pub name: &'static str,
    /// The folder that it is installed into.
    pub folder: &'static str,
    /// Where it comes from.
    pub registry: Registry,
    /// What is asked for, with versions; the first one is the rival.
    pub wanted: &'static [&'static str],
    /// The script that drives it, under `drivers`.
    pub script: &'static str,
}

/// Where a package comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Registry {
    /// `PyPI`, and the least minor version of Python 3 that it runs on.
    Python(u32),
    /// npm.
    Node,
}

/// The repairers of JSON.
pub const REPAIRERS: &[Package] = &[
    Package {
        name: "json_repair (Python)",
        folder: "json_repair",
        registry: Registry::Python(8),
        wanted: &["json_repair==0.64.2"],
        script: "json_repair.py",
    },
    Package {
        name: "jsonrepair (npm)",
        folder: "jsonrepair",
        registry: Registry::Node,
        wanted: &["jsonrepair@3.15.0"],
        script: "jsonrepair.mjs",
    },
];

/// The drivers that could be installed. What could not is said on standard error and left out.
pub fn foreign() -> Vec<Start> {
    REPAIRERS
        .iter()
        .filter_map(|package| match package.install() {
            Ok(start) => Some(start),
            Err(reason) => {
                eprintln!("left out: {} ({reason})", package.name);
                None
            }
        })
        .collect()
}

impl Package {
    /// The version that is asked for.
    pub fn version(&self) -> &'static str {
        let wanted = self.wanted.first().copied().unwrap_or_default();
        wanted.rsplit(['=', '@']).next().unwrap_or_default()
    }

    /// Installs it, where it is not there yet, and says how it is started.
    pub fn install(&self) -> Result<Start, String> {
        let home = scratch().join(self.folder);
        let ready = home.join("ready");
        let wanted = self.wanted.join(" ");
        let is_ready = fs::read_to_string(&ready).is_ok_and(|was| was == wanted);
        if !is_ready {
            eprintln!("installing {wanted} …");
        }
        let script = bench().join("drivers").join(self.script);
        match self.registry {
            Registry::Python(minor) => {
                let program = home.join("bin").join("python");
                if !is_ready {
                    let python = python(minor)?;
                    run(&python, &["-m", "venv", "--clear", &home.to_string_lossy()])?;
                    let install = ["-m", "pip", "install", "--quiet"];
                    run(&program, &[&install[..], self.wanted].concat())?;
                    fs::write(&ready, &wanted).map_err(|error| error.to_string())?;
                }
                // Isolated: a script with the name of its package must not find itself.
                let arguments = vec!["-I".into(), script.to_string_lossy().into_owned()];
                Ok(Start { name: self.name.into(), program, arguments })
            }
            Registry::Node => {
                fs::create_dir_all(&home).map_err(|error| error.to_string())?;
                if !is_ready {
                    let place = home.to_string_lossy().into_owned();
                    let install = ["install", "--silent", "--no-save", "--prefix", &place];
                    run(Path::new("npm"), &[&install[..], self.wanted].concat())?;
                    fs::write(&ready, &wanted).map_err(|error| error.to_string())?;
                }
                // Node looks for packages beside the script, so the script goes beside the packages.
                let beside = home.join("driver.mjs");
                fs::copy(&script, &beside).map_err(|error| error.to_string())?;
                let arguments = vec![beside.to_string_lossy().into_owned()];
                Ok(Start { name: self.name.into(), program: "node".into(), arguments })
            }
        }
    }
}

/// The folder of this crate, asked at each run: clones that share a target folder share the program.
pub fn bench() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| "bench".into()).into()
}

/// Beside the binary, so that `cargo clean` clears it.
fn scratch() -> PathBuf {
    let beside = env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    beside.unwrap_or_else(env::temp_dir).join("rivals")
}

/// A Python 3 that is new enough.
fn python(minor: u32) -> Result<PathBuf, String> {
    let is_new = format!("import sys; sys.exit(sys.version_info < (3, {minor}))");
    let named = (12..=14).rev().map(|minor| format!("python3.{minor}"));
    std::iter::once("python3".to_owned())
        .chain(named)
        .map(PathBuf::from)
        .find(|program| run(program, &["-c", &is_new]).is_ok())
        .ok_or_else(|| format!("there is no Python 3.{minor} or newer"))
}

fn run(program: &Path, arguments: &[&str]) -> Result<(), String> {
    let status = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|error| format!("{} cannot run: {error}", program.display()))?;
    if status.success() { Ok(()) } else { Err(format!("{} failed", program.display())) }
}
