//! A `content` that is a list of parts, as `OpenAI` and Anthropic write them.

use serde_json::value::RawValue;

use super::line::Fields;
use super::text::decode;

/// What stands in a list of parts, by what it is.
#[derive(Debug, Default)]
pub(super) struct Parts<'l> {
    pub(super) content: String,
    pub(super) reasoning: String,
    pub(super) calls: Vec<&'l RawValue>,
    /// What is no text and no call, as it came. Thinking is here as well: its signature is no text.
    pub(super) others: Vec<&'l RawValue>,
}

impl<'l> Parts<'l> {
    /// Reads a list; `None` where this is none. What was kept of an earlier one stays before its parts.
    pub(super) fn read(raw: &'l str, kept: Vec<&'l RawValue>) -> Option<Self> {
        let list: Vec<&'l RawValue> = serde_json::from_str(raw).ok()?;
        let mut parts = Self { others: kept, ..Self::default() };
        for part in list {
            parts.take(part);
        }
        Some(parts)
    }

    fn take(&mut self, part: &'l RawValue) {
        if let Some(text) = decode(part.get()) {
            return self.content.push_str(&text);
        }
        let fields: Fields<'l> = serde_json::from_str(part.get()).unwrap_or_default();
        let said = |name: &str| fields.get(name).and_then(|value| text_of(value));
        let kind = fields.get("type").and_then(|kind| decode(kind.get())).unwrap_or_default();
        match (kind.as_str(), said("text")) {
            ("text" | "output_text" | "input_text", Some(text)) => self.content.push_str(&text),
            ("tool_use", _) => self.calls.push(part),
            ("thinking" | "reasoning", text) => {
                let text = text.or_else(|| said("thinking")).or_else(|| said("reasoning"));
                self.reasoning.push_str(&text.unwrap_or_default());
                self.others.push(part);
            }
            _ => self.others.push(part),
        }
    }
}

/// A text, or the texts of a list: Mistral's thinking is one.
fn text_of(value: &RawValue) -> Option<String> {
    let of_part = |part: &&RawValue| {
        let fields: Fields<'_> = serde_json::from_str(part.get()).ok()?;
        decode(fields.get("text")?.get())
    };
    decode(value.get()).or_else(|| {
        let list: Vec<&RawValue> = serde_json::from_str(value.get()).ok()?;
        Some(list.iter().filter_map(of_part).collect())
    })
}
