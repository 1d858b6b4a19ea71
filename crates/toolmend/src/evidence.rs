//! Whether a region is a call that the model makes, or text about one.

mod after;
mod echo;
mod invented;
mod japanese;
mod lead;
mod looking;
mod placeholder;
mod presented;
mod sentences;
mod thought;
mod told;
mod waiting;
mod words;

pub(crate) use after::{After, Before, Shape, after, takes_all_back};
pub use echo::Echo;
pub(crate) use invented::invented;
pub(crate) use lead::{Lead, Order, lead};
pub(crate) use placeholder::find as find_placeholder;
pub(crate) use presented::is_answer;
pub(crate) use sentences::tail;
pub(crate) use thought::{awaits_call, goes_on_from};
pub(crate) use words::shows;
