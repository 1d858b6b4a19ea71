//! What is allowed: data, with defaults that suit an agent whose tools matter.

use std::collections::{BTreeMap, BTreeSet};

use toolmend_json::Trust;
use toolmend_schema::Tool;

/// What is allowed, for all tools and for some.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How sure a repair must be.
    pub trust: Trust,
    /// What becomes of a call that was cut.
    pub truncation: Truncation,
    /// Which tools may be called from text.
    pub text: TextCalls,
    /// Other names for tools, by the name that a model uses.
    pub synonyms: BTreeMap<String, String>,
    /// What differs for single tools, by name.
    pub tools: BTreeMap<String, ToolSettings>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            trust: Trust::Likely,
            truncation: Truncation::Continue,
            text: TextCalls::default(),
            synonyms: BTreeMap::new(),
            tools: BTreeMap::new(),
        }
    }
}

/// What becomes of a call that was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Truncation {
    /// The model is asked for the rest. Where nobody can be asked, the call is refused.
    #[default]
    Continue,
    /// What is open is closed, and the call is marked lossy.
    Close,
    /// The call is refused.
    Refuse,
}

impl Truncation {
    /// Reads the word for it.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        match word {
            "continue" => Some(Self::Continue),
            "close" => Some(Self::Close),
            "refuse" => Some(Self::Refuse),
            _ => None,
        }
    }

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Close => "close",
            Self::Refuse => "refuse",
        }
    }
}

/// Which tools may be called from text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextCalls {
    /// Only these, where the list is not empty.
    pub allow: BTreeSet<String>,
    /// Never these.
    pub deny: BTreeSet<String>,
}

impl TextCalls {
    /// Whether this tool may be called from text.
    #[must_use]
    pub fn allows(&self, tool: &str) -> bool {
        !self.deny.contains(tool) && (self.allow.is_empty() || self.allow.contains(tool))
    }
}

/// What differs for one tool.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolSettings {
    /// How sure a repair must be.
    pub trust: Option<Trust>,
    /// What becomes of a call that was cut.
    pub truncation: Option<Truncation>,
    /// Whether a call changes something.
    pub mutating: Option<bool>,
    /// Whether repeated calls are right, as for tools that wait.
    pub storm_exempt: Option<bool>,
}

impl Settings {
    /// How sure repairs of this tool's arguments must be.
    #[must_use]
    pub fn trust_of(&self, tool: Option<&Tool>) -> Trust {
        let Some(tool) = tool else { return self.trust };
        let own = self.tools.get(tool.name()).and_then(|own| own.trust);
        own.or(tool.hints().trust).unwrap_or(self.trust)
    }

    /// What becomes of a cut call of this tool.
    #[must_use]
    pub fn truncation_of(&self, tool: Option<&Tool>) -> Truncation {
        let Some(tool) = tool else { return self.truncation };
        let own = self.tools.get(tool.name()).and_then(|own| own.truncation);
        let hinted = || tool.hints().truncation.as_deref().and_then(Truncation::read);
        own.or_else(hinted).unwrap_or(self.truncation)
    }
}
