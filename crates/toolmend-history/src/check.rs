//! Lists what is wrong with a history.

use std::ops::Range;

use crate::api::Unique;
use crate::chain::{Chain, Pairing};
use crate::history::{Kind, Message, Role, ToolResult};
use crate::{Api, Code, Finding, History, Options, Place, Reasoning, Start};

/// Lists what is wrong with a history, in its order. Calls at the very end that wait for their
/// results are right.
#[must_use]
pub fn check(history: &History<'_>, options: Options) -> Vec<Finding> {
    let chain = Chain::of(history);
    let mut findings = Vec::new();
    check_calls(history, &chain, &mut findings);
    check_results(history, &chain, options, &mut findings);
    let turns = empty_turns(history);
    let empty = turns.into_iter().map(|turn| whole(turn.start, Code::EmptyTurn));
    findings.extend(empty);
    let silent = without_reasoning(history, options);
    findings.extend(silent.map(|message| whole(message, Code::MissingReasoning)));
    findings.sort();
    findings
}

fn whole(message: usize, code: Code) -> Finding {
    Finding { place: Place { message, part: None }, code }
}

fn check_calls(history: &History<'_>, chain: &Chain<'_, '_>, findings: &mut Vec<Finding>) {
    let api = history.api;
    let duplicates = chain.duplicates(api);
    for turn in &chain.turns {
        for (call, link) in chain.calls_of(turn) {
            let mut find = |code| findings.push(Finding { place: link.place(), code });
            if chain.answer(call).is_none() && !turn.is_pending {
                find(Code::CallWithoutResult);
            }
            if link.of.id().is_none() && api.unique() != Unique::Never {
                find(Code::MissingId);
            }
            if duplicates.contains(&call) {
                find(Code::DuplicateId);
            }
            if let Some(code) = link.of.arguments.fault(api) {
                find(code);
            }
        }
    }
}

fn check_results(
    history: &History<'_>,
    chain: &Chain<'_, '_>,
    options: Options,
    findings: &mut Vec<Finding>,
) {
    let drops_orphans = drops_orphans(history, options);
    for (link, pairing) in chain.results.iter().zip(&chain.pairings) {
        let mut find = |code| findings.push(Finding { place: link.place(), code });
        match pairing {
            Pairing::Apart(_) => find(Code::ResultApart),
            Pairing::Before(_) => find(Code::ResultBeforeCall),
            Pairing::Orphan if drops_orphans || answers_none(history, link.of) => {
                find(Code::ResultWithoutCall);
            }
            Pairing::InPlace(_) | Pairing::Elsewhere | Pairing::Orphan => {}
        }
        let is_paired = pairing.call().is_some();
        if is_paired && link.of.call_id().is_none() && history.api.unique() != Unique::Never {
            find(Code::MissingId);
        }
    }
}

/// Whether a result without call is an orphan: not if its call may be one that the server keeps.
pub(crate) fn drops_orphans(history: &History<'_>, options: Options) -> bool {
    let is_reference = |kind: &Kind<'_>| matches!(kind, Kind::Reference);
    options.start == Start::Here && !history.parts().any(|(_, part)| is_reference(&part.kind))
}

/// Whether a result answers no call at all, not even one that the server keeps: it names none.
pub(crate) fn answers_none(history: &History<'_>, result: &ToolResult<'_>) -> bool {
    result.call_id().is_none() && history.api.unique() != Unique::Never
}

/// The turns of the assistant, as ranges of messages, that have neither text nor call. The last
/// message is none of them: it may be one that the model is asked to go on with.
pub(crate) fn empty_turns(history: &History<'_>) -> Vec<Range<usize>> {
    let messages = &history.messages;
    let is_model = |at: usize| messages.get(at).is_some_and(|m| m.role == Role::Assistant);
    let is_empty = |message: &Message<'_>| message.role == Role::Assistant && !message.has_answer();
    let mut turns = Vec::new();
    let mut start = 0;
    while start < messages.len() {
        let mut end = start + 1;
        // In Responses reasoning is an item of its own, and must not stand alone.
        while history.api == Api::Responses && is_model(start) && is_model(end) {
            end += 1;
        }
        let is_last = end == messages.len();
        let turn = messages.get(start..end).unwrap_or_default();
        if !is_last && turn.iter().all(is_empty) {
            turns.push(start..end);
        }
        start = end;
    }
    turns
}

/// The messages of the assistant that lack reasoning which is wanted back.
pub(crate) fn without_reasoning(
    history: &History<'_>,
    options: Options,
) -> impl Iterator<Item = usize> {
    let is_wanted = options.reasoning == Reasoning::Demanded && history.api == Api::Chat;
    let lacks = move |message: &Message<'_>| {
        is_wanted && message.role == Role::Assistant && !message.has_reasoning()
    };
    history.messages.iter().enumerate().filter(move |(_, message)| lacks(message)).map(|(at, _)| at)
}
