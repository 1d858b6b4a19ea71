//! Storms: a model that makes the same calls again and gets nothing new from them.

mod detect;
mod said;
mod window;

use serde_json::Value;

use crate::failure::reads_as_failure;
use crate::{History, ToolResult};
use window::Window;

/// What a host knows about its tools.
pub trait Tools {
    /// Whether a call with these arguments only looks. A call that changes something, or of which
    /// nobody knows, makes earlier looks worth repeating.
    fn is_read_only(&self, name: &str, arguments: &Value) -> bool;

    /// Whether calls of this tool never count: waiting for something is its purpose.
    fn is_exempt(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// Whether this argument only describes the call, so that it does not tell two calls apart.
    fn is_metadata(&self, name: &str, key: &str) -> bool {
        let _ = (name, key);
        false
    }

    /// Whether a result tells of a failure. Most APIs have no mark for it, so by default the text
    /// is looked at.
    fn is_failure(&self, result: &ToolResult<'_>) -> bool {
        result.is_marked_error() || reads_as_failure(&result.text())
    }
}

/// One way of being stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Detector {
    /// The same call with the same result.
    Repeat,
    /// The same round of different calls, with the same results.
    Cycle,
    /// The same tool with the same error, whatever the arguments.
    Failing,
}

impl Detector {
    /// All of them, in the order in which they are asked.
    pub const ALL: [Self; 3] = [Self::Repeat, Self::Cycle, Self::Failing];

    /// The word that settings and reports use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Repeat => "repeat",
            Self::Cycle => "cycle",
            Self::Failing => "failing",
        }
    }
}

/// How far a detector looks back, and how much is too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many calls are looked at, the one at hand included.
    pub window: usize,
    /// At which count a call is one of a storm: identical calls with the one at hand (`repeat`),
    /// whole rounds with the one at hand (`cycle`), failures before the one at hand (`failing`).
    pub threshold: usize,
}

impl Limit {
    /// This threshold within this window.
    #[must_use]
    pub const fn new(threshold: usize, window: usize) -> Self {
        Self { window, threshold }
    }
}

/// Which detectors look, and how. `None` switches one off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detectors {
    /// See [`Detector::Repeat`].
    pub repeat: Option<Limit>,
    /// See [`Detector::Cycle`]. A round of up to `window / threshold` calls is seen.
    pub cycle: Option<Limit>,
    /// See [`Detector::Failing`].
    pub failing: Option<Limit>,
}

impl Detectors {
    /// For an agent's own loop: the third in six.
    pub const LIBRARY: Self = Self {
        repeat: Some(Limit::new(3, 6)),
        cycle: Some(Limit::new(3, 12)),
        failing: Some(Limit::new(3, 6)),
    };

    /// For a proxy, which knows less of what the agent is about: the fifth in ten.
    pub const PROXY: Self = Self {
        repeat: Some(Limit::new(5, 10)),
        cycle: Some(Limit::new(5, 20)),
        failing: Some(Limit::new(5, 10)),
    };
}

/// A call that a model just made and that is not in the history yet.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// The name of the tool.
    pub name: &'a str,
    /// The arguments, mended.
    pub arguments: &'a Value,
}

/// What the detectors say about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Pass,
    /// It is one of a storm.
    Storm(Storm),
}

/// Who saw a storm, and how strong it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storm {
    /// Who saw it.
    pub detector: Detector,
    /// What was counted; see [`Limit::threshold`].
    pub count: usize,
    /// Whether the model was already told: one of the calls that were counted has a
    /// [`crate::reflection`] for a result.
    pub is_told: bool,
}

/// What a host wants done about storms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Tell the model once instead of running the call; then run it with a warning.
    #[default]
    Suppress,
    /// Run the call with a warning.
    Warn,
    /// Tell the model once instead of running the call; then end the turn.
    Stop,
    /// Nothing.
    Off,
}

/// What to do with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Run it.
    Run,
    /// Run it, and say that it looks like a storm.
    Warn,
    /// Answer it with a [`crate::reflection`] instead of running it.
    Suppress,
    /// End the turn in text.
    Stop,
}

impl Verdict {
    /// What to do with a call in this mode.
    #[must_use]
    pub const fn action(self, mode: Mode) -> Action {
        match (self, mode) {
            (Self::Pass, _) | (_, Mode::Off) => Action::Run,
            (Self::Storm(_), Mode::Warn) => Action::Warn,
            (Self::Storm(Storm { is_told: false, .. }), _) => Action::Suppress,
            (Self::Storm(_), Mode::Suppress) => Action::Warn,
            (Self::Storm(_), Mode::Stop) => Action::Stop,
        }
    }
}

/// Judges the calls that a model just made, each in the light of the history and of those before it.
/// There is no other state: whoever has the history says the same.
#[must_use]
pub fn storms(
    history: &History<'_>,
    attempts: &[Attempt<'_>],
    tools: &impl Tools,
    detectors: Detectors,
) -> Vec<Verdict> {
    let mut window = Window::of(history, tools, detectors);
    attempts.iter().map(|attempt| window.judge(attempt, tools)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Action, Detector, Mode, Storm, Verdict};

    #[test]
    fn a_model_is_told_once_and_then_warned_of_or_stopped() {
        let storm =
            |is_told| Verdict::Storm(Storm { detector: Detector::Repeat, count: 3, is_told });
        for (mode, first, again) in [
            (Mode::Suppress, Action::Suppress, Action::Warn),
            (Mode::Stop, Action::Suppress, Action::Stop),
            (Mode::Warn, Action::Warn, Action::Warn),
            (Mode::Off, Action::Run, Action::Run),
        ] {
            let actions = [storm(false).action(mode), storm(true).action(mode)];
            assert_eq!(actions, [first, again], "{mode:?}");
            assert_eq!(Verdict::Pass.action(mode), Action::Run);
        }
    }
}
