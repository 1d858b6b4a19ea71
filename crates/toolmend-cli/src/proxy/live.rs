//! What the proxy does, line by line, and what it did when it stops.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use toolmend::{Call, Change, Count, Counters, Mended, Mode, Origin, Outcome};
use toolmend_proxy::{Observer, ReachObserver, Reached, ServerFailure};
use toolmend_store::Store;

use crate::console::{BOLD, DIM, GREEN, RED};
use crate::glyph::{columns_of, line, padded};

/// Writes a line for each call that was mended or refused, or would have been.
pub(super) fn observer(mode: Mode) -> Observer {
    let words = match mode {
        Mode::Observe => ["would mend", "would refuse"],
        Mode::On | Mode::Off => ["mended", "refused"],
    };
    Arc::new(move |told| {
        let lines = lines(told.model, told.mended, words);
        if !lines.is_empty() {
            write(&lines);
        }
    })
}

/// Writes a line when a server stops to answer, and when it does again.
pub(super) fn reach() -> ReachObserver {
    Arc::new(|reached| write(&reach_line(reached)))
}

/// Writes to the terminal. Where nobody can read it, there is nobody to tell.
fn write(lines: &str) {
    let _ = anstream::stderr().write_all(lines.as_bytes());
}

fn reach_line(Reached { server, failure }: &Reached<'_>) -> String {
    let server = line(server);
    match failure {
        Some(ServerFailure::Unreachable) => format!(
            "{RED}cannot reach{RED:#} {server}: is it running, and is this its address? Until then clients get an error\n"
        ),
        Some(ServerFailure::BrokeOff) => {
            format!("{RED}broke off{RED:#} {server}: it hung up before its answer was whole\n")
        }
        Some(ServerFailure::Late) => {
            format!(
                "{RED}no answer{RED:#} {server}: none came in time (proxy.head_seconds, proxy.idle_seconds)\n"
            )
        }
        None => format!("{GREEN}reachable again{GREEN:#} {server}\n"),
    }
}

fn lines(model: &str, turn: &Mended, [mended, not]: [&str; 2]) -> String {
    let mut out = String::new();
    let model = line(model);
    for (at, call) in turn.calls.iter().enumerate() {
        if call.outcome == Outcome::Mended {
            let (name, how) = (line(&call.name), line(&how(at, call, &turn.report.repairs)));
            let _ = writeln!(out, "{BOLD}{mended}{BOLD:#}  {name}  {how}  {DIM}{model}{DIM:#}");
        }
    }
    for refused in turn.refused.iter().filter(|refused| refused.is_call()) {
        let name = line(refused.name.as_deref().unwrap_or("a call"));
        let (reason, message) = (refused.reason.id(), line(&refused.message));
        let _ = writeln!(out, "{RED}{not}{RED:#} {name}  {reason}: {message}  {DIM}{model}{DIM:#}");
    }
    out
}

/// In a few words: where it stood, and which rules were needed.
fn how(at: usize, call: &Call, repairs: &[Change]) -> String {
    let mut words: Vec<String> = Vec::new();
    if let Origin::Found { channel, dialect } = call.origin {
        words.push(format!("was {dialect} in the {}", channel.as_str()));
    }
    let rules = repairs.iter().filter(|change| change.call == at);
    words.extend(rules.map(|change| format!("{} {}", change.rule, change.path)));
    if words.is_empty() {
        words.push("its JSON was broken".to_owned());
    }
    words.join(", ")
}

/// What was counted, when the proxy stops.
pub(super) fn summary(counters: &Counters, store: Option<&Store>) -> String {
    let mut models: BTreeMap<String, BTreeMap<&str, u64>> = BTreeMap::new();
    let mut rules: Vec<(u64, &str)> = Vec::new();
    for (count, value) in counters.snapshot() {
        match count {
            Count::Calls { model, outcome } => {
                models.entry(model).or_default().insert(outcome, value);
            }
            Count::Repairs { rule } => rules.push((value, rule)),
            _ => {}
        }
    }
    let mut out = String::new();
    if models.is_empty() {
        out.push_str("No calls went through.\n");
    } else {
        let names = models.keys().map(|model| columns_of(model));
        let width = names.max().unwrap_or(0).max("model".len());
        let _ = writeln!(out, "{DIM}{:width$} {}{DIM:#}", "model", OUTCOMES.map(right).concat());
        for (model, counts) in &models {
            let counts = OUTCOMES.map(|outcome| right(counts.get(outcome).unwrap_or(&0)));
            let _ = writeln!(out, "{} {}", padded(model, width), counts.concat());
        }
    }
    rules.sort_by(|one, other| other.cmp(one));
    if !rules.is_empty() {
        let rules = rules.iter().take(RULES_MAX).map(|(count, rule)| format!("{rule} {count}"));
        let _ = writeln!(out, "{DIM}repairs:{DIM:#} {}", rules.collect::<Vec<_>>().join(", "));
    }
    if let Some(store) = store {
        let stats = store.stats();
        let lost = stats.dropped + stats.failed;
        let lost = if lost > 0 { format!(", {lost} could not be kept") } else { String::new() };
        let _ =
            writeln!(out, "{DIM}kept:{DIM:#} {} turns in {}{lost}", stats.written, store.place());
    }
    out
}

const OUTCOMES: [&str; 4] = ["untouched", "mended", "refused", "suppressed"];
/// A summary names so many rules.
const RULES_MAX: usize = 5;

fn right(cell: impl std::fmt::Display) -> String {
    format!("{cell:>11}")
}
