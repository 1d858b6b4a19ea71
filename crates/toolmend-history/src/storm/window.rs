//! The calls that count: the last ones since the user spoke, without looks that a change made stale.

use std::collections::VecDeque;

use serde_json::Value;

use super::{Attempt, Detectors, Tools, Verdict, detect, said};
use crate::chain::{Chain, Link};
use crate::reflection::is_reflection;
use crate::{Call, History, Message, Signature};

/// What came of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome<'t> {
    /// There is no result, or none yet.
    Unknown,
    /// It did not run: the model was asked what it is about.
    Reflected,
    /// The tool said this.
    Said(&'t str),
}

impl Outcome<'_> {
    /// Whether one tells nothing that the other did not.
    pub(super) fn agrees(self, other: Self) -> bool {
        match (self, other) {
            (Self::Said(one), Self::Said(two)) => said::is_same(one, two),
            _ => true,
        }
    }
}

/// One call that counts.
#[derive(Clone, Debug)]
pub(super) struct Entry<'t> {
    pub(super) signature: Signature,
    pub(super) outcome: Outcome<'t>,
    /// Whether the result tells of a failure, and nothing that ran beside it succeeded.
    pub(super) is_failure: bool,
    is_read_only: bool,
}

#[derive(Debug)]
pub(super) struct Window<'t> {
    entries: VecDeque<Entry<'t>>,
    detectors: Detectors,
    length_max: usize,
}

impl<'t> Window<'t> {
    /// Reads the history from its end, until the user speaks or the widest window is full.
    pub(super) fn of(history: &History<'t>, tools: &impl Tools, detectors: Detectors) -> Self {
        let limits = [detectors.repeat, detectors.cycle, detectors.failing];
        let length_max = limits.iter().flatten().map(|limit| limit.window).max().unwrap_or(0);
        let mut window = Self { entries: VecDeque::new(), detectors, length_max };
        let chain = Chain::of(history);
        let since =
            history.messages().iter().rposition(Message::is_from_user).map_or(0, |at| at + 1);
        let mut is_changed = false;
        for (number, link) in chain.calls.iter().enumerate().rev() {
            if link.message < since || window.entries.len() >= length_max {
                break;
            }
            let arguments = link.of.arguments().to_value();
            let outcome = outcome(&chain, number);
            let is_read_only = tools.is_read_only(link.of.name(), &arguments);
            let is_stale = is_changed && is_read_only;
            // A call that was answered with a reflection did not run.
            is_changed |= !is_read_only && outcome != Outcome::Reflected;
            if is_stale || tools.is_exempt(link.of.name()) {
                continue;
            }
            window.entries.push_front(Entry {
                signature: signature(link.of.name(), &arguments, tools),
                outcome,
                is_failure: is_failure(&chain, number, link, tools),
                is_read_only,
            });
        }
        window
    }

    /// Judges one call and takes it into the window.
    pub(super) fn judge(&mut self, attempt: &Attempt<'_>, tools: &impl Tools) -> Verdict {
        let is_read_only = tools.is_read_only(attempt.name, attempt.arguments);
        let is_exempt = tools.is_exempt(attempt.name);
        let signature = signature(attempt.name, attempt.arguments, tools);
        let verdict = match is_exempt {
            true => Verdict::Pass,
            false => detect::judge(self.entries.make_contiguous(), &signature, self.detectors),
        };
        if verdict == Verdict::Pass && !is_read_only {
            self.entries.retain(|entry| !entry.is_read_only);
        }
        if !is_exempt {
            let outcome = Outcome::Unknown;
            self.entries.push_back(Entry { signature, outcome, is_failure: false, is_read_only });
        }
        if self.entries.len() > self.length_max {
            self.entries.pop_front();
        }
        verdict
    }
}

fn signature(name: &str, arguments: &Value, tools: &impl Tools) -> Signature {
    Signature::without(name, arguments, |key| tools.is_metadata(name, key))
}

fn outcome<'t>(chain: &Chain<'_, 't>, call: usize) -> Outcome<'t> {
    match chain.answer(call) {
        None => Outcome::Unknown,
        Some(result) if is_reflection(&result.of.text()) => Outcome::Reflected,
        Some(result) => Outcome::Said(result.of.source()),
    }
}

/// Whether a call failed, and so did all that ran beside it: where something succeeds, there is
/// progress.
fn is_failure(
    chain: &Chain<'_, '_>,
    call: usize,
    link: &Link<'_, '_, Call<'_>>,
    tools: &impl Tools,
) -> bool {
    let fails = |call| chain.answer(call).is_some_and(|result| tools.is_failure(result.of));
    let at = chain.turns.partition_point(|turn| turn.messages.end <= link.message);
    let beside = chain.turns.get(at).map_or(call..call + 1, |turn| turn.calls.clone());
    let mut answered = beside.filter(|call| chain.answer(*call).is_some());
    fails(call) && answered.all(fails)
}
