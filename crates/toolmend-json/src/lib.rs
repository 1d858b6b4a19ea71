//! A tolerant, incremental JSON reader for text that language models write.
//!
//! It reads; it does not rewrite text and try again. Valid JSON comes back as its own bytes.
//! Anything else becomes a tree with the place of every value, a list of faults with stable codes
//! and places, and, where the text ended early, what was open. Parsing never fails: what cannot be
//! read is an [`Outcome`], not an error.
//!
//! ```
//! use toolmend_json::{Options, Outcome, Trust, read};
//!
//! let document = read("{'path': 'it\\'s here', limit: 0x10,}", &Options::default());
//! assert_eq!(document.to_json().as_deref(), Some(r#"{"path":"it's here","limit":16}"#));
//! assert_eq!(document.outcome(), Outcome::Mended(Trust::Likely));
//!
//! // What is not a value is refused, never made up.
//! let document = read("{\"cm\": 6*30.48}", &Options::default());
//! assert_eq!(document.to_json(), None);
//! ```

mod accept;
mod after;
mod bare_end;
mod close;
mod cut;
mod document;
mod doubt;
mod duplicates;
mod ends;
mod escape;
mod expected;
mod fault;
mod finish;
mod frame;
mod input;
mod keys;
mod limits;
mod lines;
mod look;
mod machine;
mod marks;
mod number;
mod outer;
mod outside;
mod plain;
mod quote;
mod reader;
mod scan;
mod settle;
mod span;
mod string_end;
mod strings;
mod tape;
mod tell;
mod trust;
mod unquoted;
mod valid;
mod value;
mod values;
mod whole_text;
mod write;

pub use accept::{Accepted, Policy, Refusal, accept};
pub use cut::{Cut, Open, Place};
pub use document::{Document, Items, Members, Node, Outcome, Shape};
pub use expected::{Expected, Want};
pub use fault::{Fault, FaultCode};
pub use limits::Limits;
pub use lines::{Lines, Position};
pub use plain::{Object, Plain};
pub use reader::{Reader, read, read_first};
pub use span::Span;
pub use trust::Trust;
pub use valid::is_valid;

/// What is known before reading, and how much may be read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The root's shape and the names of keys, where a schema tells them.
    pub expected: Expected,
    /// Bounds on size and nesting.
    pub limits: Limits,
}
