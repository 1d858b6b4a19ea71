//! Holds back calls that repeat themselves, by what the history says.

use serde_json::Value;
use toolmend_history::{
    self as history, Action, Attempt, Detectors, History, Limit, Mode, Verdict,
};
use toolmend_schema::Effect;

use crate::mended::{Mended, Refused, Suppressed};
use crate::refusal::Reason;
use crate::report::{Change, Flaw, Owner};
use crate::session::{Past, Request};
use crate::settings::{Detector, Settings, Storm, StormMode};
use crate::tools::ToolSet;

/// What the settings and the schemas say of tools.
struct Known<'a> {
    tools: &'a ToolSet,
    settings: &'a Settings,
}

impl history::Tools for Known<'_> {
    fn is_read_only(&self, name: &str, _: &Value) -> bool {
        let tool = self.tools.resolve(name);
        tool.is_some_and(|(tool, _)| self.settings.effect_of(tool) == Effect::ReadOnly)
    }

    fn is_exempt(&self, name: &str) -> bool {
        self.tools.resolve(name).is_some_and(|(tool, _)| self.settings.is_storm_exempt(tool))
    }
}

impl Storm {
    /// The settings that have these detectors look.
    pub(crate) fn of(detectors: Detectors) -> Self {
        Self {
            mode: StormMode::default(),
            repeat: Detector::of(detectors.repeat),
            cycle: Detector::of(detectors.cycle),
            failing: Detector::of(detectors.failing),
        }
    }

    fn detectors(&self) -> Detectors {
        Detectors {
            repeat: self.repeat.limit(),
            cycle: self.cycle.limit(),
            failing: self.failing.limit(),
        }
    }

    fn mode(&self) -> Mode {
        match self.mode {
            StormMode::Suppress => Mode::Suppress,
            StormMode::Warn => Mode::Warn,
            StormMode::Stop => Mode::Stop,
            StormMode::Off => Mode::Off,
        }
    }
}

impl Detector {
    pub(crate) fn of(limit: Option<Limit>) -> Self {
        let Limit { window, threshold } = limit.unwrap_or(Limit::new(0, 0));
        Self { on: limit.is_some(), window, threshold }
    }

    fn limit(self) -> Option<Limit> {
        self.on.then_some(Limit::new(self.threshold, self.window))
    }
}

/// Moves calls that are part of a storm out of the turn. `known` are its calls with their values.
pub(crate) fn hold_back(request: Request<'_>, known: &[(String, Value)], turn: &mut Mended) {
    let settings = request.settings;
    if turn.calls.is_empty() || settings.storm.mode == StormMode::Off {
        return;
    }
    let read;
    let history = match request.past {
        Past::Unknown => return,
        Past::Read(history) => history,
        Past::Written(messages, api) => {
            let Ok(history) = History::read(messages, api) else { return };
            read = history;
            &read
        }
    };
    let attempts = turn.calls.iter().zip(known);
    let attempts: Vec<Attempt<'_>> =
        attempts.map(|(call, (_, arguments))| Attempt { name: &call.name, arguments }).collect();
    let tools = Known { tools: request.tools, settings };
    let verdicts = history::storms(history, &attempts, &tools, settings.storm.detectors());
    let mode = settings.storm.mode();
    let mut held = Vec::new();
    let mut notes = Vec::new();
    for (at, (verdict, attempt)) in verdicts.into_iter().zip(&attempts).enumerate() {
        let Verdict::Storm(storm) = verdict else { continue };
        let what = format!("call {at}: {} {} times", storm.detector.as_str(), storm.count);
        match verdict.action(mode) {
            Action::Run => {}
            Action::Warn => notes.push(format!("{what}, and goes out all the same")),
            Action::Suppress | Action::Stop => {
                notes.push(format!("{what}, and is held back"));
                held.push((at, history::reflection(attempt, storm)));
            }
        }
    }
    turn.report.notes.append(&mut notes);
    for (at, reflection) in held.into_iter().rev() {
        suppress(turn, at, reflection);
    }
    turn.suppressed.reverse();
}

fn suppress(turn: &mut Mended, at: usize, reflection: String) {
    let call = turn.calls.remove(at);
    turn.report.storms_broken += 1;
    turn.report.repairs.retain(|change| change.call != at);
    for Change { call, .. } in &mut turn.report.repairs {
        *call -= usize::from(*call > at);
    }
    turn.report.faults.retain(|flaw| flaw.owner != Owner::Call(at));
    for Flaw { owner, .. } in &mut turn.report.faults {
        if let Owner::Call(call) = owner {
            *call -= usize::from(*call > at);
        }
    }
    turn.refused.push(Refused {
        id: Some(call.id.clone()),
        name: Some(call.name.clone()),
        origin: call.origin,
        reason: Reason::Storm,
        message: "the same calls came again and again with the same results".to_owned(),
        raw: call.arguments.clone(),
        tool: Some(call.name.clone()),
        advice: reflection.clone(),
    });
    turn.suppressed.push(Suppressed { call, reflection });
}
