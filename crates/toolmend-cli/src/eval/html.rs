//! What was measured, as a page that stands on its own.

use std::fmt::Write as _;

use serde_json::Value;

use super::Findings;
use super::score::Score;
use super::table::percent;

const STYLE: &str = "
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{max-width:1000px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;text-align:right;border-bottom:1px solid #8884}
td:first-child,th:first-child{text-align:left}tr.all{font-weight:700}
svg{width:220px;height:12px;border-radius:3px;vertical-align:middle}
.exact{fill:#0d9488}.quiet{fill:#8fa3b8}.wrong{fill:#dc2626}.missed{fill:#d97706}.invented{fill:#7c3aed}
pre{background:#8881;padding:.6rem;border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
summary{cursor:pointer}";

/// The page.
pub(super) fn page(findings: &Findings, changes: &[Value]) -> String {
    let mut out = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>toolmend eval</title>\
         <style>{STYLE}</style><h1>toolmend eval</h1><p>{} lines. Bars: exact, quiet (no call, none \
         meant), missed, wrong, invented.</p><table><tr><th>Group<th>Lines<th><th>Recall\
         <th>Precision<th>Exactness</tr>",
        findings.outcomes.len()
    );
    for (name, score) in &findings.groups {
        row(name, score, "", &mut out);
    }
    row("all", &findings.all, "all", &mut out);
    out.push_str("</table><h2>What is not right</h2>");
    for outcome in findings.outcomes.iter().filter(|outcome| outcome.verdict.is_wrong()) {
        let (item, pretty) = (&outcome.item, serde_json::to_string_pretty::<Value>);
        let _ = write!(
            out,
            "<details><summary>{} <b>{}</b> {} {}</summary><h4>Meant</h4><pre>{}</pre>\
             <h4>Came out</h4><pre>{}</pre><h4>The turn</h4><pre>{}</pre></details>",
            outcome.verdict.as_str(),
            escaped(&item.id),
            escaped(&item.class),
            escaped(&item.model),
            escaped(
                &pretty(&Value::from(item.expected.clone().unwrap_or_default()))
                    .unwrap_or_default()
            ),
            escaped(&pretty(&Value::from(outcome.calls.clone())).unwrap_or_default()),
            escaped(&pretty(&turn(&item.line)).unwrap_or_default()),
        );
    }
    if !changes.is_empty() {
        let _ = write!(out, "<h2>{} lines come out differently there</h2>", changes.len());
        for change in changes {
            let _ = write!(out, "<pre>{}</pre>", escaped(&change.to_string()));
        }
    }
    out.push_str("</html>\n");
    out
}

/// The turn without its tools, which are long.
fn turn(line: &Value) -> Value {
    let mut line = line.clone();
    if let Some(members) = line.as_object_mut() {
        members.shift_remove("tools");
    }
    line
}

fn row(name: &str, score: &Score, class: &str, out: &mut String) {
    let _ = write!(
        out,
        "<tr class=\"{class}\"><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}</tr>",
        escaped(name),
        score.lines(),
        bar(score),
        percent(score.recall()),
        percent(score.precision()),
        percent(score.exactness())
    );
}

fn bar(score: &Score) -> String {
    let parts = [
        ("exact", score.exact),
        ("quiet", score.quiet),
        ("missed", score.missed),
        ("wrong", score.wrong),
        ("invented", score.invented),
    ];
    let whole = score.lines().max(1);
    let mut at = 0;
    let mut out = format!("<svg viewBox=\"0 0 {whole} 1\" preserveAspectRatio=\"none\">");
    for (class, count) in parts {
        let _ = write!(
            out,
            "<rect class=\"{class}\" x=\"{at}\" width=\"{count}\" height=\"1\"><title>{class}: {count}</title></rect>"
        );
        at += count;
    }
    out.push_str("</svg>");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
