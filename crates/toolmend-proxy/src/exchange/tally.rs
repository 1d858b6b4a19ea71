//! What was done to the calls of one reply.

/// Counts of one reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) untouched: usize,
    pub(crate) mended: usize,
    pub(crate) refused: usize,
    pub(crate) scavenged: usize,
    pub(crate) storms: usize,
}

impl Tally {
    /// The value of the header and of the comment that tell it.
    pub(crate) fn header(self) -> String {
        match self {
            Self { mended: 0, refused: 0, .. } => "untouched".to_owned(),
            Self { mended, refused: 0, .. } => format!("mended;n={mended}"),
            Self { mended: 0, refused, .. } => format!("refused;n={refused}"),
            Self { mended, refused, .. } => format!("mended;n={mended}, refused;n={refused}"),
        }
    }

    pub(crate) fn is_changed(self) -> bool {
        self.mended + self.refused > 0
    }
}
