//! Whether a text stands in what a user or a tool said.

use std::sync::{Arc, OnceLock};

use memchr::memchr;
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
            Source::Messages(json) => match serde_json::from_str(json) {
                Ok(Value::Array(messages)) => fold_all(&said(&messages)),
                // Responses take what the user says without a list around it.
                Ok(Value::String(text)) => fold_all(&[text]),
                _ => Vec::new(),
            },
        });
        // Most texts start with a byte or a word that nobody said, or go on as nobody did.
        let Some(&first) = text.trim_start().as_bytes().first() else { return false };
        if !folded.iter().any(|said| memchr(first, said.as_bytes()).is_some()) {
            return false;
        }
        let Some(word) = text.split_whitespace().next() else { return false };
        if !folded.iter().any(|said| said.contains(word)) {
            return false;
        }
        let (start, is_whole) = fold_start(text);
        let mut alike = folded.iter().filter(|said| said.contains(&start)).peekable();
        if is_whole || alike.peek().is_none() {
            return alike.peek().is_some();
        }
        let text = fold(text);
        alike.any(|said| said.contains(&text))
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

/// So many bytes of a text are looked for first.
const START_BYTES: usize = 64;

/// The first words of a text without white space, and whether those are all.
fn fold_start(text: &str) -> (String, bool) {
    let mut out = String::new();
    let mut words = text.split_whitespace();
    for word in words.by_ref() {
        out.push_str(word);
        if out.len() >= START_BYTES {
            break;
        }
    }
    (out, words.next().is_none())
}

/// White space says nothing about who wrote a text.
fn fold(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.split_whitespace().for_each(|word| out.push_str(word));
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Echo;

    #[test]
    fn an_echo_is_the_whole_text_but_for_white_space() {
        let long = "a call with an argument that goes on and on ".repeat(9);
        let echo = Echo::of(&[json!({"role": "user", "content": format!("Run {long}please.")})]);
        assert!(echo.has(&long.replace(' ', "\n")) && echo.has("Run a") && echo.has(" goes  on "));
        assert!(!echo.has(&format!("{long}now")) && !echo.has("Run b") && !echo.has(" \n"));
        assert!(!Echo::default().has("a"));
    }

    #[test]
    fn messages_may_be_one_text() {
        let text = Echo::written(r#""Say [find_berth(pier=4)] to me""#.into());
        assert!(text.has("[find_berth( pier=4 )]") && !text.has("[find_berth(pier=5)]"));
        let list = Echo::written(r#"[{"role": "user", "content": "Say it"}]"#.into());
        assert!(list.has("Say") && !list.has("find_berth"));
        assert!(!Echo::written("{".into()).has("{"));
    }
}
