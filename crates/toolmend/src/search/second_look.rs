//! What is decided of calls once all of a channel was judged: that they are taken back together, or
//! that thinking let go of them.

use std::ops::Range;

use crate::evidence::{awaits_call, goes_on_from, takes_all_back};
use crate::judge::{Judged, Verdict};
use crate::reasoning;
use crate::refusal::Reason;

/// Words behind several calls that take the last of them back may speak of all.
pub(super) fn take_all_back(text: &str, judged: &mut [Judged]) {
    let mut verdicts = judged.iter().flat_map(|judged| &judged.calls).rev();
    let is_last_refused = verdicts.next().is_some_and(|(_, verdict)| verdict.is_taken_back());
    if !is_last_refused || !verdicts.any(|(_, verdict)| matches!(verdict, Verdict::Call { .. })) {
        return;
    }
    let end = judged.last().map_or(0, |judged| judged.range.end);
    if takes_all_back(text.get(end..).unwrap_or_default()) {
        for (_, verdict) in judged.iter_mut().flat_map(|judged| &mut judged.calls) {
            verdict.refuse(Reason::Warned, "the text says that it does not run");
        }
    }
}

/// A call in thinking is dropped if the thinking goes on to something else behind it, or if the turn
/// ends in an answer all the same. `ends` says where the thinking around a place ends.
pub(super) fn set_thought(
    text: &str,
    judged: &mut [Judged],
    ends: impl Fn(usize) -> Option<usize>,
    answer: &str,
) {
    let is_thought = |verdict: &Verdict| matches!(verdict, Verdict::Call { is_thought: true, .. });
    let thought = judged.iter().rposition(|judged| judged.calls.iter().any(|(_, v)| is_thought(v)));
    let Some(range) = thought.and_then(|at| Some(judged.get(at)?.range.clone())) else { return };
    let rest = ends(range.start).and_then(|end| text.get(range.end..end)).unwrap_or_default();
    let message = match (goes_on_from(reasoning::without_closer(rest)), awaits_call(answer)) {
        (true, true) => return,
        (false, _) => "the thinking goes on to something else",
        (true, false) => "the turn has its answer",
    };
    for (_, verdict) in judged.iter_mut().flat_map(|judged| &mut judged.calls) {
        if is_thought(verdict) {
            verdict.refuse(Reason::InReasoning, message);
        }
    }
}

/// What is said outside of thinking and of calls.
pub(super) fn outside_of(text: &str, thinking: &[Range<usize>], judged: &[Judged]) -> String {
    if thinking.is_empty() {
        return String::new();
    }
    let ranges = judged.iter().map(|judged| &judged.range).chain(thinking);
    let mut ranges: Vec<Range<usize>> = ranges.cloned().collect();
    ranges.sort_by_key(|range| range.start);
    let (mut out, mut at) = (String::new(), 0);
    for range in ranges {
        out.push_str(text.get(at..range.start).unwrap_or_default());
        at = at.max(range.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
