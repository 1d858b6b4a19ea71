//! Finds the calls that a turn holds as text, decides which of them are meant, and takes exactly
//! those out of the text.

use std::num::NonZeroUsize;
use std::ops::Range;

use serde_json::Value;
use toolmend_dialect::{Event, Region, Scanner};
use toolmend_json::Trust;
use toolmend_schema::Repair;

use crate::evidence::Echo;
use crate::judge::{Judge, Others, Verdict};
use crate::layout::Layout;
use crate::merge::canonical;
use crate::name::Match;
use crate::reasoning;
use crate::refusal::Reason;
use crate::tools::ToolSet;

/// So many calls a turn may have.
const CALLS_MAX: usize = 64;

/// Where a text stood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Channel {
    /// In the answer.
    Content,
    /// In the thinking.
    Reasoning,
}

impl Channel {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Reasoning => "reasoning",
        }
    }
}

/// What to search, and by which rules.
#[derive(Clone, Debug)]
pub struct Search<'a> {
    /// The offered tools.
    pub tools: &'a ToolSet,
    /// What users and tools said.
    pub echo: &'a Echo,
    /// How sure a reading must be.
    pub trust: Trust,
    /// Whether the finish reason says that the turn was cut.
    pub is_turn_cut: bool,
    /// Calls that the turn declares: resolved name and arguments.
    pub declared: &'a [(String, Value)],
    /// The size of the pieces in which text is fed; any size gives the same.
    pub chunk: Option<NonZeroUsize>,
}

/// A call that the text meant.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Meant {
    /// The tool.
    pub name: String,
    /// How its name was understood.
    pub named: Match,
    /// Whether arguments were named by their position.
    pub is_positional: bool,
    /// The arguments, as the tool accepts them.
    pub arguments: Value,
    /// The id, where the dialect has one.
    pub id: Option<String>,
    /// Where it stood.
    pub channel: Channel,
    /// The dialect it was written in.
    pub dialect: &'static str,
    /// What was changed so that the tool accepts it.
    pub repairs: Vec<Repair>,
}

/// Text that is written like a call and is none.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refused {
    /// The name as it was written.
    pub name: String,
    /// Where it stood.
    pub channel: Channel,
    /// Why it is no call.
    pub reason: Reason,
    /// The same for a person.
    pub message: String,
    /// The text as it stands.
    pub raw: String,
}

/// What a search found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Findings {
    /// The calls, in order.
    pub calls: Vec<Meant>,
    /// What was not taken for a call.
    pub refused: Vec<Refused>,
    /// The content without the calls; `None` where it did not change.
    pub content: Option<String>,
}

/// A channel, scanned.
struct Scanned<'t> {
    text: &'t str,
    regions: Vec<(Range<usize>, Region)>,
}

impl Search<'_> {
    /// Searches a turn.
    #[must_use]
    pub fn run(&self, content: &str, reasoning: &str) -> Findings {
        let mut findings = Findings::default();
        if self.tools.is_empty() {
            return findings;
        }
        let content = self.scan(content);
        let thinking = reasoning::spans(content.text);
        let verdicts =
            self.judge(&content, Channel::Content, &thinking, content.text.trim().is_empty());
        let others = self.others(verdicts.iter().flatten().any(Verdict::is_call));
        let removed = self.settle(&content, verdicts, Channel::Content, others, &mut findings);
        if !removed.is_empty() {
            findings.content = Some(without(content.text, &removed));
        }
        if !reasoning.is_empty() {
            let is_empty = content.text.trim().is_empty();
            let scanned = self.scan(reasoning);
            let verdicts = self.judge(&scanned, Channel::Reasoning, &[], is_empty);
            let others = self.others(!findings.calls.is_empty());
            self.settle(&scanned, verdicts, Channel::Reasoning, others, &mut findings);
        }
        findings
    }

    fn others(&self, is_found: bool) -> Others {
        match (self.declared.is_empty(), is_found) {
            (false, _) => Others::Declared,
            (true, true) => Others::Found,
            (true, false) => Others::None,
        }
    }

    fn scan<'t>(&self, text: &'t str) -> Scanned<'t> {
        let mut scanner = Scanner::new(self.tools.offered());
        let mut at = 0;
        let mut regions = Vec::new();
        let mut take = |event: Event<'_>| match event {
            Event::Text(text) => at += text.len(),
            Event::Region(region) => {
                let start = at;
                at += region.text.len();
                regions.push((start..at, region));
            }
        };
        match self.chunk {
            None => scanner.push(text, &mut take),
            Some(size) => {
                for piece in pieces(text, size.get()) {
                    scanner.push(piece, &mut take);
                }
            }
        }
        scanner.finish(&mut take);
        Scanned { text, regions }
    }

    /// Looks at each call of each region on its own.
    fn judge(
        &self,
        scanned: &Scanned<'_>,
        channel: Channel,
        thinking: &[Range<usize>],
        is_content_empty: bool,
    ) -> Vec<Vec<Verdict>> {
        let ranges: Vec<Range<usize>> =
            scanned.regions.iter().map(|(range, _)| range.clone()).collect();
        let judge = Judge {
            search: self,
            channel,
            layout: Layout::new(scanned.text, &ranges),
            text: scanned.text,
            regions: &ranges,
            thinking,
            is_content_empty,
        };
        let regions = scanned.regions.iter().enumerate();
        regions.map(|(at, (_, region))| judge.region(at, region)).collect()
    }

    /// Decides between the calls of a channel, and says which stretches of text became calls.
    fn settle(
        &self,
        scanned: &Scanned<'_>,
        verdicts: Vec<Vec<Verdict>>,
        channel: Channel,
        others: Others,
        findings: &mut Findings,
    ) -> Vec<Range<usize>> {
        let mut removed: Vec<Range<usize>> = Vec::new();
        let mut is_last_removed = None;
        for ((range, region), verdicts) in scanned.regions.iter().zip(verdicts) {
            if region.calls.is_empty() {
                // Marks that stray right behind a call go with it.
                let follows = |end: usize| {
                    scanned.text.get(end..range.start).is_some_and(|gap| gap.trim().is_empty())
                };
                if is_last_removed.is_some_and(follows) {
                    removed.push(range.clone());
                    is_last_removed = Some(range.end);
                }
                continue;
            }
            let mut kept = Vec::new();
            let mut gone = Vec::new();
            for (call, verdict) in region.calls.iter().zip(verdicts) {
                let span = range.start + call.span.start..range.start + call.span.end;
                let verdict = verdict.beside(channel, others);
                match self.take(
                    verdict,
                    channel,
                    scanned.text.get(span.clone()).unwrap_or_default(),
                    findings,
                ) {
                    Some(whole) => gone.push((span, whole)),
                    None => kept.push(span),
                }
            }
            if kept.is_empty() {
                let whole = gone.iter().find_map(|(_, whole)| whole.clone());
                removed.push(whole.unwrap_or_else(|| range.clone()));
                is_last_removed = Some(range.end);
            } else {
                let is_own = |span: &Range<usize>| {
                    kept.iter().all(|other| other.end <= span.start || other.start >= span.end)
                };
                removed.extend(gone.into_iter().map(|(span, _)| span).filter(is_own));
                is_last_removed = None;
            }
        }
        removed
    }

    /// Files a verdict; the stretch around the region that goes with it, if it is a call.
    #[expect(clippy::option_option, reason = "no call; a call; a call with the fence around it")]
    fn take(
        &self,
        verdict: Verdict,
        channel: Channel,
        raw: &str,
        findings: &mut Findings,
    ) -> Option<Option<Range<usize>>> {
        match verdict {
            Verdict::Call { meant, around, .. } => {
                let key = canonical(&meant.name, &meant.arguments);
                let is_known =
                    self.declared.iter().any(|(name, value)| canonical(name, value) == key)
                        || findings
                            .calls
                            .iter()
                            .any(|call| canonical(&call.name, &call.arguments) == key);
                if !is_known && self.declared.len() + findings.calls.len() >= CALLS_MAX {
                    let message = format!("a turn has {CALLS_MAX} calls at most");
                    let reason = Reason::TooManyCalls;
                    let (name, raw) = (meant.name, raw.to_owned());
                    findings.refused.push(Refused { name, channel, reason, message, raw });
                    return None;
                }
                if !is_known {
                    findings.calls.push(*meant);
                }
                Some(around)
            }
            Verdict::Refused { name, reason, message, .. } => {
                findings.refused.push(Refused {
                    name,
                    channel,
                    reason,
                    message,
                    raw: raw.to_owned(),
                });
                None
            }
            Verdict::Text => None,
        }
    }
}

/// The text in pieces of so many bytes; where a piece would end inside a character, the character
/// goes to the next one.
fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start >= text.len() {
            return None;
        }
        let mut end = (start / size + 1) * size;
        while end < text.len() && !text.is_char_boundary(end) {
            end += 1;
        }
        let piece = text.get(start..end.min(text.len()))?;
        start += piece.len();
        Some(piece)
    })
}

/// The text without these stretches.
fn without(text: &str, removed: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in removed {
        if range.start >= at {
            out.push_str(text.get(at..range.start).unwrap_or_default());
            at = range.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
