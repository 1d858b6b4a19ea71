//! Case files. A case is one Markdown file: a title, prose that says why it is there, an input and
//! what must come out, each in a fenced block.
//!
//! This crate knows the format and how cases are run. What a block means is the business of the
//! crate under test: `crates/*/tests/cases.rs`.
//!
//! ````
//! let case = cases::Case::parse("# Title\n\nWhy.\n\n```input want=object\n{}\n```\n").unwrap();
//! let input = case.block("input").unwrap();
//! assert_eq!((input.text(), input.option("want")), ("{}", Some("object")));
//! ````

mod case;
mod escapes;
mod files;
#[cfg(feature = "harness")]
pub mod harness;

pub use case::{Block, Case};
pub use escapes::unescape;
pub use files::find;
