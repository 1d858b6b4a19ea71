//! One request and its reply, without any IO: what goes up, and what mends what comes down.

mod context;
mod mender;
mod tally;

pub(crate) use context::{Context, prepare};
pub(crate) use mender::TurnMender;
pub use tally::Observer;
pub(crate) use tally::Recorder;
