//! The one loop that relays a stream, whatever its API.

use std::collections::VecDeque;

use super::Options;
use super::menders::Judge;
use crate::api::Framing;
use crate::channel::Channel;
use crate::draft::Draft;
use crate::frame::{Body, Frame, Framer};
use crate::json::Json;
use crate::mender::{Closing, Next, Verdict};
use crate::protocol::{Entry, Event, Place, Protocol, Sink, Told, Wait};
use crate::rule::StreamRule;
use crate::turn::{Closed, Delta, End, Extent, Stage, TurnState, Turns};
use crate::usage::Usage;

/// A stream of some API.
pub(crate) trait Stream {
    fn push(&mut self, bytes: &[u8], judge: &mut dyn Judge, out: &mut Vec<u8>);
    fn finish(&mut self, judge: &mut dyn Judge, out: &mut Vec<u8>);
    fn resume(&mut self, judge: &mut dyn Judge, out: &mut Vec<u8>);
    fn is_waiting(&self) -> bool;
    fn bytes_held(&self) -> usize;
    fn usage_held(&self) -> Usage;
    fn rules(&self) -> &[(StreamRule, usize)];
}

/// How far a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Live,
    /// The rest passes as it comes.
    Passing,
    /// Nothing more leaves.
    Ended,
}

/// An end that is not a good one, unless the menders say so.
enum BadEnd<T> {
    Cut(StreamRule),
    Failed(Entry<T>),
}

/// A stream of one API.
pub(super) struct Engine<P: Protocol> {
    protocol: P,
    framer: Framer,
    turns: Turns,
    queue: VecDeque<Entry<P::Tag>>,
    bytes_held: usize,
    held_bytes_max: usize,
    state: State,
    bad_end: Option<BadEnd<P::Tag>>,
    rules: Vec<(StreamRule, usize)>,
    /// Tokens to count with those that the server still tells.
    usage: Usage,
}

impl<P: Protocol> Engine<P> {
    pub(super) fn new(protocol: P, options: Options) -> Self {
        Self {
            protocol,
            framer: Framer::new(P::FRAMING, options.frame_bytes_max),
            turns: Turns::default(),
            queue: VecDeque::new(),
            bytes_held: 0,
            held_bytes_max: options.held_bytes_max,
            state: State::Live,
            bad_end: None,
            rules: Vec::new(),
            usage: Usage::default(),
        }
    }

    fn feed(&mut self, frame: Frame, judge: &mut dyn Judge, out: &mut Vec<u8>) {
        if self.bad_end.is_some() {
            return;
        }
        match self.state {
            State::Live => self.read(frame, judge, out),
            State::Passing => {
                let frame = Frame { is_closed: true, ..frame };
                self.hold(Place::Last, Entry::new(Some(frame), self.protocol.plain()));
            }
            State::Ended => {}
        }
        self.settle(out);
        if self.bytes_held > self.held_bytes_max {
            self.give_up(out);
        }
    }

    fn read(&mut self, frame: Frame, judge: &mut dyn Judge, out: &mut Vec<u8>) {
        let mut told = Told::new();
        let is_closed = frame.is_closed;
        match &frame.body {
            Body::Oversize => {
                self.give_up(out);
                out.extend_from_slice(&frame.raw);
            }
            Body::NotText => {
                self.protocol.read_broken(&mut self.turns, &mut told);
                told.broken(&frame);
            }
            Body::Nothing => {
                let tag = self.protocol.plain();
                told.hold(Entry::new(Some(frame), tag));
            }
            Body::Data(data) => {
                let data = data.clone();
                self.protocol.read(frame, &data, &mut self.turns, &mut told);
            }
        }
        let is_readable = !told.entries.is_empty();
        if is_readable && !is_closed {
            note(&mut self.rules, StreamRule::FrameUnclosed);
        }
        self.take(told, judge);
    }

    /// Acts on what reading told.
    fn take(&mut self, told: Told<P::Tag>, judge: &mut dyn Judge) {
        for rule in told.rules {
            note(&mut self.rules, rule);
        }
        for (place, entry) in told.entries {
            self.hold(place, entry);
        }
        for event in told.events {
            match event {
                Event::Delta(turn, delta) => {
                    judge.heard(turn, &delta);
                    self.hear(turn, &delta, judge);
                }
                // What breaks behind the end of all turns takes nothing away from them.
                Event::Cut(rule @ (StreamRule::DataBroken | StreamRule::StreamCut))
                    if self.is_finished() =>
                {
                    note(&mut self.rules, rule);
                }
                Event::Cut(rule) => {
                    judge.heard(0, &Delta::Cut);
                    self.bad_end.get_or_insert(BadEnd::Cut(rule));
                    // Also who said nothing is asked about it.
                    self.turns.open(0);
                    self.close_all(&End::Cut, judge);
                    return;
                }
                Event::Failed(message) => {
                    judge.heard(0, &Delta::Error(message.clone()));
                    if let Some(entry) = self.queue.pop_back() {
                        self.bytes_held -= entry.bytes();
                        self.bad_end.get_or_insert(BadEnd::Failed(entry));
                    }
                    self.close_all(&End::Failed(message), judge);
                    return;
                }
                Event::Done => {
                    judge.heard(0, &Delta::Done);
                    self.state = State::Passing;
                }
            }
        }
    }

    fn hold(&mut self, place: Place, entry: Entry<P::Tag>) {
        self.bytes_held += entry.bytes();
        let found = match place {
            Place::Last => None,
            Place::WithCall(turn, call) => self.queue.iter().rposition(|held| {
                held.waits
                    .iter()
                    .any(|wait| matches!(*wait, Wait::Call(t, c) if (t, c) == (turn, call)))
            }),
        };
        match found {
            Some(at) => self.queue.insert(at + 1, entry),
            None => self.queue.push_back(entry),
        }
    }

    fn hear(&mut self, turn: usize, delta: &Delta, judge: &mut dyn Judge) {
        match delta {
            Delta::Text(channel, text) => {
                judge.text(turn, *channel, text, self.turns.open(turn));
            }
            Delta::CallEnd(call) => self.judge_call(turn, *call, judge),
            Delta::Finish(reason) => self.close(turn, &End::Finished(reason.clone()), judge),
            _ => {}
        }
    }

    fn judge_call(&mut self, turn: usize, call: usize, judge: &mut dyn Judge) {
        if let Some(prefix) = P::ID_PREFIX {
            self.turns.settle_id(turn, call, prefix, self.protocol.seed());
        }
        let Some(state) = self.turns.call_mut(turn, call) else { return };
        if state.verdict.is_none() {
            state.extent = Extent::Whole;
            state.verdict = Some(match state.is_opaque {
                true => Verdict::Keep,
                false => judge.call(turn, call, &state.as_wire()),
            });
        }
    }

    fn close_all(&mut self, end: &End, judge: &mut dyn Judge) {
        for turn in 0..self.turns.list.len() {
            if self.turns.open(turn).is_open() {
                self.close(turn, end, judge);
            }
        }
    }

    /// Asks a turn's mender about its end.
    fn close(&mut self, turn: usize, end: &End, judge: &mut dyn Judge) {
        let state = self.turns.open(turn);
        if matches!(state.stage, Stage::Closed(_)) {
            return;
        }
        if !matches!(end, End::Finished(_)) {
            for call in state.calls.iter_mut().filter(|call| call.extent == Extent::Open) {
                call.extent = Extent::Cut;
            }
        }
        let is_finished = matches!(end, End::Finished(_));
        let mut closed = Closed { is_finished, ..Closed::default() };
        let mut closing = Closing { turn: state, closed: &mut closed };
        match judge.finish(turn, end, &mut closing) {
            Next::Wait => state.stage = Stage::Waiting(end.clone()),
            Next::Done => {
                if settle_turn(state) {
                    note(&mut self.rules, StreamRule::CallCut);
                }
                self.usage = self.usage.plus(closed.usage);
                state.stage = Stage::Closed(closed);
            }
        }
    }

    /// Writes all that is decided.
    fn settle(&mut self, out: &mut Vec<u8>) {
        while let Some(entry) = self.queue.pop_front() {
            if !entry.waits.iter().all(|wait| is_over(*wait, &self.turns)) {
                self.queue.push_front(entry);
                return;
            }
            self.bytes_held -= entry.bytes();
            self.write(entry, out);
        }
        if self.is_waiting() {
            return;
        }
        match self.bad_end.take() {
            None => {}
            Some(_) if self.is_rescued() => self.write_end(out),
            Some(BadEnd::Failed(entry)) => {
                self.write(entry, out);
                self.state = State::Passing;
            }
            Some(BadEnd::Cut(rule)) => {
                note(&mut self.rules, rule);
                let message = match rule {
                    StreamRule::DataBroken | StreamRule::BlockLate => {
                        "the upstream sent data that cannot be read"
                    }
                    StreamRule::CallCut => "the upstream sent a call that is not whole",
                    _ => "the upstream ended the stream before it was done",
                };
                self.state = State::Ended;
                self.with_sink(out, |protocol, _, sink| protocol.write_error(message, sink));
            }
        }
    }

    /// Whether the server said of all turns that they are over.
    fn is_finished(&self) -> bool {
        let is_finished = |turn: &TurnState| match &turn.stage {
            Stage::Open => false,
            Stage::Waiting(end) => matches!(end, End::Finished(_)),
            Stage::Closed(closed) => closed.is_finished,
        };
        !self.turns.list.is_empty() && self.turns.list.iter().all(is_finished)
    }

    /// Whether the menders made a good end of a bad one.
    fn is_rescued(&self) -> bool {
        let is_good = |closed: &Closed| closed.is_finished || closed.reason.is_some();
        let is_saved = |closed: &Closed| !closed.is_finished && closed.reason.is_some();
        let closed = || self.turns.list.iter().filter_map(TurnState::closed);
        closed().all(is_good) && closed().any(is_saved)
    }

    /// Writes the ends of turns that the menders rescued.
    fn write_end(&mut self, out: &mut Vec<u8>) {
        self.state = State::Ended;
        self.with_sink(out, |protocol, turns, sink| {
            protocol.close_open(turns, sink);
            for turn in 0..turns.list.len() {
                let closed = turns.get(turn).and_then(TurnState::closed);
                let saved = closed.filter(|closed| !closed.is_finished);
                if let Some(reason) = saved.and_then(|closed| closed.reason.clone()) {
                    write_added(protocol, turn, turns, sink);
                    protocol.write_finish(turn, &reason, turns, sink);
                }
            }
            protocol.write_done(sink);
        });
    }

    fn write(&mut self, mut entry: Entry<P::Tag>, out: &mut Vec<u8>) {
        if !self.usage.is_nothing() {
            entry.frame = entry.frame.map(|frame| count(frame, self.usage, P::FRAMING));
        }
        self.with_sink(out, |protocol, turns, sink| protocol.write(entry, turns, sink));
    }

    fn with_sink(
        &mut self,
        out: &mut Vec<u8>,
        write: impl FnOnce(&mut P, &mut Turns, &mut Sink<'_>),
    ) {
        let mut rules = Vec::new();
        write(&mut self.protocol, &mut self.turns, &mut Sink { out, rules: &mut rules });
        for rule in rules {
            note(&mut self.rules, rule);
        }
    }

    /// Lets everything pass: what is held, and what follows.
    fn give_up(&mut self, out: &mut Vec<u8>) {
        self.state = State::Passing;
        for state in &mut self.turns.list {
            settle_turn(state);
            for call in &mut state.calls {
                call.verdict.get_or_insert(Verdict::Keep);
            }
            if !matches!(state.stage, Stage::Closed(_)) {
                state.stage = Stage::Closed(Closed { is_finished: true, ..Closed::default() });
            }
        }
        self.settle(out);
    }
}

impl<P: Protocol> Stream for Engine<P> {
    fn push(&mut self, bytes: &[u8], judge: &mut dyn Judge, out: &mut Vec<u8>) {
        self.framer.push(bytes);
        while let Some(frame) = self.framer.next_frame() {
            self.feed(frame, judge, out);
        }
    }

    fn finish(&mut self, judge: &mut dyn Judge, out: &mut Vec<u8>) {
        while let Some(frame) = self.framer.finish() {
            self.feed(frame, judge, out);
        }
        if self.state == State::Live && self.bad_end.is_none() {
            let mut told = Told::new();
            self.protocol.read_end(&mut self.turns, &mut told);
            self.take(told, judge);
        }
        self.settle(out);
    }

    fn resume(&mut self, judge: &mut dyn Judge, out: &mut Vec<u8>) {
        for turn in 0..self.turns.list.len() {
            if let Some(Stage::Waiting(end)) = self.turns.get(turn).map(|turn| &turn.stage) {
                let end = end.clone();
                self.close(turn, &end, judge);
            }
        }
        self.settle(out);
    }

    fn is_waiting(&self) -> bool {
        self.turns.list.iter().any(|turn| matches!(turn.stage, Stage::Waiting(_)))
    }

    fn bytes_held(&self) -> usize {
        self.bytes_held
    }

    fn usage_held(&self) -> Usage {
        let frames = self.queue.iter().filter_map(|entry| entry.frame.as_ref());
        let told = frames.filter_map(|frame| match &frame.body {
            Body::Data(data) if Json::read_object(data).is_some() => {
                Some(Usage::read(&Draft::new(data)))
            }
            _ => None,
        });
        told.filter(|usage| !usage.is_nothing()).last().unwrap_or_default()
    }

    fn rules(&self) -> &[(StreamRule, usize)] {
        &self.rules
    }
}

/// Writes what a mender added to the end of a turn.
pub(crate) fn write_added<P: Protocol>(
    protocol: &mut P,
    turn: usize,
    turns: &mut Turns,
    sink: &mut Sink<'_>,
) {
    let Some(Stage::Closed(closed)) = turns.list.get_mut(turn).map(|turn| &mut turn.stage) else {
        return;
    };
    let (texts, calls) = (std::mem::take(&mut closed.texts), std::mem::take(&mut closed.calls));
    for (channel, text) in &texts {
        protocol.write_text(turn, *channel, text, sink);
    }
    for call in &calls {
        protocol.write_call(turn, call, turns, sink);
    }
}

/// Decides what no mender did: text and whole calls pass, cut ones do not. Tells whether one was cut.
pub(crate) fn settle_turn(state: &mut TurnState) -> bool {
    for channel in [Channel::Reasoning, Channel::Content] {
        state.text_mut(channel).keep_all();
    }
    let mut is_cut = false;
    for call in &mut state.calls {
        if matches!(call.verdict, None | Some(Verdict::Wait)) {
            let is_own_cut = call.extent == Extent::Cut;
            is_cut |= is_own_cut;
            call.verdict = Some(if is_own_cut { Verdict::Drop } else { Verdict::Keep });
        }
    }
    is_cut
}

fn is_over(wait: Wait, turns: &Turns) -> bool {
    match wait {
        Wait::Text(turn, channel, stretch) => {
            turns.get(turn).is_none_or(|turn| turn.text(channel).is_decided(stretch))
        }
        Wait::Call(turn, call) => turns
            .call(turn, call)
            .is_none_or(|call| !matches!(call.verdict, None | Some(Verdict::Wait))),
        Wait::Turn(turn) => {
            turns.get(turn).is_none_or(|turn| matches!(turn.stage, Stage::Closed(_)))
        }
    }
}

/// The frame, with more tokens if it tells of any.
fn count(frame: Frame, usage: Usage, framing: Framing) -> Frame {
    let Body::Data(data) = &frame.body else { return frame };
    if Json::read_object(data).is_none() {
        return frame;
    }
    let mut draft = Draft::new(data);
    usage.add_to(&mut draft);
    match draft.is_changed() {
        true => frame.with_data(framing, draft.text()),
        false => frame,
    }
}

fn note(rules: &mut Vec<(StreamRule, usize)>, rule: StreamRule) {
    match rules.iter_mut().find(|(own, _)| *own == rule) {
        Some((_, count)) => *count += 1,
        None => rules.push((rule, 1)),
    }
}
