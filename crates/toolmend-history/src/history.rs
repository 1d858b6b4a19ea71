//! A history in neutral words, and where each part of it stands in the text that it was read from.

use std::borrow::Cow;

use toolmend_json::Span;

use crate::Api;
use crate::arguments::Arguments;

/// The messages of a request. Reading keeps the text, so that what is right keeps its bytes.
#[derive(Clone, Debug)]
pub struct History<'t> {
    pub(crate) text: &'t str,
    pub(crate) api: Api,
    pub(crate) messages: Vec<Message<'t>>,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// The host, also as `developer`.
    System,
    /// The user. In Anthropic's shape a user's message may hold nothing but results:
    /// [`Message::is_from_user`] tells.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
    /// Someone that this API does not know, or nobody.
    Other,
}

/// One message, or in Responses one item.
#[derive(Clone, Debug)]
pub struct Message<'t> {
    pub(crate) role: Role,
    pub(crate) span: Span,
    pub(crate) parts: Vec<Part<'t>>,
}

/// What a message holds.
#[derive(Clone, Debug)]
pub(crate) struct Part<'t> {
    /// Where its object or text stands.
    pub(crate) span: Span,
    /// Which item it is of its list of calls or blocks; `None` where it stands in no list.
    pub(crate) index: Option<usize>,
    pub(crate) kind: Kind<'t>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind<'t> {
    Text,
    /// Text that says nothing.
    Blank,
    Reasoning,
    Call(Call<'t>),
    Result(ToolResult<'t>),
    /// Something that is neither judged nor changed. A call of a kind that asks for no result of
    /// ours tells its id.
    Other(Option<Cow<'t, str>>),
    /// Points to an item that the server keeps.
    Reference,
}

/// A call in the history.
#[derive(Clone, Debug)]
pub struct Call<'t> {
    pub(crate) id: Option<Cow<'t, str>>,
    pub(crate) name: Cow<'t, str>,
    pub(crate) arguments: Arguments<'t>,
}

/// What a tool answered.
#[derive(Clone, Debug)]
pub struct ToolResult<'t> {
    pub(crate) call_id: Option<Cow<'t, str>>,
    pub(crate) name: Option<Cow<'t, str>>,
    /// The content as JSON; empty where there is none.
    pub(crate) content: &'t str,
    pub(crate) is_error: bool,
}

/// Where something stands in a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Which message, or in Responses which item.
    pub message: usize,
    /// Which of its calls (Chat, Ollama) or blocks (Anthropic); `None` for the message itself.
    pub part: Option<usize>,
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.part {
            Some(part) => write!(out, "{}.{part}", self.message),
            None => write!(out, "{}", self.message),
        }
    }
}

impl<'t> History<'t> {
    /// The text that it was read from.
    #[must_use]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The shape that it has.
    #[must_use]
    pub fn api(&self) -> Api {
        self.api
    }

    /// The messages, in order.
    #[must_use]
    pub fn messages(&self) -> &[Message<'t>] {
        &self.messages
    }

    pub(crate) fn source(&self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Every part with its message, in order.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (usize, &Part<'t>)> {
        let messages = self.messages.iter().enumerate();
        messages.flat_map(|(at, message)| message.parts.iter().map(move |part| (at, part)))
    }
}

impl<'t> Message<'t> {
    /// Who speaks.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// The calls that it makes.
    pub fn calls(&self) -> impl Iterator<Item = &Call<'t>> {
        self.parts.iter().filter_map(|part| match &part.kind {
            Kind::Call(call) => Some(call),
            _ => None,
        })
    }

    /// The results that it brings.
    pub fn results(&self) -> impl Iterator<Item = &ToolResult<'t>> {
        self.parts.iter().filter_map(|part| match &part.kind {
            Kind::Result(result) => Some(result),
            _ => None,
        })
    }

    /// Whether the model's thinking is there, be it empty.
    #[must_use]
    pub fn has_reasoning(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.kind, Kind::Reasoning))
    }

    /// Whether a person speaks here: the role is the user's, and there is more than results.
    #[must_use]
    pub fn is_from_user(&self) -> bool {
        self.role == Role::User && !self.has_only_results()
    }

    /// Whether there are results, and nothing beside them.
    pub(crate) fn has_only_results(&self) -> bool {
        let is_result = |part: &Part<'_>| matches!(part.kind, Kind::Result(_));
        !self.parts.is_empty() && self.parts.iter().all(is_result)
    }

    /// Whether there is anything that an API takes for an answer: text, a call, something unknown.
    pub(crate) fn has_answer(&self) -> bool {
        self.parts.iter().any(|part| !matches!(part.kind, Kind::Reasoning | Kind::Blank))
    }
}

impl<'t> Call<'t> {
    /// Its id; `None` where it is missing or empty.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The name of the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the tool was given.
    #[must_use]
    pub fn arguments(&self) -> &Arguments<'t> {
        &self.arguments
    }
}

impl<'t> ToolResult<'t> {
    /// The id of the call that it answers; `None` where it is missing or empty.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        self.call_id.as_deref()
    }

    /// Whether the API's own mark says that the tool failed. Only Anthropic has one.
    #[must_use]
    pub fn is_marked_error(&self) -> bool {
        self.is_error
    }

    /// The content as JSON, as it stands there; empty where there is none.
    #[must_use]
    pub fn source(&self) -> &'t str {
        self.content
    }

    /// The text of the content: of a list of blocks, their texts one after the other.
    #[must_use]
    pub fn text(&self) -> Cow<'t, str> {
        crate::node::text_of(self.content)
    }
}
