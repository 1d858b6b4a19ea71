//! Puts the mended turn together: declared calls first, then those that stood in text.

use std::ops::Range;

use serde_json::Value;
use toolmend_json::Trust;
use toolmend_schema::{Rule, Tool};

use crate::declared::{Answer, Desk, Fitted, Way, Wrong};
use crate::ear;
use crate::id::Ids;
use crate::mended::{Call, Mended, Origin, Outcome, Refused};
use crate::name::Match;
use crate::refusal::Reason;
use crate::report::{Change, Flaw, Owner};
use crate::search::{Meant, Search};
use crate::session::Request;
use crate::storm;
use crate::turn::{self, Declared, Written};

/// So much of a value is shown.
const SHOWN_CHARS_MAX: usize = 200;

/// A turn that was heard to its end.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) calls: Vec<Declared>,
    pub(crate) content: ear::Heard<'static>,
    pub(crate) reasoning: ear::Heard<'static>,
    /// How much of the content went out already.
    pub(crate) released: usize,
}

/// A turn that is put together.
pub(crate) struct Assembly<'a> {
    request: Request<'a>,
    id: &'a str,
    reason: Option<&'a str>,
    is_turn_cut: bool,
    /// The calls so far, to tell the same call a second time.
    known: Vec<(String, Value)>,
    out: Mended,
}

/// A declared call on its way out.
struct Delivery<'a> {
    index: usize,
    call: &'a Declared,
    tool: Option<(&'a Tool, Match)>,
    way: Way,
}

impl<'a> Assembly<'a> {
    pub(crate) fn new(request: Request<'a>, id: &'a str, reason: Option<&'a str>) -> Self {
        let is_turn_cut = turn::is_cut(reason);
        Self { request, id, reason, is_turn_cut, known: Vec::new(), out: Mended::default() }
    }

    pub(crate) fn finish(mut self, mut heard: Heard) -> Mended {
        let mut ids = Ids::new(self.id, heard.calls.iter().filter_map(|call| call.id.clone()));
        for (index, call) in heard.calls.iter().enumerate() {
            self.declared(index, call, &mut ids);
        }
        let removed = self.search(&mut heard, &mut ids);
        storm::hold_back(self.request, &self.known, &mut self.out);
        self.out.rest = rest(&heard.content.text, heard.released, &removed);
        let is_blank = |text: &String| text.trim().is_empty();
        if heard.released == 0 && self.out.content.as_ref().is_some_and(is_blank) {
            self.out.rest.clear();
        }
        self.finish_reason();
        if self.request.settings.show_values {
            self.show_values();
        }
        self.out
    }

    /// Notes what each repair gave. Values are data of the user's, so that a host has to ask for it.
    fn show_values(&mut self) {
        let calls = self.out.calls.iter().map(|call| serde_json::from_str(&call.arguments));
        let calls: Vec<Option<Value>> = calls.map(Result::ok).collect();
        let repairs = self.out.report.repairs.iter().filter(|change| !change.path.is_empty());
        let shown = repairs.map(|Change { rule, path, call, .. }| {
            match calls.get(*call).and_then(Option::as_ref).and_then(|value| value.pointer(path)) {
                Some(value) => {
                    let value: String = value.to_string().chars().take(SHOWN_CHARS_MAX).collect();
                    format!("call {call}: {path} is {value} by {rule}")
                }
                None => format!("call {call}: {path} is gone by {rule}"),
            }
        });
        let shown: Vec<String> = shown.collect();
        self.out.report.notes.extend(shown);
    }

    /// The finish reason follows the calls; where none of them stood in text, a note says so.
    fn finish_reason(&mut self) {
        self.out.finish = turn::finish_for(self.reason, &self.out.calls);
        let is_found = self.out.calls.iter().any(|call| call.origin.is_text());
        if let (Some(finish), Some(reason), false) = (self.out.finish, self.reason, is_found) {
            self.note(format!("the finish reason {reason} became {finish}, as the calls have it"));
        }
    }

    fn declared(&mut self, index: usize, call: &Declared, ids: &mut Ids) {
        let Some(name) = call.name.as_deref().filter(|name| !name.is_empty()) else {
            let no = (Reason::NoName, "the call has no name".to_owned());
            self.refuse(index, call, None, Wrong::from(no));
            return;
        };
        let tools = self.request.tools;
        let tool = tools.resolve(name);
        if tool.is_none() && !tools.is_empty() {
            let closest = tools.closest(name).join(", ");
            let message = format!("no offered tool is called {name}; the closest are: {closest}");
            self.refuse(index, call, None, Wrong::from((Reason::UnknownTool, message)));
            return;
        }
        let known = tool.map(|(tool, _)| tool);
        let desk = Desk {
            tool: known,
            offered: tools.offered(),
            trust: self.request.settings.trust_of(known),
            truncation: self.request.settings.truncation_of(known),
            is_turn_cut: self.is_turn_cut,
        };
        let Answer { values, way, faults } = desk.mend(&call.arguments);
        let (first, refused) = (self.out.calls.len(), self.out.refused.len());
        let is_delivered = values.is_ok();
        match values {
            Ok(values) => self.deliver(&Delivery { index, call, tool, way }, values, ids),
            Err(wrong) => self.refuse(index, call, known, wrong),
        }
        let flaws = faults.into_iter().map(|(at, fault)| Flaw {
            code: fault.code,
            span: fault.span.range(),
            owner: if is_delivered { Owner::Call(first + at) } else { Owner::Refused(refused) },
        });
        self.out.report.faults.extend(flaws);
    }

    fn deliver(&mut self, delivery: &Delivery<'_>, values: Vec<Fitted>, ids: &mut Ids) {
        let first = self.out.calls.len();
        let count = values.len();
        if count > 1 {
            self.note(format!("call {first}: {count} objects in a row became calls"));
        }
        match delivery.way {
            Way::Closed { .. } => {
                self.out.report.truncations_fixed += 1;
                self.note(format!("call {first}: the arguments were cut and were closed"));
            }
            Way::Filled => {
                self.change(Rule::EMPTY_ARGUMENTS, Trust::Likely, first);
                self.note(format!("call {first}: no arguments; the tool requires none"));
            }
            Way::Mended | Way::Untouched => {}
        }
        let is_renamed = delivery.tool.is_some_and(|(_, how)| how != Match::Exact);
        let is_untouched = delivery.way == Way::Untouched && !is_renamed;
        for (part, fitted) in values.into_iter().enumerate() {
            let at = self.out.calls.len();
            let given = delivery.call.id.clone().filter(|_| part == 0);
            let is_last = part + 1 == count;
            let name = match delivery.tool {
                Some((tool, how)) => {
                    self.rename(how, at);
                    tool.name()
                }
                None => delivery.call.name.as_deref().unwrap_or_default(),
            };
            self.repaired(&fitted, at);
            self.out.calls.push(Call {
                id: given.unwrap_or_else(|| ids.make(at)),
                name: name.to_owned(),
                arguments: fitted.text,
                outcome: if is_untouched { Outcome::Untouched } else { Outcome::Mended },
                is_lossy: is_last && delivery.way == Way::Closed { is_lossy: true },
                origin: Origin::Declared { index: delivery.index, part },
            });
            self.known.push((name.to_owned(), fitted.value));
        }
    }

    /// Adds the calls that stand in the text of the turn, and says which stretches of the content
    /// they were.
    fn search(&mut self, heard: &mut Heard, ids: &mut Ids) -> Vec<Range<usize>> {
        let search = Search {
            tools: self.request.tools,
            echo: self.request.echo,
            settings: self.request.settings,
            is_turn_cut: self.is_turn_cut,
            is_turn_over: turn::is_over(self.reason),
            declared: &self.known,
            chunk: None,
        };
        let findings = search.settle_turn(&mut heard.content, &mut heard.reasoning);
        for call in findings.calls {
            self.found(call, ids);
        }
        self.out.refused.extend(findings.refused.into_iter().map(|no| Refused {
            id: None,
            name: Some(no.name),
            origin: Origin::Found { channel: no.channel, dialect: no.dialect },
            reason: no.reason,
            message: no.message,
            raw: no.raw,
            tool: None,
            advice: String::new(),
        }));
        self.out.content = findings.content;
        findings.removed
    }

    fn found(&mut self, call: Meant, ids: &mut Ids) {
        let at = self.out.calls.len();
        self.out.report.scavenged += 1;
        let (channel, dialect) = (call.channel, call.dialect);
        self.note(format!("call {at}: found in the {} as {dialect}", channel.as_str()));
        self.rename(call.named, at);
        let changes = call.changes.into_iter().map(|change| Change { call: at, ..change });
        self.out.report.repairs.extend(changes);
        self.known.push((call.name.clone(), call.arguments.clone()));
        self.out.calls.push(Call {
            id: ids.claim(call.id, at),
            name: call.name,
            arguments: call.arguments.to_string(),
            outcome: Outcome::Mended,
            is_lossy: false,
            origin: Origin::Found { channel, dialect },
        });
    }

    fn repaired(&mut self, fitted: &Fitted, call: usize) {
        let report = &mut self.out.report;
        report.repairs.extend(fitted.repairs.iter().map(|made| Change {
            rule: made.rule,
            path: made.path.clone(),
            trust: made.trust,
            call,
        }));
        report.notes.extend(fitted.notes.iter().map(|note| format!("call {call}: {note}")));
    }

    fn rename(&mut self, how: Match, call: usize) {
        match how {
            Match::Exact => {}
            Match::Folded | Match::Synonym => self.change(Rule::TOOL_NAME, Trust::Exact, call),
            Match::Close => self.change(Rule::TOOL_NAME, Trust::Likely, call),
        }
    }

    fn change(&mut self, rule: &Rule, trust: Trust, call: usize) {
        let path = String::new();
        self.out.report.repairs.push(Change { rule: rule.id, path, trust, call });
    }

    fn note(&mut self, note: String) {
        self.out.report.notes.push(note);
    }

    fn refuse(&mut self, index: usize, call: &Declared, tool: Option<&Tool>, wrong: Wrong) {
        let (reason, message) = wrong.no;
        let name = call.name.as_deref().unwrap_or("the call");
        let advice = wrong.advice.unwrap_or_else(|| advice(name, &message));
        let raw = match &call.arguments {
            Written::Missing => String::new(),
            Written::Text(text) | Written::Object(text) | Written::Other(text) => text.clone(),
        };
        self.out.refused.push(Refused {
            id: call.id.clone(),
            name: call.name.clone(),
            origin: Origin::Declared { index, part: 0 },
            reason,
            message,
            raw,
            tool: tool.map(|tool| tool.name().to_owned()),
            advice,
        });
    }
}

/// What the model is told of a call that has no schema to speak for it.
fn advice(name: &str, message: &str) -> String {
    format!(
        "Tool input rejected: `{name}` did not run: {message}.\n\nCall the tool again with all its arguments, corrected."
    )
}

/// What of the content is left behind the part that went out.
fn rest(text: &str, released: usize, removed: &[Range<usize>]) -> String {
    let mut out = String::new();
    let mut at = released;
    for range in removed {
        if range.end > at {
            out.push_str(text.get(at..range.start.max(at)).unwrap_or_default());
            at = range.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
