//! Puts the rivals of other languages into a scratch folder beside the build.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::driver::Start;

const PYTHON_PACKAGE: &str = "json_repair==0.64.2";
const NODE_PACKAGE: &str = "jsonrepair@3.15.0";

/// The drivers that could be installed. What could not is said on standard error and left out.
pub fn foreign() -> Vec<Start> {
    let scratch = scratch();
    // Asked at each run: clones that share a target folder share this program.
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| "bench".into());
    let drivers = Path::new(&manifest).join("drivers");
    [python(&scratch, &drivers), node(&scratch, &drivers)]
        .into_iter()
        .filter_map(|driver| match driver {
            Ok(start) => Some(start),
            Err(reason) => {
                eprintln!("left out: {reason}");
                None
            }
        })
        .collect()
}

/// Beside the binary, so that `cargo clean` clears it.
fn scratch() -> PathBuf {
    let beside = std::env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    beside.unwrap_or_else(std::env::temp_dir).join("rivals")
}

fn python(scratch: &Path, drivers: &Path) -> Result<Start, String> {
    let home = scratch.join("python");
    let program = home.join("bin").join("python");
    let has_package = || run(&program, &["-c", "import json_repair"]);
    if has_package().is_err() {
        eprintln!("installing {PYTHON_PACKAGE} …");
        run(Path::new("python3"), &["-m", "venv", &home.to_string_lossy()])
            .and_then(|()| run(&program, &["-m", "pip", "install", "--quiet", PYTHON_PACKAGE]))
            .and_then(|()| has_package())
            .map_err(|reason| format!("Python's json_repair ({reason})"))?;
    }
    let script = drivers.join("json_repair.py");
    let mut start = start("json_repair (Python)", program, &script);
    // Isolated: the script has the name of the package and must not find itself.
    start.arguments.insert(0, "-I".into());
    Ok(start)
}

fn node(scratch: &Path, drivers: &Path) -> Result<Start, String> {
    let home = scratch.join("node");
    let script = home.join("jsonrepair.mjs");
    if !home.join("node_modules").join("jsonrepair").exists() {
        eprintln!("installing {NODE_PACKAGE} …");
        std::fs::create_dir_all(&home).map_err(|error| error.to_string())?;
        let arguments =
            ["install", "--silent", "--no-save", "--prefix", &home.to_string_lossy(), NODE_PACKAGE];
        run(Path::new("npm"), &arguments)
            .map_err(|reason| format!("npm's jsonrepair ({reason})"))?;
    }
    // Node looks for packages beside the script, so the script goes beside the packages.
    std::fs::copy(drivers.join("jsonrepair.mjs"), &script).map_err(|error| error.to_string())?;
    Ok(start("jsonrepair (npm)", PathBuf::from("node"), &script))
}

fn start(name: &str, program: PathBuf, script: &Path) -> Start {
    Start { name: name.into(), program, arguments: vec![script.to_string_lossy().into_owned()] }
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
