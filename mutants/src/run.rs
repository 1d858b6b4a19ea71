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
/// So many tests are run alone; most mutants are caught by then.
const ALONE: usize = 16;
/// A program of which more than so many tests are left is run as a whole: to start it so often
/// takes longer than its tests do.
const APART: usize = 16;
/// The number of no mutant.
const NOBODY: &str = "0";

/// A test that has passed without a mutant.
#[derive(Debug)]
pub struct Test<'p> {
    program: &'p Program,
    name: String,
    took: Duration,
    reached: BTreeSet<u32>,
    /// How long all tests of its program took together, where they pass so.
    whole: Option<Duration>,
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
    for program in programs {
        let of = |test: &&mut Test<'_>| test.program.path == program.path;
        if tests.iter_mut().filter(of).count() > APART {
            let start = Instant::now();
            let end = run(program, &[], NOBODY, Duration::from_mins(10))?;
            let whole = (end == End::Passed).then(|| start.elapsed());
            tests.iter_mut().filter(of).for_each(|test| test.whole = whole);
        }
    }
    tests.sort_by_key(|test| test.took);
    Ok(tests)
}

fn record_one<'p>(program: &'p Program, name: &str, file: &Path) -> Outcome<Option<Test<'p>>> {
    fs::write(file, "")?;
    let start = Instant::now();
    let tests = ["--exact", name];
    let end = run(program, &tests, &file.to_string_lossy(), Duration::from_mins(10))?;
    if end != End::Passed {
        eprintln!("{}: {name}: fails alone and without a mutant, and is left out", program.name);
        return Ok(None);
    }
    let text = fs::read_to_string(file)?;
    let reached = text.lines().filter_map(|line| line.parse().ok()).collect();
    Ok(Some(Test { program, name: name.to_owned(), took: start.elapsed(), reached, whole: None }))
}

/// Runs the tests that reach a mutant, until one of them fails.
pub fn fate(tests: &[Test<'_>], number: u32) -> Outcome<Fate> {
    let reaching: Vec<&Test<'_>> =
        tests.iter().filter(|test| test.reached.contains(&number)).collect();
    if reaching.is_empty() {
        return Ok(Fate::NeverReached);
    }
    let (alone, rest) = reaching.split_at(ALONE.min(reaching.len()));
    if let Some(fate) = first_fate(alone, number)? {
        return Ok(fate);
    }
    let of =
        |one: &Test<'_>| rest.iter().filter(|test| test.program.path == one.program.path).count();
    let (many, few): (Vec<&Test<'_>>, Vec<&Test<'_>>) =
        rest.iter().copied().partition(|test| test.whole.is_some() && of(test) > APART);
    let mut wholes: Vec<_> = many.iter().map(|test| (test.whole, test.program)).collect();
    wholes.sort_by_key(|(took, program)| (*took, &program.path));
    wholes.dedup_by_key(|(_, program)| &program.path);
    for (took, program) in wholes {
        if let Some(fate) = one_fate(program, &[], number, took.unwrap_or_default())? {
            return Ok(fate);
        }
    }
    Ok(first_fate(&few, number)?.unwrap_or(Fate::Survived))
}

fn first_fate(tests: &[&Test<'_>], number: u32) -> Outcome<Option<Fate>> {
    for test in tests {
        let fate = one_fate(test.program, &["--exact", &test.name], number, test.took)?;
        if fate.is_some() {
            return Ok(fate);
        }
    }
    Ok(None)
}

/// What becomes of a mutant by some tests of a program that took so long without it, if anything.
fn one_fate(
    program: &Program,
    tests: &[&str],
    number: u32,
    took: Duration,
) -> Outcome<Option<Fate>> {
    let word = number.to_string();
    // Loops that do not end are many, and a busy machine is slow.
    let limit = took * 5 + Duration::from_secs(8);
    Ok(match run(program, tests, &word, limit)? {
        End::TimedOut => Some(Fate::TimedOut),
        // Some tests fail now and then: what counts fails twice.
        End::Failed if run(program, tests, &word, limit)? != End::Passed => Some(Fate::Caught),
        End::Passed | End::Failed => None,
    })
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

fn run(program: &Program, tests: &[&str], word: &str, limit: Duration) -> Outcome<End> {
    let mut command = Command::new("sh");
    // Some mutants take memory without end.
    command.args(["-c", "ulimit -v 8000000; exec \"$0\" \"$@\""]).arg(&program.path);
    command.args(tests).current_dir(&program.folder);
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
