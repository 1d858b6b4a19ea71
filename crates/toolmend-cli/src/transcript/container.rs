//! How a file holds a transcript: its messages, and what stands around them.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// A file with a transcript.
#[derive(Debug)]
pub(super) enum Container<'t> {
    /// A list of messages.
    List(&'t str),
    /// A request: the whole text, and the list in it.
    Object { text: &'t str, list: &'t str, tools: Option<&'t str> },
    /// A message on each line.
    Lines(Vec<&'t str>),
}

impl<'t> Container<'t> {
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let trimmed = text.trim();
        if serde_json::from_str::<Vec<&RawValue>>(trimmed).is_ok() {
            return Some(Self::List(trimmed));
        }
        if let Ok(fields) = serde_json::from_str::<BTreeMap<String, &'t RawValue>>(trimmed) {
            let raw = |name: &str| fields.get(name).map(|value| value.get());
            let list =
                raw("messages").or_else(|| raw("input")).filter(|list| list.starts_with('['));
            return Some(Self::Object { text: trimmed, list: list?, tools: raw("tools") });
        }
        let lines: Vec<&str> =
            trimmed.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let is_message =
            |line: &&str| serde_json::from_str::<BTreeMap<String, &RawValue>>(line).is_ok();
        (!lines.is_empty() && lines.iter().all(is_message)).then_some(Self::Lines(lines))
    }

    /// The messages as one list.
    pub(super) fn messages(&self) -> String {
        match self {
            Self::List(list) | Self::Object { list, .. } => (*list).to_owned(),
            Self::Lines(lines) => format!("[{}]", lines.join(",")),
        }
    }

    /// The tools that the transcript itself offers.
    pub(super) fn tools(&self) -> Option<Vec<Value>> {
        match self {
            Self::Object { tools, .. } => serde_json::from_str((*tools)?).ok(),
            Self::List(_) | Self::Lines(_) => None,
        }
    }

    /// The file with other messages; what stands around them stays as it is.
    pub(super) fn with_messages(&self, messages: &str) -> String {
        match self {
            Self::List(_) => format!("{messages}\n"),
            Self::Object { text, list, .. } => format!("{}\n", text.replacen(list, messages, 1)),
            Self::Lines(_) => {
                let list: Vec<&RawValue> = serde_json::from_str(messages).unwrap_or_default();
                list.iter()
                    .map(|message| format!("{}\n", message.get()))
                    .collect::<Vec<_>>()
                    .concat()
            }
        }
    }
}
