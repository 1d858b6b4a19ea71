//! What is allowed: data, with defaults that suit an agent whose tools matter. The same data is the
//! settings file: every field is a key there.

mod layers;
mod profile;
mod proxy;
mod store;
mod table;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use toolmend_history::Detectors;
use toolmend_json::Trust;
use toolmend_schema::{Effect, Tool};

pub use layers::{Layer, Layers, SettingsError};
pub use profile::{Continuation, Profile, fits};
pub use proxy::{Mode, ProxySettings};
pub use store::{Alerts, Keep, StoreSettings};
pub use table::Setting;

/// What is allowed, for all tools and for some.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// How sure a repair must be.
    #[serde(with = "words")]
    pub trust: Trust,
    /// What becomes of a call that was cut.
    pub truncation: Truncation,
    /// Which tools may be called from text.
    pub text: TextCalls,
    /// When a model repeats itself, and what is done then.
    pub storm: Storm,
    /// How often a model may be asked again.
    pub ask: AskLimits,
    /// Which schemas are shown flat.
    pub flatten: FlattenWhen,
    /// Other names for tools, by the name that a model uses.
    pub synonyms: BTreeMap<String, String>,
    /// What differs for single tools, by name.
    pub tools: BTreeMap<String, ToolSettings>,
    /// What differs for models, by a pattern of their names (`*` stands for anything).
    pub models: BTreeMap<String, Profile>,
    /// Whether reports may show the values of arguments.
    pub show_values: bool,
    /// How the proxy works.
    pub proxy: ProxySettings,
    /// What is kept of turns.
    pub store: StoreSettings,
    /// When to tell that something is wrong.
    pub alerts: Alerts,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            trust: Trust::Likely,
            truncation: Truncation::Continue,
            text: TextCalls::default(),
            storm: Storm::default(),
            ask: AskLimits::default(),
            flatten: FlattenWhen::default(),
            synonyms: BTreeMap::new(),
            tools: BTreeMap::new(),
            models: BTreeMap::new(),
            show_values: false,
            proxy: ProxySettings::default(),
            store: StoreSettings::default(),
            alerts: Alerts::default(),
        }
    }
}

/// What becomes of a call that was cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
}

/// Which tools may be called from text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
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

/// When a model repeats itself, and what is done then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Storm {
    /// What is done.
    pub mode: StormMode,
    /// The same call again and again.
    pub repeat: Detector,
    /// A few calls in turn.
    pub cycle: Detector,
    /// The same tool with the same error.
    pub failing: Detector,
}

impl Default for Storm {
    fn default() -> Self {
        Self::of(Detectors::LIBRARY)
    }
}

impl Storm {
    /// For a proxy, which knows less of what an agent is about.
    #[must_use]
    pub fn for_proxy() -> Self {
        Self::of(Detectors::PROXY)
    }
}

/// What is done about a storm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StormMode {
    /// The call is held back and the model is asked what it wants, once.
    #[default]
    Suppress,
    /// The call goes out, and an event tells of it.
    Warn,
    /// The turn ends in text.
    Stop,
    /// Nothing.
    Off,
}

/// One way to tell a storm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Detector {
    /// Whether it looks.
    pub on: bool,
    /// At how many calls it looks.
    pub window: usize,
    /// The how-manieth one is too many.
    pub threshold: usize,
}

impl Default for Detector {
    fn default() -> Self {
        Self::of(Detectors::LIBRARY.repeat)
    }
}

/// How often a model may be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskLimits {
    /// In one turn, for whatever reason.
    pub max_asks: u8,
    /// To correct one call.
    pub max_reprompts: u8,
    /// For the rest of one call.
    pub max_continuations: u8,
    /// For a turn whose stream broke.
    pub max_refetches: u8,
}

impl AskLimits {
    /// More than this no setting allows.
    pub const ASKS_MAX: u8 = 4;
    /// More corrections of one call no setting allows.
    pub const REPROMPTS_MAX: u8 = 5;

    /// How often a model may be asked in one turn. Whoever allows no correction wants no asking.
    #[must_use]
    pub const fn asks_max(self) -> u8 {
        match (self.max_reprompts, self.max_asks) {
            (0, _) => 0,
            (_, asks) if asks > Self::ASKS_MAX => Self::ASKS_MAX,
            (_, asks) => asks,
        }
    }
}

impl Default for AskLimits {
    fn default() -> Self {
        Self { max_asks: Self::ASKS_MAX, max_reprompts: 1, max_continuations: 1, max_refetches: 3 }
    }
}

/// Which schemas are shown flat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FlattenWhen {
    /// Whether at all.
    pub when: When,
    /// Schemas with more leaves than this.
    pub leaves: usize,
    /// Schemas that are deeper than this.
    pub depth: usize,
}

impl Default for FlattenWhen {
    fn default() -> Self {
        Self { when: When::Auto, leaves: 10, depth: 2 }
    }
}

/// When something is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// Where the limits say so.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Off,
}

/// What differs for one tool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ToolSettings {
    /// How sure a repair must be.
    #[serde(with = "words::option", skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// What becomes of a call that was cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
    /// Whether a call changes something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mutating: Option<bool>,
    /// Whether repeated calls are right, as for tools that wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storm_exempt: Option<bool>,
}

impl Settings {
    fn own(&self, tool: &Tool) -> Option<&ToolSettings> {
        self.tools.get(tool.name())
    }

    /// How sure repairs of this tool's arguments must be.
    #[must_use]
    pub fn trust_of(&self, tool: Option<&Tool>) -> Trust {
        let Some(tool) = tool else { return self.trust };
        let own = self.own(tool).and_then(|own| own.trust);
        own.or(tool.hints().trust).unwrap_or(self.trust)
    }

    /// What becomes of a cut call of this tool.
    #[must_use]
    pub fn truncation_of(&self, tool: Option<&Tool>) -> Truncation {
        let Some(tool) = tool else { return self.truncation };
        let own = self.own(tool).and_then(|own| own.truncation);
        let hinted = || tool.hints().truncation.as_deref().and_then(Truncation::read);
        own.or_else(hinted).unwrap_or(self.truncation)
    }

    /// What a call of this tool does to the world.
    #[must_use]
    pub fn effect_of(&self, tool: &Tool) -> Effect {
        match self.own(tool).and_then(|own| own.mutating) {
            Some(true) => Effect::Mutating,
            Some(false) => Effect::ReadOnly,
            None => tool.effect(),
        }
    }

    /// Whether repeated calls of this tool are right.
    #[must_use]
    pub fn is_storm_exempt(&self, tool: &Tool) -> bool {
        let own = self.own(tool).and_then(|own| own.storm_exempt);
        own.or(tool.hints().storm_exempt).unwrap_or(false)
    }

    /// What is known of a model: the settings first, then the built-in table.
    #[must_use]
    pub fn profile(&self, model: &str) -> Profile {
        let own = self.models.iter().filter(|(pattern, _)| fits(pattern, model));
        own.fold(Profile::built_in(model), |known, (_, own)| own.over(known))
    }
}

#[cfg(test)]
mod tests {
    use super::Truncation;

    #[test]
    fn each_way_to_end_a_cut_call_has_its_word() {
        let ways = [Truncation::Continue, Truncation::Close, Truncation::Refuse].map(Some);
        assert_eq!(["continue", "close", "refuse"].map(Truncation::read), ways);
        assert_eq!(Truncation::read("end"), None);
    }
}
