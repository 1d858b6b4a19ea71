//! Makes every tool call that a language model meant arrive as a call that the tool accepts.
//!
//! ```
//! use serde_json::json;
//! use toolmend::{Echo, Search, ToolSet, Trust};
//!
//! let tools = ToolSet::read(&[json!({"name": "get_weather", "parameters": {"type": "object",
//!     "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}})]);
//! let search = Search {
//!     tools: &tools,
//!     echo: &Echo::of(&[json!({"role": "user", "content": "How is the weather in Lima?"})]),
//!     trust: Trust::Likely,
//!     is_turn_cut: false,
//!     declared: &[],
//!     chunk: None,
//! };
//!
//! let found = search.run("I'll look.\n[TOOL_CALLS]get_weather[ARGS]{'city': 'Lima', days: \"2\"}", "");
//! assert_eq!(found.calls[0].arguments, json!({"city": "Lima", "days": 2}));
//! assert_eq!(found.content.as_deref(), Some("I'll look.\n"));
//!
//! // What only shows a call is none.
//! let found = search.run("For example: `get_weather(city=\"Lima\")` asks for Lima.", "");
//! assert!(found.calls.is_empty());
//! ```

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
pub use toolmend_json::Trust;
pub use toolmend_schema::{Mismatch, Repair, Tool};
pub use tools::ToolSet;

/// A mismatch for a person; values stay out of it.
#[must_use]
pub fn mismatch_sentence(mismatch: &Mismatch) -> String {
    judge::sentence(mismatch)
}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
