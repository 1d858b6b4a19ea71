//! A stretch of the text.

/// A half-open range of bytes in the text of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// Makes a span from two positions. Texts are under 4 GiB ([`crate::Limits`]), so both fit.
    #[must_use]
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: clamp(start), end: clamp(end) }
    }

    /// The bytes it covers, for slicing.
    #[must_use]
    pub const fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// How many bytes it covers.
    #[must_use]
    pub const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it covers nothing.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A position as the tape stores it.
pub(crate) fn clamp(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
