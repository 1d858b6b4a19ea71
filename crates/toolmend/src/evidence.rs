//! Whether a region is a call that the model makes, or text about one.

mod echo;
mod lead;
mod phrases;
mod placeholder;

pub use echo::Echo;
pub(crate) use lead::{After, Lead, Shape, after, lead};
pub(crate) use placeholder::find as find_placeholder;
