//! A turn on its way out: calls, refusals, and the report of what was done.

use std::num::NonZeroUsize;

use toolmend::{
    Abilities, Ask, Declared, Delta, Ended, Next, Recovery, Session, Settings, ToolSet, Written,
};
use toolmend::{
    Call, Change, Echo, Flaw, Mended, Origin, Outcome, Owner, Reason, Refused, Request,
};

use super::call::Spelt;
use super::line::{Line, PARTS};
use super::parts::Parts;
use super::pieces::pieces;
use super::tally::Tally;
use super::{Options, story};
use crate::json_out::{Object, quoted};

/// What comes of a line.
#[derive(Debug)]
pub(super) struct Turn<'l> {
    line: &'l Line<'l>,
    calls: Vec<Spelt<'l>>,
    /// Members of the list of calls that are no calls.
    malformed: Vec<&'l str>,
    mended: Mended,
    /// What the model would be asked next, were there one.
    ask: Option<Box<Ask>>,
    /// For a person, where that is wanted.
    pub(super) told: String,
}

impl<'l> Turn<'l> {
    pub(super) fn of(
        line: &'l Line<'l>,
        tools: &ToolSet,
        settings: &Settings,
        options: Options,
        (name, number): (&str, usize),
    ) -> Self {
        let (mut calls, mut malformed) = (Vec::new(), Vec::new());
        for raw in &line.calls {
            match Spelt::read(raw) {
                Some(call) => calls.push(call),
                None => malformed.push(raw.get()),
            }
        }
        let echo = Echo::of(&line.messages());
        let history = line.history();
        let (may_call, past) = (line.may_call(), history.as_ref().into());
        let request = Request { tools, may_call, echo: &echo, past, settings };
        let id = match line.raw("id") {
            "null" => format!("#{number}"),
            id => id.to_owned(),
        };
        let declared: Vec<Declared> = calls.iter().map(Spelt::declared).collect();
        let mut session = Session::new(&request, &id);
        for piece in pieces(&line.reasoning(), options.chunk) {
            session.push(Delta::Reasoning(piece));
        }
        for piece in pieces(&line.content(), options.chunk) {
            session.push(Delta::Content(piece));
        }
        for (index, call) in declared.iter().enumerate() {
            declare(&mut session, index, call, options.chunk);
        }
        let mended = session.finish(&request, line.finish_reason().as_deref());
        let told = options.explain.map(|how| {
            let is_cut = line.is_cut();
            story::Teller { tools, settings, is_cut, how, name }.tell(&declared, &mended)
        });
        let told = told.unwrap_or_default();
        let can_continue = true;
        let mut recovery = Recovery::new(settings.ask, Abilities { can_continue });
        let ask = match recovery.told(Ended::Whole, mended.clone()) {
            Next::Ask(ask) => Some(ask),
            Next::Deliver(_) => None,
        };
        Self { line, calls, malformed, mended, ask, told }
    }

    pub(super) fn tally(&self) -> Tally {
        let untouched =
            self.mended.calls.iter().filter(|call| call.outcome == Outcome::Untouched).count();
        Tally {
            turns: 1,
            mended: self.mended.calls.len() - untouched,
            untouched,
            refused: self.mended.refused.len() + self.malformed.len(),
            bad_lines: 0,
        }
    }

    /// The line out.
    pub(super) fn to_json(&self) -> String {
        let (line, mended) = (self.line, &self.mended);
        let report = Object::new()
            .list("repairs", mended.report.repairs.iter().map(repair))
            .list("faults", mended.report.faults.iter().map(fault))
            .number("scavenged", mended.report.scavenged)
            .number("truncations_fixed", mended.report.truncations_fixed)
            .number("storms_broken", mended.report.storms_broken)
            .list("notes", mended.report.notes.iter().map(|note| quoted(note)))
            .finish();
        let refused = mended.refused.iter().map(|refused| self.refused(refused));
        let malformed = self.malformed.iter().map(|raw| not_a_call(raw));
        let mut out = Object::new()
            .raw("id", line.raw("id"))
            .raw("reasoning", &self.reasoning())
            .raw("content", &self.content())
            .list("tool_calls", mended.calls.iter().map(|call| self.call(call)))
            .raw("finish_reason", &self.finish_reason())
            .list("refused", refused.chain(malformed));
        if let Some(ask) = &self.ask {
            out = out.raw("ask", &ask.to_value().to_string());
        }
        out = out.raw("report", &report);
        let others = self.taken_apart().map(|parts| parts.others.as_slice()).unwrap_or_default();
        if !others.is_empty() {
            out = out.list(PARTS, others.iter().map(|part| part.get().to_owned()));
        }
        for (name, value) in line.unknown().filter(|(name, _)| others.is_empty() || *name != PARTS)
        {
            out = out.raw(name, value);
        }
        out.finish()
    }

    /// The parts of the content, where one of them became or is a call, so that they stand as one text
    /// now.
    fn taken_apart(&self) -> Option<&Parts<'l>> {
        let has_call =
            |parts: &&Parts<'l>| !parts.calls.is_empty() || self.mended.content.is_some();
        self.line.parts.as_ref().filter(has_call)
    }

    /// Reasoning is never edited; what stood among the parts of the content joins it with their text.
    fn reasoning(&self) -> String {
        match self.taken_apart() {
            Some(parts) if !parts.reasoning.is_empty() => quoted(&self.line.reasoning()),
            _ => self.line.raw("reasoning").to_owned(),
        }
    }

    /// The content without the calls that stood in it; nothing but white space is nothing.
    fn content(&self) -> String {
        let text = self.mended.content.as_ref();
        match text.or_else(|| self.taken_apart().map(|parts| &parts.content)) {
            None => self.line.raw("content").to_owned(),
            Some(text) if text.trim().is_empty() => "null".to_owned(),
            Some(text) => quoted(text),
        }
    }

    fn finish_reason(&self) -> String {
        let raw = self.line.raw("finish_reason");
        self.mended.finish.map_or_else(|| raw.to_owned(), quoted)
    }

    /// A call that is delivered. What the line says of it and this does not know stays.
    fn call(&self, call: &Call) -> String {
        let spelt = match call.origin {
            Origin::Declared { index, part: 0 } => self.calls.get(index),
            _ => None,
        };
        let given = spelt.and_then(|spelt| spelt.id).map(str::to_owned);
        let mut out = Object::new()
            .raw("id", &given.unwrap_or_else(|| quoted(&call.id)))
            .string("name", &call.name)
            .raw("arguments", &call.arguments)
            .string("outcome", call.outcome.as_str())
            .boolean("lossy", call.is_lossy);
        for (key, value) in spelt.map(|spelt| spelt.unknown.as_slice()).unwrap_or_default() {
            out = out.raw(key, value);
        }
        out.finish()
    }

    fn refused(&self, refused: &Refused) -> String {
        let spelt = match refused.origin {
            Origin::Declared { index, .. } => self.calls.get(index),
            Origin::Found { .. } => None,
        };
        let mut out = Object::new();
        if let Some(id) = spelt.and_then(|spelt| spelt.id) {
            out = out.raw("id", id);
        }
        let name = refused.name.as_deref().filter(|name| !name.is_empty()).map(quoted);
        if let Some(name) = name {
            out = out.raw("name", &name);
        }
        out.string("channel", refused.origin.as_str())
            .string("reason", refused.reason.id())
            .string("message", &refused.message)
            .raw("raw", &spelt.map_or_else(|| quoted(&refused.raw), raw_of))
            .finish()
    }
}

/// Gives a call to the session: in pieces where its arguments are text.
fn declare(session: &mut Session, index: usize, call: &Declared, chunk: Option<NonZeroUsize>) {
    match (&call.arguments, chunk) {
        (Written::Text(text), Some(_)) if !text.is_empty() => {
            let (id, name) = (call.id.as_deref(), call.name.as_deref());
            for arguments in pieces(text, chunk) {
                session.push(Delta::Call { index, id, name, arguments });
            }
        }
        _ => session.declare(call.clone()),
    }
}

/// The arguments as a JSON string, or the whole call where it has none.
fn raw_of(spelt: &Spelt<'_>) -> String {
    match spelt.arguments {
        Some(raw) if raw.starts_with('"') && spelt.name.is_some() => raw.to_owned(),
        Some(raw) if spelt.name.is_some() => quoted(raw),
        _ => quoted(spelt.raw),
    }
}

fn not_a_call(raw: &str) -> String {
    Object::new()
        .string("channel", "tool_calls")
        .string("reason", Reason::Malformed.id())
        .string("message", "the call is not an object")
        .raw("raw", &quoted(raw))
        .finish()
}

fn repair(change: &Change) -> String {
    Object::new()
        .string("rule", change.rule)
        .string("path", &change.path)
        .string("trust", change.trust.as_str())
        .number("call", change.call)
        .finish()
}

fn fault(flaw: &Flaw) -> String {
    let out = Object::new()
        .string("code", flaw.code.id())
        .number("start", flaw.span.start)
        .number("end", flaw.span.end);
    match flaw.owner {
        Owner::Call(index) => out.number("call", index),
        Owner::Refused(index) => out.number("refused", index),
    }
    .finish()
}
