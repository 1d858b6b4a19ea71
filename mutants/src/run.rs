//! Runs the tests: each once to see which mutants it reaches, then those that reach a mutant with it.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::build::Program;
use crate::tree::Tree;

/// How often a test is looked at that runs.
const LOOK: Duration = Duration::from_millis(3);

/// A test that has passed without a mutant.
#[derive(Debug)]
pub struct Test<'p> {
    program: &'p Program,
    name: String,
    took: Duration,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Passed,
    Failed,
    TimedOut,
}

/// Runs each test alone as it is; the fastest comes first.
pub fn record<'p>(tree: &Tree, programs: &'p [Program], jobs: usize) -> Outcome<Vec<Test<'p>>> {
    let mut names = Vec::new();
    for program in programs {
        let output =
            Command::new(&program.path).arg("--list").current_dir(&program.folder).output();
        let text = String::from_utf8(output?.stdout)?;
        let tests = text.lines().filter_map(|line| line.strip_suffix(": test"));
        names.extend(tests.map(|name| (program, name.to_owned())));
    }
    let tests = side_by_side(jobs, &names, |number, (program, name)| {
        let file = tree.copy.with_file_name(format!("reached.{number}"));
        let test = record_one(program, name, &file)?;
        fs::remove_file(&file)?;
        Ok(Some(test))
    })?;
    let mut tests: Vec<Test<'p>> = tests.into_iter().flatten().collect();
    tests.sort_by_key(|test| test.took);
    Ok(tests)
}

fn record_one<'p>(program: &'p Program, name: &str, file: &Path) -> Outcome<Option<Test<'p>>> {
    fs::write(file, "")?;
    let start = Instant::now();
    let end = run(program, name, &file.to_string_lossy(), Duration::from_mins(10))?;
    if end != End::Passed {
        eprintln!("{}: {name}: fails alone and without a mutant, and is left out", program.name);
        return Ok(None);
    }
    let text = fs::read_to_string(file)?;
    let reached = text.lines().filter_map(|line| line.parse().ok()).collect();
    Ok(Some(Test { program, name: name.to_owned(), took: start.elapsed(), reached }))
}

/// Runs the tests that reach a mutant, until one of them fails.
pub fn fate(tests: &[Test<'_>], number: u32) -> Outcome<Fate> {
    let word = number.to_string();
    let mut fate = Fate::NeverReached;
    for test in tests.iter().filter(|test| test.reached.contains(&number)) {
        // Loops that do not end are many, and a busy machine is slow.
        let limit = test.took * 5 + Duration::from_secs(8);
        match run(test.program, &test.name, &word, limit)? {
            End::TimedOut => return Ok(Fate::TimedOut),
            // Some tests fail now and then: what counts fails twice.
            End::Failed if run(test.program, &test.name, &word, limit)? != End::Passed => {
                return Ok(Fate::Caught);
            }
            End::Passed | End::Failed => fate = Fate::Survived,
        }
    }
    Ok(fate)
}

/// Does something with each item, some at a time, until it wants no more; tells in any order.
pub fn side_by_side<I: Sync, T: Send>(
    jobs: usize,
    items: &[I],
    work: impl Fn(usize, &I) -> Outcome<Option<T>> + Sync,
) -> Outcome<Vec<T>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let worker = || -> Outcome<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(number) else { return Ok(()) };
            let Some(one) = work(number, item)? else { return Ok(()) };
            done.lock().map_err(|_| "a worker panicked")?.push(one);
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|one| one.join().map_err(|_| "a worker panicked")?)
    })?;
    done.into_inner().map_err(|_| "a worker panicked".into())
}

fn run(program: &Program, test: &str, word: &str, limit: Duration) -> Outcome<End> {
    let mut command = Command::new("sh");
    // Some mutants take memory without end.
    command.args(["-c", "ulimit -v 8000000; exec \"$0\" \"$@\""]).arg(&program.path);
    command.args(["--exact", test]).current_dir(&program.folder);
    command.env("TOOLMEND_MUTANT", word).env("CARGO_MANIFEST_DIR", &program.folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.process_group(0).spawn()?;
    let end = Instant::now() + limit;
    while Instant::now() < end {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { End::Passed } else { End::Failed });
        }
        thread::sleep(LOOK);
    }
    stop(&mut child)?;
    Ok(End::TimedOut)
}

/// Ends a program and all that it has started.
fn stop(child: &mut Child) -> Outcome<()> {
    Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status()?;
    child.wait()?;
    Ok(())
}
