//! What may stand in the middle of a stream: decides what becomes of text, calls and the end.

use crate::channel::{Channel, Flow};
use crate::turn::{CallState, Closed, End, Extent, Reason, TurnState};
use crate::usage::Usage;

/// Decides what becomes of one turn. Each choice of a stream has a mender of its own.
///
/// What a mender leaves alone leaves as the bytes that came. Nothing here waits or asks: a mender
/// that must find out something first holds text back, answers [`Verdict::Wait`] or [`Next::Wait`],
/// and is asked again by [`crate::Relay::resume`].
pub trait Mender {
    /// Text came on a channel. What `flow` does not decide stays held, with all that comes behind it.
    fn text(&mut self, channel: Channel, text: &str, flow: &mut Flow<'_>);

    /// A call that the server declared is whole: its number in the turn, and what it says. It stays
    /// held until there is a verdict. Calls need not become whole in their order.
    fn call(&mut self, number: usize, call: &WireCall) -> Verdict;

    /// The turn ended. Text and calls that are not decided by then pass, but for calls that were
    /// cut off, which never do.
    fn finish(&mut self, end: &End, closing: &mut Closing<'_>) -> Next;
}

/// A call as the wire has it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct WireCall {
    /// The id: as it came, or as it was made. May be empty where the API has none.
    pub id: String,
    /// The name.
    pub name: String,
    /// The arguments as text, as it came.
    pub arguments: String,
}

/// What becomes of a declared call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// It leaves as it came.
    Keep,
    /// It leaves so.
    Change(WireCall),
    /// It does not leave.
    Drop,
    /// It stays held until the end of the turn.
    Wait,
}

/// Whether a mender is done with a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// The end may leave.
    Done,
    /// The end stays held until [`crate::Relay::resume`].
    Wait,
}

/// What can still be decided at the end of a turn.
#[derive(Debug)]
pub struct Closing<'t> {
    pub(crate) turn: &'t mut TurnState,
    pub(crate) closed: &'t mut Closed,
}

impl Closing<'_> {
    /// The text of a channel that is not decided yet.
    pub fn flow(&mut self, channel: Channel) -> Flow<'_> {
        self.turn.flow(channel)
    }

    /// The calls that wait for a verdict: their number in the turn, what came of them, and whether
    /// the stream ended inside of them.
    pub fn waiting(&self) -> impl Iterator<Item = (usize, WireCall, bool)> {
        let calls = self.turn.calls.iter().enumerate();
        let is_waiting = |call: &CallState| matches!(call.verdict, None | Some(Verdict::Wait));
        calls
            .filter(move |(_, call)| is_waiting(call))
            .map(|(number, call)| (number, call.as_wire(), call.extent == Extent::Cut))
    }

    /// Gives the verdict on a call that waits.
    pub fn judge(&mut self, number: usize, verdict: Verdict) {
        let call = self.turn.calls.get_mut(number);
        if let Some(call) = call.filter(|call| matches!(call.verdict, None | Some(Verdict::Wait))) {
            call.verdict = Some(verdict);
        }
    }

    /// Adds text at the end of the turn.
    pub fn add_text(&mut self, channel: Channel, text: &str) {
        self.closed.texts.push((channel, text.to_owned()));
    }

    /// Adds a call at the end of the turn.
    pub fn add_call(&mut self, call: WireCall) {
        self.closed.calls.push(call);
    }

    /// Counts more tokens with those of the turn.
    pub fn add_usage(&mut self, usage: Usage) {
        self.closed.usage = self.closed.usage.plus(usage);
    }

    /// Says why the turn ended. For a turn that was cut or failed, this makes its end a good one.
    pub fn set_reason(&mut self, reason: Reason) {
        self.closed.reason = Some(reason);
    }
}

impl CallState {
    pub(crate) fn as_wire(&self) -> WireCall {
        WireCall {
            id: self.id.clone().unwrap_or_default(),
            name: self.name.clone(),
            arguments: self.arguments.clone(),
        }
    }
}

/// Changes nothing: a relay with it only normalises.
#[derive(Clone, Copy, Debug, Default)]
pub struct Untouched;

impl Mender for Untouched {
    fn text(&mut self, _: Channel, _: &str, flow: &mut Flow<'_>) {
        flow.keep_all();
    }

    fn call(&mut self, _: usize, _: &WireCall) -> Verdict {
        Verdict::Keep
    }

    fn finish(&mut self, _: &End, _: &mut Closing<'_>) -> Next {
        Next::Done
    }
}
