//! Which result answers which call. By ids; by position where ids are missing or stand twice.

mod open;

use std::collections::HashSet;
use std::ops::Range;

use crate::api::{Behind, Unique};
use crate::history::{Call, Kind, Message, Part, Role, ToolResult};
use crate::{Api, History, Place};
use open::Open;

/// A call or a result, and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'h, 't, T> {
    pub(crate) message: usize,
    pub(crate) part: &'h Part<'t>,
    pub(crate) of: &'h T,
}

impl<T> Link<'_, '_, T> {
    pub(crate) fn place(&self) -> Place {
        Place { message: self.message, part: self.part.index }
    }
}

/// A turn of the assistant that makes calls.
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) messages: Range<usize>,
    pub(crate) calls: Range<usize>,
    /// The results that stand where this turn's have to.
    zone: Range<usize>,
    /// Whether the history ends here, and the tools have yet to run.
    pub(crate) is_pending: bool,
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// It answers this call, and stands where it should.
    InPlace(usize),
    /// It answers this call, and stands too far behind.
    Apart(usize),
    /// It answers this call, and stands before it.
    Before(usize),
    /// It answers a call that is none of ours.
    Elsewhere,
    /// It answers nothing.
    Orphan,
}

impl Pairing {
    pub(crate) fn call(self) -> Option<usize> {
        match self {
            Self::InPlace(call) | Self::Apart(call) | Self::Before(call) => Some(call),
            Self::Elsewhere | Self::Orphan => None,
        }
    }
}

/// Calls, results, and what belongs together.
#[derive(Debug)]
pub(crate) struct Chain<'h, 't> {
    pub(crate) calls: Vec<Link<'h, 't, Call<'t>>>,
    pub(crate) results: Vec<Link<'h, 't, ToolResult<'t>>>,
    pub(crate) turns: Vec<Turn>,
    /// For each result.
    pub(crate) pairings: Vec<Pairing>,
    /// For each call, its result.
    pub(crate) result_of: Vec<Option<usize>>,
}

impl<'h, 't> Chain<'h, 't> {
    pub(crate) fn of(history: &'h History<'t>) -> Self {
        let mut chain = Self::unpaired(history);
        chain.turns = turns(history, &chain);
        let mut pairing = Pairer { open: Open::of(&chain), chain: &mut chain, api: history.api };
        pairing.pair_in_place();
        pairing.pair_the_rest(history);
        chain.find_pending(history);
        chain
    }

    fn unpaired(history: &'h History<'t>) -> Self {
        let (mut calls, mut results) = (Vec::new(), Vec::new());
        for (message, part) in history.parts() {
            match &part.kind {
                Kind::Call(of) => calls.push(Link { message, part, of }),
                Kind::Result(of) => results.push(Link { message, part, of }),
                _ => {}
            }
        }
        let pairings = vec![Pairing::Orphan; results.len()];
        let result_of = vec![None; calls.len()];
        Self { calls, results, turns: Vec::new(), pairings, result_of }
    }

    /// The result of a call.
    pub(crate) fn answer(&self, call: usize) -> Option<&Link<'h, 't, ToolResult<'t>>> {
        self.results.get((*self.result_of.get(call)?)?)
    }

    /// The calls of a turn, with their numbers.
    pub(crate) fn calls_of(
        &self,
        turn: &Turn,
    ) -> impl Iterator<Item = (usize, &Link<'h, 't, Call<'t>>)> {
        turn.calls.clone().zip(self.calls.get(turn.calls.clone()).unwrap_or_default())
    }

    /// The calls that have the id of an earlier one, where that matters.
    pub(crate) fn duplicates(&self, api: Api) -> HashSet<usize> {
        let mut duplicates = HashSet::new();
        let mut seen = HashSet::new();
        for turn in &self.turns {
            match api.unique() {
                Unique::Everywhere => {}
                Unique::InTurn => seen.clear(),
                Unique::Never => continue,
            }
            let ids = self.calls_of(turn).filter_map(|(call, link)| Some((call, link.of.id()?)));
            duplicates.extend(ids.filter(|(_, id)| !seen.insert(*id)).map(|(call, _)| call));
        }
        duplicates
    }

    /// Where calls begin that stand behind this message.
    fn calls_behind(&self, message: usize) -> usize {
        self.calls.partition_point(|call| call.message <= message)
    }

    fn results_in(&self, messages: Range<usize>) -> Range<usize> {
        let from = |at| self.results.partition_point(|result| result.message < at);
        from(messages.start)..from(messages.end)
    }

    /// The last turn waits for its results if none of them is there, nobody spoke since, and no
    /// result stands behind it that stays there.
    fn find_pending(&mut self, history: &History<'_>) {
        let behind = self.results.iter().zip(&self.pairings);
        let Some(turn) = self.turns.last_mut() else { return };
        let stays = |pairing| matches!(pairing, Pairing::InPlace(_) | Pairing::Elsewhere);
        let mut stayed = behind
            .filter(|(result, pairing)| result.message >= turn.messages.end && stays(**pairing));
        let mut answers = turn.calls.clone().filter_map(|call| *self.result_of.get(call)?);
        let messages = history.messages.get(turn.messages.end..).unwrap_or_default();
        turn.is_pending = answers.next().is_none()
            && stayed.next().is_none()
            && messages.iter().all(Message::has_only_results);
    }
}

/// The turns that make calls, with the results that stand behind them.
fn turns(history: &History<'_>, chain: &Chain<'_, '_>) -> Vec<Turn> {
    let messages = &history.messages;
    let is = |at: usize, role| messages.get(at).is_some_and(|message| message.role == role);
    let mut turns = Vec::new();
    let mut start = 0;
    while start < messages.len() {
        let mut end = start + 1;
        while history.api.joins_turns() && is(start, Role::Assistant) && is(end, Role::Assistant) {
            end += 1;
        }
        let from = |at| chain.calls.partition_point(|call| call.message < at);
        let calls = from(start)..from(end);
        if !calls.is_empty() {
            let zone = zone(history, chain, end, calls.end);
            turns.push(Turn { messages: start..end, calls, zone, is_pending: false });
        }
        start = end;
    }
    turns
}

/// The results that stand where those of a turn have to that ends before message `end`.
fn zone(
    history: &History<'_>,
    chain: &Chain<'_, '_>,
    end: usize,
    next_call: usize,
) -> Range<usize> {
    let behind = history.messages.get(end..).unwrap_or_default();
    let run = |role| behind.iter().take_while(move |message| message.role == role);
    match history.api {
        Api::Chat | Api::Ollama => chain.results_in(end..end + run(Role::Tool).count()),
        Api::Responses => {
            let next = chain.calls.get(next_call).map(|call| call.message);
            chain.results_in(end..next.unwrap_or(history.messages.len()))
        }
        Api::Anthropic => {
            // Results come first in what the user says; text before them makes the API refuse.
            let parts = run(Role::User).flat_map(|message| &message.parts);
            let first = chain.results_in(end..end).start;
            first..first + parts.take_while(|part| matches!(part.kind, Kind::Result(_))).count()
        }
    }
}

struct Pairer<'c, 'h, 't> {
    chain: &'c mut Chain<'h, 't>,
    open: Open<'h>,
    api: Api,
}

impl Pairer<'_, '_, '_> {
    fn pair(&mut self, result: usize, pairing: Pairing) {
        if let Some(slot) = self.chain.pairings.get_mut(result) {
            *slot = pairing;
        }
        let Some(call) = pairing.call() else { return };
        if let Some(slot) = self.chain.result_of.get_mut(call) {
            *slot = Some(result);
        }
        if let Some(link) = self.chain.calls.get(call) {
            self.open.answer(call, link.of);
        }
    }

    fn is_paired(&self, result: usize) -> bool {
        self.chain.pairings.get(result).is_some_and(|pairing| *pairing != Pairing::Orphan)
    }

    /// Results that stand right: first by id, then by the name of the tool, then by position.
    fn pair_in_place(&mut self) {
        for pass in [Open::by_id, Open::by_name, Open::by_position] {
            for at in 0..self.chain.turns.len() {
                let Some(turn) = self.chain.turns.get(at).cloned() else { continue };
                for result in turn.zone {
                    let Some(link) = self.chain.results.get(result) else { continue };
                    let of = link.of;
                    if self.is_paired(result) {
                        continue;
                    }
                    if let Some(call) = pass(&self.open, of, turn.calls.clone()) {
                        self.pair(result, Pairing::InPlace(call));
                    }
                }
            }
        }
    }

    /// Results that stand elsewhere: they belong to the nearest turn before them that waits for
    /// them, or, if none ever did, to the next one behind.
    fn pair_the_rest(&mut self, history: &History<'_>) {
        let foreign: HashSet<&str> = history
            .parts()
            .filter_map(|(_, part)| match &part.kind {
                Kind::Other(id) => id.as_deref(),
                _ => None,
            })
            .collect();
        for result in 0..self.chain.results.len() {
            let Some(&Link { message, of, .. }) = self.chain.results.get(result) else { continue };
            if self.is_paired(result) {
                continue;
            }
            let bound = self.chain.calls_behind(message);
            let pairing = if of.call_id().is_some_and(|id| foreign.contains(id)) {
                Pairing::Elsewhere
            } else if let Some(call) = self.find_before(of, bound) {
                match self.api.behind() {
                    Behind::Right => Pairing::Apart(call),
                    Behind::Anywhere => Pairing::InPlace(call),
                }
            } else if let Some(call) = self.open.find_behind(of, bound) {
                Pairing::Before(call)
            } else {
                Pairing::Orphan
            };
            self.pair(result, pairing);
        }
    }

    /// The first call of the nearest turn before a result that it can belong to.
    fn find_before(&self, result: &ToolResult<'_>, bound: usize) -> Option<usize> {
        let nearest = match result.call_id() {
            Some(id) => self.open.last_before(id, bound)?,
            None => bound.checked_sub(1)?,
        };
        let at = self.chain.turns.partition_point(|turn| turn.calls.end <= nearest);
        let calls = self.chain.turns.get(at)?.calls.clone();
        let calls = calls.start..calls.end.min(bound);
        if result.call_id().is_some() {
            return self.open.by_id(result, calls);
        }
        self.open.by_name(result, calls.clone()).or_else(|| self.open.by_position(result, calls))
    }
}
