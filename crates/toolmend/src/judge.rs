//! The gates: a region becomes a call only if all of them hold.

mod around;
mod between;
mod container;
mod line;
mod meant;
mod record;
mod row;
mod verdict;
mod words;

use std::cell::{Cell, OnceCell};
use std::ops::Range;

use toolmend_dialect::{Found, Region};
use toolmend_json::Trust;

use self::line::is_kept;
use crate::arguments;
use crate::layout::Layout;
use crate::name::Match;
use crate::refusal::{No, Reason};
use crate::search::{Channel, Search};

pub(crate) use meant::sentence;
pub(crate) use verdict::{Others, Verdict};

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
    /// Whether there is one region, and white space at most around it.
    pub(crate) is_alone: bool,
    /// Whether nothing but calls stands in the message, once someone asked.
    pub(crate) is_whole: OnceCell<bool>,
    /// Where the last fence starts that was looked into, and whether it holds nothing but calls.
    pub(crate) fence: Cell<Option<(usize, bool)>>,
    /// Where the model goes on with what others say, and the tools that are called before it.
    pub(crate) invented: Option<(usize, Vec<String>)>,
}

/// A region that was judged, and what is thought of each of its calls.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) range: Range<usize>,
    pub(crate) calls: Vec<(Spot, Verdict)>,
}

/// Where the calls of a region stand, and what is said around them.
struct Place {
    at: usize,
    is_marked: bool,
    around: Result<Option<Range<usize>>, No>,
}

/// Where a call stands in the text, and the dialect it is written in.
#[derive(Debug)]
pub(crate) struct Spot {
    pub(crate) span: Range<usize>,
    pub(crate) dialect: &'static str,
}

impl Judge<'_, '_> {
    /// Judges each call of a region.
    pub(crate) fn region(&self, at: usize, range: Range<usize>, mut region: Region) -> Judged {
        if region.calls.is_empty() {
            return Judged { range, calls: Vec::new() };
        }
        let place =
            Place { at, is_marked: region.is_marked, around: self.around(at, region.is_marked) };
        let mut calls = Vec::with_capacity(region.calls.len());
        for call in &mut region.calls {
            calls.push(self.placed(&place, &range, call));
        }
        Judged { range, calls }
    }

    /// Judges the only call of the only region.
    pub(crate) fn only(
        &self,
        range: &Range<usize>,
        is_marked: bool,
        call: &mut Found,
    ) -> (Spot, Verdict) {
        let place = Place { at: 0, is_marked, around: self.around(0, is_marked) };
        self.placed(&place, range, call)
    }

    fn placed(&self, place: &Place, range: &Range<usize>, call: &mut Found) -> (Spot, Verdict) {
        let span = range.start + call.span.start..range.start + call.span.end;
        let spot = Spot { span, dialect: call.dialect.id };
        let verdict = self.call(place, &spot.span, call);
        (spot, verdict)
    }

    fn call(&self, place: &Place, span: &Range<usize>, call: &mut Found) -> Verdict {
        if is_no_call(&call.name) {
            return Verdict::Text;
        }
        let &Place { at, is_marked, .. } = place;
        let refuse =
            |name: String, (reason, message): No| Verdict::Refused { name, reason, message };
        let Some((tool, how)) = self.search.tools.resolve(&call.name) else {
            return match is_marked {
                true => {
                    let no = self.unknown(&call.name);
                    refuse(std::mem::take(&mut call.name), no)
                }
                false => Verdict::Text,
            };
        };
        let are_of_others = arguments::are_of_others(&call.arguments, tool);
        if are_of_others && !is_marked {
            return Verdict::Text;
        }
        // Not all that a call says may be dropped to make it fit.
        let allowed = self.search.settings.trust_of(Some(tool));
        let trust = match are_of_others {
            true => allowed.min(Trust::Likely),
            false => allowed,
        };
        let is_thought = self.is_thought(at);
        let checked = place.around.clone().and_then(|around| {
            if !is_marked {
                self.not_kept(at, span)?;
                self.recorded(at, span, tool)?;
                self.place(at, around.as_ref(), tool, is_thought)?;
            }
            // The region as a whole was looked for before.
            let is_own = self.regions.get(at).is_some_and(|range| range != span);
            if is_own && self.search.echo.has(self.layout.slice(span.clone())) {
                return Err(echoed());
            }
            let meant = self.meant(at, call, (tool, how), trust)?;
            self.asked(at, &meant)?;
            Ok((around, meant))
        });
        match checked {
            Ok((around, meant)) => Verdict::Call { meant, is_marked, is_thought, around },
            // A name that is spelt as it is offered may have been given away.
            Err(no) if how == Match::Exact => refuse(tool.name().to_owned(), no),
            Err(no) => refuse(std::mem::take(&mut call.name), no),
        }
    }

    /// Other calls of the same code may run.
    fn not_kept(&self, at: usize, span: &Range<usize>) -> Result<(), No> {
        let region = self.regions.get(at).unwrap_or(span);
        let before = self.layout.slice(region.start..span.start.max(region.start));
        match is_kept(before, self.layout.slice(span.clone())) {
            true => Err((Reason::Quoted, "it is data that a program keeps".to_owned())),
            false => Ok(()),
        }
    }

    fn unknown(&self, name: &str) -> No {
        let closest = self.search.tools.closest(name).join(", ");
        (
            Reason::UnknownTool,
            format!("no offered tool is called {name}; the closest are: {closest}"),
        )
    }

    /// The stretches of thinking that reach into a range.
    fn thoughts(&self, range: &Range<usize>) -> &[Range<usize>] {
        let first = self.thinking.partition_point(|span| span.end <= range.start);
        let end = self.thinking.partition_point(|span| span.start < range.end);
        self.thinking.get(first..end).unwrap_or_default()
    }

    fn is_thought(&self, at: usize) -> bool {
        let start = self.regions.get(at).map_or(0, |region| region.start);
        self.channel == Channel::Reasoning || !self.thoughts(&(start..start + 1)).is_empty()
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
