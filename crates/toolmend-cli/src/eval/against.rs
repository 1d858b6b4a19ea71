//! What another program, or other settings, make of the same lines.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::Findings;
use super::item::calls_of;
use super::score::judge;
use crate::config;
use crate::exit::Failure;
use crate::jsonl::mend_line;

/// The lines of which something else comes out there: the id, both verdicts, both lists of calls.
/// `other` is a program, or a file with settings.
pub(super) fn compare(
    other: &Path,
    config: Option<&Path>,
    findings: &Findings,
) -> Result<Vec<Value>, Failure> {
    let theirs = match other.extension().is_some_and(|end| end == "toml") {
        true => with_settings(other, findings)?,
        false => by_program(other, config, findings)?,
    };
    let changed = findings.outcomes.iter().zip(theirs).filter_map(|(ours, calls)| {
        let (verdict, _) = judge(&ours.item, &calls);
        (calls != ours.calls).then(|| {
            json!({"id": ours.item.id, "here": ours.verdict.as_str(), "there": verdict.as_str(),
                "calls_here": ours.calls, "calls_there": calls})
        })
    });
    Ok(changed.collect())
}

/// The calls of each line with other settings.
fn with_settings(file: &Path, findings: &Findings) -> Result<Vec<Vec<Value>>, Failure> {
    let settings = config::settings(Some(file))?;
    let lines = findings.outcomes.iter().map(|outcome| outcome.item.line.to_string());
    let calls = |line: String| mend_line(&line, &settings).map(|out| calls_of(&out));
    Ok(lines.map(|line| calls(line).unwrap_or_default()).collect())
}

/// The calls of each line as another program has them.
fn by_program(
    program: &Path,
    config: Option<&Path>,
    findings: &Findings,
) -> Result<Vec<Vec<Value>>, Failure> {
    let failed = |error| Failure::Io(format!("cannot run {}", program.display()), error);
    let mut command = Command::new(program);
    command.args(["fix", "--jsonl"]);
    if let Some(config) = config {
        command.arg("--config").arg(config);
    }
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    let input = child.stdin.take();
    let lines: Vec<String> =
        findings.outcomes.iter().map(|outcome| format!("{}\n", outcome.item.line)).collect();
    // Reading and writing at once: either pipe may be full.
    let writer = std::thread::spawn(move || {
        let mut input = input?;
        lines.iter().try_for_each(|line| input.write_all(line.as_bytes())).ok()
    });
    let output = child.wait_with_output().map_err(failed)?;
    let _ = writer.join();
    let text = String::from_utf8_lossy(&output.stdout);
    let theirs: Vec<Vec<Value>> = text.lines().map(calls_of).collect();
    let (wrote, wanted) = (theirs.len(), findings.outcomes.len());
    if wrote != wanted {
        let message = format!("{} wrote {wrote} lines for {wanted}", program.display());
        return Err(Failure::Usage(message));
    }
    Ok(theirs)
}
