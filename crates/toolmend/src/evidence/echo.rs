//! Whether a text stands in what a user or a tool said.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

/// What users and tools said in this request.
#[derive(Clone, Debug, Default)]
pub struct Echo {
    source: Source,
    /// What was said, without white space: made when the first call is looked for, since most turns
    /// have none.
    folded: OnceLock<Vec<String>>,
}

#[derive(Clone, Debug)]
enum Source {
    Said(Vec<String>),
    Messages(Arc<str>),
}

impl Default for Source {
    fn default() -> Self {
        Self::Said(Vec::new())
    }
}

/// Roles whose text must not become a call.
const ROLES: [&str; 4] = ["user", "tool", "function", "ipython"];

impl Echo {
    /// Takes the messages of a request, in the form of any of the APIs.
    #[must_use]
    pub fn of(messages: &[Value]) -> Self {
        Self { source: Source::Said(said(messages)), folded: OnceLock::new() }
    }

    /// Takes the messages as JSON. They are read when the first call is looked for.
    #[must_use]
    pub fn written(messages: Arc<str>) -> Self {
        Self { source: Source::Messages(messages), folded: OnceLock::new() }
    }

    pub(crate) fn has(&self, text: &str) -> bool {
        let folded = self.folded.get_or_init(|| match &self.source {
            Source::Said(said) => fold_all(said),
            Source::Messages(json) => {
                fold_all(&said(&serde_json::from_str::<Vec<Value>>(json).unwrap_or_default()))
            }
        });
        if folded.is_empty() {
            return false;
        }
        let text = fold(text);
        !text.is_empty() && folded.iter().any(|said| said.contains(&text))
    }
}

/// What users and tools say in these messages.
fn said(messages: &[Value]) -> Vec<String> {
    let mut said = Vec::new();
    for message in messages {
        let role = message.get("role").and_then(Value::as_str).unwrap_or("tool");
        if ROLES.contains(&role) {
            let mut open: Vec<&Value> =
                ["content", "output", "text"].iter().filter_map(|key| message.get(key)).collect();
            while let Some(value) = open.pop() {
                match value {
                    Value::String(text) => said.push(text.clone()),
                    Value::Array(parts) => open.extend(parts),
                    Value::Object(part) => open.extend(
                        ["text", "content", "output", "input_text"]
                            .iter()
                            .filter_map(|key| part.get(*key)),
                    ),
                    _ => {}
                }
            }
        }
    }
    said
}

fn fold_all(said: &[String]) -> Vec<String> {
    // A result that is JSON holds the text of a file as a string.
    let escaped = said.iter().filter(|text| text.contains('\\'));
    let plain = said.iter().map(|text| fold(text));
    plain.chain(escaped.map(|text| fold(&unescaped(text)))).collect()
}

/// The text without the escapes of a JSON string.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n' | 't' | 'r') => out.push(' '),
                Some('u') => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let unit = u32::from_str_radix(&digits, 16).ok();
                    out.extend(unit.and_then(char::from_u32));
                }
                Some(c) => out.push(c),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

/// White space says nothing about who wrote a text.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.split_whitespace().for_each(|word| out.push_str(word));
    out
}
