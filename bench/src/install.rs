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
        let script = bench().join("drivers").join(self.script);
        match self.registry {
            Registry::Python(minor) => {
                let home = python_packages(self.folder, minor, self.wanted)?;
                let program = home.join("bin").join("python");
                // Isolated: a script with the name of its package must not find itself.
                let arguments = vec!["-I".into(), script.to_string_lossy().into_owned()];
                Ok(Start { name: self.name.into(), program, arguments })
            }
            Registry::Node => {
                let home = node_packages(self.folder, self.wanted)?;
                // Node looks for packages beside the script, so the script goes beside the packages.
                let beside = home.join("driver.mjs");
                fs::copy(&script, &beside).map_err(|error| error.to_string())?;
                let arguments = vec![beside.to_string_lossy().into_owned()];
                Ok(Start { name: self.name.into(), program: "node".into(), arguments })
            }
        }
    }
}

/// An environment of Python that has these packages.
pub fn python_packages(folder: &str, minor: u32, wanted: &[&str]) -> Result<PathBuf, String> {
    once(folder, &wanted.join(" "), |home| {
        run(&python(minor)?, &["-m", "venv", "--clear", &home.to_string_lossy()])?;
        let install = ["-m", "pip", "install", "--quiet"];
        run(&home.join("bin").join("python"), &[&install[..], wanted].concat())
    })
}

/// A folder that has these packages of npm.
fn node_packages(folder: &str, wanted: &[&str]) -> Result<PathBuf, String> {
    once(folder, &wanted.join(" "), |home| {
        let place = home.to_string_lossy().into_owned();
        let install = ["install", "--silent", "--no-save", "--prefix", &place];
        run(Path::new("npm"), &[&install[..], wanted].concat())
    })
}

/// A folder that has what is in a package of Debian, without installing it.
#[cfg(feature = "gateway")]
pub fn debian_package(folder: &str, wanted: &str) -> Result<PathBuf, String> {
    once(folder, wanted, |home| {
        let fetch = format!("cd \"$1\" && apt-get download {wanted} && dpkg -x ./*.deb .");
        run(Path::new("sh"), &["-c", &fetch, "sh", &home.to_string_lossy()])
    })
}

/// Fills a folder of the scratch folder, where that was not done before.
fn once(
    folder: &str,
    wanted: &str,
    fill: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let home = scratch().join(folder);
    let ready = home.join("ready");
    if fs::read_to_string(&ready).is_ok_and(|was| was == wanted) {
        return Ok(home);
    }
    eprintln!("installing {wanted} …");
    fs::create_dir_all(&home).map_err(|error| error.to_string())?;
    fill(&home)?;
    fs::write(&ready, wanted).map_err(|error| error.to_string())?;
    Ok(home)
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
    let named = (12..=14).rev().map(|minor| PathBuf::from(format!("python3.{minor}")));
    std::iter::once(PathBuf::from("python3"))
        .chain(named)
        .chain(pyenv())
        .find(|program| run(program, &["-c", &is_new]).is_ok())
        .ok_or_else(|| format!("there is no Python 3.{minor} or newer"))
}

/// Those that pyenv has and does not put on the path.
fn pyenv() -> impl Iterator<Item = PathBuf> {
    let root = env::var_os("PYENV_ROOT").map(PathBuf::from);
    let root = root.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".pyenv")));
    let versions = root.and_then(|root| fs::read_dir(root.join("versions")).ok());
    versions.into_iter().flatten().flatten().map(|entry| entry.path().join("bin").join("python3"))
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
