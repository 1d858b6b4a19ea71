//! The counters as Prometheus reads them, and how the proxy fares for the page.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolmend::Count;

use crate::Sinks;

const CALLS: &str = "toolmend_calls_total";
const TOOLS: &str = "toolmend_tool_calls_total";
const REPAIRS: &str = "toolmend_repairs_total";
const FOUND: &str = "toolmend_found_total";
const REFUSED: &str = "toolmend_refused_total";
const ASKS: &str = "toolmend_asks_total";
const CLOSED: &str = "toolmend_truncations_fixed_total";
const OTHER: &str = "toolmend_uncounted_total";

/// Each counter, and what it counts.
const NAMES: [(&str, &str); 8] = [
    (CALLS, "Tool calls by model and outcome."),
    (TOOLS, "Tool calls by tool and outcome."),
    (REPAIRS, "Repairs by rule."),
    (FOUND, "Calls that stood in text, by dialect."),
    (REFUSED, "Calls that were refused, by reason."),
    (ASKS, "Further requests to models, by what they were for."),
    (CLOSED, "Calls that were cut and were closed."),
    (OTHER, "What had no room in the other counters."),
];

/// The counters as Prometheus reads them.
pub(super) fn write(sinks: &Sinks) -> String {
    let mut out = String::new();
    let snapshot = sinks.counters().snapshot();
    for (name, help) in NAMES {
        head(&mut out, name, help, "counter");
        for (count, value) in &snapshot {
            if let Some(labels) = labels(count, name) {
                let _ = writeln!(out, "{name}{labels} {value}");
            }
        }
    }
    let (raised, breaks) = sinks.watchman.totals();
    let singles = [
        ("toolmend_chain_breaks_total", "Replies that broke off inside of a turn.", breaks),
        ("toolmend_alerts_total", "How often something became too much.", raised),
    ];
    for (name, help, value) in singles {
        head(&mut out, name, help, "counter");
        let _ = writeln!(out, "{name} {value}");
    }
    let name = "toolmend_upstream_failures_total";
    head(
        &mut out,
        name,
        "Requests that a model server did not answer, by why; a look at the start is one.",
        "counter",
    );
    for (kind, value) in sinks.reach.counts() {
        let _ = writeln!(out, "{name}{{kind=\"{kind}\"}} {value}");
    }
    head(&mut out, "toolmend_alert", "Whether something is too much right now.", "gauge");
    for (kind, is_raised) in sinks.watchman.raised() {
        let kind = kind.as_str();
        let _ = writeln!(out, "toolmend_alert{{alert=\"{kind}\"}} {}", u8::from(is_raised));
    }
    let help = "How long replies took, from their head to their end.";
    sinks.took.write("toolmend_reply_seconds", help, &mut out);
    let help = "How long toolmend worked on a reply.";
    sinks.spent.write("toolmend_work_seconds", help, &mut out);
    if let Some(store) = sinks.store() {
        let stats = store.stats();
        let name = "toolmend_store_turns_total";
        head(&mut out, name, "Turns by what became of them in the store.", "counter");
        let all = [
            ("written", stats.written),
            ("dropped", stats.dropped),
            ("failed", stats.failed),
            ("pruned", stats.pruned),
        ];
        for (fate, value) in all {
            let _ = writeln!(out, "{name}{{fate=\"{fate}\"}} {value}");
        }
    }
    out
}

fn head(out: &mut String, name: &str, help: &str, kind: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// The labels of a count, where it is one of this name.
fn labels(count: &Count, name: &str) -> Option<String> {
    let (own, labels) = match count {
        Count::Calls { model, outcome } => {
            (CALLS, format!("{{model=\"{}\",outcome=\"{outcome}\"}}", escaped(model)))
        }
        Count::Tools { tool, outcome } => {
            (TOOLS, format!("{{tool=\"{}\",outcome=\"{outcome}\"}}", escaped(tool)))
        }
        Count::Repairs { rule } => (REPAIRS, format!("{{rule=\"{rule}\"}}")),
        Count::Found { dialect } => (FOUND, format!("{{dialect=\"{dialect}\"}}")),
        Count::Refused { reason } => (REFUSED, format!("{{reason=\"{reason}\"}}")),
        Count::Asks { model, kind } => {
            (ASKS, format!("{{model=\"{}\",kind=\"{kind}\"}}", escaped(model)))
        }
        Count::Closed => (CLOSED, String::new()),
        Count::Other => (OTHER, String::new()),
    };
    (own == name).then_some(labels)
}

fn escaped(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// How the proxy fares.
pub(super) fn status(sinks: &Sinks, told: &str) -> Value {
    let raised = sinks.watchman.raised().into_iter().filter(|(_, is_raised)| *is_raised);
    let store = sinks.store().map(|store| {
        let stats = store.stats();
        json!({
            "place": store.place().to_string(), "written": stats.written,
            "dropped": stats.dropped, "failed": stats.failed, "pruned": stats.pruned,
        })
    });
    let away = sinks.reach.away().into_iter();
    let away = away.map(|(server, failure)| json!({"server": server, "kind": failure.as_str()}));
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "told": told,
        "keep": sinks.keep().as_str(),
        "store": store,
        "away": away.collect::<Vec<_>>(),
        "alerts": raised.map(|(kind, _)| kind.as_str()).collect::<Vec<_>>(),
    })
}
