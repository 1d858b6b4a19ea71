//! What was measured, for people.

use std::fmt::Write as _;

use serde_json::Value;

use super::Findings;
use super::score::Score;
use crate::console::{BOLD, DIM, GREEN, RED};
use crate::glyph::{columns_of, line, padded};

/// So many lines that are not right are shown.
const WRONG_MAX: usize = 20;

/// The name of a group takes no more columns than this.
const GROUP_MAX: usize = 40;

/// A table by group, and what is not right.
pub(super) fn table(findings: &Findings, is_captures: bool) -> String {
    let widest = findings.groups.keys().map(|name| columns_of(name)).max().unwrap_or(0);
    let width = widest.clamp(5, GROUP_MAX);
    let mut out = String::new();
    let heads =
        ["lines", "exact", "wrong", "missed", "quiet", "invented"].map(|head| format!("{head:>9}"));
    let shares = ["recall", "precision", "exactness"].map(|head| format!("{head:>11}"));
    let _ = writeln!(out, "{DIM}{:width$}{}{}{DIM:#}", "", heads.concat(), shares.concat());
    for (name, score) in &findings.groups {
        let _ = writeln!(out, "{}{}", padded(name, width), row(score));
    }
    let _ = writeln!(out, "{BOLD}{:width$}{}{BOLD:#}", "all", row(&findings.all));
    if findings.all.unscored > 0 {
        let _ = writeln!(out, "{DIM}{} lines are not scored{DIM:#}", findings.all.unscored);
    }
    let wrong: Vec<_> =
        findings.outcomes.iter().filter(|outcome| outcome.verdict.is_wrong()).collect();
    if is_captures {
        let _ = writeln!(out, "\nOf captures, `exact` is what comes out as it did then.");
    }
    for outcome in wrong.iter().take(WRONG_MAX) {
        let (id, verdict) = (line(&outcome.item.id), outcome.verdict.as_str());
        let class = line(&outcome.item.class);
        let _ = writeln!(out, "{RED}{verdict:<9}{RED:#} {id}  {DIM}{class}{DIM:#}");
    }
    if wrong.len() > WRONG_MAX {
        let _ = writeln!(out, "{DIM}… and {} more: --json{DIM:#}", wrong.len() - WRONG_MAX);
    }
    out
}

fn row(score: &Score) -> String {
    let counts =
        [score.lines(), score.exact, score.wrong, score.missed, score.quiet, score.invented];
    let counts = counts.map(|count| format!("{count:>9}")).concat();
    let shares = [score.recall(), score.precision(), score.exactness()];
    counts + &shares.map(|share| format!("{:>11}", percent(share))).concat()
}

/// A share with one digit behind the point; nothing of nothing is no share.
pub(super) fn percent((part, whole): (usize, usize)) -> String {
    match whole {
        0 => "–".to_owned(),
        whole => {
            let tenths = part * 1000 / whole;
            format!("{}.{} %", tenths / 10, tenths % 10)
        }
    }
}

/// What comes out differently elsewhere.
pub(super) fn changes(changes: &[Value]) -> String {
    let mut out = format!("\n{BOLD}{} lines come out differently there{BOLD:#}\n", changes.len());
    let word = |change: &Value, name: &str| {
        change.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    for change in changes {
        let (here, there) = (word(change, "here"), word(change, "there"));
        let is_right = |verdict: &str| matches!(verdict, "exact" | "quiet");
        let style = match (is_right(&here), is_right(&there)) {
            (true, false) => GREEN,
            (false, true) => RED,
            _ => DIM,
        };
        let id = line(&word(change, "id"));
        let _ = writeln!(out, "{style}{there:>9} → {here:<9}{style:#} {id}");
    }
    out
}
