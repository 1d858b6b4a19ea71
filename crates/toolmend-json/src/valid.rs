//! Is this JSON? Without a tree.

use serde::de::IgnoredAny;

use crate::escape;

/// Whether the text is valid JSON. Builds no tree, and nesting has no limit.
#[must_use]
pub fn is_valid(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok() && has_whole_surrogates(text.as_bytes())
}

/// Skipping does not look at surrogates, so half a pair is found here. The text is valid JSON, so
/// a backslash stands only in strings.
fn has_whole_surrogates(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let escape = rest.get(at..).unwrap_or_default();
        match escape::valid_width(escape) {
            Some(width) => rest = escape.get(width..).unwrap_or_default(),
            None => return false,
        }
    }
    true
}
