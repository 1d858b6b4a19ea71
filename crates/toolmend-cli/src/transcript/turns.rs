//! The model's own turns in a transcript: calls that stood in text, arguments that do not fit, storms.

use serde_json::Value;
use toolmend::history::{Arguments, History, Message, Place, Role};
use toolmend::{
    Declared, Echo, Mended, Origin, Outcome, Request, Settings, ToolSet, Turn, Written,
};

use super::Finding;

/// So many messages before a turn are looked at for storms.
const WINDOW: usize = 60;

/// Checks each turn as if it had just come.
pub(super) fn check(history: &History<'_>, messages: &str, tools: &[Value]) -> Vec<Finding> {
    let tools = ToolSet::read(tools);
    let settings = Settings::default();
    let list: Vec<Value> = serde_json::from_str(messages).unwrap_or_default();
    let mut findings = Vec::new();
    for (at, message) in history.messages().iter().enumerate() {
        let Some(raw) = list.get(at).filter(|_| message.role() == Role::Assistant) else {
            continue;
        };
        let before = list.get(at.saturating_sub(WINDOW)..at).unwrap_or_default();
        let text = Value::Array(before.to_vec()).to_string();
        let history = History::read(&text, history.api()).ok();
        let echo = Echo::of(list.get(..at).unwrap_or_default());
        let request = Request {
            tools: &tools,
            may_call: true,
            echo: &echo,
            past: history.as_ref().into(),
            settings: &settings,
        };
        let turn = Turn { content: said(raw), calls: declared(message), ..Turn::default() };
        findings.extend(of_turn(at, &request.mend(turn), !tools.is_empty()));
    }
    findings
}

fn declared(message: &Message<'_>) -> Vec<Declared> {
    let calls = message.calls().map(|call| Declared {
        id: call.id().map(str::to_owned),
        name: Some(call.name().to_owned()),
        arguments: match call.arguments() {
            Arguments::Text(text) => Written::Text(text.decode().into_owned()),
            Arguments::Object(json) => Written::Object((*json).to_owned()),
            Arguments::Other(json) => Written::Other((*json).to_owned()),
            _ => Written::Missing,
        },
    });
    calls.collect()
}

/// The text of a turn.
fn said(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

fn of_turn(at: usize, turn: &Mended, is_typed: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut push = |part: Option<usize>, code, message: String| {
        findings.push(Finding { place: Place { message: at, part }, code, message });
    };
    for call in turn.calls.iter().chain(turn.suppressed.iter().map(|held| &held.call)) {
        match call.origin {
            Origin::Found { dialect, .. } => push(
                None,
                "call-in-text",
                format!("a call of {} stands in the text, written as {dialect}", call.name),
            ),
            Origin::Declared { index, .. } if call.outcome == Outcome::Mended => push(
                Some(index),
                "call-mended",
                format!("the call of {} had to be mended", call.name),
            ),
            Origin::Declared { .. } => {}
        }
    }
    for refused in turn.refused.iter().filter(|refused| is_typed && !refused.origin.is_text()) {
        let Origin::Declared { index, .. } = refused.origin else { continue };
        let name = refused.name.as_deref().unwrap_or("a tool");
        let message = format!("the call of {name}: {}", refused.message);
        push(Some(index), refused.reason.id(), message);
    }
    findings
}
