//! Makes every tool call that a language model meant arrive as a call that the tool accepts.

mod arguments;
mod evidence;
mod judge;
mod layout;
mod merge;
mod name;
mod reasoning;
mod refusal;
mod search;
mod tools;

pub use evidence::Echo;
pub use name::{Match, Names};
pub use refusal::Reason;
pub use search::{Channel, Findings, Meant, Refused, Search};
pub use toolmend_schema::{Mismatch, Repair, Tool};
pub use tools::ToolSet;

/// A mismatch for a person; values stay out of it.
#[must_use]
pub fn mismatch_sentence(mismatch: &Mismatch) -> String {
    judge::sentence(mismatch)
}
