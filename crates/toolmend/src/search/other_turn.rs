//! The turn of someone else, into which a model runs on behind its calls.

use std::ops::Range;

use toolmend_dialect::Region;

use crate::judge::{Judged, Spot, Verdict};
use crate::refusal::Reason;

/// What opens the turn of someone else, as chat templates write it.
const OTHER_TURNS: [&str; 8] = [
    "<|im_start|>user",
    "<|im_start|>tool",
    "<|im_start|>system",
    "<|start_header_id|>user",
    "<|start_header_id|>ipython",
    "<start_of_turn>user",
    "<|user|>",
    "<|observation|>",
];

/// Where a text goes on with the turn of someone else behind calls of its own; its end where it does not.
pub(super) fn other_turn(text: &str, regions: &[Range<usize>]) -> usize {
    let is_inside = |at: usize| {
        let next = regions.partition_point(|region| region.end <= at);
        regions.get(next).is_some_and(|region| region.start <= at)
    };
    let turns = OTHER_TURNS
        .iter()
        .filter_map(|turn| text.match_indices(turn).map(|(at, _)| at).find(|at| !is_inside(*at)));
    let first = turns.min().filter(|at| {
        let is_line = text.get(..*at).is_some_and(|before| before.trim_end().ends_with('>'));
        is_line && regions.first().is_some_and(|region| region.end <= *at)
    });
    first.unwrap_or(text.len())
}

/// What stands in the turn of someone else is no call of the model.
pub(super) fn behind_turn(range: Range<usize>, region: Region) -> Judged {
    let calls = region.calls.into_iter().map(|call| {
        let span = range.start + call.span.start..range.start + call.span.end;
        let verdict = Verdict::Refused {
            name: call.name,
            reason: Reason::Quoted,
            message: "it stands behind the turn of someone else".to_owned(),
        };
        (Spot { span, dialect: call.dialect.id }, verdict)
    });
    Judged { calls: calls.collect(), range }
}
