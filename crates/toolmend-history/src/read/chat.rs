//! Messages of `OpenAI` Chat Completions and of Ollama.

use toolmend_json::{Node, Shape};

use super::{Source, role};
use crate::Api;
use crate::arguments::Arguments;
use crate::history::{Call, Kind, Message, Part, Role, ToolResult};

pub(super) fn read<'t>(source: Source<'t>, node: &Node<'_>) -> Message<'t> {
    let fields = Fields::of(source, node);
    let name = fields.role.and_then(|role| role.as_str());
    let role = role(name.as_deref());
    let parts = match role {
        Role::Tool => vec![result(source, node, &fields)],
        Role::Assistant => turn(source, &fields),
        Role::System | Role::User | Role::Other => fields
            .content
            .map(|content| whole(&content, source.plain_content(&content)))
            .into_iter()
            .collect(),
    };
    Message { role, span: node.span(), parts }
}

/// The members that matter.
#[derive(Default)]
struct Fields<'d> {
    role: Option<Node<'d>>,
    content: Option<Node<'d>>,
    reasoning: Option<Node<'d>>,
    calls: Option<Node<'d>>,
    call_id: Option<Node<'d>>,
    name: Option<Node<'d>>,
    /// Another form of an answer: a refusal, a sound, a call of the old kind.
    other: Option<Node<'d>>,
}

impl<'d> Fields<'d> {
    fn of(source: Source<'_>, node: &Node<'d>) -> Self {
        let mut fields = Self::default();
        let thinking = if source.api == Api::Ollama { "thinking" } else { "reasoning_content" };
        for (key, value) in node.members().filter(|(_, value)| value.shape() != Shape::Null) {
            let Some(key) = key.as_str() else { continue };
            let field = match key.as_ref() {
                "role" => &mut fields.role,
                "content" => &mut fields.content,
                "tool_calls" => &mut fields.calls,
                "tool_call_id" => &mut fields.call_id,
                "tool_name" | "name" => &mut fields.name,
                "refusal" | "audio" | "function_call" | "images" => &mut fields.other,
                key if key == thinking => &mut fields.reasoning,
                _ => continue,
            };
            *field = Some(value);
        }
        fields
    }
}

fn whole<'t>(node: &Node<'_>, kind: Kind<'t>) -> Part<'t> {
    Part { span: node.span(), index: None, kind }
}

fn turn<'t>(source: Source<'t>, fields: &Fields<'_>) -> Vec<Part<'t>> {
    let mut parts = Vec::new();
    parts.extend(fields.reasoning.map(|node| whole(&node, Kind::Reasoning)));
    parts.extend(fields.content.map(|node| whole(&node, source.plain_content(&node))));
    parts.extend(fields.other.map(|node| whole(&node, Kind::Other(None))));
    let Some(calls) = fields.calls else { return parts };
    if calls.shape() != Shape::Array {
        parts.push(whole(&calls, Kind::Other(None)));
    }
    parts.extend(calls.items().enumerate().map(|(index, node)| Part {
        span: node.span(),
        index: Some(index),
        kind: call(source, &node),
    }));
    parts
}

fn call<'t>(source: Source<'t>, node: &Node<'_>) -> Kind<'t> {
    let (mut id, mut function, mut custom) = (None, None, None);
    for (key, value) in node.members() {
        match key.as_str().as_deref() {
            Some("id") => id = source.filled(Some(value)),
            Some("function") => function = Some(value),
            Some("custom") => custom = Some(value),
            _ => {}
        }
    }
    let is_object = |node: &Node<'_>| node.shape() == Shape::Object;
    if let Some(function) = function.filter(is_object) {
        let name = source.filled(function.get("name")).unwrap_or_default();
        let arguments = source.arguments(function.get("arguments"));
        return Kind::Call(Call { id, name, arguments });
    }
    let Some(custom) = custom.filter(is_object) else { return Kind::Other(id) };
    let name = source.filled(custom.get("name")).unwrap_or_default();
    let input = source.filled(custom.get("input")).unwrap_or_default();
    Kind::Call(Call { id, name, arguments: Arguments::Free(input) })
}

fn result<'t>(source: Source<'t>, node: &Node<'_>, fields: &Fields<'_>) -> Part<'t> {
    let result = ToolResult {
        call_id: source.filled(fields.call_id),
        name: source.filled(fields.name),
        content: fields.content.map_or("", |content| source.json(&content)),
        is_error: false,
    };
    whole(node, Kind::Result(result))
}
