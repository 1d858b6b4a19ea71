//! Places to keep stores in, and turns to put there.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::json;
use toolmend_store::{CallRecord, Fate, FaultRecord, Place, RepairRecord, TurnRecord};

/// A folder that is removed when it is no longer needed.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("toolmend-store-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    pub(crate) fn place(&self) -> Place {
        Place::File(self.0.join("calls.db"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// When the first turn was.
pub(crate) const START_MS: i64 = 1_750_000_000_000;

pub(crate) fn call(fate: Fate) -> CallRecord {
    CallRecord {
        tool: Some("find_route".into()),
        fate,
        reason: None,
        channel: "tool_calls".into(),
        dialect: None,
        is_lossy: false,
        repairs: Vec::new(),
        faults: Vec::new(),
    }
}

/// A call that was found in text and repaired.
pub(crate) fn mended() -> CallRecord {
    CallRecord {
        channel: "content".into(),
        dialect: Some("hermes_json".into()),
        repairs: vec![RepairRecord {
            rule: "string-to-integer".into(),
            path: "/stops".into(),
            trust: "exact".into(),
        }],
        faults: vec![FaultRecord { code: "trailing-comma".into(), start: 3, end: 4 }],
        ..call(Fate::Mended)
    }
}

pub(crate) fn turn(number: i64, calls: Vec<CallRecord>) -> TurnRecord {
    TurnRecord {
        at_ms: START_MS + number * 1000,
        model: format!("model-{}", number % 3).into(),
        api: "chat".into(),
        finish: Some("stop".into()),
        took_ms: 900,
        spent_us: number,
        calls,
        ..TurnRecord::default()
    }
}

/// The same with its texts.
pub(crate) fn captured(number: i64, calls: Vec<CallRecord>) -> TurnRecord {
    let texts =
        json!({"in": {"id": number, "content": "hello sk-abcdefghij0123456789"}, "out": {}});
    TurnRecord { texts: Some(texts.into()), ..turn(number, calls) }
}
