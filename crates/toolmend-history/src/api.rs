//! The four shapes in which histories come, and what each of them demands.

/// The API whose shape a history has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// `OpenAI` Chat Completions: `messages`, calls in `tool_calls`, each result a message.
    Chat,
    /// Anthropic Messages: `messages`, calls and results are blocks of `content`.
    Anthropic,
    /// `OpenAI` Responses: `input`, each call and each result an item.
    Responses,
    /// Ollama's `/api/chat`: as Chat, but arguments are objects and ids are optional.
    Ollama,
}

/// Where a result has to stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    /// Right behind the turn of its call.
    Right,
    /// Anywhere behind its call.
    Anywhere,
}

/// How far an id must be the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unique {
    /// In the whole history.
    Everywhere,
    /// In its turn: the results right behind it are looked at, and no others.
    InTurn,
    /// Calls and results are paired by their order, ids or not.
    Never,
}

impl Api {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Chat, Self::Anthropic, Self::Responses, Self::Ollama];

    /// The word that settings and cases use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Anthropic => "anthropic",
            Self::Responses => "responses",
            Self::Ollama => "ollama",
        }
    }

    pub(crate) const fn behind(self) -> Behind {
        match self {
            Self::Responses => Behind::Anywhere,
            Self::Chat | Self::Anthropic | Self::Ollama => Behind::Right,
        }
    }

    pub(crate) const fn unique(self) -> Unique {
        match self {
            Self::Anthropic | Self::Responses => Unique::Everywhere,
            Self::Chat => Unique::InTurn,
            Self::Ollama => Unique::Never,
        }
    }

    /// Whether neighbouring messages of the assistant are one turn: Anthropic joins them, and in
    /// Responses each part of a turn is an item of its own.
    pub(crate) const fn joins_turns(self) -> bool {
        matches!(self, Self::Anthropic | Self::Responses)
    }

    /// Whether arguments stand as JSON text inside of a string.
    pub(crate) const fn writes_arguments_as_text(self) -> bool {
        matches!(self, Self::Chat | Self::Responses)
    }

    /// Where the arguments stand in the object of a call.
    pub(crate) const fn arguments_path(self) -> &'static [&'static str] {
        match self {
            Self::Chat | Self::Ollama => &["function", "arguments"],
            Self::Anthropic => &["input"],
            Self::Responses => &["arguments"],
        }
    }

    /// Where the id stands in the object of a call.
    pub(crate) const fn call_id_key(self) -> &'static str {
        match self {
            Self::Chat | Self::Anthropic | Self::Ollama => "id",
            Self::Responses => "call_id",
        }
    }

    /// Where the id of its call stands in the object of a result.
    pub(crate) const fn result_id_key(self) -> &'static str {
        match self {
            Self::Chat | Self::Ollama => "tool_call_id",
            Self::Anthropic => "tool_use_id",
            Self::Responses => "call_id",
        }
    }
}
