//! Finds the tool calls that language models write as text.
mod attribute;
mod cursor;
mod decode;
mod dialect;
mod found;
mod lex;
mod lexicon;
mod offered;
mod parse;
mod rows;
mod scan;
mod triggers;
pub use dialect::{Body, Call, Dialect, Frame, Marks, Name};
pub use found::{Arguments, Ending, Event, Field, Found, Region, Value};
pub use offered::Offered;
pub use rows::dialects;
pub use scan::Scanner;
