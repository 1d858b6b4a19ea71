//! The data of the page, as JSON.

use std::sync::Arc;

use http::{Response, StatusCode};
use serde_json::{Value, json};
use toolmend_store::{CallDetail, CallRow, Overview, Page, StoreError, Tallied, Values, case};

use super::answer::{file, json as answer_json, wrong};
use super::query::Query;
use super::{Desk, metrics};
use crate::body::Body;

/// A list is no longer than this.
const COUNT_MAX: i64 = 500;
/// An export has no more turns than this.
const EXPORT_MAX: usize = 20_000;
/// So many turns are read at a time.
const EXPORT_PORTION: usize = 500;
/// The page draws about so many slices.
const SLICES: i64 = 60;

pub(super) async fn answer(desk: Arc<Desk>, path: String, query: String) -> Response<Body> {
    match path.as_str() {
        "status" => return answer_json(&metrics::status(&desk.sinks, &desk.guide.told)),
        "words" => return answer_json(&desk.guide.words),
        _ => {}
    }
    // The store waits for a disk or a server.
    let work = move || from_store(&desk, &path, &Query::read(&query));
    match tokio::task::spawn_blocking(work).await {
        Ok(response) => response,
        Err(_) => wrong(StatusCode::INTERNAL_SERVER_ERROR, "the store did not answer"),
    }
}

fn from_store(desk: &Desk, path: &str, query: &Query) -> Response<Body> {
    let Some(store) = desk.sinks.store() else {
        return wrong(StatusCode::NOT_FOUND, "nothing is kept: start the proxy with a store");
    };
    let result = store.read(|reader| {
        let filter = query.filter();
        let parts: Vec<&str> = path.split('/').collect();
        Ok(match parts.as_slice() {
            ["overview"] => {
                let span = filter.since_ms.map(|since| crate::record::now_ms() - since);
                let slice = query.number("slice").or(span.map(|span| span / SLICES));
                let overview = reader.overview(&filter, slice.unwrap_or(60_000))?;
                answer_json(&overview_value(&overview))
            }
            ["calls"] => {
                let count = query.number("count").unwrap_or(50).clamp(1, COUNT_MAX);
                let count = usize::try_from(count).unwrap_or(1);
                // Asked for first: what comes in between is told twice, and nothing is left out.
                let latest = reader.latest()?;
                let page = reader.calls(&filter, query.number("before"), count)?;
                answer_json(&page_value(&page, latest))
            }
            ["calls", id] => match find(reader, id)? {
                Some(detail) => answer_json(&detail_value(&detail)),
                None => missing(),
            },
            ["calls", id, "case"] => match find(reader, id)? {
                Some(detail) => save_case(desk, &detail, query),
                None => missing(),
            },
            ["export"] => {
                let mut lines = String::new();
                let mut after = 0;
                for _ in 0..EXPORT_MAX / EXPORT_PORTION {
                    let texts = reader.texts(&filter, after, EXPORT_PORTION)?;
                    let Some((last, _)) = texts.last() else { break };
                    after = *last;
                    for (_, texts) in &texts {
                        lines += &texts.get("in").unwrap_or(&Value::Null).to_string();
                        lines.push('\n');
                    }
                }
                file("captures.jsonl", "application/x-ndjson", lines)
            }
            _ => missing(),
        })
    });
    result.unwrap_or_else(|error| wrong(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))
}

fn missing() -> Response<Body> {
    wrong(StatusCode::NOT_FOUND, "there is nothing here")
}

fn find(
    reader: &mut toolmend_store::Reader<'_>,
    id: &str,
) -> Result<Option<CallDetail>, StoreError> {
    id.parse().map_or(Ok(None), |id| reader.call(id))
}

fn save_case(desk: &Desk, detail: &CallDetail, query: &Query) -> Response<Body> {
    let values = match query.get("values") {
        Some("real") => Values::Real,
        _ => Values::Masked,
    };
    match case(detail, values, &*desk.guide.mend_line) {
        Ok(case) => file(&case.file_name, "text/markdown; charset=utf-8", case.text),
        Err(reason) => wrong(StatusCode::CONFLICT, &reason),
    }
}

fn overview_value(overview: &Overview) -> Value {
    let tallied = |list: &[Tallied]| -> Value {
        list.iter().map(|row| json!({"name": row.name, "count": row.count})).collect()
    };
    let models = overview.models.iter();
    let slices = overview.slices.iter();
    json!({
        "models": models.map(|row| json!({"model": row.model, "outcome": row.outcome,
            "count": row.count})).collect::<Vec<_>>(),
        "slices": slices.map(|row| json!({"at": row.at_ms, "outcome": row.outcome,
            "count": row.count})).collect::<Vec<_>>(),
        "rules": tallied(&overview.rules),
        "dialects": tallied(&overview.dialects),
        "reasons": tallied(&overview.reasons),
        "tools": tallied(&overview.tools),
        "slice": overview.slice_ms,
        "turns": overview.turns,
        "broken": overview.broken,
        "asks": overview.asks,
        "asked": overview.asked,
        "helped": overview.helped,
        "spent_us_half": overview.spent_us_half,
        "spent_us_most": overview.spent_us_most,
    })
}

fn page_value(page: &Page, latest: i64) -> Value {
    let rows: Vec<Value> = page.rows.iter().map(row_value).collect();
    json!({"rows": rows, "next": page.next, "latest": latest})
}

pub(super) fn row_value(row: &CallRow) -> Value {
    json!({
        "id": row.id, "turn": row.turn, "at": row.at_ms, "model": row.model, "api": row.api,
        "tool": row.tool, "outcome": row.outcome, "reason": row.reason, "channel": row.channel,
        "dialect": row.dialect, "lossy": row.is_lossy, "texts": row.has_text, "rules": row.rules,
    })
}

fn detail_value(detail: &CallDetail) -> Value {
    let repairs = detail.repairs.iter();
    let faults = detail.faults.iter();
    json!({
        "call": row_value(&detail.call),
        "index": detail.index,
        "repairs": repairs.map(|repair| json!({"rule": repair.rule, "path": repair.path,
            "trust": repair.trust})).collect::<Vec<_>>(),
        "faults": faults.map(|fault| json!({"code": fault.code, "start": fault.start,
            "end": fault.end})).collect::<Vec<_>>(),
        "finish": detail.finish, "broken": detail.is_broken, "took_ms": detail.took_ms,
        "spent_us": detail.spent_us, "asks": detail.asks, "label": detail.label,
        "texts": detail.texts,
    })
}
