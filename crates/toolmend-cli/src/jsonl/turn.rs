//! A turn on its way out: calls, refusals, and the report of what was done.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;
use toolmend::{Echo, Findings, Match, Repair, Search, Tool};
use toolmend_json::{Fault, Trust};

use super::Settings;
use super::call::{Answer, Declared, Desk, Way};
use super::id;
use super::line::Line;
use super::refusal::{Reason, Refused};
use super::tally::Tally;
use super::tools::Tools;
use crate::console::{BOLD, RED};
use crate::json_out::{Object, quoted};

/// Rules that are not about the schema: no arguments mean an empty object, a name that is not quite
/// the tool's, arguments that only their position names.
const EMPTY_ARGUMENTS: &str = "empty-arguments";
const TOOL_NAME: &str = "tool-name";
const POSITIONAL: &str = "positional-arguments";

/// What comes of a line.
#[derive(Debug, Default)]
pub(super) struct Turn {
    calls: Vec<String>,
    refused: Vec<Refused>,
    repairs: Vec<String>,
    faults: Vec<String>,
    truncations_fixed: usize,
    notes: Vec<String>,
    /// How many of the calls are as they were.
    untouched: usize,
    /// How many calls were found in text.
    scavenged: usize,
    /// The calls so far, to tell the same call a second time.
    known: Vec<(String, Value)>,
    /// The content without the calls that stood in it.
    content: Option<String>,
    /// For a person, where that is wanted.
    pub(super) told: String,
}

/// Where a fault was found.
#[derive(Clone, Copy, Debug)]
enum Found {
    Call(usize),
    Refused(usize),
}

impl Turn {
    pub(super) fn of(
        line: &Line<'_>,
        tools: &Tools,
        settings: Settings,
        name: &str,
        number: usize,
    ) -> Self {
        let mut turn = Self::default();
        let read = line.calls.iter().map(|raw| (raw.get(), Declared::read(raw)));
        let declared: Vec<(&str, Option<Declared<'_>>)> = read.collect();
        let mut ids = Ids::of(line, number, &declared);
        for (index, (raw, call)) in declared.iter().enumerate() {
            let Some(call) = call else {
                turn.refuse(None, Reason::Malformed, "the call is not an object", quoted(raw));
                continue;
            };
            let Some((_, tool)) = &call.name else {
                turn.refuse(Some(call), Reason::NoName, "the call has no name", quoted(raw));
                continue;
            };
            let found = tools.resolve(tool);
            if found.is_none() && !tools.set().is_empty() {
                let closest = tools.set().closest(tool).join(", ");
                let message =
                    format!("no offered tool is called {tool}; the closest are: {closest}");
                turn.refuse(Some(call), Reason::UnknownTool, &message, quoted(raw));
                continue;
            }
            let desk = Desk {
                settings,
                known: found.and_then(|(tool, _)| tools.known(tool.name())),
                is_turn_cut: line.is_cut(),
                name: &format!("{name} tool_calls[{index}] {tool}"),
            };
            let answer = desk.mend(call.arguments);
            turn.take(call, answer, found, settings.trust, &mut ids);
        }
        if line.may_call() {
            turn.search(line, tools, settings, &mut ids);
        }
        turn
    }

    /// Adds the calls that stand in the text of the turn.
    fn search(&mut self, line: &Line<'_>, tools: &Tools, settings: Settings, ids: &mut Ids) {
        let echo = Echo::of(&line.messages());
        let search = Search {
            tools: tools.set(),
            echo: &echo,
            trust: settings.trust,
            is_turn_cut: line.is_cut(),
            declared: &self.known,
            chunk: settings.chunk,
        };
        let Findings { calls, refused, content, .. } =
            search.run(&line.text("content"), &line.text("reasoning"));
        self.content = content;
        for call in calls {
            let at = self.calls.len();
            self.scavenged += 1;
            let place = call.channel.as_str();
            self.notes.push(format!("call {at}: found in the {place} as {}", call.dialect));
            if settings.explain.is_some() {
                let _ = writeln!(
                    self.told,
                    "{BOLD}found:{BOLD:#} {} in the {place}, written as {}",
                    call.name, call.dialect
                );
            }
            self.rename(call.named, at);
            if call.is_positional {
                self.repairs.push(repair(POSITIONAL, "", Trust::Likely, at));
            }
            self.repairs.extend(call.repairs.iter().map(|made| repair_of(made, at)));
            let given = call.id.map(|id| quoted(&id)).filter(|id| !ids.taken.contains(id));
            if let Some(id) = &given {
                ids.taken.insert(id.clone());
            }
            let out = Object::new()
                .raw("id", &ids.next(given.as_deref(), at))
                .string("name", &call.name)
                .raw("arguments", &call.arguments.to_string())
                .string("outcome", "mended")
                .boolean("lossy", false);
            self.calls.push(out.finish());
        }
        for no in refused {
            if settings.explain.is_some() {
                let line = no.raw.lines().next().unwrap_or_default();
                let _ = writeln!(
                    self.told,
                    "{RED}no call:{RED:#} {BOLD}{}{BOLD:#} in the {}: {} ({})\n    {line}",
                    no.name,
                    no.channel.as_str(),
                    no.message,
                    no.reason.id(),
                );
            }
            self.refused.push(Refused {
                id: None,
                name: Some(quoted(&no.name)),
                channel: no.channel.as_str(),
                reason: no.reason,
                message: no.message,
                raw: quoted(&no.raw),
            });
        }
    }

    fn rename(&mut self, how: Match, at: usize) {
        match how {
            Match::Exact => {}
            Match::Folded | Match::Synonym => {
                self.repairs.push(repair(TOOL_NAME, "", Trust::Exact, at));
            }
            _ => self.repairs.push(repair(TOOL_NAME, "", Trust::Likely, at)),
        }
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            turns: 1,
            mended: self.calls.len() - self.untouched,
            untouched: self.untouched,
            refused: self.refused.len(),
            bad_lines: 0,
        }
    }

    /// The line out.
    pub(super) fn to_json(&self, line: &Line<'_>) -> String {
        let report = Object::new()
            .list("repairs", self.repairs.iter().cloned())
            .list("faults", self.faults.iter().cloned())
            .number("scavenged", self.scavenged)
            .number("truncations_fixed", self.truncations_fixed)
            .number("storms_broken", 0)
            .list("notes", self.notes.iter().map(|note| quoted(note)))
            .finish();
        let mut out = Object::new()
            .raw("id", line.raw("id"))
            .raw("reasoning", line.raw("reasoning"))
            .raw("content", &self.content(line))
            .list("tool_calls", self.calls.iter().cloned())
            .raw("finish_reason", &self.finish_reason(line))
            .list("refused", self.refused.iter().map(Refused::to_json))
            .raw("report", &report);
        for (name, value) in line.unknown() {
            out = out.raw(name, value);
        }
        out.finish()
    }

    /// The content without the calls that stood in it; nothing but white space is nothing.
    fn content(&self, line: &Line<'_>) -> String {
        match &self.content {
            None => line.raw("content").to_owned(),
            Some(text) if text.trim().is_empty() => "null".to_owned(),
            Some(text) => quoted(text),
        }
    }

    /// The finish reason follows the calls.
    fn finish_reason(&self, line: &Line<'_>) -> String {
        let raw = line.raw("finish_reason");
        let reason: Option<String> = serde_json::from_str(raw).ok();
        let reason = reason.as_deref();
        let follows = match reason {
            Some("tool_calls" | "function_call") if self.calls.is_empty() => Some("stop"),
            Some("tool_use") if self.calls.is_empty() => Some("end_turn"),
            None | Some("stop" | "") if self.scavenged > 0 => Some("tool_calls"),
            Some("end_turn") if self.scavenged > 0 => Some("tool_use"),
            _ => None,
        };
        follows.map_or_else(|| raw.to_owned(), quoted)
    }

    fn take(
        &mut self,
        call: &Declared<'_>,
        mut answer: Answer,
        found: Option<(&Tool, Match)>,
        trust: Trust,
        ids: &mut Ids,
    ) {
        self.told.push_str(&answer.told);
        let mut repairs = Vec::new();
        if let (Some((tool, _)), Ok(values)) = (found, &mut answer.values) {
            match fit(values, tool, trust) {
                Ok(made) => repairs = made,
                Err(message) => answer.values = Err((Reason::Mismatch, message)),
            }
        }
        if !repairs.is_empty() && answer.way == Way::Untouched {
            answer.way = Way::Mended;
        }
        match answer.values {
            Ok(values) => {
                let first = self.calls.len();
                let is_renamed = found.is_some_and(|(_, how)| how != Match::Exact);
                let way = if is_renamed && answer.way == Way::Untouched {
                    Way::Mended
                } else {
                    answer.way
                };
                self.deliver(call, found.map(|(tool, _)| tool), &values, way, ids);
                if let Some((_, how)) = found {
                    (first..self.calls.len()).for_each(|at| self.rename(how, at));
                }
                self.repairs.extend(repairs.iter().map(|(at, made)| repair_of(made, first + at)));
                let faults = answer.faults.iter();
                self.faults
                    .extend(faults.map(|(at, fault)| found_at(fault, Found::Call(first + at))));
            }
            Err((reason, message)) => {
                let at = self.refused.len();
                let faults = answer.faults.iter();
                self.faults.extend(faults.map(|(_, fault)| found_at(fault, Found::Refused(at))));
                let raw = match call.arguments {
                    Some(raw) if raw.starts_with('"') => raw.to_owned(),
                    Some(raw) => quoted(raw),
                    None => quoted(call.raw),
                };
                self.refuse(Some(call), reason, &message, raw);
            }
        }
    }

    fn deliver(
        &mut self,
        call: &Declared<'_>,
        tool: Option<&Tool>,
        values: &[String],
        way: Way,
        ids: &mut Ids,
    ) {
        let written = call.name.as_ref().map_or("null", |(raw, _)| raw);
        let resolved = tool.map(|tool| quoted(tool.name()));
        let name = resolved.as_deref().unwrap_or(written);
        let at = self.calls.len();
        if values.len() > 1 {
            self.notes.push(format!("call {at}: {} objects in a row became calls", values.len()));
        }
        match way {
            Way::Closed { .. } => {
                self.truncations_fixed += 1;
                self.notes.push(format!("call {at}: the arguments were cut and were closed"));
            }
            Way::Filled => {
                self.repairs.push(empty_arguments(at));
                self.notes.push(format!("call {at}: no arguments; the tool requires none"));
            }
            Way::Mended | Way::Untouched => {}
        }
        let is_untouched = way == Way::Untouched;
        if is_untouched {
            self.untouched += values.len();
        }
        for (index, value) in values.iter().enumerate() {
            let is_last = index + 1 == values.len();
            let mut out = Object::new()
                .raw("id", &ids.next(call.id.filter(|_| index == 0), self.calls.len()))
                .raw("name", name)
                .raw("arguments", value)
                .string("outcome", if is_untouched { "untouched" } else { "mended" })
                .boolean("lossy", is_last && way == Way::Closed { is_lossy: true });
            for (key, value) in call.unknown.iter().filter(|_| index == 0) {
                out = out.raw(key, value);
            }
            self.calls.push(out.finish());
            let value = serde_json::from_str(value).unwrap_or_default();
            self.known.push((tool.map_or(name, Tool::name).to_owned(), value));
        }
    }

    fn refuse(&mut self, call: Option<&Declared<'_>>, reason: Reason, message: &str, raw: String) {
        self.refused.push(Refused {
            id: call.and_then(|call| call.id).map(str::to_owned),
            name: call.and_then(|call| call.name.as_ref()).map(|(raw, _)| (*raw).to_owned()),
            channel: "tool_calls",
            reason,
            message: message.to_owned(),
            raw,
        });
    }
}

fn found_at(fault: &Fault, place: Found) -> String {
    let out = Object::new()
        .string("code", fault.code.id())
        .number("start", fault.span.range().start)
        .number("end", fault.span.range().end);
    match place {
        Found::Call(index) => out.number("call", index),
        Found::Refused(index) => out.number("refused", index),
    }
    .finish()
}

fn empty_arguments(call: usize) -> String {
    repair(EMPTY_ARGUMENTS, "", Trust::Likely, call)
}

fn repair_of(made: &Repair, call: usize) -> String {
    repair(made.rule, &made.path, made.trust, call)
}

fn repair(rule: &str, path: &str, trust: Trust, call: usize) -> String {
    Object::new()
        .string("rule", rule)
        .string("path", path)
        .string("trust", trust.as_str())
        .number("call", call)
        .finish()
}

/// Makes each value fit the tool; what fits already is not touched.
fn fit(values: &mut [String], tool: &Tool, trust: Trust) -> Result<Vec<(usize, Repair)>, String> {
    let mut repairs = Vec::new();
    for (at, text) in values.iter_mut().enumerate() {
        let Ok(value) = serde_json::from_str::<Value>(text) else { continue };
        let repaired = tool.repair(value, trust);
        if let Some(mismatch) = repaired.mismatches.first() {
            return Err(toolmend::mismatch_sentence(mismatch));
        }
        if !repaired.repairs.is_empty() {
            *text = repaired.arguments.to_string();
            repairs.extend(repaired.repairs.into_iter().map(|repair| (at, repair)));
        }
    }
    Ok(repairs)
}

/// The ids of a line: those that calls have, and those that are made.
struct Ids {
    seed: String,
    taken: BTreeSet<String>,
}

impl Ids {
    fn of(line: &Line<'_>, number: usize, calls: &[(&str, Option<Declared<'_>>)]) -> Self {
        let seed = match line.raw("id") {
            "null" => format!("#{number}"),
            id => id.to_owned(),
        };
        let calls = calls.iter().filter_map(|(_, call)| call.as_ref()?.id);
        Self { seed, taken: calls.map(str::to_owned).collect() }
    }

    /// The id that a call has, or a new one, as JSON.
    fn next(&mut self, given: Option<&str>, ordinal: usize) -> String {
        if let Some(id) = given {
            return id.to_owned();
        }
        let made = quoted(&id::make(&self.seed, ordinal, |id| self.taken.contains(&quoted(id))));
        self.taken.insert(made.clone());
        made
    }
}
