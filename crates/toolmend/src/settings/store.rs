//! What is kept of the turns that went through, where, and for how long; and when to tell that
//! something is wrong.

use serde::{Deserialize, Serialize};

/// What is kept of turns, where, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// A file, a `postgres://` URL, or `none`. Where nothing is said it is a file in the user's
    /// state folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// What is kept.
    pub keep: Keep,
    /// The oldest turns go when the store is larger than this.
    pub bytes_max: u64,
    /// Turns older than this go.
    pub days_max: u32,
    /// The texts of one turn are kept up to this size; beyond it, its messages are left out, and
    /// then all of them.
    pub text_bytes_max: usize,
    /// So many turns may wait to be written; more are counted, and not kept.
    pub queue_max: usize,
    /// Regular expressions: what they match is blanked before anything is written, as keys are.
    pub redact: Vec<String>,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self {
            place: None,
            keep: Keep::Reports,
            bytes_max: 512 << 20,
            days_max: 30,
            text_bytes_max: 256 << 10,
            queue_max: 8192,
            redact: Vec::new(),
        }
    }
}

/// What is kept of a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Nothing.
    None,
    /// What was done to its calls. No value of an argument, no text.
    #[default]
    Reports,
    /// The same, and the texts of turns with a call that was mended or refused.
    Failures,
    /// The same, and the texts of all turns with tools.
    All,
}

impl Keep {
    /// Every word, in the order of how much is kept.
    pub const ALL: [Self; 4] = [Self::None, Self::Reports, Self::Failures, Self::All];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Reports => "reports",
            Self::Failures => "failures",
            Self::All => "all",
        }
    }

    /// Whether texts are kept at all.
    #[must_use]
    pub const fn has_texts(self) -> bool {
        matches!(self, Self::Failures | Self::All)
    }
}

/// When to tell that something is wrong. A limit of 0 is never reached.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Alerts {
    /// At how many minutes is looked.
    pub minutes: u32,
    /// This share of the calls is refused (0.25 is a quarter) …
    pub refused_share: f64,
    /// … of at least so many.
    pub calls_min: u64,
    /// So many calls were held back because they repeat themselves.
    pub storms: u64,
    /// So many turns broke off inside of a reply.
    pub chain_breaks: u64,
}

impl Default for Alerts {
    fn default() -> Self {
        Self { minutes: 15, refused_share: 0.25, calls_min: 20, storms: 5, chain_breaks: 5 }
    }
}
