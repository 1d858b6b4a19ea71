//! A text in pieces, as a stream would bring it.

use std::num::NonZeroUsize;

/// The text in pieces of so many bytes, or whole. A piece that would end inside a character takes
/// the rest of it along: half a character is nothing that can be told.
pub(super) fn pieces(text: &str, size: Option<NonZeroUsize>) -> impl Iterator<Item = &str> {
    let size = size.map_or(text.len().max(1), NonZeroUsize::get);
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let mut end = (start / size + 1) * size;
        while end < text.len() && !text.is_char_boundary(end) {
            end += 1;
        }
        let piece = text.get(start..end.min(text.len()))?;
        start += piece.len();
        Some(piece)
    })
}
