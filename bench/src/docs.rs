//! Writes what a run measured into `docs/benchmarks.md`: each part has a section of its own, and a run
//! replaces only those that it measured. What stands outside of them is left alone.

use std::fmt::Write as _;
use std::{env, fs, io};

use clap::ValueEnum;
use serde_json::Value;

use crate::arguments::Part;
use crate::install::bench;
use crate::report::target_line;

const HEAD: &str = "# Benchmarks

What the last runs measured, each section written by `bench` itself: nothing here is typed by hand. Rows where a rival is
better stand like all others. What is measured, and how, is in [bench/README.md](../bench/README.md); what mutants
of the code survive its tests, in [mutation.md](mutation.md); how far the fuzzers went, in [fuzzing.md](fuzzing.md).
";

/// The command line of this run, as it can be given again.
pub fn command() -> String {
    let features = [("parsers", cfg!(feature = "parsers")), ("gateway", cfg!(feature = "gateway"))];
    let features: Vec<&str> =
        features.into_iter().filter_map(|(name, is_on)| is_on.then_some(name)).collect();
    let mut command = "cargo run --release --manifest-path bench/Cargo.toml".to_owned();
    if !features.is_empty() {
        command = command + " --features " + &features.join(",");
    }
    command.push_str(" --");
    let mut is_path = false;
    for word in env::args().skip(1) {
        // Where a file stands on this machine is nobody's business.
        let shown = if is_path { word.rsplit('/').next().unwrap_or_default() } else { &word };
        command = command + " " + shown;
        is_path = matches!(word.as_str(), "--corpus" | "--json");
    }
    command
}

/// Writes the sections of a run.
///
/// # Errors
/// Passes on what the file system says.
pub fn write(data: &Value) -> io::Result<()> {
    let path = bench().join("..").join("docs").join("benchmarks.md");
    let before = fs::read_to_string(&path).unwrap_or_else(|_| HEAD.to_owned());
    fs::write(path, with_sections(&before, data))
}

fn with_sections(before: &str, data: &Value) -> String {
    let mut text = before.to_owned();
    for &part in Part::value_variants() {
        if let Some(found) = data.get("parts").and_then(|parts| parts.get(part.name())) {
            text = with_section(&text, part, &section(part, found, data));
        }
    }
    text
}

fn opening(part: Part) -> String {
    format!("<!-- {}, by bench -->\n", part.name())
}

fn closing(part: Part) -> String {
    format!("<!-- end of {} -->\n", part.name())
}

/// The text with this section in place of the one that it has, or behind those of the parts before.
fn with_section(text: &str, part: Part, section: &str) -> String {
    let whole = |part: Part| {
        let start = text.find(&opening(part))?;
        let end = start + text.get(start..)?.find(&closing(part))? + closing(part).len();
        Some((start, end))
    };
    let section = opening(part) + section + &closing(part);
    let (start, end) = whole(part).unwrap_or_else(|| {
        let parts = Part::value_variants().iter();
        let before = parts.take_while(|other| **other != part).filter_map(|other| whole(*other));
        let at = before.last().map_or_else(|| first_section(text), |(_, end)| end);
        (at, at)
    });
    let gap = if start == end { "\n" } else { "" };
    let (head, tail) = (text.get(..start).unwrap_or(text), text.get(end..).unwrap_or_default());
    [head, gap, &section, tail].concat()
}

/// Where the first section may stand: before all others, behind the introduction.
fn first_section(text: &str) -> usize {
    text.find("\n<!-- ").or_else(|| text.find("\n## ")).unwrap_or(text.len())
}

fn section(part: Part, found: &Value, data: &Value) -> String {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or("?").to_owned();
    let from = data.get("provenance");
    let from = |name: &str| text(from.and_then(|from| from.get(name)));
    let mut out = format!("## {}\n\n```sh\n{}\n```\n\n", part.title(), text(data.get("command")));
    // Writing to a string cannot fail.
    let _ = writeln!(out, "Commit {}; {}; {}.", from("commit"), from("machine"), from("rust"));
    out.push_str(&text(found.get("printed")));
    let targets = found.get("targets").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if !targets.is_empty() {
        out.push_str("\n### Targets\n\n");
        for target in targets {
            let _ = writeln!(out, "{}", target_line(target));
        }
    }
    out + "\n"
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{HEAD, with_sections};

    fn run(part: &str, printed: &str) -> Value {
        json!({
            "command": "bench", "provenance": { "commit": "c", "machine": "m", "rust": "r" },
            "parts": { part: { "printed": printed, "targets": [] } },
        })
    }

    #[test]
    fn a_run_replaces_only_its_own_section() {
        let one = with_sections(HEAD, &run("speed", "fast"));
        let two = with_sections(&one, &run("turns", "right"));
        let by_hand = two.clone() + "\n## By hand\n";
        let three = with_sections(&by_hand, &run("speed", "faster"));
        assert!(two.find("right") < two.find("fast"), "{two}");
        assert!(three.contains("faster") && three.contains("right") && three.contains("By hand"));
        assert!(!three.contains("fast\n"), "{three}");
        assert_eq!(three.matches("## Reading JSON").count(), 1);
    }

    #[test]
    fn the_same_run_twice_is_once() {
        let once = with_sections(HEAD, &run("turns", "right"));
        assert_eq!(with_sections(&once, &run("turns", "right")), once);
    }
}
