//! Which API a list of messages is written for, by what only that API has.

use toolmend::history::Api;

/// Signs of an API, looked for in order; what has none of them is a chat.
const SIGNS: &[(&str, Api)] = &[
    ("\"function_call_output\"", Api::Responses),
    ("\"call_id\"", Api::Responses),
    ("\"tool_use_id\"", Api::Anthropic),
    ("\"tool_use\"", Api::Anthropic),
    ("\"tool_call_id\"", Api::Chat),
    ("\"tool_name\"", Api::Ollama),
];

/// The API that a list of messages is written for.
pub(crate) fn of(text: &str) -> Api {
    let signs = SIGNS.iter().find(|(sign, _)| text.contains(sign));
    signs.map_or(Api::Chat, |(_, api)| *api)
}
