//! Mends one turn of a stream or of a whole reply.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolmend::history::{Refetched, Unsent, unsent};
use toolmend::{
    Call, Declared, Delta, Ended, Mended, Next as Step, Origin, Outcome as Done, Recovery, Session,
    Written,
};
use toolmend_wire::{Channel, Closing, End, Flow, Mender, Next, Reason, Verdict, WireCall};

use super::outcome::{Inquiry, Outcome};
use super::{Context, Heard, Recorder, TurnEnd, mine};

/// Mends one turn. Text goes on as soon as it cannot be part of a call; declared calls are judged
/// when they are whole; what stood in text comes at the end. Where mending is not enough it waits
/// there, until it is told what came of asking the model again.
#[derive(Debug)]
pub(crate) struct TurnMender {
    context: Arc<Context>,
    session: Option<Session>,
    /// The declared calls so far, by their numbers in the turn.
    calls: BTreeMap<usize, WireCall>,
    recorder: Arc<Recorder>,
    /// Says when to ask again; without it nobody is asked.
    recovery: Option<Recovery>,
    said: Said,
    stage: Stage,
    /// The texts, where they are kept.
    heard: Option<Heard>,
    /// How long this turn was worked on.
    spent: Duration,
}

/// What the turn said.
#[derive(Debug, Default)]
struct Said {
    /// Known when the turn is over, and only where the model may be asked again: until then the session has it.
    content: String,
    /// How many bytes of it went out.
    sent: usize,
    has_reasoning: bool,
}

#[derive(Debug)]
enum Stage {
    Open,
    /// The model is to be asked; the inquiry is taken by whoever can.
    Asking(Option<Box<Inquiry>>),
    Settled(Box<Outcome>),
}

impl TurnMender {
    pub(crate) fn new(context: Arc<Context>, id: &str, recorder: Arc<Recorder>) -> Self {
        let session = Session::new(&context.request(), id);
        let heard = recorder.listen();
        Self {
            context,
            session: Some(session),
            calls: BTreeMap::new(),
            recorder,
            recovery: None,
            said: Said::default(),
            stage: Stage::Open,
            heard,
            spent: Duration::ZERO,
        }
    }

    /// A mender that may have the model asked again.
    pub(crate) fn with_recovery(self, recovery: Recovery) -> Self {
        Self { recovery: Some(recovery), ..self }
    }

    /// What the model is to be asked, if that is not on its way yet.
    pub(crate) fn take_inquiry(&mut self) -> Option<Box<Inquiry>> {
        match &mut self.stage {
            Stage::Asking(inquiry) => inquiry.take(),
            _ => None,
        }
    }

    /// Tells what came of asking.
    pub(crate) fn settle(&mut self, outcome: Outcome) {
        self.stage = Stage::Settled(Box::new(outcome));
    }

    /// The turn as the library mends it.
    fn mended(&mut self, end: &End) -> Option<Mended> {
        let mut session = self.session.take()?;
        for call in self.calls.values() {
            session.declare(declared(call));
        }
        if self.recovery.is_some() {
            session.content().clone_into(&mut self.said.content);
        }
        Some(session.finish(&self.context.request(), finish(end)))
    }

    /// The place of a call among those that the library was told of.
    fn index_of(&self, number: usize) -> usize {
        self.calls.range(..number).count()
    }

    fn ended(&self, end: &End, turn: &Mended) -> Ended {
        let is_wordless = self.said.content.trim().is_empty();
        let is_silent = is_wordless && self.calls.is_empty() && turn.calls.is_empty();
        match end {
            End::Finished(Reason::Stop) if is_silent && self.context.offers_tools() => {
                Ended::Emptied
            }
            End::Finished(_) => Ended::Whole,
            End::Cut | End::Failed(_) => Ended::Broken,
        }
    }

    /// What to deliver at the end of the turn; `None` while the model is asked.
    fn outcome(&mut self, end: &End) -> Option<Box<Outcome>> {
        match std::mem::replace(&mut self.stage, Stage::Open) {
            Stage::Settled(outcome) => return Some(outcome),
            Stage::Asking(inquiry) => {
                self.stage = Stage::Asking(inquiry);
                return None;
            }
            Stage::Open => {}
        }
        if let End::Failed(message) = end
            && let Some(turn) = mine::turn(&self.context.request(), message)
        {
            return Some(Box::new(Outcome::mined(turn)));
        }
        let first = self.mended(end)?;
        let Some(mut recovery) = self.recovery.take() else {
            return Some(Box::new(Outcome::plain(first)));
        };
        let ended = self.ended(end, &first);
        match recovery.told(ended, first.clone()) {
            Step::Deliver(delivery) => Some(Box::new(Outcome::of(first, *delivery))),
            Step::Ask(ask) => {
                let said = std::mem::take(&mut self.said.content);
                let sent = said.get(..self.said.sent).unwrap_or_default().to_owned();
                self.said.content = sent;
                self.stage = Stage::Asking(Some(Box::new(Inquiry {
                    recovery,
                    ask: *ask,
                    ended,
                    first,
                    said,
                })));
                None
            }
        }
    }

    /// Tells what came of the turn.
    fn record(&mut self, end: &End, outcome: &Outcome) {
        if let Some(heard) = &mut self.heard {
            heard.calls(self.calls.values());
        }
        self.recorder.tell(&TurnEnd {
            finish: finish(end),
            is_broken: !matches!(end, End::Finished(_)),
            spent: self.spent,
            asks: outcome.asks,
            label: Some(outcome.delivery.label),
            heard: self.heard.as_ref(),
            asked: &outcome.asked,
            kept: outcome.delivery.kept,
            ..TurnEnd::of(&outcome.delivery.turn)
        });
    }

    /// Lets out the text of the turn, and of the one that took its place.
    fn let_out(&self, outcome: &Outcome, closing: &mut Closing<'_>) {
        let first = &outcome.first;
        let undecided = closing.flow(Channel::Content).undecided();
        let is_superseded = outcome.later.as_ref().is_some_and(|later| later.supersedes);
        match (is_superseded, first.content.is_some() && undecided > 0) {
            (true, _) => closing.flow(Channel::Content).cut(undecided),
            (false, true) => closing.flow(Channel::Content).replace(undecided, &first.rest),
            (false, false) => closing.flow(Channel::Content).keep_all(),
        }
        let Some(later) = &outcome.later else { return };
        let before = match is_superseded {
            true => self.said.content.as_str(),
            false => first.content.as_deref().unwrap_or(&outcome.said),
        };
        if before.is_empty() && !self.said.has_reasoning && !later.reasoning.is_empty() {
            closing.add_text(Channel::Reasoning, &later.reasoning);
        }
        let has_calls = outcome.has_calls();
        let text = match unsent(before, Refetched { text: &later.content, has_calls }) {
            Unsent::Rest(rest) => rest.to_owned(),
            Unsent::CallsOnly => String::new(),
            // Where nothing was said before, nothing has to be set apart.
            Unsent::Apart { text, .. } if before.trim().is_empty() => text.to_owned(),
            Unsent::Apart { separator, text } => format!("{separator}{text}"),
        };
        if !text.is_empty() {
            closing.add_text(Channel::Content, &text);
        }
    }

    /// Says why the turn ended, where that is not what the server says.
    fn set_reason(end: &End, outcome: &Outcome, closing: &mut Closing<'_>) {
        let is_finished = matches!(end, End::Finished(_));
        match &outcome.later {
            Some(later) if !outcome.is_cut() => {
                let has_calls = outcome.has_calls();
                closing.set_reason(if has_calls { Reason::Calls } else { later.reason() });
            }
            None if is_finished && outcome.is_cut() => closing.set_reason(Reason::Length),
            Some(_) if is_finished => closing.set_reason(Reason::Length),
            None if is_finished && outcome.calls().any(|call| call.origin.is_text()) => {
                closing.set_reason(Reason::Calls);
            }
            Some(_) | None => {}
        }
    }
}

impl Mender for TurnMender {
    fn text(&mut self, channel: Channel, text: &str, flow: &mut Flow<'_>) {
        let Some(session) = &mut self.session else { return flow.keep_all() };
        let started = Instant::now();
        if let Some(heard) = &mut self.heard {
            heard.text(channel, text);
        }
        match channel {
            Channel::Reasoning => {
                session.push(Delta::Reasoning(text));
                self.said.has_reasoning = true;
                flow.keep_all();
            }
            Channel::Content => {
                let free = session.push(Delta::Content(text)).len();
                self.said.sent += free;
                flow.keep(free);
            }
        }
        self.spent += started.elapsed();
    }

    fn call(&mut self, number: usize, call: &WireCall) -> Verdict {
        let nested = self.context.flat().nest(call);
        let meant = nested.as_ref().unwrap_or(call);
        // The same call twice may be the start of a storm, which only the whole turn tells.
        let is_same = |own: &WireCall| own.name == meant.name && own.arguments == meant.arguments;
        let is_again = self.calls.values().any(is_same);
        self.calls.insert(number, meant.clone());
        if is_again {
            return Verdict::Wait;
        }
        let started = Instant::now();
        let is_right = self.context.request().is_right(&declared(meant));
        self.spent += started.elapsed();
        match nested {
            Some(nested) if is_right => Verdict::Change(nested),
            None if is_right => Verdict::Keep,
            _ => Verdict::Wait,
        }
    }

    fn finish(&mut self, end: &End, closing: &mut Closing<'_>) -> Next {
        let waiting: Vec<(usize, WireCall, bool)> = closing.waiting().collect();
        for (number, call, _) in &waiting {
            self.calls.entry(*number).or_insert_with(|| self.context.flat().meant(call));
        }
        let started = Instant::now();
        let outcome = self.outcome(end);
        self.spent += started.elapsed();
        let Some(outcome) = outcome else {
            let is_asking = matches!(self.stage, Stage::Asking(_));
            return if is_asking { Next::Wait } else { Next::Done };
        };
        self.record(end, &outcome);
        self.let_out(&outcome, closing);
        for (number, call, is_cut) in &waiting {
            // Before an error, a call that nothing closed is no call.
            let is_lost = *is_cut && outcome.later.is_none() && !matches!(end, End::Finished(_));
            let verdict = match is_lost {
                true => Verdict::Drop,
                false => verdict(self.index_of(*number), call, *is_cut, &outcome),
            };
            closing.judge(*number, self.context.flat().settle(verdict, call));
        }
        let mut ids: Vec<String> = self.calls.values().map(|call| call.id.clone()).collect();
        for mut call in outcome.added() {
            while ids.contains(&call.id) {
                call.id.push_str("_again");
            }
            ids.push(call.id.clone());
            closing.add_call(self.context.flat().meant(&call));
        }
        if let Some(told) = outcome.stopped() {
            closing.add_text(Channel::Content, &told);
        }
        closing.add_usage(outcome.usage);
        Self::set_reason(end, &outcome, closing);
        Next::Done
    }
}

/// What becomes of a declared call that waited for the end.
fn verdict(index: usize, came: &WireCall, is_cut: bool, outcome: &Outcome) -> Verdict {
    let is_own = |origin: Origin| origin == Origin::Declared { index, part: 0 };
    let turn = outcome.own_turn();
    if let Some(call) = turn.calls.iter().find(|call| is_own(call.origin)) {
        return match call.outcome {
            Done::Untouched if !is_cut => Verdict::Keep,
            _ => Verdict::Change(WireCall { id: came.id.clone(), ..wire(call) }),
        };
    }
    // What can be read and nothing mends goes out as it came: the agent answers for it.
    let is_passed = outcome.delivery.passed.iter().any(|passed| is_own(passed.origin));
    match is_passed && !is_cut && outcome.later.is_none() {
        true => Verdict::Keep,
        false => Verdict::Drop,
    }
}

pub(crate) fn declared(call: &WireCall) -> Declared {
    Declared {
        id: Some(call.id.clone()).filter(|id| !id.is_empty()),
        name: Some(call.name.clone()),
        arguments: Written::Text(call.arguments.clone()),
    }
}

pub(crate) fn wire(call: &Call) -> WireCall {
    WireCall { id: call.id.clone(), name: call.name.clone(), arguments: call.arguments.clone() }
}

/// Why the turn ended, in the words of the library.
fn finish(end: &End) -> Option<&str> {
    match end {
        End::Finished(reason) => word(reason),
        End::Cut | End::Failed(_) => Some("incomplete"),
    }
}

/// The finish reason in the words of the library.
pub(crate) fn word(reason: &Reason) -> Option<&str> {
    match reason {
        Reason::Stop => Some("stop"),
        Reason::Calls => Some("tool_calls"),
        Reason::Length => Some("length"),
        Reason::Filter => Some("content_filter"),
        Reason::Other(word) => Some(word),
        _ => None,
    }
}
