//! What a figure depends on: the commit, the machine, the versions.

use std::process::Command;

use serde_json::{Value, json};

use crate::install::{REPAIRERS, bench};

/// The lock file that this program was built with.
const LOCK: &str = include_str!("../Cargo.lock");

/// The version of a crate in this program; empty where it is not in it.
pub fn crate_version(name: &str) -> &'static str {
    let wanted = format!("name = \"{name}\"");
    let mut lines = LOCK.lines().skip_while(|line| *line != wanted).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = \""));
    version.map_or("", |version| version.trim_end_matches('"'))
}

/// A rival as tables name it, with its version where that is known.
pub fn with_version(name: &str) -> String {
    let package = REPAIRERS.iter().find(|package| package.name == name);
    let version = match package {
        Some(package) => package.version(),
        None => crate_version(name.split(' ').next().unwrap_or(name)),
    };
    [name, version].join(" ").trim_end().to_owned()
}

/// The commit, the machine and the tools of this run.
pub fn provenance() -> Value {
    let place = bench();
    let git =
        |arguments: &[&str]| told("git", &[&["-C", &place.to_string_lossy()], arguments].concat());
    let commit = git(&["rev-parse", "--short=12", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
    // Documents do not change what is measured.
    let is_changed = git(&["status", "--porcelain", "--", "..", ":!../docs"]).is_some();
    json!({
        "commit": if is_changed { commit + " with changes" } else { commit },
        "machine": machine(),
        "rust": told("rustc", &["--version"]),
    })
}

fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = after(&read("/proc/cpuinfo"), "model name");
    let processor = processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let memory = after(&read("/proc/meminfo"), "MemTotal");
    let memory = memory.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    let memory = memory.map_or_else(String::new, |kilobytes| format!(", {} GB", kilobytes >> 20));
    format!("{processor}, {cores} cores{memory}, {}", std::env::consts::OS)
}

/// What a program prints; `None` where it fails or prints nothing.
fn told(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::{crate_version, with_version};

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert_eq!(crate_version("bench"), env!("CARGO_PKG_VERSION"));
        assert_eq!(crate_version("no such crate"), "");
        let own = concat!("bench (crate) ", env!("CARGO_PKG_VERSION"));
        assert_eq!(with_version("bench (crate)"), own);
        assert_eq!(with_version("nobody"), "nobody");
    }
}
