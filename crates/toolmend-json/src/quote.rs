//! The quotes that models put around strings.

use crate::FaultCode;
use crate::input::{Input, Look};

/// How a string is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    Double,
    Single,
    Backtick,
    SmartDouble,
    SmartSingle,
    /// `«text»`
    Angled,
    TripleDouble,
    TripleSingle,
    /// `""text""`
    Doubled,
    /// `\"text\"`
    Escaped,
}

impl Quote {
    /// The quote that opens at this place, if one does. Triple and doubled quotes look like an
    /// empty string at first and are told apart by what follows it.
    pub(crate) fn opening(input: &Input<'_>, at: usize) -> Look<Option<Self>> {
        let Some(first) = input.peek(at)? else { return Some(None) };
        Some(match first {
            b'"' => Some(Self::Double),
            b'\'' if input.has(at, "'''")? => Some(Self::TripleSingle),
            b'\'' => Some(Self::Single),
            b'`' => Some(Self::Backtick),
            b'\\' if input.has(at, "\\\"")? => Some(Self::Escaped),
            0xe2 => match typographic(input, at)? {
                // “ ” „
                Some(0x9c..=0x9e) => Some(Self::SmartDouble),
                // ‘ ’
                Some(0x98 | 0x99) => Some(Self::SmartSingle),
                _ => None,
            },
            0xc2 if input.has(at, "«")? => Some(Self::Angled),
            _ => None,
        })
    }

    /// How many bytes the opening quote has; the closing one has as many.
    pub(crate) const fn width(self) -> usize {
        match self {
            Self::Double | Self::Single | Self::Backtick => 1,
            Self::SmartDouble | Self::SmartSingle | Self::TripleDouble | Self::TripleSingle => 3,
            Self::Doubled | Self::Escaped | Self::Angled => 2,
        }
    }

    /// The fault of being quoted so.
    pub(crate) const fn fault(self) -> Option<FaultCode> {
        match self {
            Self::Double => None,
            Self::Single => Some(FaultCode::SingleQuotes),
            Self::Backtick => Some(FaultCode::BacktickQuotes),
            Self::SmartDouble | Self::SmartSingle | Self::Angled => Some(FaultCode::SmartQuotes),
            Self::TripleDouble | Self::TripleSingle => Some(FaultCode::TripleQuotes),
            Self::Doubled => Some(FaultCode::DoubledQuotes),
            Self::Escaped => Some(FaultCode::EscapedQuotes),
        }
    }

    /// The byte by which a closing quote is found.
    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Double | Self::TripleDouble | Self::Doubled | Self::Escaped => b'"',
            Self::Single | Self::TripleSingle => b'\'',
            Self::Backtick => b'`',
            Self::SmartDouble | Self::SmartSingle => 0xe2,
            Self::Angled => 0xc2,
        }
    }

    /// Whether a closing quote starts at this place, where [`Quote::byte`] stands, and its width.
    pub(crate) fn closing(self, input: &Input<'_>, at: usize) -> Look<Option<usize>> {
        let is_closing = match self {
            Self::Double | Self::Single | Self::Backtick => true,
            // Of four quotes the first belongs to the string.
            Self::TripleDouble => input.has(at, "\"\"\"")? && !input.has(at + 3, "\"")?,
            Self::TripleSingle => input.has(at, "'''")? && !input.has(at + 3, "'")?,
            Self::Doubled => input.has(at, "\"\"")?,
            Self::SmartDouble => matches!(typographic(input, at)?, Some(0x9c | 0x9d)),
            Self::SmartSingle => matches!(typographic(input, at)?, Some(0x98 | 0x99)),
            Self::Angled => input.has(at, "»")?,
            // The backslash before the quote was seen by the caller, which skips escapes.
            Self::Escaped => false,
        };
        Some(is_closing.then_some(self.width()))
    }
}

/// The last byte of the general punctuation mark (U+2000 to U+203F) whose first byte stands here.
fn typographic(input: &Input<'_>, at: usize) -> Look<Option<u8>> {
    if let Some(&[_, second, third]) = input.bytes().get(at..).and_then(<[u8]>::first_chunk) {
        return Some((second == 0x80).then_some(third));
    }
    // Text never ends inside a character.
    input.peek(at + 2).map(|_| None)
}

/// A run of backslashes and the quote after it, inside a string that is escaped as a whole.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackslashRun {
    /// Where it ends, its quote included.
    pub(crate) end: usize,
    /// Whether its last two characters are the closing quote.
    pub(crate) closes: bool,
}

/// Reads the backslashes at this place. Escaping doubles each of them and puts one before each
/// quote, so one of a quote's own (an odd half) means that the quote is inside the string.
pub(crate) fn backslash_run(input: &Input<'_>, at: usize) -> Look<BackslashRun> {
    let mut end = at;
    while input.peek(end)? == Some(b'\\') {
        end += 1;
    }
    let count = end - at;
    if input.byte(end) == Some(b'"') {
        return Some(BackslashRun { end: end + 1, closes: count % 4 == 1 });
    }
    Some(BackslashRun { end, closes: false })
}
