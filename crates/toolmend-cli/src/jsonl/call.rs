//! One declared call, as the line spells it.

use serde_json::value::RawValue;
use toolmend::{Declared, Written};

use super::line::Fields;
use super::text;

/// Members of a call that come out in their own place.
const OWN: [&str; 6] = ["id", "name", "arguments", "function", "outcome", "lossy"];

/// Members that a call has as a block of Anthropic's, and that are told by others.
const BLOCK: [&str; 2] = ["type", "input"];

/// A call as the line has it. All parts are as they are spelt.
#[derive(Debug)]
pub(super) struct Spelt<'l> {
    pub(super) raw: &'l str,
    pub(super) id: Option<&'l str>,
    pub(super) name: Option<&'l str>,
    pub(super) arguments: Option<&'l str>,
    /// What this does not know.
    pub(super) unknown: Vec<(String, &'l str)>,
}

impl<'l> Spelt<'l> {
    /// Reads a call: flat, as `OpenAI` nests it, or a block of Anthropic's; `None` where it is no object.
    pub(super) fn read(call: &'l RawValue) -> Option<Self> {
        let fields: Fields<'l> = serde_json::from_str(call.get()).ok()?;
        let nested = fields.get("function").map(|function| serde_json::from_str(function.get()));
        let nested: Fields<'l> = nested.and_then(Result::ok).unwrap_or_default();
        let find = |key: &str| fields.get(key).or_else(|| nested.get(key)).map(|value| value.get());
        let unknown =
            fields.iter().chain(nested.iter().filter(|(key, _)| !fields.contains_key(*key)));
        let is_block = fields.get("type").is_some_and(|kind| kind.get() == "\"tool_use\"");
        let is_known = |key: &str| OWN.contains(&key) || is_block && BLOCK.contains(&key);
        let unknown = unknown.filter(|(key, _)| !is_known(key.as_str()));
        let input = || find("input").filter(|_| is_block);
        Some(Self {
            raw: call.get(),
            id: find("id").filter(|id| !matches!(*id, "null" | "\"\"")),
            name: find("name"),
            arguments: find("arguments").or_else(input).filter(|arguments| *arguments != "null"),
            unknown: unknown.map(|(key, value)| (key.clone(), value.get())).collect(),
        })
    }

    /// The call as the library takes it. An id that is no string keeps its spelling.
    pub(super) fn declared(&self) -> Declared {
        Declared {
            id: self.id.map(|id| text::decode(id).unwrap_or_else(|| id.to_owned())),
            name: self.name.and_then(text::decode),
            arguments: match self.arguments {
                None => Written::Missing,
                Some(raw) if raw.starts_with('{') => Written::Object(raw.to_owned()),
                Some(raw) => match text::decode(raw) {
                    Some(text) => Written::Text(text),
                    None => Written::Other(raw.to_owned()),
                },
            },
        }
    }
}
