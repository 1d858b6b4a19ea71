//! What `--json` writes for one input. The names of its members are stable.

use toolmend_json::{Accepted, Cut, Document, Fault, Lines, Refusal, Trust, Want};

use crate::advice;
use crate::explain;
use crate::json_out::{Object, quoted};

/// What is reported. The cut is given apart: closing it takes it out of the document.
#[derive(Debug)]
pub(super) struct Report<'a> {
    pub(super) name: &'a str,
    pub(super) document: &'a Document<'a>,
    pub(super) cut: Option<&'a Cut>,
    pub(super) verdict: Result<Accepted, Refusal>,
}

impl Report<'_> {
    /// One line of JSON, without its end. A check tells outcomes only, no values.
    pub(super) fn to_json(&self, want: Want, is_check: bool) -> String {
        let Self { name, document, cut, verdict } = self;
        let lines = Lines::of(document.text());
        let mut report = Object::new().string("file", name).string("outcome", word(verdict));
        let trusts = document.faults().iter().filter_map(|fault| fault.code.trust());
        let is_mended = matches!(verdict, Ok(Accepted::Mended | Accepted::Closed(_)));
        if let Some(trust) = trusts.max().filter(|_| is_mended) {
            report = report.string("trust", trust.as_str());
        }
        if !is_check {
            report = report.list("values", self.values());
        }
        if let Err(refusal) = verdict {
            report = report.raw("refused", &refused(refusal, document, want, &lines));
        }
        report = report.list("faults", document.faults().iter().map(|f| fault(*f, &lines)));
        if explain::is_decoded(document) && !is_check {
            // Places count in this text, not in the file.
            report = report.string("decoded", document.text());
        }
        if let Some(cut) = cut {
            report = report.raw("cut", &cut_report(cut));
        }
        report.finish()
    }

    fn values(&self) -> Vec<String> {
        match self.verdict {
            Ok(Accepted::Untouched) => vec![self.document.text().trim().to_owned()],
            Ok(_) => self.document.values().map(|value| value.to_json()).collect(),
            Err(_) => Vec::new(),
        }
    }
}

fn refused(refusal: &Refusal, document: &Document<'_>, want: Want, lines: &Lines<'_>) -> String {
    let mut refused = Object::new()
        .string("reason", reason(refusal))
        .string("message", &refusal.headline(document, want))
        .string("help", &advice::help(refusal, document));
    if let Some(at) = refusal.place(document) {
        let position = lines.position(at);
        refused = refused
            .number("at", at)
            .number("line", position.line)
            .number("column", position.column);
    }
    refused.finish()
}

fn fault(fault: Fault, lines: &Lines<'_>) -> String {
    let position = lines.position(fault.span.range().start);
    Object::new()
        .string("code", fault.code.id())
        .string("trust", fault.code.trust().map_or("refused", Trust::as_str))
        .number("start", fault.span.range().start)
        .number("end", fault.span.range().end)
        .number("line", position.line)
        .number("column", position.column)
        .finish()
}

fn cut_report(cut: &Cut) -> String {
    let open = cut.open.iter().map(|open| {
        let kind = if open.is_array { "array" } else { "object" };
        Object::new().string("kind", kind).number("start", open.at as usize).finish()
    });
    Object::new()
        .string("place", cut.place.as_str())
        .number("start", cut.token.range().start)
        .number("end", cut.token.range().end)
        .raw("trust", &quoted(cut.trust().as_str()))
        .list("open", open)
        .finish()
}

fn word(verdict: &Result<Accepted, Refusal>) -> &'static str {
    match verdict {
        Ok(Accepted::Untouched) => "untouched",
        Ok(Accepted::Mended) => "mended",
        Ok(Accepted::Closed(_)) => "closed",
        Err(Refusal::Empty) => "empty",
        Err(Refusal::Cut(_)) => "cut",
        Err(_) => "refused",
    }
}

fn reason(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Empty => "empty",
        Refusal::Unreadable(code) => code.id(),
        Refusal::Cut(_) => "cut",
        Refusal::Untrusted(..) => "untrusted",
        Refusal::Shape(_) => "wrong-shape",
    }
}
