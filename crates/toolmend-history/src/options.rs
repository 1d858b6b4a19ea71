//! What a history is checked against.

/// What is known about the request beside its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether the provider wants the model's reasoning back.
    pub reasoning: Reasoning,
    /// Where the history starts.
    pub start: Start,
}

/// Whether the provider wants the model's reasoning back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reasoning {
    /// It may be there or not.
    #[default]
    Free,
    /// Each turn of the assistant must have `reasoning_content`, be it empty. `DeepSeek` refuses a
    /// history with tools in thinking mode otherwise. Only Chat has this field.
    Demanded,
}

/// Where a history starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// In this request.
    #[default]
    Here,
    /// On the server: the request names an earlier response or a conversation, so a result may
    /// answer a call that cannot be seen.
    Elsewhere,
}
