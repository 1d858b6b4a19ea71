//! Our side: the library as a program uses it, told nothing but the request.

use serde_json::{Value, json};
use toolmend::{
    Declared, Delta, Echo, Mended, Past, Request, Session, Settings, ToolSet, Turn, Written,
};

use super::{Reply, Task, Way};
use crate::dialects::pieces;

/// What we make of a turn.
pub(super) fn reply(task: &Task, way: Way) -> Reply {
    let tools = ToolSet::read(&task.tools);
    let (echo, settings) = (Echo::of(&task.messages), Settings::default());
    let request = Request {
        tools: &tools,
        may_call: true,
        echo: &echo,
        past: Past::Unknown,
        settings: &settings,
    };
    match way {
        Way::Whole => whole(&request, task),
        Way::Streamed => streamed(&request, task),
    }
}

fn whole(request: &Request<'_>, task: &Task) -> Reply {
    let calls = task.declared.iter().map(|(name, arguments)| Declared {
        id: None,
        name: Some(name.clone()),
        arguments: Written::Text(arguments.clone()),
    });
    let mended = request.mend(Turn {
        id: task.item.id.clone(),
        reasoning: task.reasoning.clone(),
        content: task.content.clone(),
        calls: calls.collect(),
        finish: task.finish.clone(),
    });
    let text = mended.content.clone().unwrap_or_else(|| task.content.clone());
    Reply { calls: calls_of(&mended), text: Some(text) }
}

fn streamed(request: &Request<'_>, task: &Task) -> Reply {
    let mut session = Session::new(request, &task.item.id);
    let mut text = String::new();
    for piece in pieces(&task.reasoning) {
        text.push_str(session.push(Delta::Reasoning(piece)));
    }
    for piece in pieces(&task.content) {
        text.push_str(session.push(Delta::Content(piece)));
    }
    for (index, (name, arguments)) in task.declared.iter().enumerate() {
        let first = Delta::Call { index, id: None, name: Some(name), arguments: "" };
        text.push_str(session.push(first));
        for piece in pieces(arguments) {
            let delta = Delta::Call { index, id: None, name: None, arguments: piece };
            text.push_str(session.push(delta));
        }
    }
    let mended = session.finish(request, task.finish.as_deref());
    text.push_str(&mended.rest);
    Reply { calls: calls_of(&mended), text: Some(text) }
}

fn calls_of(mended: &Mended) -> Vec<Value> {
    let calls = mended.calls.iter().map(|call| {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        json!({ "name": call.name, "arguments": arguments })
    });
    calls.collect()
}
