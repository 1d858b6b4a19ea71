//! The four APIs.

/// One of the wire APIs that are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Api {
    /// `OpenAI` Chat Completions, `POST /v1/chat/completions`.
    Chat,
    /// `OpenAI` Responses, `POST /v1/responses`.
    Responses,
    /// Anthropic Messages, `POST /v1/messages`.
    Messages,
    /// Ollama, `POST /api/chat`.
    Ollama,
}

impl Api {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Chat, Self::Responses, Self::Messages, Self::Ollama];

    /// The name that reports, settings and cases use.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::Ollama => "ollama",
        }
    }

    /// How its streams are cut into frames.
    #[must_use]
    pub const fn framing(self) -> Framing {
        match self {
            Self::Ollama => Framing::Lines,
            Self::Chat | Self::Responses | Self::Messages => Framing::Events,
        }
    }

    /// What a made id of a call starts with.
    #[must_use]
    pub const fn id_prefix(self) -> &'static str {
        match self {
            Self::Messages => "toolu_",
            Self::Chat | Self::Responses | Self::Ollama => "call_",
        }
    }
}

/// How a stream is cut into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framing {
    /// Server-sent events: a blank line ends a frame.
    Events,
    /// One JSON value on each line.
    Lines,
}

impl Framing {
    /// What a stream of it is called in a header.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Events => "text/event-stream",
            Self::Lines => "application/x-ndjson",
        }
    }
}
