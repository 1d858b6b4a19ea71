//! A turn as the store keeps it. Without texts, everything in it comes from tables of this program
//! and from the schemas of tools, but for the name of the model: no value can slip in.

mod capture;
mod json;

use std::time::{SystemTime, UNIX_EPOCH};

use toolmend::{Call, Mended, Origin, Outcome, Owner, Reason, Refused, Tool};
use toolmend_store::{CallRecord, Fate, FaultRecord, Name, RepairRecord, TurnRecord};

use crate::exchange::Told;
use capture::capture;

/// What stands for a key that the schema does not name: it may be data.
const UNNAMED: &str = "…";
/// Longer numbers may be data and no places in a list.
const INDEX_LEN: usize = 5;
/// Finish reasons that are kept; any other one is a word of the server's choosing.
const FINISHES: [&str; 12] = [
    "stop",
    "length",
    "tool_calls",
    "function_call",
    "content_filter",
    "incomplete",
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "refusal",
    "pause_turn",
];

/// Makes a record of a turn; its texts are kept up to so many bytes.
pub(crate) fn record(told: &Told<'_>, text_bytes_max: usize) -> TurnRecord {
    let mended = told.mended;
    let calls = mended.calls.iter().enumerate().map(|(at, call)| delivered(told, at, call));
    let refused =
        mended.refused.iter().enumerate().map(|(at, refused)| withheld(told, at, refused));
    let known = |word: &str| FINISHES.into_iter().find(|known| *known == word).unwrap_or("other");
    TurnRecord {
        at_ms: now_ms(),
        model: told.model.to_owned().into(),
        api: told.api.into(),
        finish: told.finish.map(|word| known(word).into()),
        is_broken: told.is_broken,
        took_ms: i64::try_from(told.took.as_millis()).unwrap_or(i64::MAX),
        spent_us: i64::try_from(told.spent.as_micros()).unwrap_or(i64::MAX),
        asks: i64::from(told.asks),
        label: told.label.map(|label| label.as_str().into()),
        calls: calls.chain(refused).collect(),
        texts: told.heard.and_then(|heard| capture(told, heard).within(text_bytes_max)),
    }
}

fn delivered(told: &Told<'_>, at: usize, call: &Call) -> CallRecord {
    let (tool, changes) = (tool(told, &call.name), &told.mended.report.repairs);
    let repairs = changes.iter().filter(|change| change.call == at).map(|change| RepairRecord {
        rule: change.rule.into(),
        path: named_path(&change.path, tool).into(),
        trust: change.trust.as_str().into(),
    });
    CallRecord {
        tool: tool.map(|tool| tool.name().to_owned().into()),
        fate: match call.outcome {
            Outcome::Untouched => Fate::Untouched,
            Outcome::Mended => Fate::Mended,
        },
        reason: None,
        channel: call.origin.as_str().into(),
        dialect: dialect(call.origin),
        is_lossy: call.is_lossy,
        repairs: repairs.collect(),
        faults: faults(told.mended, Owner::Call(at)),
    }
}

fn withheld(told: &Told<'_>, at: usize, refused: &Refused) -> CallRecord {
    let known = refused.tool.as_deref().or(refused.name.as_deref());
    let tool = known.and_then(|name| tool(told, name));
    CallRecord {
        tool: tool.map(|tool| tool.name().to_owned().into()),
        fate: match (refused.reason, refused.is_call()) {
            (Reason::Storm, _) => Fate::Suppressed,
            (_, true) => Fate::Refused,
            (_, false) => Fate::Left,
        },
        reason: Some(refused.reason.id().into()),
        channel: refused.origin.as_str().into(),
        dialect: dialect(refused.origin),
        is_lossy: false,
        repairs: Vec::new(),
        faults: faults(told.mended, Owner::Refused(at)),
    }
}

/// The tool of exactly this name: what a model writes as a name may be anything.
fn tool<'t>(told: &Told<'t>, name: &str) -> Option<&'t Tool> {
    told.tools.iter().find(|tool| tool.name() == name)
}

fn dialect(origin: Origin) -> Option<Name> {
    match origin {
        Origin::Found { dialect, .. } => Some(dialect.into()),
        Origin::Declared { .. } => None,
    }
}

/// The path with only those keys that the schema names.
fn named_path(path: &str, tool: Option<&Tool>) -> String {
    let is_key = |part: &str| {
        let keys = tool.map(Tool::keys);
        keys.is_some_and(|keys| match part.contains('~') {
            true => keys.contains(&part.replace("~1", "/").replace("~0", "~")),
            false => keys.contains(part),
        })
    };
    let is_known = |part: &str| {
        part.is_empty()
            || part.len() < INDEX_LEN && part.bytes().all(|byte| byte.is_ascii_digit())
            || is_key(part)
    };
    if path.split('/').all(is_known) {
        return path.to_owned();
    }
    let parts = path.split('/').map(|part| if is_known(part) { part } else { UNNAMED });
    parts.collect::<Vec<_>>().join("/")
}

fn faults(mended: &Mended, owner: Owner) -> Vec<FaultRecord> {
    let own = mended.report.faults.iter().filter(|flaw| flaw.owner == owner);
    own.map(|flaw| FaultRecord {
        code: flaw.code.id().into(),
        start: flaw.span.start,
        end: flaw.span.end,
    })
    .collect()
}

/// The time, in milliseconds since 1970.
pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolmend::Tool;

    use super::named_path;

    #[test]
    fn keys_that_no_schema_names_stay_out_of_paths() {
        let tool = Tool::read(&json!({"name": "t", "parameters": {"type": "object",
            "properties": {"where": {"type": "array", "items": {"type": "object",
                "properties": {"a/b": {}}}}}}}))
        .unwrap();
        assert_eq!(named_path("/where/0/a~1b", Some(&tool)), "/where/0/a~1b");
        assert_eq!(named_path("/where/0/canary", Some(&tool)), "/where/0/…");
        assert_eq!(named_path("", Some(&tool)), "");
        assert_eq!(named_path("/where", None), "/…");
    }
}
