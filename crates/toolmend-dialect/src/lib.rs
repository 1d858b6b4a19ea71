//! Finds the tool calls that language models write as text.
//!
//! A format is a row of data, not a parser. One scanner finds regions that are written like calls,
//! in any pieces in which the text arrives, and four decoders read what stands in them, by what
//! follows a mark and not by which row opened it. Whether a region is a call that the model *makes*
//! is not decided here: nothing is checked against schemas, and nothing is lost.
//!
//! ```
//! use toolmend_dialect::{Event, Offered, Scanner};
//!
//! let offered = Offered::new([("get_weather", ["city"])]);
//! let (mut text, mut calls) = (String::new(), Vec::new());
//! let mut take = |event: Event<'_>| match event {
//!     Event::Text(plain) => text.push_str(plain),
//!     Event::Region(_, region) => calls.extend(region.calls),
//! };
//! let mut scanner = Scanner::new(&offered);
//! for piece in ["Let me look.\n<tool_", "call>get_weather<arg_key>city</arg_key>",
//!               "<arg_value>Lima</arg_value></tool_call>"] {
//!     scanner.push(piece, &mut take);
//! }
//! scanner.finish(&mut take);
//!
//! assert_eq!(text, "Let me look.\n");
//! assert_eq!((calls[0].dialect.id, calls[0].name.as_str()), ("glm47", "get_weather"));
//! ```

mod attribute;
mod cursor;
mod decode;
mod dialect;
mod escaped;
mod found;
mod items;
mod lex;
mod lexicon;
mod offered;
mod parse;
mod probe;
mod rows;
mod scan;
mod triggers;
mod whole;

pub use decode::read_parameters;
pub use dialect::{Body, Call, Dialect, Frame, Marks, Name};
pub use found::{Arguments, Ending, Event, Field, Found, Region, Value};
pub use items::is_bullet;
pub use offered::{Offered, fold_name, without_namespace};
pub use rows::dialects;
pub use scan::{Scan, Scanner};
