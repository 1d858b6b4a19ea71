//! Makes every tool call that a language model meant arrive as a call that the tool accepts.
//!
//! ```
//! use serde_json::json;
//! use toolmend::{Echo, Past, Request, Settings, ToolSet, Turn};
//!
//! let tools = ToolSet::read(&[json!({"name": "get_weather", "parameters": {"type": "object",
//!     "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}, "required": ["city"]}})]);
//! let request = Request {
//!     tools: &tools,
//!     may_call: true,
//!     echo: &Echo::of(&[json!({"role": "user", "content": "How is the weather in Lima?"})]),
//!     past: Past::Unknown,
//!     settings: &Settings::default(),
//! };
//! let answer = |content: &str| Turn { content: content.to_owned(), ..Turn::default() };
//!
//! let turn = request.mend(answer("I'll look.\n[TOOL_CALLS]get_weather[ARGS]{'city': 'Lima', days: \"2\"}"));
//! assert_eq!(turn.calls[0].arguments, r#"{"city":"Lima","days":2}"#);
//! assert_eq!(turn.content.as_deref(), Some("I'll look.\n"));
//!
//! // What only shows a call is none.
//! let turn = request.mend(answer("For example: `get_weather(city=\"Lima\")` asks for Lima."));
//! assert!(turn.calls.is_empty());
//! ```

mod arguments;
mod assemble;
mod beside;
mod counters;
mod declared;
mod ear;
mod events;
mod evidence;
mod gate;
mod id;
mod judge;
mod layout;
mod mended;
mod name;
mod reasoning;
mod recovery;
mod refusal;
mod report;
mod search;
mod session;
mod settings;
mod spelt;
mod storm;
mod tools;
mod turn;
mod unescaped;

pub use counters::{Count, Counters};
pub use events::{emit_ask, emit_incomplete, emit_status};
pub use evidence::Echo;
pub use mended::{Call, Mended, Origin, Outcome, Refused, Suppressed};
pub use name::{Match, Names};
pub use recovery::{Abilities, Ask, Delivery, Driver, Ended, Kind, Label, Message, Next, Prefix};
pub use recovery::{Recovery, recover};
pub use refusal::Reason;
pub use report::{Change, Flaw, Owner, Report};
pub use search::{Channel, Findings, Meant, Search, Unmeant};
pub use session::{Past, Request, Session};
pub use settings::{Alerts, Keep, StoreSettings};
pub use settings::{
    AskLimits, Continuation, Detector, FlattenWhen, Layer, Layers, Profile, Settings,
};
pub use settings::{Mode, ProxySettings, Setting, fits};
pub use settings::{SettingsError, Storm, StormMode, TextCalls, ToolSettings, Truncation, When};
pub use toolmend_history as history;
pub use toolmend_json::Trust;
pub use toolmend_schema as schema;
pub use toolmend_schema::{Effect, Mismatch, Tool};
pub use tools::ToolSet;
pub use turn::{Declared, Delta, Turn, Written, is_cut};

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/libraries.md")]
struct Guide;
