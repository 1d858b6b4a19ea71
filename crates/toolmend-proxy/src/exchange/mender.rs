//! Mends one turn of a stream or of a whole reply.

use std::sync::Arc;

use toolmend::{
    Call, Declared, Delta, Mended, Origin, Outcome, Reason as Refusal, Session, Written,
};
use toolmend_wire::{Channel, Closing, End, Flow, Mender, Next, Reason, Verdict, WireCall};

use super::{Context, Recorder};

/// Mends one turn. Text goes on as soon as it cannot be part of a call; declared calls are judged
/// when they are whole; what stood in text comes at the end.
#[derive(Debug)]
pub(crate) struct TurnMender {
    context: Arc<Context>,
    session: Option<Session>,
    /// The declared calls so far.
    calls: Vec<WireCall>,
    recorder: Arc<Recorder>,
}

impl TurnMender {
    pub(crate) fn new(context: Arc<Context>, id: &str, recorder: Arc<Recorder>) -> Self {
        let session = context.with_request(|request| Session::new(request, id));
        Self { context, session: Some(session), calls: Vec::new(), recorder }
    }

    /// The turn as the library mends it.
    fn mended(&mut self, end: &End) -> Option<Mended> {
        let mut session = self.session.take()?;
        for call in &self.calls {
            session.declare(declared(call));
        }
        let reason = match end {
            End::Finished(reason) => word(reason),
            End::Cut | End::Failed(_) => Some("incomplete"),
        };
        Some(self.context.with_request(|request| session.finish(request, reason)))
    }
}

impl Mender for TurnMender {
    fn text(&mut self, channel: Channel, text: &str, flow: &mut Flow<'_>) {
        let Some(session) = &mut self.session else { return flow.keep_all() };
        match channel {
            Channel::Reasoning => {
                session.push(Delta::Reasoning(text));
                flow.keep_all();
            }
            Channel::Content => {
                let free = session.push(Delta::Content(text)).len();
                flow.keep(free);
            }
        }
    }

    fn call(&mut self, call: &WireCall) -> Verdict {
        self.calls.push(call.clone());
        let is_right = self.context.with_request(|request| request.is_right(&declared(call)));
        if is_right { Verdict::Keep } else { Verdict::Wait }
    }

    fn finish(&mut self, end: &End, closing: &mut Closing<'_>) -> Next {
        let waiting: Vec<(usize, WireCall, bool)> = closing.waiting().collect();
        for (number, call, _) in &waiting {
            if *number >= self.calls.len() {
                self.calls.push(call.clone());
            }
        }
        let Some(mended) = self.mended(end) else { return Next::Done };
        self.recorder.take(&mended);
        let undecided = closing.flow(Channel::Content).undecided();
        if mended.content.is_some() && undecided > 0 {
            closing.flow(Channel::Content).replace(undecided, &mended.rest);
        } else {
            closing.flow(Channel::Content).keep_all();
        }
        for (number, call, is_cut) in &waiting {
            closing.judge(*number, verdict(*number, call, *is_cut, &mended));
        }
        let is_added = |call: &&Call| match call.origin {
            Origin::Found { .. } => true,
            Origin::Declared { part, .. } => part > 0,
        };
        for call in mended.calls.iter().filter(is_added) {
            closing.add_call(wire(call));
        }
        if mended.calls.iter().any(|call| call.origin.is_text()) && matches!(end, End::Finished(_))
        {
            closing.set_reason(Reason::Calls);
        }
        Next::Done
    }
}

/// What becomes of a declared call that waited for the end.
fn verdict(number: usize, came: &WireCall, is_cut: bool, mended: &Mended) -> Verdict {
    let is_own = |origin: Origin| origin == Origin::Declared { index: number, part: 0 };
    if let Some(call) = mended.calls.iter().find(|call| is_own(call.origin)) {
        return match call.outcome {
            Outcome::Untouched if !is_cut => Verdict::Keep,
            _ => Verdict::Change(WireCall { id: came.id.clone(), ..wire(call) }),
        };
    }
    let refused = mended.refused.iter().find(|refused| is_own(refused.origin));
    match refused.map(|refused| refused.reason) {
        // What can be read and nothing mends goes out as it came: the agent answers for it.
        Some(Refusal::Mismatch | Refusal::UnknownTool) if !is_cut => Verdict::Keep,
        _ => Verdict::Drop,
    }
}

fn declared(call: &WireCall) -> Declared {
    Declared {
        id: Some(call.id.clone()).filter(|id| !id.is_empty()),
        name: Some(call.name.clone()),
        arguments: Written::Text(call.arguments.clone()),
    }
}

fn wire(call: &Call) -> WireCall {
    WireCall { id: call.id.clone(), name: call.name.clone(), arguments: call.arguments.clone() }
}

/// The finish reason in the words of the library.
fn word(reason: &Reason) -> Option<&str> {
    match reason {
        Reason::Stop => Some("stop"),
        Reason::Calls => Some("tool_calls"),
        Reason::Length => Some("length"),
        Reason::Filter => Some("content_filter"),
        Reason::Other(word) => Some(word),
        _ => None,
    }
}
