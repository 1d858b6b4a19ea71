//! The detectors. Each looks at the calls before the one at hand, newest last.

use super::window::{Entry, Outcome};
use super::{Detector, Detectors, Limit, Storm, Verdict};
use crate::Signature;

/// Asks the detectors in turn; the first that sees a storm answers.
pub(super) fn judge(entries: &[Entry<'_>], call: &Signature, detectors: Detectors) -> Verdict {
    let ask = |limit: Option<Limit>, detector, look: Look| {
        let limit = limit?;
        let (count, is_told) = look(recent(entries, limit), call, limit);
        (count >= limit.threshold).then_some(Verdict::Storm(Storm { detector, count, is_told }))
    };
    ask(detectors.repeat, Detector::Repeat, repeats)
        .or_else(|| ask(detectors.cycle, Detector::Cycle, rounds))
        .or_else(|| ask(detectors.failing, Detector::Failing, failures))
        .unwrap_or(Verdict::Pass)
}

/// Counts, and says whether a reflection is among what was counted.
type Look = fn(&[Entry<'_>], &Signature, Limit) -> (usize, bool);

/// The entries in the window; the call at hand takes the last place.
fn recent<'e, 't>(entries: &'e [Entry<'t>], limit: Limit) -> &'e [Entry<'t>] {
    let before = limit.window.saturating_sub(1);
    entries.get(entries.len().saturating_sub(before)..).unwrap_or_default()
}

fn is_told(entry: &Entry<'_>) -> bool {
    entry.outcome == Outcome::Reflected
}

/// How often the call was made, with this one, since its result last changed.
fn repeats(entries: &[Entry<'_>], call: &Signature, _: Limit) -> (usize, bool) {
    let mut last = Outcome::Unknown;
    let (mut count, mut told) = (1, false);
    for entry in entries.iter().rev().filter(|entry| entry.signature == *call) {
        if !entry.outcome.agrees(last) {
            break;
        }
        if let said @ Outcome::Said(_) = entry.outcome {
            last = said;
        }
        told |= is_told(entry);
        count += 1;
    }
    (count, told)
}

/// How many rounds of one sequence of different calls end with this one.
fn rounds(entries: &[Entry<'_>], call: &Signature, limit: Limit) -> (usize, bool) {
    let length_max = limit.window / limit.threshold.max(1);
    let counts = (2..=length_max).map(|length| rounds_of(entries, call, length));
    counts.max_by_key(|(count, _)| *count).unwrap_or((0, false))
}

fn rounds_of(entries: &[Entry<'_>], call: &Signature, length: usize) -> (usize, bool) {
    // Counted from the end; the call at hand is at 0 and has no outcome yet.
    let at = |back: usize| match back.checked_sub(1) {
        None => Some((call, Outcome::Unknown)),
        Some(back) => {
            let entry = entries.get(entries.len().checked_sub(back + 1)?)?;
            Some((&entry.signature, entry.outcome))
        }
    };
    let is_same = |back: usize| match (at(back), at(back + length)) {
        (Some((one, first)), Some((two, second))) => one == two && first.agrees(second),
        _ => false,
    };
    let differs = (1..length).any(|back| at(back).is_some_and(|(other, _)| other != call));
    if !differs {
        return (0, false);
    }
    let run = (0..=entries.len()).take_while(|back| is_same(*back)).count() + length;
    let told = entries.iter().rev().take(run.saturating_sub(1)).any(is_told);
    (run / length, told)
}

/// How often this tool failed in the same way since it last did anything else.
fn failures(entries: &[Entry<'_>], call: &Signature, _: Limit) -> (usize, bool) {
    let of_tool = entries.iter().rev().filter(|entry| entry.signature.name() == call.name());
    let mut last = Outcome::Unknown;
    let (mut count, mut told) = (0, false);
    for entry in of_tool {
        match entry.outcome {
            Outcome::Unknown => {}
            Outcome::Reflected => told = true,
            said if entry.is_failure && said.agrees(last) => {
                last = said;
                count += 1;
            }
            Outcome::Said(_) => break,
        }
    }
    (count, told)
}
