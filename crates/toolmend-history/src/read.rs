//! Reads a history from the text of `messages` or `input`.

mod anthropic;
mod chat;
mod responses;

use std::borrow::Cow;

use toolmend_json::{Node, Shape};

use crate::arguments::Arguments;
use crate::history::{Kind, Role};
use crate::node::{filled, read_valid};
use crate::{Api, History, Quoted};

/// The text is no JSON list. A caller passes it on as it is: the server will say what it thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAList;

impl std::error::Error for NotAList {}

impl std::fmt::Display for NotAList {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("a history is a JSON list of messages")
    }
}

impl<'t> History<'t> {
    /// Reads the list of messages of a request. Messages that are not what the API describes are
    /// kept, and neither judged nor changed.
    ///
    /// # Errors
    /// The text is no JSON list.
    pub fn read(text: &'t str, api: Api) -> Result<Self, NotAList> {
        let document = read_valid(text).ok_or(NotAList)?;
        let root = document.value().filter(|root| root.shape() == Shape::Array).ok_or(NotAList)?;
        let read = match api {
            Api::Chat | Api::Ollama => chat::read,
            Api::Anthropic => anthropic::read,
            Api::Responses => responses::read,
        };
        let messages = root.items().map(|node| read(Source { text, api }, &node)).collect();
        Ok(Self { text, api, messages })
    }
}

/// The text that nodes point into, and how to take it.
#[derive(Clone, Copy)]
struct Source<'t> {
    text: &'t str,
    api: Api,
}

impl<'t> Source<'t> {
    /// An id or a name that says something.
    fn filled(self, node: Option<Node<'_>>) -> Option<Cow<'t, str>> {
        filled(self.text, &node?)
    }

    fn json(self, node: &Node<'_>) -> &'t str {
        self.text.get(node.span().range()).unwrap_or_default()
    }

    fn arguments(self, node: Option<Node<'_>>) -> Arguments<'t> {
        let Some(node) = node else { return Arguments::Absent };
        match node.shape() {
            Shape::Null => Arguments::Absent,
            Shape::String => Arguments::Text(Quoted::new(self.json(&node))),
            Shape::Object => Arguments::Object(self.json(&node)),
            _ => Arguments::Other(self.json(&node)),
        }
    }

    /// What a block of content is that is neither call nor result.
    fn plain_block(self, kind: Option<&str>, block: &Node<'_>) -> Kind<'t> {
        match kind {
            Some("text" | "input_text" | "output_text") => match block.get("text") {
                Some(text) if self.is_blank(&text) => Kind::Blank,
                Some(_) => Kind::Text,
                None => Kind::Other(None),
            },
            // Elsewhere thinking has a field or an item of its own, and such a block is unknown.
            Some("thinking" | "redacted_thinking") if self.api == Api::Anthropic => Kind::Reasoning,
            _ => Kind::Other(None),
        }
    }

    /// What a content is that holds neither calls nor results.
    fn plain_content(self, content: &Node<'_>) -> Kind<'t> {
        match content.shape() {
            Shape::Null => Kind::Blank,
            Shape::String if self.is_blank(content) => Kind::Blank,
            Shape::String => Kind::Text,
            Shape::Array => {
                let mut kinds = content.items().map(|block| {
                    let name = block.get("type").and_then(|name| name.as_str());
                    self.plain_block(name.as_deref(), &block)
                });
                kinds.find(|kind| !matches!(kind, Kind::Blank)).unwrap_or(Kind::Blank)
            }
            _ => Kind::Other(None),
        }
    }

    /// Whether a string says nothing. Anthropic refuses white space alone.
    fn is_blank(self, node: &Node<'_>) -> bool {
        match node.as_str() {
            Some(text) if self.api == Api::Anthropic => text.trim().is_empty(),
            Some(text) => text.is_empty(),
            None => false,
        }
    }
}

fn role(name: Option<&str>) -> Role {
    match name {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        _ => Role::Other,
    }
}
