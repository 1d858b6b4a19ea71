//! A turn on its way out: calls, refusals, and the report of what was done.

use std::collections::BTreeSet;

use toolmend_json::{Fault, Trust};

use super::Settings;
use super::call::{Answer, Declared, Desk, Way};
use super::id;
use super::line::Line;
use super::refusal::{Reason, Refused};
use super::tally::Tally;
use super::tools::Tools;
use crate::json_out::{Object, quoted};

/// The rule that lets no arguments mean an empty object.
const EMPTY_ARGUMENTS: &str = "empty-arguments";

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
            let desk = Desk {
                settings,
                known: tools.get(tool),
                is_turn_cut: line.is_cut(),
                name: &format!("{name} tool_calls[{index}] {tool}"),
            };
            let answer = desk.mend(call.arguments);
            turn.take(call, answer, &mut ids);
        }
        turn
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
            .number("scavenged", 0)
            .number("truncations_fixed", self.truncations_fixed)
            .number("storms_broken", 0)
            .list("notes", self.notes.iter().map(|note| quoted(note)))
            .finish();
        let mut out = Object::new()
            .raw("id", line.raw("id"))
            .raw("reasoning", line.raw("reasoning"))
            .raw("content", line.raw("content"))
            .list("tool_calls", self.calls.iter().cloned())
            .raw("finish_reason", line.raw("finish_reason"))
            .list("refused", self.refused.iter().map(Refused::to_json))
            .raw("report", &report);
        for (name, value) in line.unknown() {
            out = out.raw(name, value);
        }
        out.finish()
    }

    fn take(&mut self, call: &Declared<'_>, answer: Answer, ids: &mut Ids) {
        self.told.push_str(&answer.told);
        match answer.values {
            Ok(values) => {
                self.deliver(call, &values, answer.way, ids);
                let first = self.calls.len() - values.len();
                let faults = answer.faults.iter();
                self.faults.extend(faults.map(|(at, fault)| found(fault, Found::Call(first + at))));
            }
            Err((reason, message)) => {
                let at = self.refused.len();
                let faults = answer.faults.iter();
                self.faults.extend(faults.map(|(_, fault)| found(fault, Found::Refused(at))));
                let raw = match call.arguments {
                    Some(raw) if raw.starts_with('"') => raw.to_owned(),
                    Some(raw) => quoted(raw),
                    None => quoted(call.raw),
                };
                self.refuse(Some(call), reason, &message, raw);
            }
        }
    }

    fn deliver(&mut self, call: &Declared<'_>, values: &[String], way: Way, ids: &mut Ids) {
        let name = call.name.as_ref().map_or("null", |(raw, _)| raw);
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
        }
    }

    fn refuse(&mut self, call: Option<&Declared<'_>>, reason: Reason, message: &str, raw: String) {
        self.refused.push(Refused {
            id: call.and_then(|call| call.id).map(str::to_owned),
            name: call.and_then(|call| call.name.as_ref()).map(|(raw, _)| (*raw).to_owned()),
            reason,
            message: message.to_owned(),
            raw,
        });
    }
}

fn found(fault: &Fault, place: Found) -> String {
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
    Object::new()
        .string("rule", EMPTY_ARGUMENTS)
        .string("path", "")
        .string("trust", Trust::Likely.as_str())
        .number("call", call)
        .finish()
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
