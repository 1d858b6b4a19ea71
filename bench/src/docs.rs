//! Writes what a run measured into `docs/benchmarks.md`: each part has a block of its own, and many one
//! among those that are seen at a glance; a run replaces only those that it measured. What stands behind them
//! is left alone.

use std::fmt::Write as _;
use std::{env, fs, io};

use clap::ValueEnum;
use serde_json::Value;

use crate::arguments::Part;
use crate::glance;
use crate::install::bench;
use crate::report::target_line;

const HEAD: &str = "# Benchmarks

What the last runs measured, written by `bench` itself: only what stands behind its parts is typed by hand. Rows where a
rival is better stand like all others, and [why](decisions/0019-where-others-are-faster.md) in a decision. What is measured, and how,
is in [bench/README.md](../bench/README.md).

## At a glance

*Its time is ours ×*: the median over all rows; above 1 we are the faster one. Where a rival is asked only about a part of the turns, our
figures for the same ones stand beside its own.
";

/// The command line of this run, as it can be given again.
pub fn command() -> String {
    let features = [("parsers", cfg!(feature = "parsers")), ("gateway", cfg!(feature = "gateway"))];
    let features: Vec<&str> =
        features.into_iter().filter_map(|(name, is_on)| is_on.then_some(name)).collect();
    let mut command = "cargo run --release --manifest-path bench/Cargo.toml".to_owned();
    if features.len() < 2 {
        command.push_str(" --no-default-features");
    }
    if let [feature] = features.as_slice() {
        command = command + " --features " + feature;
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

/// The text with the blocks of this run in place of those that it has, or each behind those before it. What
/// stands before the first block is the head, and written anew.
fn with_sections(before: &str, data: &Value) -> String {
    let blocks = before.find(MARK).and_then(|at| before.get(at..));
    let mut text = match blocks {
        Some(blocks) => [HEAD, "\n", blocks].concat(),
        None => HEAD.to_owned(),
    };
    let names: Vec<String> = all_names();
    for &part in Part::value_variants() {
        let Some(found) = data.get("parts").and_then(|parts| parts.get(part.name())) else {
            continue;
        };
        if let Some(seen) = glance::of(part, data) {
            let block = [&seen, "\n", &provenance(data), "\n"].concat();
            text = with_block(&text, &glance_name(part), &names, &block);
        }
        text = with_block(&text, part.name(), &names, &section(part, found, data));
    }
    text
}

const MARK: &str = "<!-- ";

fn glance_name(part: Part) -> String {
    format!("{} at a glance", part.name())
}

/// The names of all blocks, in their order.
fn all_names() -> Vec<String> {
    let parts = || Part::value_variants().iter();
    let seen = parts().map(|part| glance_name(*part));
    seen.chain(parts().map(|part| part.name().to_owned())).collect()
}

fn opening(name: &str) -> String {
    format!("{MARK}{name}, by bench -->\n")
}

fn closing(name: &str) -> String {
    format!("{MARK}end of {name} -->\n")
}

/// The text with this block in place of the one that it has, or behind those before.
fn with_block(text: &str, name: &str, names: &[String], block: &str) -> String {
    let whole = |name: &str| {
        let start = text.find(&opening(name))?;
        let end = start + text.get(start..)?.find(&closing(name))? + closing(name).len();
        Some((start, end))
    };
    let block = opening(name) + block + &closing(name);
    let (start, end) = whole(name).unwrap_or_else(|| {
        let before = names.iter().take_while(|other| *other != name);
        let before = before.filter_map(|other| whole(other)).last();
        let at = before.map_or(HEAD.len(), |(_, end)| end);
        (at, at)
    });
    let gap = if start == end { "\n" } else { "" };
    let (head, tail) = (text.get(..start).unwrap_or(text), text.get(end..).unwrap_or_default());
    [head, gap, &block, tail].concat()
}

/// What was measured, and on which machine.
pub fn provenance(data: &Value) -> String {
    let from = data.get("provenance");
    let from = |name: &str| text(from.and_then(|from| from.get(name)));
    format!("Commit {}; {}; {}.", from("commit"), from("machine"), from("rust"))
}

fn text(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or("?").to_owned()
}

fn section(part: Part, found: &Value, data: &Value) -> String {
    let mut out = format!("## {}\n\n```sh\n{}\n```\n\n", part.title(), text(data.get("command")));
    out.push_str(&provenance(data));
    out.push('\n');
    out.push_str(&text(found.get("printed")));
    let targets = found.get("targets").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if !targets.is_empty() {
        out.push_str("\n### Targets\n\n");
        for target in targets {
            // Writing to a string cannot fail.
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
            "parts": { part: { "printed": printed, "targets": [], "glance": format!("{printed} seen") } },
        })
    }

    #[test]
    fn a_run_replaces_only_its_own_section() {
        let one = with_sections(HEAD, &run("speed", "swift"));
        let two = with_sections(&one, &run("turns", "right"));
        let by_hand = two.clone() + "\n## By hand\n";
        let three = with_sections(&by_hand, &run("speed", "swifter"));
        assert!(two.find("right") < two.find("swift"), "{two}");
        assert!(three.contains("swifter") && three.contains("right") && three.contains("By hand"));
        assert!(!three.contains("swift\n"), "{three}");
        assert_eq!(three.matches("## Reading JSON").count(), 1);
        assert!(three.find("right seen") < three.find("swifter seen"), "{three}");
        assert!(three.find("swifter seen") < three.find("right\n"), "{three}");
        assert!(three.starts_with(HEAD) && three.matches("# Benchmarks").count() == 1);
    }

    #[test]
    fn the_same_run_twice_is_once() {
        let once = with_sections(HEAD, &run("turns", "right"));
        assert_eq!(with_sections(&once, &run("turns", "right")), once);
    }
}
