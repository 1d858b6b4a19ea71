//! A whole turn in a session, beside what the least one could do: parse the arguments and validate
//! them.

use std::hint::black_box;

use serde_json::{Value, json};
use toolmend::{Delta, Echo, Mended, Past, Request, Session, Settings, ToolSet};

use crate::arguments::Arguments;
use crate::memory::resident;
use crate::report::{Report, Table, section, table};
use crate::timing::{Effort, fair_times, ratio};

/// Bytes of the arguments.
const ARGUMENTS: usize = 4096;
/// So many sessions are open at once where their memory is measured, and what one may hold.
const SESSIONS: u64 = 4000;
const SESSION_BYTES_MAX: u64 = 16 << 10;

/// Measures it.
pub fn run(arguments: &Arguments, report: &mut Report) -> Result<(), Box<dyn std::error::Error>> {
    section("Session: a turn with one call of 4 KB");
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    let schema = json!({"type": "object", "additionalProperties": false,
        "properties": {"path": {"type": "string"}, "content": {"type": "string"},
            "mode": {"enum": ["write", "append"]}, "line": {"type": "integer"}},
        "required": ["path", "content"]});
    let tools = ToolSet::read(&[json!({"name": "write_file", "parameters": schema})]);
    let validator = jsonschema::validator_for(&schema)?;
    let code = "fn main() {\n    println!(\"hello\");\n}\n".repeat(ARGUMENTS / 38);
    let right =
        json!({"path": "src/main.rs", "content": code, "mode": "write", "line": 3}).to_string();
    let (echo, settings) = (Echo::default(), Settings::default());
    let request = Request {
        tools: &tools,
        may_call: true,
        echo: &echo,
        past: Past::Unknown,
        settings: &settings,
    };
    let broken = right.replacen("\"line\":3", "\"line\":\"3\",", 1);
    let floor = |text: &str| {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        black_box(validator.is_valid(&value));
    };
    let session = |text: &str| -> Mended {
        let mut session = Session::new(&request, "bench");
        let name = Some("write_file");
        session.push(Delta::Call { index: 0, id: Some("a"), name, arguments: text });
        session.finish(&request, Some("tool_calls"))
    };
    let fixed = session(&broken);
    assert!(fixed.calls.len() == 1 && session(&right).is_untouched(), "both calls come out");
    let times = fair_times(
        &[&|| floor(&right), &|| drop(black_box(session(&right))), &|| {
            drop(black_box(session(&broken)));
        }],
        effort,
    );
    let [bare, valid, mended] = times.as_slice() else { return Ok(()) };
    let mut rows = Table::new(["turn", "µs", "× parse and validate"].map(str::to_owned));
    for (name, time) in [("bare", bare), ("right", valid), ("broken", mended)] {
        let micros = format!("{:.1}", time.as_secs_f64() * 1e6);
        rows.row([name.to_owned(), micros, format!("{:.2}", ratio(*time, *bare))]);
    }
    table(&rows);
    for (what, time, most) in [("right", valid, 3.0), ("broken", mended, 10.0)] {
        let measured = ratio(*time, *bare);
        let target =
            format!("a session over one {what} call costs at most {most} × parsing and validating");
        report.target(&target, measured <= most, &format!("{measured:.2} ×"));
    }
    memory(&request, report);
    Ok(())
}

/// What a session holds that waits for more, beside the text that it was told.
fn memory(request: &Request<'_>, report: &mut Report) {
    let Some(before) = resident() else { return };
    let open = |_| {
        let mut session = Session::new(request, "bench");
        session.push(Delta::Reasoning("I should write it."));
        session.push(Delta::Content("Let me write it.\n<tool_call>"));
        session
    };
    let sessions: Vec<Session> = (0..SESSIONS).map(open).collect();
    let held = resident().unwrap_or(before).saturating_sub(before);
    drop(black_box(sessions));
    let bytes = held * 1024 / SESSIONS;
    let target = "an open session holds at most 16 KB beside its text";
    report.target(target, bytes <= SESSION_BYTES_MAX, &format!("{bytes} bytes"));
}
