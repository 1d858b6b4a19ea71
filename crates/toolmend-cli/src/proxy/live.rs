//! What the proxy does, line by line, and what it did when it stops.

use std::fmt::Write as _;
use std::sync::Arc;

use toolmend::{Call, Change, Count, Counters, Mended, Origin, Outcome};
use toolmend_proxy::Observer;

use crate::console::{BOLD, DIM, RED};

/// Writes a line for each call that was mended or refused.
pub(super) fn observer() -> Observer {
    Arc::new(|model, turn| {
        let lines = lines(model, turn);
        if !lines.is_empty() {
            anstream::eprint!("{lines}");
        }
    })
}

fn lines(model: &str, turn: &Mended) -> String {
    let mut out = String::new();
    for (at, call) in turn.calls.iter().enumerate() {
        if call.outcome == Outcome::Mended {
            let how = how(at, call, &turn.report.repairs);
            let _ =
                writeln!(out, "{BOLD}mended{BOLD:#}  {}  {how}  {DIM}{model}{DIM:#}", call.name);
        }
    }
    for refused in turn.refused.iter().filter(|refused| !refused.origin.is_text()) {
        let name = refused.name.as_deref().unwrap_or("a call");
        let (reason, message) = (refused.reason.id(), &refused.message);
        let _ =
            writeln!(out, "{RED}refused{RED:#} {name}  {reason}: {message}  {DIM}{model}{DIM:#}");
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
pub(super) fn summary(counters: &Counters) -> String {
    let mut out = String::new();
    for (count, value) in counters.snapshot() {
        if let Count::Calls { model, outcome } = count {
            let _ = writeln!(out, "{value:>8} {outcome:<10} {model}");
        }
    }
    if out.is_empty() { "No calls went through.\n".to_owned() } else { format!("Calls:\n{out}") }
}
