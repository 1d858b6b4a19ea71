//! The gates: a region becomes a call only if all of them hold.

use std::ops::Range;

use toolmend_dialect::{Body, Ending, Found, Region};
use toolmend_schema::{Effect, Mismatch, Tool};

use crate::arguments;
use crate::evidence::{After, Lead, Shape, after, find_placeholder, lead};
use crate::layout::{Fence, Layout, without_marks};
use crate::name::Match;
use crate::refusal::{No, Reason};
use crate::report::Change;
use crate::search::{Channel, Meant, Search};

/// What is thought of one call.
#[derive(Debug)]
pub(crate) enum Verdict {
    /// It is meant, as far as it alone can tell.
    Call {
        meant: Box<Meant>,
        is_marked: bool,
        is_thought: bool,
        /// The fence that goes with it.
        around: Option<Range<usize>>,
    },
    /// It is written like a call, and is none.
    Refused { name: String, reason: Reason, message: String },
    /// It is ordinary text.
    Text,
}

impl Verdict {
    /// Whether it is a call that stands in the answer itself.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self, Self::Call { is_thought: false, .. })
    }

    /// What is left of it beside the other calls of the turn.
    pub(crate) fn beside(self, channel: Channel, others: Others) -> Self {
        match self {
            Self::Call { meant, is_thought: true, .. } if others != Others::None => {
                let reason = Reason::InReasoning;
                let message = "the turn has another call".to_owned();
                Self::Refused { name: meant.name, reason, message }
            }
            Self::Call { meant, is_marked: false, .. } if others == Others::Declared => {
                let reason = Reason::BesideCalls;
                let message = "the turn declares calls".to_owned();
                Self::Refused { name: meant.name, reason, message }
            }
            // Thinking is never edited: the call is made, the text stays.
            Self::Call { meant, is_marked, is_thought, .. } if channel == Channel::Reasoning => {
                Self::Call { meant, is_marked, is_thought, around: None }
            }
            verdict => verdict,
        }
    }
}

/// The other calls of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    None,
    /// Some stand in the text.
    Found,
    /// Some are declared.
    Declared,
}

/// So many labels in a row go with what was said before the first.
const LABELS_MAX: usize = 16;

/// Judges the regions of one channel.
pub(crate) struct Judge<'a, 't> {
    pub(crate) search: &'a Search<'a>,
    pub(crate) channel: Channel,
    pub(crate) layout: Layout<'t>,
    pub(crate) text: &'t str,
    pub(crate) regions: &'a [Range<usize>],
    /// Stretches of thinking inside the content.
    pub(crate) thinking: &'a [Range<usize>],
    pub(crate) is_content_empty: bool,
}

impl Judge<'_, '_> {
    /// Judges each call of a region.
    pub(crate) fn region(&self, at: usize, region: &Region) -> Vec<Verdict> {
        let around = self.around(at, region);
        region.calls.iter().map(|call| self.call(at, region, call, &around)).collect()
    }

    fn call(
        &self,
        at: usize,
        region: &Region,
        call: &Found,
        around: &Result<Option<Range<usize>>, No>,
    ) -> Verdict {
        if is_no_call(&call.name) {
            return Verdict::Text;
        }
        let refuse =
            |(reason, message): No| Verdict::Refused { name: call.name.clone(), reason, message };
        let Some((tool, how)) = self.search.tools.resolve(&call.name) else {
            return match region.is_marked {
                true => refuse(self.unknown(&call.name)),
                false => Verdict::Text,
            };
        };
        let is_thought = self.is_thought(at);
        let checked = around.clone().and_then(|around| {
            self.place(region, tool, is_thought)?;
            if region.text.get(call.span.clone()).is_some_and(|text| self.search.echo.has(text)) {
                return Err(echoed());
            }
            let meant = self.meant(region, call, tool, how)?;
            Ok((around, meant))
        });
        match checked {
            Ok((around, meant)) => Verdict::Call {
                meant: Box::new(meant),
                is_marked: region.is_marked,
                is_thought,
                around,
            },
            Err(no) => refuse(no),
        }
    }

    fn unknown(&self, name: &str) -> No {
        let closest = self.search.tools.closest(name).join(", ");
        (
            Reason::UnknownTool,
            format!("no offered tool is called {name}; the closest are: {closest}"),
        )
    }

    fn is_thought(&self, at: usize) -> bool {
        let start = self.regions.get(at).map_or(0, |region| region.start);
        self.channel == Channel::Reasoning || self.thinking.iter().any(|span| span.contains(&start))
    }

    /// What the layout and the words around a region say; the fence that goes with it.
    fn around(&self, at: usize, region: &Region) -> Result<Option<Range<usize>>, No> {
        let Some(range) = self.regions.get(at) else { return Ok(None) };
        if self.layout.is_quoted(range.start) {
            return Err((Reason::Quoted, "it stands in a block quote".to_owned()));
        }
        let is_muse = region.calls.iter().any(|call| call.dialect.id == "muse_glimmer");
        if is_muse && matches!(self.layout.recipient(range.start), Some("self" | "user")) {
            return Err((Reason::Quoted, "its message is not addressed to a tool".to_owned()));
        }
        if self.layout.is_cited(range) {
            return Err((Reason::Quoted, "it stands in quotation marks".to_owned()));
        }
        let fence = self.layout.fence(range.start);
        let around = match fence {
            Some(fence) => self.fenced(at, region, fence)?,
            None => self.unfenced(at, range, region)?,
        };
        let shape = if region.is_marked { Shape::Marked } else { Shape::Bare };
        let own_start = fence.map_or(range.start, |fence| fence.whole.start);
        let message_end = self.layout.message(range).end;
        let own_end = fence.map_or(message_end, |fence| fence.whole.end);
        self.words(at, own_start..own_end, shape)?;
        if self.search.echo.has(&region.text) {
            return Err(echoed());
        }
        Ok(around)
    }

    fn fenced(
        &self,
        at: usize,
        region: &Region,
        fence: &Fence,
    ) -> Result<Option<Range<usize>>, No> {
        let inside = self.regions.iter().filter(|range| fence.inner.contains(&range.start));
        let rest = outside(self.text, fence.inner.clone(), inside);
        if !rest.lines().all(is_idle) {
            return Err((Reason::Fenced, "the fenced block holds more than calls".to_owned()));
        }
        let is_announced = self.lead(at, fence.whole.start) == Lead::Announced;
        if region.is_marked && !is_announced && !self.is_whole() {
            return Err((
                Reason::Fenced,
                "it stands in a fenced block that nothing announces".to_owned(),
            ));
        }
        Ok(Some(fence.whole.clone()))
    }

    fn unfenced(
        &self,
        at: usize,
        range: &Range<usize>,
        region: &Region,
    ) -> Result<Option<Range<usize>>, No> {
        let (before, after) = self.on_line(at, range);
        let (before, after) = (without_marks(before), without_marks(after));
        let (before, after) = (before.as_str(), after.as_str());
        let is_alone = before.trim().trim_matches('`').is_empty() && is_line_end(after);
        if self.layout.is_code(range) && (region.is_marked || !is_alone) {
            return Err((Reason::Quoted, "it stands in backticks".to_owned()));
        }
        let is_inline = match region.is_marked {
            true => {
                (goes_on(after) || ends_sentence(after)) && !is_finished(before) || continues(after)
            }
            false => !is_alone,
        };
        match is_inline {
            true => Err((Reason::Inline, "it stands inside a sentence".to_owned())),
            false => Ok(self.ticks(range).or_else(|| {
                let message = self.layout.message(range);
                (message != *range).then_some(message)
            })),
        }
    }

    /// What stands around a region on its line, other regions left out.
    fn on_line(&self, at: usize, range: &Range<usize>) -> (&str, &str) {
        let before = self.layout.before_on_line(range.start);
        let last = at.checked_sub(1).and_then(|at| self.regions.get(at)).map_or(0, |last| last.end);
        let before =
            before.get(before.len() - before.len().min(range.start - last)..).unwrap_or(before);
        let after = self.layout.after_on_line(range.end);
        let next = self.regions.get(at + 1).map_or(self.text.len(), |next| next.start);
        let after = after.get(..after.len().min(next - range.end)).unwrap_or(after);
        (before, after)
    }

    /// The backticks around a line go with it.
    fn ticks(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let before = self.layout.slice(0..range.start).ends_with('`');
        let after = self.layout.slice(range.end..self.text.len()).starts_with('`');
        (before && after).then(|| range.start - 1..range.end + 1)
    }

    /// What the words before and after say.
    fn words(&self, at: usize, own: Range<usize>, shape: Shape) -> Result<(), No> {
        let Range { start, end } = own;
        match self.lead(at, start) {
            Lead::Announced | Lead::Silent => {}
            Lead::Example => {
                return Err((Reason::Example, "it is introduced as an example".to_owned()));
            }
            Lead::Refusal => return Err((Reason::Warned, "the text warns of it".to_owned())),
            Lead::Possibility => {
                return Err((Reason::Possible, "it is introduced as a possibility".to_owned()));
            }
            Lead::Unclear => {
                return Err((
                    Reason::Quoted,
                    "nothing says that it is a call that is made".to_owned(),
                ));
            }
            Lead::Quotation => {
                return Err((
                    Reason::Quoted,
                    "it is introduced as someone else's words".to_owned(),
                ));
            }
        }
        let next = self.regions.iter().map(|range| range.start).find(|&start| start >= end);
        let rest_end = next.map_or(self.text.len(), |next| self.layout.header_start(next).max(end));
        let thinking = self.thinking.iter().filter(|span| span.end > end && span.start < rest_end);
        let rest = without_marks(&outside(self.text, end..rest_end, thinking));
        let before = self.layout.slice(0..start).trim_end();
        if (continues(&rest) || ends_sentence(&rest)) && before.ends_with(char::is_alphanumeric) {
            return Err((Reason::Inline, "a sentence goes on around it".to_owned()));
        }
        match after(&rest, next.is_some(), shape) {
            After::Silent => Ok(()),
            After::Example => Err((Reason::Example, "the text calls it an example".to_owned())),
            After::Refusal => {
                Err((Reason::Warned, "the text says that it does not run".to_owned()))
            }
        }
    }

    /// The words that lead to a place. Where nothing stands between two regions, the words before
    /// the first lead to both.
    fn lead(&self, at: usize, start: usize) -> Lead {
        let own = self.own_lead(at, start);
        // A label goes with the call before it, where calls are listed without marks.
        let before = at.checked_sub(1).and_then(|at| Some((at, self.regions.get(at)?)));
        match (own, before) {
            (Lead::Unclear, Some((at, region))) if at < LABELS_MAX && self.is_listed(at) => {
                let start =
                    self.layout.fence(region.start).map_or(region.start, |fence| fence.whole.start);
                self.lead(at, start)
            }
            _ => own,
        }
    }

    /// Whether a region and the one behind it are written without marks, in the same way.
    fn is_listed(&self, at: usize) -> bool {
        let first = |at: usize| {
            self.regions.get(at).and_then(|range| self.layout.slice(range.clone()).chars().next())
        };
        let is_bare = |c: char| matches!(c, '{' | '[') || c.is_alphabetic();
        first(at) == first(at + 1) && first(at).is_some_and(is_bare)
    }

    fn own_lead(&self, at: usize, start: usize) -> Lead {
        let line = self.layout.before_on_line(self.layout.header_start(start));
        let is_on_line = !without_marks(line).trim().is_empty();
        let mut start = start;
        let mut from = 0;
        for before in self.regions.get(..at).unwrap_or_default().iter().rev() {
            let fence = self.layout.fence(before.start);
            let gap_start = fence.map_or(before.end, |fence| fence.whole.end).min(start);
            if self.layout.slice(gap_start..start).chars().any(char::is_alphanumeric) {
                from = gap_start;
                break;
            }
            start = fence.map_or(before.start, |fence| fence.whole.start).min(start);
        }
        let start = self.layout.header_start(start);
        let thinking = self.thinking.iter().filter(|span| span.end > from && span.start < start);
        let text = without_marks(&outside(self.text, from..start, thinking));
        lead(&text, is_on_line)
    }

    /// Whether nothing but calls stands in the message.
    fn is_whole(&self) -> bool {
        let rest = outside(self.text, 0..self.text.len(), self.regions.iter().chain(self.thinking));
        let rest = without_marks(&rest);
        let is_idle = |line: &str| {
            !line.chars().any(char::is_alphanumeric) || line.trim_start().starts_with("```")
        };
        rest.lines().all(is_idle)
    }

    /// The gates that depend on the place and the tool.
    fn place(&self, region: &Region, tool: &Tool, is_thought: bool) -> Result<(), No> {
        if region.is_marked {
            return Ok(());
        }
        if is_thought && !(self.is_content_empty && self.is_whole()) {
            let message = "a call without marks in the reasoning is no call".to_owned();
            return Err((Reason::InReasoning, message));
        }
        if tool.effect() == Effect::Mutating && !self.is_whole() {
            let message =
                format!("{} changes things, and this is not the whole message", tool.name());
            return Err((Reason::NotAlone, message));
        }
        Ok(())
    }

    /// The call as the tool accepts it.
    fn meant(&self, region: &Region, call: &Found, tool: &Tool, how: Match) -> Result<Meant, No> {
        // More parameters may have been to come.
        let is_open = call.ending == Ending::Unclosed
            && matches!(call.dialect.call.body, Body::Tags | Body::Map);
        let is_cut =
            call.ending == Ending::Cut || is_open && self.search.is_turn_cut && self.ends(region);
        if is_cut {
            return Err((Reason::Cut, "the text ends inside the call".to_owned()));
        }
        let object = arguments::object(&call.arguments, tool).map_err(|reason| {
            (reason, format!("the arguments of {} cannot be read", tool.name()))
        })?;
        if object.trust > self.search.trust {
            let message = format!("reading the arguments is only {}", object.trust.as_str());
            return Err((Reason::Untrusted, message));
        }
        let repaired = tool.repair(object.value, self.search.trust);
        if let Some(mismatch) = repaired.mismatches.first() {
            return Err((Reason::Mismatch, sentence(mismatch)));
        }
        if let Some(value) = find_placeholder(&repaired.arguments) {
            return Err((Reason::Placeholder, format!("`{value}` only stands for a value")));
        }
        let mut changes = object.changes;
        changes.extend(repaired.repairs.into_iter().map(Change::of));
        Ok(Meant {
            name: tool.name().to_owned(),
            named: how,
            arguments: repaired.arguments,
            id: call.id.clone(),
            channel: self.channel,
            dialect: call.dialect.id,
            changes,
        })
    }

    /// Whether the text ends with this region, or with the start of a mark behind it.
    fn ends(&self, region: &Region) -> bool {
        let last = self.text.rfind(&region.text).map_or(0, |at| at + region.text.len());
        let after = self.layout.slice(last..self.text.len()).trim();
        after.is_empty() || after.starts_with(['<', '[', ']', '✿'])
    }
}

fn echoed() -> No {
    (Reason::Echo, "the same text stands in a user or tool message".to_owned())
}

/// Names by which a model says that it calls nothing.
fn is_no_call(name: &str) -> bool {
    matches!(
        name,
        "no_function"
            | "directly_answer"
            | "directly-answer"
            | "out_of_domain"
            | "None"
            | "none"
            | "all"
            | "final"
    )
}

/// What stands in a range outside these stretches.
fn outside<'r>(
    text: &str,
    range: Range<usize>,
    inside: impl Iterator<Item = &'r Range<usize>>,
) -> String {
    let mut inside: Vec<&Range<usize>> = inside.collect();
    inside.sort_by_key(|range| range.start);
    let mut out = String::new();
    let mut at = range.start;
    for stretch in inside {
        if stretch.start > at {
            out.push_str(text.get(at..stretch.start.min(range.end)).unwrap_or_default());
        }
        at = at.max(stretch.end);
    }
    out.push_str(text.get(at..range.end).unwrap_or_default());
    out
}

/// Whether a line of code beside a call does nothing that matters.
fn is_idle(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.starts_with('#')
        || line.starts_with("//")
        || line.starts_with("import ")
        || line.starts_with("from ")
        || line.starts_with("print(")
        || line.chars().all(|c| matches!(c, ']' | ')' | ';' | ',' | '}' | '[' | '`'))
}

/// Whether a line is over behind a call without marks.
fn is_line_end(after: &str) -> bool {
    let after =
        after.trim().trim_start_matches(['`', ';', ',', '.', ')', ']', '}', '\'', '"']).trim();
    after.is_empty()
        || after.starts_with('#')
        || after.starts_with("//")
        || after.starts_with('[')
        || after.starts_with("+ [")
}

/// Whether words go on behind a region on the same line.
fn goes_on(after: &str) -> bool {
    after.chars().any(char::is_alphanumeric)
}

/// Whether the words behind a region go on with a sentence that it is part of.
fn continues(after: &str) -> bool {
    let after = after.trim_start();
    let first = after.chars().next();
    let is_lower =
        first.is_some_and(|c| c.is_lowercase() || matches!(c, ',' | ')' | '，' | '）' | '；'));
    let is_chinese = first.is_some_and(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    (is_lower || is_chinese) && goes_on(after)
}

/// Whether what stands behind a region ends a sentence that it is part of.
fn ends_sentence(after: &str) -> bool {
    after.trim_start().starts_with(['.', ',', '?', '!', '。', '，', '？', '！', '、'])
}

/// Whether a sentence is over, or nothing stood there.
fn is_finished(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty()
        || before.ends_with(['.', '!', '?', ':', '。', '！', '？', '：', '>', '…', '~'])
}

/// A mismatch for a person; values stay out of it.
pub(crate) fn sentence(mismatch: &Mismatch) -> String {
    let place = if mismatch.path.is_empty() { "the arguments" } else { &mismatch.path };
    format!("{place}: expected {}, got {}", mismatch.expected, mismatch.got)
}
