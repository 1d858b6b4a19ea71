//! Reads tools, validates the arguments of their calls, and repairs them exactly where they fail.
//!
//! Arguments that satisfy the schema and the hints are never touched. Where they do not, rules
//! propose edits at the values that are refused, and only what the whole schema accepts is taken;
//! two different readings of equal standing refuse.
//!
//! ```
//! use serde_json::json;
//! use toolmend_schema::{Tool, Trust};
//!
//! let tool = Tool::read(&json!({"name": "read", "parameters": {
//!     "type": "object",
//!     "properties": {"paths": {"type": "array", "items": {"type": "string"}}, "limit": {"type": "integer"}},
//!     "required": ["paths"],
//! }})).unwrap();
//!
//! let repaired = tool.repair(json!({"paths": "['a', 'b']", "limit": null}), Trust::Likely);
//! assert_eq!(repaired.arguments, json!({"paths": ["a", "b"]}));
//! let rules: Vec<_> = repaired.repairs.iter().map(|repair| repair.rule).collect();
//! assert_eq!(rules, ["json-string-to-array", "null-stripped"]);
//!
//! // What was not meant is not made up.
//! let repaired = tool.repair(json!({"paths": null}), Trust::Likely);
//! assert!(!repaired.is_valid());
//! assert_eq!(repaired.arguments, json!({"paths": null}));
//! ```

mod advice;
mod before;
mod cache;
mod catalog;
mod counters;
mod effect;
mod engine;
mod flatten;
mod fold;
mod form;
mod graph;
mod hints;
mod kinds;
mod lint;
mod md_links;
mod mismatch;
mod nest;
mod node;
mod normal;
mod outline;
mod quick;
mod repair;
mod rules;
mod shape;
mod shown;
mod site;
mod text;
mod tool;
mod walk;

pub use cache::Cache;
pub use catalog::Rule;
pub use counters::{Counters, Snapshot};
pub use effect::Effect;
pub use flatten::Flatten;
pub use hints::Hints;
pub use lint::{Finding, Linted, lint};
pub use mismatch::Mismatch;
pub use outline::Outline;
pub use repair::{Repair, Repaired};
pub use shown::{Nested, Shown};
pub use tool::{Tool, ToolError};
pub use toolmend_json::Trust;
