//! Items of `OpenAI` Responses: each call, each result and each piece of reasoning is an item.

use toolmend_json::Node;

use super::{Source, role};
use crate::arguments::Arguments;
use crate::history::{Call, Kind, Message, Part, Role, ToolResult};

pub(super) fn read<'t>(source: Source<'t>, node: &Node<'_>) -> Message<'t> {
    let mut item = Item::default();
    for (key, value) in node.members() {
        let field = match key.as_str().as_deref() {
            Some("type") => &mut item.kind,
            Some("role") => &mut item.role,
            Some("content") => &mut item.content,
            Some("call_id") => &mut item.call_id,
            Some("name") => &mut item.name,
            Some("arguments") => &mut item.arguments,
            Some("input") => &mut item.input,
            Some("output") => &mut item.output,
            _ => continue,
        };
        *field = Some(value);
    }
    let kind = item.kind.and_then(|kind| kind.as_str());
    let call_id = source.filled(item.call_id);
    let name = source.filled(item.name).unwrap_or_default();
    let (role, kind) = match kind.as_deref() {
        Some("message") | None => item.message(source),
        Some("reasoning") => (Role::Assistant, Kind::Reasoning),
        Some("function_call") => {
            let arguments = source.arguments(item.arguments);
            (Role::Assistant, Kind::Call(Call { id: call_id, name, arguments }))
        }
        Some("custom_tool_call") => {
            let arguments = Arguments::Free(source.filled(item.input).unwrap_or_default());
            (Role::Assistant, Kind::Call(Call { id: call_id, name, arguments }))
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            let content = item.output.map_or("", |output| source.json(&output));
            let result = ToolResult { call_id, name: None, content, is_error: false };
            (Role::Tool, Kind::Result(result))
        }
        Some("item_reference") => (Role::Other, Kind::Reference),
        // A search, a shell of the server's own, a picture: the assistant's, and none of ours.
        Some(_) => (Role::Assistant, Kind::Other(call_id)),
    };
    let span = node.span();
    Message { role, span, parts: vec![Part { span, index: None, kind }] }
}

/// The members that matter.
#[derive(Default)]
struct Item<'d> {
    kind: Option<Node<'d>>,
    role: Option<Node<'d>>,
    content: Option<Node<'d>>,
    call_id: Option<Node<'d>>,
    name: Option<Node<'d>>,
    arguments: Option<Node<'d>>,
    input: Option<Node<'d>>,
    output: Option<Node<'d>>,
}

impl Item<'_> {
    fn message<'t>(&self, source: Source<'t>) -> (Role, Kind<'t>) {
        let name = self.role.and_then(|role| role.as_str());
        let role = match role(name.as_deref()) {
            Role::Tool => Role::Other,
            role => role,
        };
        let kind = self.content.map_or(Kind::Blank, |content| source.plain_content(&content));
        (role, kind)
    }
}
