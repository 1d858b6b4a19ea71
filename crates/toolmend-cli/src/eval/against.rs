//! What another program makes of the same lines.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::Findings;
use super::item::calls_of;
use super::score::judge;
use crate::exit::Failure;

/// The lines of which something else comes out there: the id, both verdicts, both lists of calls.
pub(super) fn compare(
    program: &Path,
    config: Option<&Path>,
    findings: &Findings,
) -> Result<Vec<Value>, Failure> {
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
    let theirs: Vec<&str> = text.lines().collect();
    if theirs.len() != findings.outcomes.len() {
        let message = format!(
            "{} wrote {} lines for {}",
            program.display(),
            theirs.len(),
            findings.outcomes.len()
        );
        return Err(Failure::Usage(message));
    }
    let changed = findings.outcomes.iter().zip(theirs).filter_map(|(ours, theirs)| {
        let calls = calls_of(theirs);
        let (verdict, _) = judge(&ours.item, &calls);
        (calls != ours.calls).then(|| {
            json!({"id": ours.item.id, "here": ours.verdict.as_str(), "there": verdict.as_str(),
                "calls_here": ours.calls, "calls_there": calls})
        })
    });
    Ok(changed.collect())
}
