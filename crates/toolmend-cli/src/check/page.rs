//! The findings for people: each tool as the model sees it, then what is wrong with it.

use std::fmt::Write as _;

use toolmend_schema::{Finding, Linted, Shown, Tool};

use super::level;
use crate::advice::counted;
use crate::console::{BLUE, BOLD, Console, DIM, GREEN, RED, YELLOW};
use crate::glyph::{columns_of, cut, line};

/// Names and shapes that are wider do not widen their columns.
const NAME_COLUMNS_MAX: usize = 32;
const SHAPE_COLUMNS_MAX: usize = 40;

/// Every tool, and a last line that sums up.
pub(super) fn of(linted: &[Linted]) -> String {
    let width = Console::width();
    let mut out = String::new();
    for (number, row) in (1..).zip(linted) {
        match &row.tool {
            Ok((tool, shown)) => add_tool(tool, shown, row, width, &mut out),
            Err(_) => {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "{BOLD}tool {number} of the list{BOLD:#}");
            }
        }
        row.findings.iter().for_each(|finding| add_finding(finding, &mut out));
        out.push('\n');
    }
    let all = || linted.iter().flat_map(|row| &row.findings);
    let errors = all().filter(|finding| finding.is_error).count();
    let warnings = all().count() - errors;
    let style = match (errors, warnings) {
        (0, 0) => GREEN,
        (0, _) => YELLOW,
        _ => RED,
    };
    let tools = counted(linted.len(), "tool");
    let (errors, warnings) = (counted(errors, "error"), counted(warnings, "warning"));
    let _ = writeln!(out, "{style}{tools}: {errors}, {warnings}{style:#}");
    out
}

fn add_tool(tool: &Tool, shown: &Shown, row: &Linted, width: usize, out: &mut String) {
    let form = if shown.is_flat { "shown with flat names" } else { "shown as it is" };
    let size = format!("{}, {form}", shown.size());
    let _ = writeln!(out, "{BOLD}{}{BOLD:#}  {DIM}{size}{DIM:#}", line(tool.name()));
    let about = tool.description().lines().next().unwrap_or_default();
    if !about.is_empty() {
        let _ = writeln!(out, "  {}", cut(about, width.saturating_sub(2)));
    }
    for hint in tool.hints().contract_hint.iter().flat_map(|hint| hint.lines()) {
        let _ = writeln!(out, "  {GREEN}+ {}{GREEN:#}", line(hint));
    }
    // The tool as it is shown has other names than the one of the host.
    if let Ok(seen) = Tool::read(&shown.tool) {
        add_properties(&seen, width, out);
    }
    if !row.hinted.is_empty() {
        let _ = writeln!(out, "  {DIM}not shown: {}{DIM:#}", line(&row.hinted.join(", ")));
    }
}

fn add_properties(tool: &Tool, width: usize, out: &mut String) {
    let rows: Vec<(String, String, String)> = tool
        .properties()
        .iter()
        .map(|name| {
            let mark = if tool.required().contains(name) { "" } else { "?" };
            let shape = tool.shape(name).unwrap_or_default();
            let about = tool.property(name).and_then(|schema| schema.get("description")?.as_str());
            let about = about.and_then(|text| text.lines().next()).unwrap_or_default();
            (format!("{}{mark}", line(name)), cut(&shape, SHAPE_COLUMNS_MAX), line(about))
        })
        .collect();
    let widest = |columns: fn(&(String, String, String)) -> usize, limit: usize| {
        rows.iter().map(columns).max().unwrap_or_default().min(limit)
    };
    let names = widest(|row| columns_of(&row.0), NAME_COLUMNS_MAX);
    let shapes = widest(|row| columns_of(&row.1), SHAPE_COLUMNS_MAX);
    for (name, shape, about) in &rows {
        let (name, shape) = (filled(name, names), filled(shape, shapes));
        let used = columns_of(&name) + columns_of(&shape) + 6;
        let about = cut(about, width.saturating_sub(used).max(16));
        let _ = match about.as_str() {
            "" => writeln!(out, "  {name}  {BLUE}{}{BLUE:#}", shape.trim_end()),
            about => writeln!(out, "  {name}  {BLUE}{shape}{BLUE:#}  {DIM}{about}{DIM:#}"),
        };
    }
}

fn add_finding(finding: &Finding, out: &mut String) {
    let style = if finding.is_error { RED } else { YELLOW };
    let Finding { code, message, help, path, .. } = finding;
    let _ = writeln!(
        out,
        "  {style}{}{style:#}: {} {DIM}[{code}]{DIM:#}",
        level(finding),
        line(message)
    );
    if !path.is_empty() {
        let _ = writeln!(out, "    {DIM}at {}{DIM:#}", line(path));
    }
    let _ = writeln!(out, "    {BLUE}help{BLUE:#}: {}", line(help));
}

/// A text in a column. What is wider pushes the next one.
fn filled(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns_of(text))))
}
