//! What was measured, as a page that stands on its own.

use std::fmt::Write as _;

use serde_json::Value;

use super::Findings;
use super::score::Score;
use super::table::percent;

const STYLE: &str = "
:root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}
body{max-width:1000px;margin:2rem auto;padding:0 1rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}td,th{padding:.3rem .6rem;text-align:right;border-bottom:1px solid #8884}
td:first-child,th:first-child{text-align:left;overflow-wrap:anywhere}tr.all{font-weight:700}
svg{width:220px;height:12px;border-radius:3px;vertical-align:middle}
.exact{fill:#0d9488;background:#0d9488}.quiet{fill:#8fa3b8;background:#8fa3b8}.missed{fill:#d97706;background:#d97706}
.wrong{fill:#dc2626;background:#dc2626}.invented{fill:#7c3aed;background:#7c3aed}
ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;padding:0;list-style:none}
i{display:inline-block;width:.8rem;height:.8rem;border-radius:3px;margin-right:.4rem;vertical-align:-.1rem}
pre{background:#8881;padding:.6rem;border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere;unicode-bidi:plaintext}
details{border-bottom:1px solid #8884;padding:.3rem 0}summary{cursor:pointer;overflow-wrap:anywhere}h4{margin:.6rem 0 .2rem}";

/// What can be said of a line, and what that means.
const VERDICTS: [(&str, &str); 5] = [
    ("exact", "exactly the calls that were meant"),
    ("quiet", "no call, and none was meant"),
    ("missed", "a call was meant, and none came out"),
    ("wrong", "other calls than were meant"),
    ("invented", "a call came out, and none was meant"),
];

/// The page.
pub(super) fn page(findings: &Findings, changes: Option<&[Value]>) -> String {
    let mut out = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>toolmend eval</title><style>{STYLE}</style><h1>toolmend eval</h1><p>{} lines",
        findings.outcomes.len()
    );
    let unscored = findings.all.unscored;
    let _ = match unscored {
        0 => write!(out, ".</p><ul>"),
        _ => write!(out, ", {unscored} of them not scored.</p><ul>"),
    };
    for (verdict, meaning) in VERDICTS {
        let _ = write!(out, "<li><i class=\"{verdict}\"></i>{verdict}: {meaning}");
    }
    out.push_str(
        "</ul><div class=\"scroll\"><table><tr><th>Group<th>Lines<th><th>Recall<th>Precision\
         <th>Exactness</tr>",
    );
    for (name, score) in &findings.groups {
        row(name, score, "", &mut out);
    }
    row("all", &findings.all, "all", &mut out);
    out.push_str("</table></div>");
    wrong(findings, &mut out);
    if let Some(changes) = changes {
        let _ = write!(out, "<h2>{} lines come out differently there</h2>", changes.len());
        for change in changes {
            changed(change, &mut out);
        }
    }
    out.push_str("</html>\n");
    out
}

/// The lines that are not right.
fn wrong(findings: &Findings, out: &mut String) {
    out.push_str("<h2>What is not right</h2>");
    let mut wrong =
        findings.outcomes.iter().filter(|outcome| outcome.verdict.is_wrong()).peekable();
    if wrong.peek().is_none() {
        out.push_str("<p>Nothing.</p>");
    }
    for outcome in wrong {
        let item = &outcome.item;
        let _ = write!(
            out,
            "<details><summary>{} <b>{}</b> {} {}</summary>",
            outcome.verdict.as_str(),
            escaped(&item.id),
            escaped(&item.class),
            escaped(&item.model)
        );
        let meant = Value::from(item.expected.clone().unwrap_or_default());
        part("Meant", &meant, out);
        part("Came out", &Value::from(outcome.calls.clone()), out);
        part("The turn", &turn(&item.line), out);
        out.push_str("</details>");
    }
}

/// A line that comes out differently elsewhere.
fn changed(change: &Value, out: &mut String) {
    let of = |name: &str| change.get(name).cloned().unwrap_or_default();
    let word = |name: &str| escaped(of(name).as_str().unwrap_or_default());
    let (id, here, there) = (word("id"), word("here"), word("there"));
    let _ = write!(out, "<details><summary>{there} there, {here} here: <b>{id}</b></summary>");
    part("There", &of("calls_there"), out);
    part("Here", &of("calls_here"), out);
    out.push_str("</details>");
}

fn part(title: &str, value: &Value, out: &mut String) {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let _ = write!(out, "<h4>{title}</h4><pre>{}</pre>", escaped(&text));
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
    let counts = [score.exact, score.quiet, score.missed, score.wrong, score.invented];
    let parts = VERDICTS.map(|(verdict, _)| verdict).into_iter().zip(counts);
    let whole = score.lines().max(1);
    let told = parts.clone().map(|(verdict, count)| format!("{count} {verdict}"));
    let mut at = 0;
    let mut out = format!(
        "<svg viewBox=\"0 0 {whole} 1\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">",
        told.collect::<Vec<_>>().join(", ")
    );
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
