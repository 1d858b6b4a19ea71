//! Checks and heals the histories that agents send.
//!
//! A history is read from any of four shapes and kept as text: healing changes what is wrong and
//! leaves every other byte as it is.
//!
//! ```
//! use toolmend_history::{Api, Code, History, Options, check, heal};
//!
//! let text = r#"[{"role": "user", "content": "Where is it?"},
//!     {"role": "assistant", "tool_calls": [{"id": "a", "type": "function",
//!         "function": {"name": "find", "arguments": "{\"name\": \"it"}}]},
//!     {"role": "user", "content": "Well?"}]"#;
//! let history = History::read(text, Api::Chat).unwrap();
//! let codes: Vec<Code> = check(&history, Options::default()).iter().map(|f| f.code).collect();
//! assert_eq!(codes, [Code::CallWithoutResult, Code::ArgumentsBroken]);
//!
//! let healed = heal(&history, Options::default());
//! let history = History::read(&healed.text, Api::Chat).unwrap();
//! assert_eq!(check(&history, Options::default()), []);
//! assert!(healed.text.contains("it may or may not have run"));
//! ```

mod api;
mod arguments;
mod chain;
mod check;
mod failure;
mod finding;
mod heal;
mod history;
mod node;
mod options;
mod quoted;
mod read;
mod refetch;
mod reflection;
mod signature;
mod status;
mod storm;

pub use api::Api;
pub use arguments::Arguments;
pub use check::check;
pub use finding::{Code, Edit, Finding, Rule};
pub use heal::{Healed, heal};
pub use history::{Call, History, Message, Place, Role, ToolResult};
pub use options::{Options, Reasoning, Start};
pub use quoted::Quoted;
pub use read::NotAList;
pub use refetch::{Refetched, Unsent, results_at_hand, unsent};
pub use reflection::reflection;
pub use signature::Signature;
pub use status::{Status, status};
pub use storm::{Action, Attempt, Detector, Detectors, Limit, Mode, Storm, Tools, Verdict, storms};
