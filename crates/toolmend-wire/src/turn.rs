//! The turns of a stream, one for each choice, as far as they are known.

use crate::channel::{Channel, Flow, Stretch, Text};
use crate::id;
use crate::mender::{Verdict, WireCall};
use crate::rule::StreamRule;
use crate::usage::Usage;

/// Why a turn ended, in the words of no API.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The model was done.
    Stop,
    /// The model waits for the results of its calls.
    Calls,
    /// A limit of tokens was reached.
    Length,
    /// A filter stepped in.
    Filter,
    /// Something else, in the words of its API.
    Other(String),
}

/// What a stream says, in the words of no API. The number is that of the choice, in the order in
/// which choices first spoke.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Delta {
    /// A role is named.
    Role,
    /// Text came.
    Text(Channel, String),
    /// A call began; it is the so-manieth of its turn.
    CallStart(usize),
    /// A piece of a call's arguments came.
    CallArguments(usize, String),
    /// A call is whole. The stream has no more of it; [`Delta::Call`] tells it.
    CallEnd(usize),
    /// A call that is whole, with an id of its own.
    Call(usize, WireCall),
    /// The turn ended.
    Finish(Reason),
    /// Tokens are counted.
    Usage,
    /// The upstream tells of an error.
    Error(String),
    /// The stream broke, or ended before it was done.
    Cut,
    /// The stream is done.
    Done,
}

/// One call, as far as it came.
#[derive(Debug, Default)]
pub(crate) struct CallState {
    /// The id that came, if one did; the one that counts, once the call is closed.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: String,
    /// Whether pieces of the arguments cannot be told as text: such a call is left alone.
    pub(crate) is_opaque: bool,
    pub(crate) extent: Extent,
    /// Whether its pieces do not join to the arguments: they are written anew.
    pub(crate) is_rewritten: bool,
    pub(crate) verdict: Option<Verdict>,
}

/// How much of a call came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    #[default]
    Open,
    Whole,
    /// The stream ended before the call did.
    Cut,
}

/// What a mender wants done at the end of a turn.
#[derive(Debug, Default)]
pub(crate) struct Closed {
    /// Whether the stream itself said that the turn is over.
    pub(crate) is_finished: bool,
    pub(crate) reason: Option<Reason>,
    pub(crate) texts: Vec<(Channel, String)>,
    pub(crate) calls: Vec<WireCall>,
    /// Tokens that are to be counted with the turn's own.
    pub(crate) usage: Usage,
}

/// How far a turn is.
#[derive(Debug, Default)]
pub(crate) enum Stage {
    #[default]
    Open,
    /// The mender has something to find out first.
    Waiting(End),
    Closed(Closed),
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The stream says that the turn is over, and why.
    Finished(Reason),
    /// The stream ended, or broke, before the turn did. Without a reason from the mender, the client
    /// is told that with an error of the API.
    Cut,
    /// The upstream tells of an error.
    Failed(String),
}

/// The state of one turn.
#[derive(Debug, Default)]
pub(crate) struct TurnState {
    pub(crate) reasoning: Text,
    pub(crate) content: Text,
    pub(crate) calls: Vec<CallState>,
    pub(crate) stage: Stage,
    /// How many calls were written.
    pub(crate) calls_written: usize,
}

impl TurnState {
    pub(crate) fn text_mut(&mut self, channel: Channel) -> &mut Text {
        match channel {
            Channel::Reasoning => &mut self.reasoning,
            Channel::Content => &mut self.content,
        }
    }

    pub(crate) fn text(&self, channel: Channel) -> &Text {
        match channel {
            Channel::Reasoning => &self.reasoning,
            Channel::Content => &self.content,
        }
    }

    pub(crate) fn flow(&mut self, channel: Channel) -> Flow<'_> {
        Flow { text: self.text_mut(channel) }
    }

    pub(crate) fn closed(&self) -> Option<&Closed> {
        match &self.stage {
            Stage::Closed(closed) => Some(closed),
            _ => None,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        matches!(self.stage, Stage::Open)
    }

    /// Whether every call that came can be read.
    pub(crate) fn calls_are_whole(&self) -> bool {
        let is_whole =
            |call: &CallState| call.is_opaque || toolmend_json::is_valid(&call.arguments);
        self.calls.iter().all(is_whole)
    }

    /// How many calls leave, those that are added included.
    pub(crate) fn calls_leaving(&self) -> usize {
        let kept = self.calls.iter().filter(|call| call.verdict != Some(Verdict::Drop)).count();
        kept + self.closed().map_or(0, |closed| closed.calls.len())
    }
}

impl TurnState {
    /// The reason that the calls tell.
    pub(crate) fn reason_of_calls(&self) -> Reason {
        if self.calls.is_empty() { Reason::Stop } else { Reason::Calls }
    }

    /// The reason that leaves: the mender's, else the one that came if it agrees with the calls.
    pub(crate) fn reason_leaving(&self, given: &Reason) -> Reason {
        if let Some(reason) = self.closed().and_then(|closed| closed.reason.clone()) {
            return reason;
        }
        match (given, self.calls_leaving()) {
            (Reason::Stop, 1..) => Reason::Calls,
            (Reason::Calls, 0) => Reason::Stop,
            _ => given.clone(),
        }
    }

    /// The rule for a reason that disagrees with the calls that came. What a mender added or took
    /// away is no defect of the stream.
    pub(crate) fn finish_rule(&self, given: &Reason, leaving: &Reason) -> Option<StreamRule> {
        match (given, leaving, self.calls.is_empty()) {
            (Reason::Stop, Reason::Calls, false) => Some(StreamRule::FinishWithCall),
            (Reason::Calls, Reason::Stop, true) => Some(StreamRule::FinishWithoutCall),
            _ => None,
        }
    }
}

/// All turns of a stream.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    pub(crate) list: Vec<TurnState>,
}

impl Turns {
    /// The turn of this number, which is made if there is none.
    pub(crate) fn open(&mut self, turn: usize) -> &mut TurnState {
        // Nearly all streams have one choice, and room for more would be kept as long as they last.
        if self.list.is_empty() {
            self.list.reserve_exact(1);
        }
        while self.list.len() <= turn {
            self.list.push(TurnState::default());
        }
        // The loop above made sure of it; the fallback cannot be reached with fewer turns.
        let last = self.list.len() - 1;
        #[expect(clippy::indexing_slicing, reason = "the list is longer than `turn`")]
        &mut self.list[turn.min(last)]
    }

    pub(crate) fn get(&self, turn: usize) -> Option<&TurnState> {
        self.list.get(turn)
    }

    pub(crate) fn call_mut(&mut self, turn: usize, call: usize) -> Option<&mut CallState> {
        self.list.get_mut(turn)?.calls.get_mut(call)
    }

    pub(crate) fn call(&self, turn: usize, call: usize) -> Option<&CallState> {
        self.list.get(turn)?.calls.get(call)
    }

    /// Takes note of text.
    pub(crate) fn arrive(&mut self, turn: usize, channel: Channel, text: &str) -> Stretch {
        self.open(turn).text_mut(channel).arrive(text)
    }

    /// Whether the stretch's text does not stay as it came.
    pub(crate) fn is_changed(&mut self, turn: usize, channel: Channel, stretch: Stretch) -> bool {
        self.list.get_mut(turn).is_some_and(|turn| turn.text_mut(channel).is_changed(stretch))
    }

    /// The stretch's text after all changes; `None` where it stays as it came.
    pub(crate) fn changed(
        &mut self,
        turn: usize,
        channel: Channel,
        stretch: Stretch,
        text: &str,
    ) -> Option<String> {
        self.list.get_mut(turn)?.text_mut(channel).changed(stretch, text)
    }

    /// Settles a call's id: the one that came if no other call has it, else a made one.
    pub(crate) fn settle_id(
        &mut self,
        turn: usize,
        call: usize,
        prefix: &str,
        seed: &str,
    ) -> IdFate {
        let Some(state) = self.list.get_mut(turn) else { return IdFate::Given };
        let is_other =
            |at: usize, other: &CallState| at < call || at > call && other.extent == Extent::Whole;
        let given = state.calls.get(call).and_then(|call| call.id.clone());
        let is_taken = given.is_some()
            && state.calls.iter().enumerate().any(|(at, own)| is_other(at, own) && own.id == given);
        let fate = match (given, is_taken) {
            (Some(_), false) => return IdFate::Given,
            (Some(_), true) => IdFate::Shared,
            (None, _) => IdFate::Missing,
        };
        let Some(call_state) = state.calls.get_mut(call) else { return IdFate::Given };
        call_state.id = Some(id::make(prefix, seed, turn, call));
        fate
    }
}

/// What became of a call's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdFate {
    Given,
    Missing,
    Shared,
}
