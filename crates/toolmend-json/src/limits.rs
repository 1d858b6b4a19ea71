//! How much the reader takes on.

/// Bounds on what is read. Reading is linear in the text; these bound the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Broken text longer than this is refused unread. Valid text of any length passes.
    pub broken_bytes_max: usize,
    /// Containers may nest this deep.
    pub depth_max: usize,
    /// How many places in surrounding prose are tried as the start of a value.
    pub starts_max: usize,
}

impl Limits {
    /// The same limits with room for broken text of `bytes` bytes.
    #[must_use]
    pub const fn with_broken_bytes_max(self, bytes: usize) -> Self {
        Self { broken_bytes_max: bytes, ..self }
    }

    /// The same limits with another bound on nesting.
    #[must_use]
    pub const fn with_depth_max(self, depth: usize) -> Self {
        Self { depth_max: depth, ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { broken_bytes_max: 256 * 1024, depth_max: 128, starts_max: 32 }
    }
}
