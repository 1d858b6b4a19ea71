//! Puts a call into a sentence, a fence, a code span, a block quote, quotation marks.

use crate::draw::Draw;
use crate::phrases::Language;

const INFO_STRINGS: &[&str] =
    &["json", "xml", "text", "", "python", "markdown", "bash", "html", "plaintext", "txt", "js"];

/// A sentence with the call in its slot, on one line or several.
pub(crate) fn sentence(draw: &mut Draw<'_>, template: &str, call: &str) -> String {
    if call.contains("```") {
        // Nobody opens a fence inside a line.
        let (before, after) = template.split_once("{}").unwrap_or((template, ""));
        return format!("{}\n\n{call}\n\n{}", before.trim_end(), after.trim_start());
    }
    let is_flat = draw.rng.chance(50);
    template.replacen("{}", &if is_flat { flat(call) } else { call.to_owned() }, 1)
}

/// A lead and the call behind it, on its own lines as a rule.
pub(crate) fn led(draw: &mut Draw<'_>, lead: &str, call: &str) -> String {
    let is_short = !call.contains('\n');
    let gap = if is_short && draw.rng.chance(20) { " " } else { draw.line_end() };
    format!("{lead}{gap}{call}")
}

/// A fence around it.
pub(crate) fn fence(draw: &mut Draw<'_>, call: &str) -> String {
    let bar = match () {
        () if call.contains("```") => "````",
        () if draw.rng.chance(10) => "~~~",
        () => "```",
    };
    format!("{bar}{}\n{call}\n{bar}", draw.rng.pick(INFO_STRINGS))
}

/// A code span around it.
pub(crate) fn code_span(draw: &mut Draw<'_>, call: &str) -> String {
    let is_flat = call.contains("\n\n") || draw.rng.chance(60);
    let call = if is_flat { flat(call) } else { call.to_owned() };
    match () {
        () if call.contains("```") => format!("```` {call} ````"),
        () if call.contains('`') => format!("`` {call} ``"),
        () => format!("`{call}`"),
    }
}

/// The mark of a block quote before each line.
pub(crate) fn block_quote(call: &str) -> String {
    let lines = call.lines().map(|line| format!("> {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Quotation marks around it.
pub(crate) fn quotation(draw: &mut Draw<'_>, call: &str) -> String {
    let marks: &[(&str, &str)] = match draw.language {
        Language::English => &[("\"", "\""), ("“", "”"), ("'", "'"), ("«", "»"), ("‘", "’")],
        Language::Chinese => &[("“", "”"), ("「", "」"), ("『", "』"), ("\"", "\""), ("《", "》")],
    };
    let (open, close) = draw.rng.pick(marks);
    format!("{open}{call}{close}")
}

fn flat(call: &str) -> String {
    call.split_whitespace().collect::<Vec<_>>().join(" ")
}
