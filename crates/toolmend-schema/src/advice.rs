//! The two texts about arguments that could not be repaired: one for the model, which must not see
//! values again that it may have got from elsewhere, and one for the developer.

use std::fmt::{self, Write as _};

use crate::mismatch::Mismatch;
use crate::repair::Repair;
use crate::tool::Tool;

/// The text for the model is never longer.
const BYTES_MAX: usize = 4096;

/// No single shape is told at greater length.
const SHAPE_BYTES_MAX: usize = 400;

/// Ends a text that was too long.
const TRUNCATED: &str = "\n[truncated]";

impl Tool {
    /// The text that tells the model why its call did not run and what to change: each place, what
    /// the schema expects there, and a hint. It has no values in it, and at most 4 KiB.
    #[must_use]
    pub fn advise(&self, mismatches: &[Mismatch]) -> String {
        let mut out = format!("Tool input rejected: `{}` did not run.\n", shorten(self.name(), 64));
        for mismatch in mismatches {
            let Mismatch { path, expected, got, advice, .. } = mismatch;
            let path = if path.is_empty() { "the arguments" } else { path };
            let advice = advice.as_deref().unwrap_or("Give what is expected.");
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "\n{}\n  Expected: {}\n  Got: {got}\n  Try: {}\n",
                shorten(path, SHAPE_BYTES_MAX),
                shorten(expected, SHAPE_BYTES_MAX),
                shorten(advice, SHAPE_BYTES_MAX),
            );
        }
        out.push_str("\nCall the tool again with all its arguments, corrected.");
        if out.len() > BYTES_MAX {
            let kept = prefix(&out, BYTES_MAX - TRUNCATED.len()).len();
            out.truncate(kept);
            out.push_str(TRUNCATED);
        }
        out
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, keyword, expected, got, .. } = self;
        let path = if path.is_empty() { "(root)" } else { path };
        write!(f, "{path}: {keyword}: expected {expected}, got {got}")
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rule, path, trust } = self;
        let path = if path.is_empty() { "(root)" } else { path };
        write!(f, "{rule} {path} {}", trust.as_str())
    }
}

/// A text, cut on a character where it is too long.
fn shorten(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    format!("{}…", prefix(text, bytes_max))
}

fn prefix(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}
