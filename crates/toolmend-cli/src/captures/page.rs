//! Captures for people.

use std::fmt::Write as _;

use clap::builder::styling::Style;
use serde_json::Value;
use toolmend_store::{CallDetail, CallRow};

use crate::console::{BOLD, DIM, GREEN, RED, YELLOW};
use crate::glyph::{columns_of, line, padded};

/// Names take no more columns of a list than this.
const NAME_MAX: usize = 32;

/// The list of calls.
pub(super) fn table(rows: &[CallRow]) -> String {
    let width = |cells: fn(&CallRow) -> usize| rows.iter().map(cells).max().unwrap_or(0);
    let ids = width(|row| row.id.to_string().len());
    let tools = width(|row| columns_of(tool(row))).min(NAME_MAX);
    let models = width(|row| columns_of(&row.model)).min(NAME_MAX);
    let mut out = String::new();
    for row in rows {
        let style = style(&row.outcome);
        let _ = writeln!(
            out,
            "{DIM}{:>ids$}  {}{DIM:#}  {style}{:<10}{style:#}  {}  {DIM}{}{DIM:#}  {}",
            row.id,
            time(row.at_ms),
            row.outcome,
            padded(tool(row), tools),
            padded(&row.model, models),
            what(row)
        );
    }
    out
}

fn tool(row: &CallRow) -> &str {
    row.tool.as_deref().unwrap_or("?")
}

fn what(row: &CallRow) -> String {
    let dialect = row.dialect.iter().map(|dialect| format!("was {dialect}"));
    let rules = row.rules.iter().cloned();
    line(&dialect.chain(row.reason.iter().cloned()).chain(rules).collect::<Vec<_>>().join(", "))
}

fn style(outcome: &str) -> Style {
    match outcome {
        "mended" => GREEN,
        "refused" | "suppressed" => RED,
        "left" => YELLOW,
        _ => Style::new(),
    }
}

/// What became of a call that was not delivered.
fn word(outcome: &str) -> &str {
    match outcome {
        "suppressed" => "held back",
        "left" => "left as text",
        other => other,
    }
}

/// One call in full.
pub(super) fn detail(detail: &CallDetail) -> String {
    let row = &detail.call;
    let style = style(&row.outcome);
    let mut out = format!(
        "{BOLD}{}{BOLD:#}  {style}{}{style:#}  {DIM}call {} · {} · {} over {} · {} µs of work{DIM:#}\n",
        line(tool(row)),
        row.outcome,
        row.id,
        time(row.at_ms),
        line(&row.model),
        line(&row.api),
        detail.spent_us
    );
    if let Some(reason) = &row.reason {
        let _ = writeln!(out, "  {}: {}", word(&row.outcome), line(reason));
    }
    if let Some(dialect) = &row.dialect {
        let _ = writeln!(out, "  stood in the {} as {}", line(&row.channel), line(dialect));
    }
    for repair in &detail.repairs {
        let (rule, path, trust) = (line(&repair.rule), line(&repair.path), line(&repair.trust));
        let _ = writeln!(out, "  {rule} {path}  {DIM}{trust}{DIM:#}");
    }
    for fault in &detail.faults {
        let (code, start, end) = (line(&fault.code), fault.start, fault.end);
        let _ = writeln!(out, "  {DIM}fault{DIM:#} {code} {start}..{end}");
    }
    match &detail.texts {
        Some(texts) => out.push_str(&said(texts)),
        None => {
            let _ = writeln!(out, "  {DIM}its texts were not kept: proxy --keep failures{DIM:#}");
        }
    }
    out
}

fn said(texts: &Value) -> String {
    let mut out = String::new();
    let mut part = |title: &str, text: Option<&str>| {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            let _ = writeln!(out, "\n  {DIM}{}{DIM:#}", line(title));
            for text in text.lines() {
                let _ = writeln!(out, "    {}", line(text));
            }
        }
    };
    turn(&mut part, "declared", texts.get("in"));
    for ask in texts.get("asks").and_then(Value::as_array).into_iter().flatten() {
        let kind = ask.get("kind").and_then(Value::as_str).unwrap_or_default();
        let messages = ask.get("messages").and_then(Value::as_array).into_iter().flatten();
        let words = messages.filter_map(|message| message.get("content")?.as_str());
        let words: Vec<&str> = words.filter(|words| !words.is_empty()).collect();
        let asked =
            if words.is_empty() { "(nothing was added)".to_owned() } else { words.join("\n") };
        part(&format!("asked again to {kind}"), Some(&asked));
        match ask.get("came") {
            None | Some(Value::Null) => part("what came", Some("nothing that helps")),
            came => turn(&mut part, "came", came),
        }
    }
    turn(&mut part, "delivered", texts.get("out"));
    out
}

/// The parts of a turn: thinking and text as they were said, and calls.
fn turn(part: &mut impl FnMut(&str, Option<&str>), title: &str, turn: Option<&Value>) {
    let Some(turn) = turn else { return };
    if title != "delivered" {
        for channel in ["reasoning", "content"] {
            part(channel, turn.get(channel).and_then(Value::as_str));
        }
    }
    for call in turn.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let text = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
        part(&format!("{title} {}", text("name")), Some(text("arguments")));
    }
}

/// The time of day in UTC, and the day: `2026-05-01 12:30:05`.
fn time(ms: i64) -> String {
    let seconds = ms.div_euclid(1000);
    let (day, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, date) = civil(day);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year}-{month:02}-{date:02} {hour:02}:{minute:02}:{second:02}")
}

/// The date of a day since 1970, by the calendar whose years start in March.
fn civil(day: i64) -> (i64, i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, date)
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(time(0), "1970-01-01 00:00:00");
        assert_eq!(time(951_826_554_000), "2000-02-29 12:15:54");
        assert_eq!(time(1_798_761_599_999), "2026-12-31 23:59:59");
    }
}
