//! Running other programs.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::Failure;

/// A program with its arguments, run in `root`.
pub(crate) fn command(root: &Path, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    command
}

/// Whether a program is there and answers.
pub(crate) fn answers(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs to the end and returns what stood on standard output. Standard error is shown as it comes.
pub(crate) fn run(command: &mut Command) -> Result<String, Failure> {
    let output = command.stderr(Stdio::inherit()).output();
    finished(command, output).map(|output| lossy(&output.stdout))
}

/// Runs to the end and returns what stood on both outputs, standard error last.
pub(crate) fn run_silent(command: &mut Command) -> Result<String, Failure> {
    let output = command.output();
    finished(command, output).map(|output| lossy(&output.stdout) + &lossy(&output.stderr))
}

fn finished(command: &Command, output: std::io::Result<Output>) -> Result<Output, Failure> {
    let output = output.map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        Ok(output)
    } else {
        Err(format!("{}{}{}", lossy(&output.stdout), lossy(&output.stderr), output.status))
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
