//! One request and its reply, without any IO: what goes up, and what mends what comes down.

mod ask;
mod context;
mod mender;
mod mine;
mod outcome;
mod shelf;
mod shelves;
mod tally;

pub(crate) use ask::{Demand, can_continue, prefix_text, request as ask_request};
pub(crate) use context::{Context, prepare};
pub(crate) use mender::{TurnMender, declared, wire, word as reason_word};
pub(crate) use mine::turn as mined_turn;
pub(crate) use outcome::{Asked, Inquiry, Later, Outcome};
pub use tally::{Heard, Observer, Told};
pub(crate) use tally::{Recorder, TurnEnd};
