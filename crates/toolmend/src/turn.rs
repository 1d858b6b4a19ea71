//! One reply of a model, as the server told it.

use crate::mended::Call;

/// One reply of a model, whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// What names the turn: ids that are made follow from it.
    pub id: String,
    /// The thinking.
    pub reasoning: String,
    /// The answer.
    pub content: String,
    /// The calls that the server made out.
    pub calls: Vec<Declared>,
    /// Why the model stopped, as the server says it.
    pub finish: Option<String>,
}

/// A call that the server made out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// Its id, where it has one.
    pub id: Option<String>,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its arguments.
    pub arguments: Written,
}

/// Arguments as the wire has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Written {
    /// There are none.
    #[default]
    Missing,
    /// Text that should be JSON.
    Text(String),
    /// An object, as it is spelt.
    Object(String),
    /// A JSON value of another shape, as it is spelt.
    Other(String),
}

/// A piece of a turn that is still coming.
#[derive(Clone, Copy, Debug)]
pub enum Delta<'d> {
    /// More thinking.
    Reasoning(&'d str),
    /// More of the answer.
    Content(&'d str),
    /// More of a call that the server made out.
    Call {
        /// Which one.
        index: usize,
        /// Its id, where this piece has it.
        id: Option<&'d str>,
        /// Its name, where this piece has it.
        name: Option<&'d str>,
        /// More of its arguments.
        arguments: &'d str,
    },
}

/// Finish reasons that say that the turn was cut.
const CUT_REASONS: [&str; 4] = ["length", "max_tokens", "content_filter", "incomplete"];

/// Whether a finish reason says that the turn was cut.
#[must_use]
pub fn is_cut(finish: Option<&str>) -> bool {
    finish.is_some_and(|reason| CUT_REASONS.iter().any(|cut| cut.eq_ignore_ascii_case(reason)))
}

/// Finish reasons that say that the model ended the turn.
const END_REASONS: [&str; 5] = ["stop", "end_turn", "tool_calls", "tool_use", "function_call"];

/// Whether a finish reason says that the model ended the turn.
pub(crate) fn is_over(finish: Option<&str>) -> bool {
    finish.is_some_and(|reason| END_REASONS.iter().any(|end| end.eq_ignore_ascii_case(reason)))
}

/// The finish reason that goes with the calls of a mended turn; `None` where it stays.
pub(crate) fn finish_for(reason: Option<&str>, calls: &[Call]) -> Option<&'static str> {
    let has_found = calls.iter().any(|call| call.origin.is_text());
    match reason {
        Some("tool_calls" | "function_call") if calls.is_empty() => Some("stop"),
        Some("tool_use") if calls.is_empty() => Some("end_turn"),
        None | Some("") if has_found => Some("tool_calls"),
        Some("stop") if !calls.is_empty() => Some("tool_calls"),
        Some("end_turn") if !calls.is_empty() => Some("tool_use"),
        _ => None,
    }
}
