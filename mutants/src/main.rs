//! Puts all mutants of a crate into one program, each behind a number that the environment gives,
//! and tells which of them no test notices: see `docs/mutation.md`.

mod build;
mod render;
mod run;
mod sites;
mod tree;
mod values;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;

use crate::run::{Fate, Test};
use crate::sites::Mutant;
use crate::tree::Tree;

type Error = Box<dyn std::error::Error + Send + Sync>;
type Outcome<T> = Result<T, Error>;

/// Changes one thing at a time in a crate, and tells what no test notices.
#[derive(Debug, Parser)]
struct Arguments {
    /// The crate, as `toolmend-wire`.
    name: String,
    /// Only mutants of files whose path has this in it; may be given more than once.
    #[arg(long)]
    files: Vec<String>,
    /// Only the mutants that a file lists, as a run prints its survivors.
    #[arg(long)]
    list: Option<PathBuf>,
    /// Begins no mutant after so many minutes of trying.
    #[arg(long, default_value_t = 600)]
    minutes: u64,
    /// Of the shuffle that says in which order mutants are tried.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many are tried at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Only the crate's own tests, which are built sooner.
    #[arg(long)]
    own: bool,
    /// Prints what became of each mutant, too.
    #[arg(long)]
    all: bool,
}

fn main() -> ExitCode {
    match examine(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn examine(arguments: &Arguments) -> Outcome<()> {
    let tree = Tree::make(&arguments.name)?;
    let sources = tree.sources(&arguments.name)?;
    let (programs, dropped) = build::build(&tree, &arguments.name, arguments.own, &sources)?;
    let tests = run::record(&tree, &programs, arguments.jobs)?;
    eprintln!("{} tests", tests.len());
    let built = sources.iter().flat_map(|source| &source.mutants);
    let built: Vec<&Mutant> = built.filter(|one| !dropped.contains(&one.number)).collect();
    let mut wanted = built.clone();
    wanted.retain(|one| {
        let is_there = |part: &String| one.title.contains(part);
        arguments.files.is_empty() || arguments.files.iter().any(is_there)
    });
    if let Some(list) = &arguments.list {
        let list = fs::read_to_string(list)?;
        wanted.retain(|one| list.lines().any(|line| line.ends_with(&one.title)));
    }
    shuffle(&mut wanted, arguments.seed);
    let fates = try_all(arguments, &tests, &wanted)?;
    print(arguments, built.len(), &wanted, &fates);
    Ok(())
}

/// The same order each time: Fisher and Yates, with `SplitMix64`.
fn shuffle(mutants: &mut [&Mutant], seed: u64) {
    let mut state = seed;
    for last in (1..mutants.len()).rev() {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        word ^= word >> 31;
        let other = usize::try_from(word % (last as u64 + 1)).unwrap_or(last);
        mutants.swap(last, other);
    }
}

fn try_all(
    arguments: &Arguments,
    tests: &[Test<'_>],
    wanted: &[&Mutant],
) -> Outcome<BTreeMap<u32, Fate>> {
    let end = Instant::now() + Duration::from_mins(arguments.minutes);
    let fates = run::side_by_side(arguments.jobs, wanted, |_, mutant| {
        if Instant::now() >= end {
            return Ok(None);
        }
        let fate = run::fate(tests, mutant.number)?;
        eprintln!("{fate:?} {}", mutant.title);
        Ok(Some((mutant.number, fate)))
    })?;
    Ok(fates.into_iter().collect())
}

fn print(arguments: &Arguments, built: usize, wanted: &[&Mutant], fates: &BTreeMap<u32, Fate>) {
    let count = |wanted: Fate| fates.values().filter(|&&fate| fate == wanted).count();
    let (caught, late) = (count(Fate::Caught), count(Fate::TimedOut));
    let (survived, unreached) = (count(Fate::Survived), count(Fate::NeverReached));
    println!("| crate | in the program | tried | caught | timed out | survived | never reached |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let name = &arguments.name;
    let tried = fates.len();
    println!("| `{name}` | {built} | {tried} | {caught} | {late} | {survived} | {unreached} |");
    println!();
    let mut told: Vec<(&str, Fate)> = Vec::new();
    for mutant in wanted {
        told.extend(fates.get(&mutant.number).map(|&fate| (mutant.title.as_str(), fate)));
    }
    told.retain(|(_, fate)| arguments.all || !matches!(fate, Fate::Caught | Fate::TimedOut));
    told.sort_by_key(|&(title, _)| title);
    for (title, fate) in told {
        println!("{fate:?} {title}");
    }
}
