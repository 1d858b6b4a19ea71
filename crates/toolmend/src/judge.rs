//! The gates: a region becomes a call only if all of them hold.

mod around;
mod line;
mod meant;
mod verdict;
mod words;

use std::ops::Range;

use toolmend_dialect::{Found, Region};

use crate::layout::Layout;
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
    /// Where the model goes on with what others say, and the tools that are called before it.
    pub(crate) invented: Option<(usize, Vec<&'a str>)>,
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
            if !region.is_marked {
                self.place(at, around.as_ref(), tool, is_thought)?;
            }
            // The region as a whole was looked for before.
            let own = region.text.get(call.span.clone());
            if own.is_some_and(|own| own != region.text && self.search.echo.has(own)) {
                return Err(echoed());
            }
            let meant = self.meant(at, call, tool, how)?;
            self.asked(at, &meant)?;
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
