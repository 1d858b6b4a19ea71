//! Calls that models write as text: what looking for them costs, and what finding one costs.

mod calls;
#[cfg(feature = "parsers")]
pub(crate) mod formats;
mod prose;
#[cfg(feature = "parsers")]
pub(crate) mod rivals;
mod scan;
pub(crate) mod tools;

use std::error::Error;

use serde_json::Value;

use crate::arguments::Arguments;
use crate::report::Report;
#[cfg(not(feature = "parsers"))]
use crate::report::note;
use crate::timing::Effort;

/// What one run measures.
struct Plan {
    sizes: &'static [usize],
    effort: Effort,
    seed: u64,
    #[cfg(feature = "parsers")]
    shows_wrong: bool,
}

/// A call that a text means.
struct Meant {
    name: &'static str,
    arguments: Value,
}

/// One dialect's example, and how long its text argument is.
struct Sample {
    dialect: &'static str,
    size: &'static str,
    text: String,
    meant: Meant,
}

/// What came of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Right,
    Wrong,
    None,
}

impl Answer {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Wrong => "wrong",
            Self::None => "none",
        }
    }
}

impl Meant {
    /// Judges the calls that someone found.
    fn judge<'n>(&self, calls: impl IntoIterator<Item = (&'n str, Option<Value>)>) -> Answer {
        let mut calls = calls.into_iter();
        match (calls.next(), calls.next()) {
            (None, _) => Answer::None,
            (Some((name, Some(arguments))), None)
                if name == self.name && damage::same(&self.arguments, &arguments) =>
            {
                Answer::Right
            }
            _ => Answer::Wrong,
        }
    }
}

/// Measures all of it.
pub fn run(arguments: &Arguments, report: &mut Report) -> Result<(), Box<dyn Error>> {
    let plan = Plan {
        sizes: &[1_000, 100_000, 1_000_000],
        effort: if arguments.quick { Effort::QUICK } else { Effort::FULL },
        seed: arguments.seed,
        #[cfg(feature = "parsers")]
        shows_wrong: arguments.show_wrong,
    };
    scan::run(&plan, report);
    let samples = calls::samples();
    calls::run(&plan, &samples, report);
    if !arguments.only_us {
        #[cfg(feature = "parsers")]
        rivals::run(&plan, &samples, report)?;
        #[cfg(not(feature = "parsers"))]
        note("The parsers of other projects are left out: build with `--features parsers`.");
    }
    Ok(())
}

/// The text in pieces of four bytes; where a piece would end inside a character, it goes on to its
/// end.
pub(crate) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::with_capacity(text.len() / 4 + 1);
    let mut start = 0;
    while start < text.len() {
        let end = (start + 4..text.len()).find(|&end| text.is_char_boundary(end));
        let end = end.unwrap_or(text.len());
        pieces.push(text.get(start..end).unwrap_or_default());
        start = end;
    }
    pieces
}
