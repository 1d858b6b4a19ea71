//! `toolmend eval`: how well calls come out, of a corpus or of captures.

mod against;
mod captured;
mod html;
mod item;
mod score;
mod table;

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::{fs, io};

use serde_json::{Value, json};

use crate::args::{ByArg, EvalArgs};
use crate::config;
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::jsonl::mend_line;
use item::Item;
use score::{Score, Verdict, judge};

/// What came of one line.
#[derive(Debug)]
struct Outcome {
    item: Item,
    verdict: Verdict,
    /// The calls that came out.
    calls: Vec<Value>,
}

/// All that was measured.
#[derive(Debug, Default)]
struct Findings {
    groups: BTreeMap<String, Score>,
    all: Score,
    outcomes: Vec<Outcome>,
}

pub(crate) fn run(args: &EvalArgs, console: &mut Console) -> Result<Exit, Failure> {
    let settings = config::settings(args.config.as_deref())?;
    let items = match &args.corpus {
        Some(path) => read(path, console)?,
        None => captured::items(&settings, args.store.as_deref())?,
    };
    let total = items.len();
    let mut findings = Findings::default();
    for (at, item) in items.into_iter().enumerate() {
        progress(console, at, total);
        let calls = mend_line(&item.line.to_string(), &settings);
        let calls = calls.map(|out| item::calls_of(&out)).unwrap_or_default();
        findings.take(item, calls, args.by);
    }
    progress(console, total, total);
    let compare = |other| against::compare(other, args.config.as_deref(), &findings);
    let changes = args.against.as_deref().map(compare).transpose()?;
    if args.json {
        findings.write_json(changes.as_deref(), console)?;
    } else {
        console.put_styled(&table::table(&findings, args.captures))?;
        if let Some(changes) = &changes {
            console.put_styled(&table::changes(changes))?;
        }
    }
    if let Some(path) = &args.html {
        fs::write(path, html::page(&findings, changes.as_deref()))
            .map_err(|error| Failure::Io(format!("cannot write {}", path.display()), error))?;
    }
    Ok(Exit::Done)
}

fn read(path: &Path, console: &mut Console) -> Result<Vec<Item>, Failure> {
    let name = path.display();
    let failed = |error: io::Error| Failure::Io(format!("cannot read {name}"), error);
    let mut text = String::new();
    match path == Path::new("-") {
        true => drop(io::stdin().read_to_string(&mut text).map_err(failed)?),
        false => text = fs::read_to_string(path).map_err(failed)?,
    }
    let mut items = Vec::new();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match Item::read(line) {
            Ok(item) => items.push(item),
            Err(reason) => console.tell(&format!("{name}:{number}: {reason}\n")),
        }
    }
    match items.is_empty() {
        true => Err(Failure::Usage(format!("{name} has no line that can be measured"))),
        false => Ok(items),
    }
}

/// A bar, where someone watches.
fn progress(console: &mut Console, at: usize, total: usize) {
    const WIDTH: usize = 30;
    if !io::stderr().is_terminal() || total == 0 {
        return;
    }
    if at == total {
        return console.tell("\r\x1b[K");
    }
    if at.is_multiple_of(total.div_ceil(100)) {
        let done = WIDTH * at / total;
        let bar = format!("{}{}", "█".repeat(done), "░".repeat(WIDTH - done));
        console.tell(&format!("\r{bar} {at} of {total}"));
    }
}

impl Findings {
    fn take(&mut self, item: Item, calls: Vec<Value>, by: ByArg) {
        let (verdict, right) = judge(&item, &calls);
        let group = match by {
            ByArg::Class => &item.class,
            ByArg::Model => &item.model,
        };
        for score in [self.groups.entry(group.clone()).or_default(), &mut self.all] {
            score.add(verdict, calls.len(), right);
        }
        self.outcomes.push(Outcome { item, verdict, calls });
    }

    fn write_json(&self, changes: Option<&[Value]>, console: &mut Console) -> Result<(), Failure> {
        for (name, score) in &self.groups {
            console.put_line(&score.value(name).to_string())?;
        }
        console.put_line(&self.all.value("all").to_string())?;
        for outcome in self.outcomes.iter().filter(|outcome| outcome.verdict.is_wrong()) {
            let line = json!({"id": outcome.item.id, "verdict": outcome.verdict.as_str(),
                "expected": outcome.item.expected, "calls": outcome.calls});
            console.put_line(&line.to_string())?;
        }
        for change in changes.into_iter().flatten() {
            console.put_line(&change.to_string())?;
        }
        Ok(())
    }
}
