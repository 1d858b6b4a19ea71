//! One line in: which fields there are. Their values stay text, so that what is not mended keeps
//! its spelling.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use toolmend::history::History;

use super::call::Spelt;
use super::parts::Parts;
use crate::shape;

/// The members of an object, each value as it is spelt.
pub(super) type Fields<'l> = BTreeMap<String, &'l RawValue>;

/// Fields that only tell about the request. They do not come out again.
const REQUEST: [&str; 4] = ["tools", "tool_choice", "model", "messages"];
/// Fields that come out in their own place.
const TURN: [&str; 5] = ["id", "reasoning", "content", "tool_calls", "finish_reason"];
/// Fields that are ours to write. A line that was mended before still has them.
const OURS: [&str; 4] = ["refused", "ask", "report", "error"];
/// What was in a list of parts and is neither text nor call, once the list is a text.
pub(super) const PARTS: &str = "content_parts";

/// A line that is a turn.
#[derive(Debug)]
pub(super) struct Line<'l> {
    fields: Fields<'l>,
    /// The calls, each as it is spelt.
    pub(super) calls: Vec<&'l RawValue>,
    /// What the content says, where it is a list of parts.
    pub(super) parts: Option<Parts<'l>>,
}

/// Why a line is no turn.
#[derive(Debug)]
pub(super) struct BadLine {
    /// The line's id as JSON, where it can be made out.
    pub(super) id: Option<String>,
    pub(super) message: String,
}

impl<'l> Line<'l> {
    pub(super) fn read(bytes: &'l [u8]) -> Result<Self, BadLine> {
        let fields: Fields<'l> =
            serde_json::from_slice(bytes).map_err(|error| BadLine::of(bytes, &error))?;
        let calls = fields.get("tool_calls").filter(|calls| calls.get() != "null");
        let calls = calls.map(|calls| serde_json::from_str(calls.get())).transpose();
        match calls {
            Ok(calls) => {
                let mut calls: Vec<&'l RawValue> = calls.unwrap_or_default();
                let kept = fields.get(PARTS).and_then(|kept| serde_json::from_str(kept.get()).ok());
                let content = fields.get("content").map_or("null", |content| content.get());
                let parts = Parts::read(content, kept.unwrap_or_default());
                // Some frameworks keep a call in both places.
                let known: Vec<&str> =
                    calls.iter().filter_map(|call| Spelt::read(call)?.id).collect();
                let is_new = |call: &&&'l RawValue| {
                    Spelt::read(call).and_then(|call| call.id).is_none_or(|id| !known.contains(&id))
                };
                calls.extend(parts.iter().flat_map(|parts| &parts.calls).filter(is_new));
                Ok(Self { fields, calls, parts })
            }
            Err(_) => Err(BadLine {
                id: fields.get("id").map(|id| id.get().to_owned()),
                message: "tool_calls is not a list".to_owned(),
            }),
        }
    }

    /// A field as it is spelt; `null` where there is none.
    pub(super) fn raw(&self, name: &str) -> &'l str {
        self.fields.get(name).map_or("null", |value| value.get())
    }

    pub(super) fn tools(&self) -> &'l str {
        self.raw("tools")
    }

    /// Why the model stopped, as the server says it.
    pub(super) fn finish_reason(&self) -> Option<String> {
        serde_json::from_str(self.raw("finish_reason")).ok()
    }

    /// Whether the finish reason says that the turn was cut.
    pub(super) fn is_cut(&self) -> bool {
        toolmend::is_cut(self.finish_reason().as_deref())
    }

    /// The text of a field; empty where it has none.
    fn text(&self, name: &str) -> String {
        super::text::decode(self.raw(name)).unwrap_or_default()
    }

    /// The thinking, also that which stands among the parts of the content, and once where it is in both.
    pub(super) fn reasoning(&self) -> String {
        let own = self.text("reasoning");
        let parts = self.parts.as_ref().map_or("", |parts| &parts.reasoning);
        if own == parts { own } else { own + parts }
    }

    pub(super) fn content(&self) -> String {
        self.parts.as_ref().map_or_else(|| self.text("content"), |parts| parts.content.clone())
    }

    /// Whether the request allows calls at all.
    pub(super) fn may_call(&self) -> bool {
        !matches!(self.raw("tool_choice"), "\"none\"" | "{\"type\":\"none\"}")
            && !self.raw("tool_choice").replace(' ', "").eq("{\"type\":\"none\"}")
    }

    /// The messages of the request.
    pub(super) fn messages(&self) -> Vec<serde_json::Value> {
        serde_json::from_str(self.raw("messages")).unwrap_or_default()
    }

    /// The same, to tell storms by.
    pub(super) fn history(&self) -> Option<History<'l>> {
        let text = self.raw("messages");
        History::read(text, shape::of(text)).ok()
    }

    /// What this does not know, in order of name.
    pub(super) fn unknown(&self) -> impl Iterator<Item = (&str, &'l str)> {
        let known = |name: &str| [&REQUEST[..], &TURN, &OURS].iter().any(|k| k.contains(&name));
        let unknown = self.fields.iter().filter(move |(name, _)| !known(name));
        unknown.map(|(name, value)| (name.as_str(), value.get()))
    }
}

impl BadLine {
    /// The id is worth a tolerant look: without it nobody knows which turn is missing.
    fn of(bytes: &[u8], error: &serde_json::Error) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let document = toolmend_json::read(&text, &toolmend_json::Options::default());
        let id = document.values().next().and_then(|value| value.get("id"));
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default();
        let message = match error.classify() {
            serde_json::error::Category::Data => "not an object".to_owned(),
            _ => format!("column {}: {what}", error.column().max(1)),
        };
        Self { id: id.map(|id| id.to_json()), message }
    }
}
