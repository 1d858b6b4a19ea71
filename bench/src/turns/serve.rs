//! The other side of a driver: this binary answering turns for one of its crates. The lines are those
//! of `drivers/turns`.

use std::io::{BufRead, Write, stdin, stdout};

use serde_json::{Value, json};
use toolguard_core::{GuardVerdict, PolicyConfig, ToolDefinition, ToolGuard, ToolGuardConfig};

use crate::contender::guarded;

/// Answers lines of JSON on standard input for the crate of this name.
pub fn serve(name: &str) -> std::io::Result<()> {
    // A panic is an answer here, and its message would only be noise.
    std::panic::set_hook(Box::new(|_| {}));
    for line in stdin().lock().lines() {
        let ask: Value = serde_json::from_str(&line?).unwrap_or_default();
        let out = guarded(|| match name {
            "toolguard-core" => toolguard(&ask),
            _ => parser(name, &ask),
        });
        let out = out.unwrap_or_else(|| json!({ "tool_calls": [], "text": null }));
        let mut output = stdout().lock();
        writeln!(output, "{out}")?;
        output.flush()?;
    }
    Ok(())
}

fn list<'a>(ask: &'a Value, name: &str) -> &'a [Value] {
    ask.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// It checks and coerces what has been parsed.
fn toolguard(ask: &Value) -> Option<Value> {
    // Every turn is one of its own: nothing repeats itself here.
    let policy_config = PolicyConfig {
        max_consecutive_identical_calls: 0,
        max_calls_per_session: 0,
        ..PolicyConfig::default()
    };
    let guard = ToolGuard::new(ToolGuardConfig { policy_config, ..ToolGuardConfig::default() });
    for tool in list(ask, "tools") {
        let function = tool.get("function")?;
        let (name, schema) = (function.get("name")?.as_str()?, function.get("parameters")?);
        guard.register_tool(ToolDefinition::new(name, schema.clone())).ok()?;
    }
    let mut calls = Vec::new();
    for call in list(ask, "declared") {
        let name = call.get("name")?.as_str()?;
        let Ok(arguments) = serde_json::from_str(call.get("arguments")?.as_str()?) else {
            continue;
        };
        if let GuardVerdict::Pass { arguments, .. } = guard.guard_call(name, arguments, None) {
            calls.push(json!({ "name": name, "arguments": arguments }));
        }
    }
    Some(json!({ "tool_calls": calls, "text": null }))
}

#[cfg(feature = "parsers")]
fn parser(name: &str, ask: &Value) -> Option<Value> {
    let rival = crate::dialects::rivals::rival(name, list(ask, "tools")).ok()?;
    let (content, format) = (ask.get("content")?.as_str()?, ask.get("format")?.as_str()?);
    let is_streamed = ask.get("chunk").and_then(Value::as_u64).unwrap_or_default() > 0;
    let reply = match is_streamed {
        true => rival.pieces(format, &crate::dialects::pieces(content)),
        false => rival.whole(format, content),
    };
    // A server passes on a text that its parser cannot read.
    let Ok(reply) = reply else { return Some(json!({ "tool_calls": [], "text": content })) };
    let calls = reply.calls.into_iter();
    let calls = calls.map(|(name, arguments)| json!({ "name": name, "arguments": arguments }));
    Some(json!({ "tool_calls": calls.collect::<Vec<_>>(), "text": reply.text }))
}

#[cfg(not(feature = "parsers"))]
fn parser(_: &str, _: &Value) -> Option<Value> {
    None
}
