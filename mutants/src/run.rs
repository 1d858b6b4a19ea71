//! Runs the tests: once to see which mutants are reached, then with each of them.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::build::Program;
use crate::tree::Tree;

/// A program that has run without a mutant.
#[derive(Debug)]
pub struct Known {
    program: Program,
    /// How long it may take with one: loops that do not end are many.
    limit: Duration,
    reached: BTreeSet<u32>,
}

/// What became of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Caught,
    TimedOut,
    Survived,
    NeverReached,
}

enum End {
    Passed,
    /// With the test that failed, where one was told.
    Failed(Option<String>),
    TimedOut,
}

/// Runs each program as it is; the fastest comes first.
pub fn record(tree: &Tree, programs: Vec<Program>) -> Outcome<Vec<Known>> {
    let file = tree.copy.with_file_name("reached");
    let mut known = Vec::new();
    for program in programs {
        fs::write(&file, "")?;
        let start = Instant::now();
        let end = run(&program, &file.to_string_lossy(), None, Duration::from_mins(20))?;
        if !matches!(end, End::Passed) {
            return Err(format!("{} fails without a mutant", program.name).into());
        }
        let took = start.elapsed();
        let text = fs::read_to_string(&file)?;
        let reached: BTreeSet<u32> = text.lines().filter_map(|line| line.parse().ok()).collect();
        eprintln!("{} reaches {} in {:.1} s", program.name, reached.len(), took.as_secs_f64());
        known.push(Known { program, limit: took * 4 + Duration::from_secs(10), reached });
    }
    known.sort_by_key(|one| one.limit);
    Ok(known)
}

/// Runs the programs that reach a mutant, until one of them fails.
pub fn fate(programs: &[Known], number: u32) -> Outcome<Fate> {
    let word = number.to_string();
    let mut fate = Fate::NeverReached;
    for known in programs.iter().filter(|known| known.reached.contains(&number)) {
        match run(&known.program, &word, None, known.limit)? {
            End::Passed => {}
            End::TimedOut => return Ok(Fate::TimedOut),
            End::Failed(None) => return Ok(Fate::Caught),
            // Some tests fail on a busy machine: one counts that fails alone, too.
            End::Failed(Some(test)) => {
                match run(&known.program, &word, Some(&test), known.limit)? {
                    End::Passed => {}
                    _ => return Ok(Fate::Caught),
                }
            }
        }
        fate = Fate::Survived;
    }
    Ok(fate)
}

/// Runs a program, or one test of it, to its end or its first failure.
fn run(program: &Program, word: &str, test: Option<&str>, limit: Duration) -> Outcome<End> {
    let mut command = Command::new("sh");
    // Some mutants take memory without end.
    command.args(["-c", "ulimit -v 8000000; exec \"$0\" \"$@\""]).arg(&program.path);
    command.args(test.iter().flat_map(|&test| ["--exact", test]));
    command.env("TOOLMEND_MUTANT", word).env("CARGO_MANIFEST_DIR", &program.folder);
    command.current_dir(&program.folder).stdin(Stdio::null()).stderr(Stdio::null());
    let mut child = command.stdout(Stdio::piped()).process_group(0).spawn()?;
    let (sender, lines) = mpsc::channel();
    let output = child.stdout.take().ok_or("no output")?;
    thread::spawn(move || {
        let lines = BufReader::new(output).lines().map_while(Result::ok);
        lines.take_while(|line| sender.send(line.clone()).is_ok()).count()
    });
    let end = Instant::now() + limit;
    loop {
        match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                if let Some(test) = failed(&line) {
                    stop(&mut child)?;
                    return Ok(End::Failed(Some(test)));
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                stop(&mut child)?;
                return Ok(End::TimedOut);
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    let is_right = child.wait()?.success();
    Ok(if is_right { End::Passed } else { End::Failed(None) })
}

/// The name of a test of which a line says that it failed.
fn failed(line: &str) -> Option<String> {
    let (name, _) = line.strip_prefix("test ")?.rsplit_once(" ... FAILED")?;
    Some(name.trim().to_owned())
}

/// Ends a program and all that it has started.
fn stop(child: &mut Child) -> Outcome<()> {
    Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
    child.wait()?;
    Ok(())
}
