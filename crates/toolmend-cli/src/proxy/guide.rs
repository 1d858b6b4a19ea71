//! What the page explains: rules, faults, dialects and reasons, from their tables.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolmend::{Reason, Settings};
use toolmend_dialect::dialects;
use toolmend_json::FaultCode;
use toolmend_proxy::Guide;
use toolmend_schema::Rule;

use crate::jsonl::mend_line;

pub(super) fn guide(told: &str, settings: Settings) -> Guide {
    let mend_line = Arc::new(move |line: &str| mend_line(line, &settings));
    Guide { words: words(), mend_line, told: anstream::adapter::strip_str(told).to_string() }
}

fn words() -> Value {
    let table = |rows: Vec<(&str, String)>| -> Value {
        let rows = rows.into_iter().map(|(id, text)| (id.to_owned(), json!({"text": text})));
        Value::Object(rows.collect::<Map<_, _>>())
    };
    let rules = Rule::ALL.iter().map(|rule| {
        let (before, after) = rule.example;
        (rule.id, format!("{} For example: {before} → {after}", rule.what))
    });
    let faults = FaultCode::ALL.iter().map(|code| (code.id(), code.what().to_owned()));
    let dialects = dialects().map(|row| {
        let models = if row.models.is_empty() { "many models" } else { &row.models.join(", ") };
        (row.id, format!("{}. Written by {models}.", row.title))
    });
    let reasons = Reason::ALL.iter().map(|reason| (reason.id(), reason.what().to_owned()));
    json!({
        "rules": table(rules.collect()),
        "faults": table(faults.collect()),
        "dialects": table(dialects.collect()),
        "reasons": table(reasons.collect()),
    })
}
