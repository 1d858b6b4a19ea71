//! How sure a change is.

/// How sure a rule is that it read what the model meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Trust {
    /// Another spelling of the same meaning.
    Exact,
    /// What stands around leaves one sensible reading.
    Likely,
    /// It could have meant something else. Off unless it is asked for.
    Guess,
}

impl Trust {
    /// The levels, most trusted first.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Likely, Self::Guess];

    /// The word that settings, reports and documents use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Likely => "likely",
            Self::Guess => "guess",
        }
    }
}
