//! Runs the command and keeps what it says.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What a run gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A proxy that does not outlive its test.
pub(crate) struct Running(pub(crate) Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
    }
}

/// Runs `toolmend` in the root of the repository.
pub(crate) fn toolmend(args: &[&str], input: impl AsRef<[u8]>) -> Ran {
    run(&mut command(args), input)
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command, input: impl AsRef<[u8]>) -> Ran {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.as_ref().to_vec();
    // In a thread of its own: neither side may wait for the other's pipe.
    let feed = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().unwrap();
    // A command that does not read its input closes the pipe.
    let _ = feed.join().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolmend"));
    command
        .args(args)
        .current_dir(root())
        .env_remove("COLUMNS")
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

pub(crate) fn root() -> PathBuf {
    PathBuf::from("../..")
}

/// Writes a file for a test and gives its path.
pub(crate) fn file(name: &str, content: impl AsRef<[u8]>) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Compares with a file beside the tests; `UPDATE=1` writes it.
pub(crate) fn same_as_file(name: &str, actual: &str) {
    let path = Path::new("tests/cli").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, actual).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == actual, "{name} differs (UPDATE=1 writes it):\n{actual}");
}
