//! Where a text ended before its value did.

use crate::{Span, Trust};

/// The token in which, or between which, the text ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Place {
    /// Inside a string value.
    String,
    /// Inside an escape of a string value.
    Escape,
    /// Inside a number, or right after its last digit so far.
    Number,
    /// Inside a literal or unquoted text.
    Literal,
    /// Inside a key.
    Key,
    /// After a key, before its colon.
    AfterKey,
    /// After a colon, before the value.
    AfterColon,
    /// After a comma, before the next member.
    AfterComma,
    /// After an opening brace or bracket.
    AfterOpener,
    /// After a complete member, where a comma or a closer should stand.
    Between,
}

impl Place {
    /// Every place, as a text is read.
    pub const ALL: [Self; 10] = [
        Self::String,
        Self::Escape,
        Self::Number,
        Self::Literal,
        Self::Key,
        Self::AfterKey,
        Self::AfterColon,
        Self::AfterComma,
        Self::AfterOpener,
        Self::Between,
    ];

    /// The word that reports use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::String => "in-string",
            Self::Escape => "in-escape",
            Self::Number => "in-number",
            Self::Literal => "in-literal",
            Self::Key => "in-key",
            Self::AfterKey => "after-key",
            Self::AfterColon => "after-colon",
            Self::AfterComma => "after-comma",
            Self::AfterOpener => "after-opener",
            Self::Between => "between",
        }
    }
}

/// A container that was open when the text ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Where its brace or bracket stands.
    pub at: u32,
    /// Whether it is an array; otherwise it is an object.
    pub is_array: bool,
}

/// Where the text was cut and what was open there, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// In which token, or between which.
    pub place: Place,
    /// The unfinished token; empty where the cut is between tokens.
    pub token: Span,
    /// The open containers, outermost first.
    pub open: Vec<Open>,
    /// Whether quotes or openers are damaged, so that what is open may be so by mistake, or members
    /// of the root stand in an object inside it.
    pub is_doubtful: bool,
}

impl Cut {
    /// How far closing this cut can be trusted. Closing braces is likely right only where a whole
    /// member stands before the end and no list is open: a list may have had more items, a number
    /// more digits, a string more text. Where quotes or openers are damaged, nothing is sure.
    #[must_use]
    pub fn trust(&self) -> Trust {
        let is_list_open = self.open.iter().any(|open| open.is_array);
        match self.place {
            Place::Between if !is_list_open && !self.is_doubtful => Trust::Likely,
            _ => Trust::Guess,
        }
    }
}
