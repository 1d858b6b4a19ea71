//! What a person reads of a refusal, a fault and a cut. Values stay out of it.

use crate::accept::Refusal;
use crate::cut::{Cut, Place};
use crate::document::{Document, Shape};
use crate::expected::Want;
use crate::fault::FaultCode;
use crate::trust::Trust;

impl Refusal {
    /// The byte of the text at which the refusal points, where there is one.
    #[must_use]
    pub fn place(&self, document: &Document<'_>) -> Option<usize> {
        match self {
            Self::Empty => None,
            Self::Unreadable(code) => {
                let fault = document.faults().iter().find(|fault| fault.code == *code);
                fault.map(|fault| fault.span.range().start)
            }
            Self::Cut(_) => Some(document.text().trim_end().len()),
            Self::Untrusted(_, fault) => fault.map(|fault| fault.span.range().start),
            Self::Shape(_) => document.values().next().map(|value| value.span().range().start),
        }
    }

    /// One sentence, without its full stop: what is refused.
    #[must_use]
    pub fn headline(&self, document: &Document<'_>, want: Want) -> String {
        match self {
            Self::Empty => "there is nothing to read".to_owned(),
            Self::Unreadable(code) => code.clause(),
            Self::Cut(_) => match document.cut() {
                Some(cut) => format!("the text was cut {}", cut.ending()),
                None => "the text was cut before anything in it was whole".to_owned(),
            },
            Self::Untrusted(needed, Some(fault)) => {
                format!("reading on would be {}: {}", level(*needed), fault.code.clause())
            }
            Self::Untrusted(needed, None) => format!("reading on would be {}", level(*needed)),
            Self::Shape(shape) => {
                format!("the value is {}, and {} is wanted", shape.named(), wanted(want))
            }
        }
    }

    /// The fault that decided, where it was one.
    #[must_use]
    pub fn code(&self) -> Option<FaultCode> {
        match self {
            Self::Unreadable(code) => Some(*code),
            Self::Untrusted(_, fault) => fault.map(|fault| fault.code),
            Self::Empty | Self::Cut(_) | Self::Shape(_) => None,
        }
    }
}

impl FaultCode {
    /// What the fault is, as a part of a sentence.
    #[must_use]
    pub fn clause(self) -> String {
        let what = self.what().trim_end_matches('.');
        let mut letters = what.chars();
        let first =
            letters.next().map(|letter| letter.to_lowercase().to_string()).unwrap_or_default();
        format!("{first}{}", letters.as_str())
    }
}

impl Cut {
    /// Where the text ended, and what was open there.
    #[must_use]
    pub fn ending(&self) -> String {
        let place = match self.place {
            Place::String => "inside a string",
            Place::Escape => "inside an escape in a string",
            Place::Number => "in or right after a number",
            Place::Literal => "inside a word",
            Place::Key => "inside a key",
            Place::AfterKey => "after a key, before its colon",
            Place::AfterColon => "after a colon, before the value",
            Place::AfterComma => "after a comma",
            Place::AfterOpener => "right after an opening brace or bracket",
            Place::Between => "after a whole member",
        };
        let lists = self.open.iter().filter(|open| open.is_array).count();
        let open = match (self.open.len() - lists, lists) {
            (0, 0) => return place.to_owned(),
            (objects, 0) => counted(objects, "object"),
            (0, lists) => counted(lists, "list"),
            (objects, lists) => {
                format!("{} and {}", counted(objects, "object"), counted(lists, "list"))
            }
        };
        format!("{place}, with {open} open")
    }
}

impl Shape {
    /// What a value of this shape is called.
    #[must_use]
    pub const fn named(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "a list",
            Self::Object => "an object",
        }
    }
}

fn level(trust: Trust) -> &'static str {
    match trust {
        Trust::Exact => "exact",
        Trust::Likely => "only likely right",
        Trust::Guess => "a guess",
    }
}

fn wanted(want: Want) -> &'static str {
    match want {
        Want::Any => "any value",
        Want::Object => "an object",
        Want::Array => "a list",
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
