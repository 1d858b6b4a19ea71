//! Messages of Anthropic: calls and results are blocks of content.

use toolmend_json::{Node, Shape};

use super::{Source, role};
use crate::history::{Call, Kind, Message, Part, Role, ToolResult};

pub(super) fn read<'t>(source: Source<'t>, node: &Node<'_>) -> Message<'t> {
    let (mut name, mut content) = (None, None);
    for (key, value) in node.members() {
        match key.as_str().as_deref() {
            Some("role") => name = value.as_str(),
            Some("content") => content = Some(value),
            _ => {}
        }
    }
    // A result in a message of its own role is no form of this API.
    let role = match role(name.as_deref()) {
        Role::Tool => Role::Other,
        role => role,
    };
    let mut message = Message { role, span: node.span(), parts: Vec::new() };
    let Some(content) = content else { return message };
    if content.shape() == Shape::Array {
        let blocks = content.items().enumerate();
        message.parts.extend(blocks.map(|(index, node)| {
            let kind = block(source, role, &node);
            Part { span: node.span(), index: Some(index), kind }
        }));
    } else {
        let kind = source.plain_content(&content);
        message.parts.push(Part { span: content.span(), index: None, kind });
    }
    message
}

fn block<'t>(source: Source<'t>, role: Role, node: &Node<'_>) -> Kind<'t> {
    let mut block = Block::default();
    for (key, value) in node.members() {
        let field = match key.as_str().as_deref() {
            Some("type") => &mut block.kind,
            Some("id") => &mut block.id,
            Some("name") => &mut block.name,
            Some("input") => &mut block.input,
            Some("tool_use_id") => &mut block.call_id,
            Some("content") => &mut block.content,
            Some("is_error") => &mut block.is_error,
            _ => continue,
        };
        *field = Some(value);
    }
    let kind = block.kind.and_then(|kind| kind.as_str());
    match (kind.as_deref(), role) {
        (Some("tool_use"), Role::Assistant) => Kind::Call(Call {
            id: source.filled(block.id),
            name: source.filled(block.name).unwrap_or_default(),
            arguments: source.arguments(block.input),
        }),
        (Some("tool_result"), Role::User) => Kind::Result(ToolResult {
            call_id: source.filled(block.call_id),
            name: None,
            content: block.content.map_or("", |content| source.json(&content)),
            is_error: block.is_error.and_then(|node| node.as_bool()) == Some(true),
        }),
        (kind, _) => source.plain_block(kind, node),
    }
}

/// The members that matter.
#[derive(Default)]
struct Block<'d> {
    kind: Option<Node<'d>>,
    id: Option<Node<'d>>,
    name: Option<Node<'d>>,
    input: Option<Node<'d>>,
    call_id: Option<Node<'d>>,
    content: Option<Node<'d>>,
    is_error: Option<Node<'d>>,
}
