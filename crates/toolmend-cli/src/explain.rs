//! Shows a person what was wrong: the places with carets, what each fault is, and what came of it.

mod excerpt;
mod labels;
mod listing;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::builder::styling::Style;
use toolmend_json::{
    Accepted, Cut, Document, Fault, FaultCode, Lines, Outcome, Refusal, Trust, Want,
};

use crate::advice;
use crate::args::Explain;
use crate::console::{BLUE, BOLD, GREEN, MAGENTA, RED, YELLOW};
use listing::Mark;

/// So many faults of one kind are shown; the rest are counted.
const SHOWN_OF_KIND_MAX: usize = 4;
/// So many open containers are pointed at, innermost last.
const SHOWN_OPEN_MAX: usize = 4;

/// What is to be explained.
#[derive(Debug)]
pub(crate) struct Story<'a> {
    /// The file, or what else names the text.
    pub(crate) name: &'a str,
    pub(crate) document: &'a Document<'a>,
    pub(crate) verdict: Result<Accepted, Refusal>,
    pub(crate) want: Want,
}

impl Story<'_> {
    /// The whole page.
    pub(crate) fn page(&self, how: Explain, width: usize) -> String {
        let text = self.document.text();
        let lines = Lines::of(text);
        let mut out = String::new();
        let (shown, marks) = self.marks(how);
        let marks: Vec<Mark> =
            marks.iter().map(|mark| listing::on_one_line(text, &lines, mark)).collect();
        if !marks.is_empty() {
            let gutter = listing::gutter(&lines, &marks);
            let first = marks.iter().map(|mark| mark.range.start).min().unwrap_or(0);
            let at = lines.position(self.place().unwrap_or(first));
            let decoded = if is_decoded(self.document) { " of the text, decoded once" } else { "" };
            let _ = writeln!(out, "{BLUE}{:gutter$}-->{BLUE:#} {}:{at}{decoded}", "", self.name);
            let _ = writeln!(out, "{BLUE}{:gutter$} |{BLUE:#}", "");
            out.push_str(&listing::render(text, &lines, &marks, width));
            out.push('\n');
            out.push_str(&legend(self.document.faults(), &shown));
        }
        out.push_str(&self.summary(&lines));
        out
    }

    /// Two lines for a text that is refused: what and where, and what to do.
    pub(crate) fn refusal(&self, refusal: &Refusal, lines: &Lines<'_>) -> String {
        let place = self.place().map(|at| format!(":{}", lines.position(at))).unwrap_or_default();
        let headline = refusal.headline(self.document, self.want);
        let code = refusal.code().map(|code| format!(" [{}]", code.id()));
        let code = code.unwrap_or_default();
        let help = advice::help(refusal, self.document);
        let mut out =
            format!("{RED}refused:{RED:#} {BOLD}{}{place}{BOLD:#}: {headline}{code}\n", self.name);
        let is_cut = matches!(refusal, Refusal::Cut(_));
        if let Some(cut) = self.document.cut().filter(|cut| is_cut && !cut.open.is_empty()) {
            let open = advice::open_places(cut, lines);
            let _ = writeln!(out, "{BLUE}   open:{BLUE:#} {open}");
        }
        let _ = writeln!(out, "{BLUE}   help:{BLUE:#} {help}");
        out
    }

    fn place(&self) -> Option<usize> {
        let refusal = self.verdict.as_ref().err()?;
        refusal.place(self.document)
    }

    fn summary(&self, lines: &Lines<'_>) -> String {
        let faults = tally(self.document.faults());
        match &self.verdict {
            Err(refusal) => self.refusal(refusal, lines),
            Ok(Accepted::Untouched) => {
                format!("{GREEN}untouched:{GREEN:#} {}: the text is valid JSON\n", self.name)
            }
            Ok(accepted) => {
                let style = style_of(worst(self.document));
                let is_closed = matches!(accepted, Accepted::Closed(_));
                let word = if is_closed { "closed" } else { "mended" };
                let trust = worst(self.document).map_or("", Trust::as_str);
                let values = match self.document.values().len() {
                    1 => String::new(),
                    several => format!(", {several} values"),
                };
                format!(
                    "{style}{word}:{style:#} {}: {faults}{values}, trust {style}{trust}{style:#}\n",
                    self.name
                )
            }
        }
    }

    /// The faults that are shown, counted by kind, and all marks.
    fn marks(&self, how: Explain) -> (BTreeMap<FaultCode, usize>, Vec<Mark>) {
        let mut shown: BTreeMap<FaultCode, usize> = BTreeMap::new();
        let mut marks = Vec::new();
        let decisive = self.place();
        for fault in self.document.faults() {
            let count = shown.entry(fault.code).or_default();
            let is_decisive = decisive == Some(fault.span.range().start);
            if how == Explain::All || *count < SHOWN_OF_KIND_MAX || is_decisive {
                *count += 1;
                marks.push(Mark {
                    range: fault.span.range(),
                    label: fault.code.id().to_owned(),
                    style: style_of(fault.code.trust()),
                });
            }
        }
        match self.verdict {
            Err(Refusal::Cut(_)) => {
                let cut = self.document.cut().into_iter();
                marks.extend(cut.flat_map(|cut| cut_marks(cut, self.document.text())));
            }
            Err(Refusal::Shape(shape)) => {
                let value = self.document.values().find(|value| value.shape() == shape);
                marks.extend(value.map(|value| Mark {
                    range: value.span().range(),
                    label: shape.named().to_owned(),
                    style: RED,
                }));
            }
            _ => {}
        }
        (shown, marks)
    }
}

/// Whether places are those in the decoded text, not in the file.
pub(crate) fn is_decoded(document: &Document<'_>) -> bool {
    document.faults().iter().any(|fault| fault.code == FaultCode::DoubleEncoded)
}

fn cut_marks(cut: &Cut, text: &str) -> Vec<Mark> {
    let skipped = cut.open.len().saturating_sub(SHOWN_OPEN_MAX);
    let open = cut.open.iter().skip(skipped).map(|open| {
        let at = open.at as usize;
        Mark { range: at..at + 1, label: "still open".to_owned(), style: BLUE }
    });
    let end = text.trim_end().len();
    let (range, label) = if cut.token.is_empty() {
        (end..end, "the text ends here".to_owned())
    } else {
        (cut.token.range(), format!("the text ends in this {}", advice::token(cut.place)))
    };
    let end = Mark { range, label, style: RED };
    open.chain(std::iter::once(end)).collect()
}

/// A line for each kind of fault, in order of first appearance.
fn legend(faults: &[Fault], shown: &BTreeMap<FaultCode, usize>) -> String {
    let mut kinds: Vec<FaultCode> = Vec::new();
    for fault in faults {
        if !kinds.contains(&fault.code) {
            kinds.push(fault.code);
        }
    }
    let id_width = kinds.iter().map(|code| code.id().len()).max().unwrap_or(0);
    let mut out = String::new();
    for code in kinds {
        let style = style_of(code.trust());
        let trust = code.trust().map_or("refused", Trust::as_str);
        let total = faults.iter().filter(|fault| fault.code == code).count();
        let hidden = total - shown.get(&code).copied().unwrap_or(0).min(total);
        let more = match hidden {
            0 => String::new(),
            _ => format!(" … and {hidden} more of this kind (`--explain=all`)"),
        };
        let _ = writeln!(
            out,
            "  {style}{:id_width$}  {trust:<7}{style:#}  {}{more}",
            code.id(),
            code.what()
        );
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// `14 faults of 9 kinds`.
pub(crate) fn tally(faults: &[Fault]) -> String {
    let kinds: std::collections::BTreeSet<FaultCode> =
        faults.iter().map(|fault| fault.code).collect();
    let count = advice::counted(faults.len(), "fault");
    if kinds.len() == faults.len() {
        count
    } else {
        format!("{count} of {}", advice::counted(kinds.len(), "kind"))
    }
}

fn worst(document: &Document<'_>) -> Option<Trust> {
    match document.outcome() {
        Outcome::Mended(trust) => Some(trust),
        _ => None,
    }
}

/// The colour of a trust level; no trust refuses.
pub(crate) fn style_of(trust: Option<Trust>) -> Style {
    match trust {
        Some(Trust::Exact) => GREEN,
        Some(Trust::Likely) => YELLOW,
        Some(Trust::Guess) => MAGENTA,
        None => RED,
    }
}
