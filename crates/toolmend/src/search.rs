//! Finds the calls that a turn holds as text, decides which of them are meant, and takes exactly
//! those out of the text.

mod other_turn;
mod second_look;

use std::cell::{Cell, OnceCell};
use std::num::NonZeroUsize;
use std::ops::Range;

use serde_json::Value;

use crate::ear::{Ear, Heard};
use crate::evidence::{Echo, invented};
use crate::judge::{Judge, Judged, Others, Spot, Verdict};
use crate::layout::Layout;
use crate::name::Match;
use crate::reasoning;
use crate::refusal::Reason;
use crate::report::Change;
use crate::settings::Settings;
use crate::tools::ToolSet;

use other_turn::{behind_turn, other_turn};
use second_look::{outside_of, set_thought, take_all_back};

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
    /// What is allowed: how sure a reading must be, which tools may be called from text and what calls
    /// of them do.
    pub settings: &'a Settings,
    /// Whether the finish reason says that the turn was cut.
    pub is_turn_cut: bool,
    /// Whether it says that the turn was over.
    pub is_turn_over: bool,
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
    /// The arguments, as the tool accepts them.
    pub arguments: Value,
    /// The id, where the dialect has one.
    pub id: Option<String>,
    /// Where it stood.
    pub channel: Channel,
    /// The dialect it was written in.
    pub dialect: &'static str,
    /// What was changed so that the tool accepts it, but for its name.
    pub changes: Vec<Change>,
}

/// Text that is written like a call and is none.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Unmeant {
    /// The name as it was written.
    pub name: String,
    /// Where it stood.
    pub channel: Channel,
    /// The dialect it was written in.
    pub dialect: &'static str,
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
    pub refused: Vec<Unmeant>,
    /// The content without the calls; `None` where it did not change.
    pub content: Option<String>,
    /// The stretches of the content that became calls.
    pub(crate) removed: Vec<Range<usize>>,
}

/// Where a call stood, and how it was written there.
struct Place<'t> {
    channel: Channel,
    dialect: &'static str,
    raw: &'t str,
}

impl Search<'_> {
    /// Searches a whole turn.
    #[must_use]
    pub fn run(&self, content: &str, reasoning: &str) -> Findings {
        self.settle_turn(&mut self.hear(content), &mut self.hear(reasoning))
    }

    fn hear<'t>(&self, text: &'t str) -> Heard<'t> {
        let Some(size) = self.chunk else { return Ear::hear(self.tools, text) };
        let mut ear = Ear::new(self.tools);
        pieces(text, size.get()).for_each(|piece| ear.push(piece));
        ear.finish()
    }

    /// Decides what in the texts of a turn is a call.
    ///
    /// The regions are taken out of what was heard.
    pub(crate) fn settle_turn(
        &self,
        content: &mut Heard<'_>,
        reasoning: &mut Heard<'_>,
    ) -> Findings {
        if reasoning.regions.is_empty() {
            if content.regions.is_empty() {
                return Findings::default();
            }
            if let Some(findings) = self.settle_alone(content) {
                return findings;
            }
        }
        self.settle_all(content, reasoning)
    }

    /// Decides between all that was heard.
    fn settle_all(&self, content: &mut Heard<'_>, reasoning: &mut Heard<'_>) -> Findings {
        let mut findings = Findings::default();
        let is_empty = content.text.chars().all(char::is_whitespace);
        if !content.regions.is_empty() {
            let thinking = reasoning::spans(&content.text);
            let mut judged = self.judge(content, Channel::Content, &thinking, is_empty);
            take_all_back(&content.text, &mut judged);
            let ends = |at: usize| thinking.iter().find(|span| span.contains(&at)).map(|s| s.end);
            let answer = outside_of(&content.text, &thinking, &judged);
            set_thought(&content.text, &mut judged, ends, &answer);
            let mut verdicts = judged.iter().flat_map(|judged| &judged.calls);
            let others = self.others(verdicts.any(|(_, verdict)| verdict.is_call()));
            let text = &content.text;
            findings.removed = self.settle(text, judged, Channel::Content, others, &mut findings);
            if !findings.removed.is_empty() {
                findings.content = Some(without(text, &findings.removed));
            }
        }
        if !reasoning.regions.is_empty() {
            let thinking = reasoning::ended(&reasoning.text, &reasoning.regions);
            let mut judged = self.judge(reasoning, Channel::Reasoning, &thinking, is_empty);
            take_all_back(&reasoning.text, &mut judged);
            let end = thinking.last().map_or(0, |span| span.end);
            let ends = |at: usize| (at >= end).then_some(reasoning.text.len());
            let others = self.others(!findings.calls.is_empty());
            // Beside another call none of thinking is one.
            if others == Others::None {
                set_thought(&reasoning.text, &mut judged, ends, &content.text);
            }
            self.settle(&reasoning.text, judged, Channel::Reasoning, others, &mut findings);
        }
        findings
    }

    /// Decides on a content that is one call and nothing else, as most are that hold one. Nothing is
    /// said around it, and it goes with no other.
    fn settle_alone(&self, content: &mut Heard<'_>) -> Option<Findings> {
        let text = content.text.as_ref();
        let [(range, region)] = content.regions.as_slice() else { return None };
        if region.calls.len() != 1 || !is_alone(text, range) {
            return None;
        }
        let (range, mut region) = content.regions.pop()?;
        let judge = Judge {
            search: self,
            channel: Channel::Content,
            layout: Layout::plain(text),
            text,
            regions: std::slice::from_ref(&range),
            thinking: &reasoning::spans_over(text, range.start),
            is_content_empty: false,
            is_alone: true,
            is_whole: OnceCell::new(),
            fence: Cell::new(None),
            invented: None,
        };
        let call = region.calls.first_mut()?;
        let (Spot { span, dialect }, mut verdict) = judge.only(&range, region.is_marked, call);
        verdict.set_beside(Channel::Content, self.others(verdict.is_call()));
        let raw = text.get(span).unwrap_or_default();
        let mut findings = Findings::default();
        let place = Place { channel: Channel::Content, dialect, raw };
        if self.take(verdict, place, &mut findings).is_some() {
            let around = [text.get(..range.start), text.get(range.end..)];
            findings.content = Some(around.map(Option::unwrap_or_default).concat());
            findings.removed = vec![range];
        }
        Some(findings)
    }

    fn others(&self, is_found: bool) -> Others {
        match (self.declared.is_empty(), is_found) {
            (false, _) => Others::Declared,
            (true, true) => Others::Found,
            (true, false) => Others::None,
        }
    }

    /// Looks at each call of each region on its own.
    fn judge(
        &self,
        heard: &mut Heard<'_>,
        channel: Channel,
        thinking: &[Range<usize>],
        is_content_empty: bool,
    ) -> Vec<Judged> {
        let regions = std::mem::take(&mut heard.regions);
        let ranges: Vec<Range<usize>> = regions.iter().map(|(range, _)| range.clone()).collect();
        // What stands before the turn of another that the model ran on into is the message.
        let end = other_turn(&heard.text, &ranges);
        if end < heard.text.len() {
            let before = regions.iter().take_while(|(range, _)| range.end <= end).cloned();
            let text = heard.text.get(..end).unwrap_or_default();
            let mut own = Heard { text: text.into(), regions: before.collect() };
            let mut judged = self.judge(&mut own, channel, thinking, is_content_empty);
            let others = regions.into_iter().skip(judged.len());
            judged.extend(others.map(|(range, region)| behind_turn(range, region)));
            return judged;
        }
        let is_alone = matches!(ranges.as_slice(), [range] if is_alone(&heard.text, range));
        let layout = match is_alone {
            true => Layout::plain(&heard.text),
            false => Layout::new(&heard.text, &ranges),
        };
        let is_aloud = |at: usize| {
            layout.fence(at).is_none() && !thinking.iter().any(|span| span.contains(&at))
        };
        let has_calls = !self.declared.is_empty();
        let invented = match is_alone {
            true => None,
            false => invented(&heard.text, &ranges, has_calls, is_aloud),
        };
        let invented = invented.map(|at| {
            let before = regions.iter().filter(|(range, _)| range.start < at);
            let calls = before.flat_map(|(_, region)| &region.calls);
            (at, calls.map(|call| call.name.clone()).collect())
        });
        let judge = Judge {
            search: self,
            channel,
            layout,
            text: &heard.text,
            regions: &ranges,
            thinking,
            is_content_empty,
            is_alone,
            is_whole: OnceCell::new(),
            fence: Cell::new(None),
            invented,
        };
        let mut judged = Vec::with_capacity(regions.len());
        for (at, (range, region)) in regions.into_iter().enumerate() {
            judged.push(judge.region(at, range, region));
        }
        judged
    }

    /// Decides between the calls of a channel, and says which stretches of text became calls.
    fn settle(
        &self,
        text: &str,
        judged: Vec<Judged>,
        channel: Channel,
        others: Others,
        findings: &mut Findings,
    ) -> Vec<Range<usize>> {
        let mut removed: Vec<Range<usize>> = Vec::with_capacity(judged.len());
        let mut is_last_removed = None;
        for Judged { range, calls } in judged {
            if calls.is_empty() {
                // Marks that stray right behind a call go with it.
                let follows = |end: usize| {
                    text.get(end..range.start).is_some_and(|gap| gap.trim().is_empty())
                };
                if is_last_removed.is_some_and(follows) {
                    is_last_removed = Some(range.end);
                    removed.push(range);
                }
                continue;
            }
            let before = removed.len();
            let (mut kept, mut whole) = (Vec::new(), None);
            for (Spot { span, dialect }, mut verdict) in calls {
                verdict.set_beside(channel, others);
                let raw = text.get(span.clone()).unwrap_or_default();
                let place = Place { channel, dialect, raw };
                match self.take(verdict, place, findings) {
                    Some(around) => {
                        whole = whole.or(around);
                        removed.push(span);
                    }
                    None => kept.push(span),
                }
            }
            if kept.is_empty() {
                is_last_removed = Some(range.end);
                removed.truncate(before);
                removed.push(whole.unwrap_or(range));
            } else {
                let is_shared = |span: &mut Range<usize>| {
                    kept.iter().any(|other| other.end > span.start && other.start < span.end)
                };
                removed.extract_if(before.., is_shared).for_each(drop);
                is_last_removed = None;
            }
        }
        removed
    }

    /// The settings may keep tools from being called by text.
    fn set_allowed(&self, verdict: &mut Verdict) {
        if let Verdict::Call { meant, .. } = verdict
            && !self.settings.text.allows(&meant.name)
        {
            let message = format!("the settings keep {} from being called by text", meant.name);
            let name = std::mem::take(&mut meant.name);
            *verdict = Verdict::Refused { name, reason: Reason::Denied, message };
        }
    }

    /// Files a verdict; the stretch around the region that goes with it, if it is a call.
    #[expect(clippy::option_option, reason = "no call; a call; a call with the fence around it")]
    fn take(
        &self,
        mut verdict: Verdict,
        Place { channel, dialect, raw }: Place<'_>,
        findings: &mut Findings,
    ) -> Option<Option<Range<usize>>> {
        self.set_allowed(&mut verdict);
        match verdict {
            Verdict::Call { meant, around, .. } => {
                // The order of keys does not make two calls of one.
                let is_same =
                    |name: &str, value: &Value| *name == meant.name && *value == meant.arguments;
                let is_known = self.declared.iter().any(|(name, value)| is_same(name, value))
                    || findings.calls.iter().any(|call| is_same(&call.name, &call.arguments));
                if !is_known && self.declared.len() + findings.calls.len() >= CALLS_MAX {
                    let message = format!("a turn has {CALLS_MAX} calls at most");
                    let reason = Reason::TooManyCalls;
                    let (name, raw) = (meant.name, raw.to_owned());
                    findings.refused.push(Unmeant { name, channel, dialect, reason, message, raw });
                    return None;
                }
                match is_known {
                    true => {}
                    // Most turns have no more than one.
                    false if findings.calls.is_empty() => findings.calls = vec![meant],
                    false => findings.calls.push(meant),
                }
                Some(around)
            }
            Verdict::Refused { name, reason, message, .. } => {
                findings.refused.push(Unmeant {
                    name,
                    channel,
                    dialect,
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
    let (mut rest, mut room) = (text, size);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = room;
        while end < rest.len() && !rest.is_char_boundary(end) {
            end += 1;
        }
        // What a character took of the next piece is missing there.
        room = size - (end - room) % size;
        let (piece, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = after;
        Some(piece)
    })
}

/// Whether nothing but white space stands around the one region of a text.
fn is_alone(text: &str, region: &Range<usize>) -> bool {
    let is_blank = |gap: Range<usize>| text.get(gap).is_some_and(|gap| gap.trim().is_empty());
    is_blank(0..region.start) && is_blank(region.end..text.len())
}

/// The text without these stretches.
fn without(text: &str, removed: &[Range<usize>]) -> String {
    let gone = removed.iter().map(ExactSizeIterator::len).sum();
    let mut out = String::with_capacity(text.len().saturating_sub(gone));
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::{Value, json};
    use toolmend_dialect::dialects;

    use super::{Heard, Search};
    use crate::evidence::Echo;
    use crate::settings::Settings;
    use crate::tools::ToolSet;

    /// Checks that a text which is one call comes to the same among others; whether it is one.
    fn is_alike(search: &Search<'_>, text: &str) -> bool {
        let Some(alone) = search.settle_alone(&mut search.hear(text)) else { return false };
        let all = search.settle_all(&mut search.hear(text), &mut Heard::default());
        assert_eq!(format!("{alone:?}"), format!("{all:?}"), "{text}");
        true
    }

    /// The same for settings that decide; for how many of them it is one.
    fn alike(tools: &ToolSet, text: &str) -> usize {
        let echoes = [Echo::default(), Echo::of(&[json!({"role": "user", "content": text})])];
        let declared = ["get_weather", "get_time"].map(|name| (name.to_owned(), json!({})));
        let settings = Settings::default();
        let search = |echo, declared, is_turn_cut| Search {
            tools,
            echo,
            settings: &settings,
            is_turn_cut,
            is_turn_over: !is_turn_cut,
            declared,
            chunk: None,
        };
        let [plain, echo] = &echoes;
        let searches = [
            search(plain, &[], false),
            search(plain, &declared, false),
            search(plain, &[], true),
            search(echo, &[], false),
        ];
        searches.iter().filter(|search| is_alike(search, text)).count()
    }

    #[test]
    fn a_call_alone_is_judged_as_among_others() {
        let (city, days) = (json!({"type": "string"}), json!({"type": "integer"}));
        let schema = json!({"type": "object", "properties": {"city": city, "days": days}});
        let tools = ToolSet::read(&[json!({"name": "get_weather", "parameters": schema})]);
        let values =
            ["</think>", "<think>", "a/b [/THINK]", "string", "{city}", "4.0", "", "\"", "```"];
        let mut alone = 0;
        for example in dialects().map(|dialect| dialect.example) {
            alone += alike(&tools, example) + alike(&tools, &format!(" \n{example}\n\n"));
            alone += alike(&tools, &format!("{example}{example}"));
            for value in values {
                alone += alike(&tools, &example.replace("Lima", value));
                alone += alike(&tools, &example.replacen('2', value, 1));
                alone += alike(&tools, &format!("{value}{example}"));
            }
            for name in ["getWeather", "functions.get_weather", "none", "fly"] {
                alone += alike(&tools, &example.replace("get_weather", name));
            }
            let cuts = example.char_indices().map(|(at, _)| example.split_at(at));
            alone +=
                cuts.map(|(head, tail)| alike(&tools, head) + alike(&tools, tail)).sum::<usize>();
        }
        assert!(alone > 10_000, "{alone}");
    }

    #[test]
    fn a_case_alone_is_judged_as_among_others() {
        let mut alone = 0;
        for path in cases::find(Path::new("../../cases/turn")).expect("there are cases") {
            let text = std::fs::read_to_string(path).expect("a case is text");
            let case = cases::Case::parse(&text).expect("a case has its form");
            let names = case.text("tools").lines().filter_map(|line| line.split('(').next());
            let tools: Vec<Value> = names.map(|name| json!({"name": name})).collect();
            alone += alike(&ToolSet::read(&tools), case.text("content"));
        }
        assert!(alone > 500, "{alone}");
    }
}
