//! The tools that a line offers, by name.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::schema_keys::{self, Known};

/// What is known about the tools of the current line. Recorded turns mostly offer the same tools
/// line after line, so the last list is kept.
#[derive(Debug, Default)]
pub(super) struct Tools {
    source: String,
    by_name: BTreeMap<String, Known>,
}

impl Tools {
    /// Takes the tools of the next line, as they are spelt.
    pub(super) fn update(&mut self, raw: &str) {
        if raw == self.source {
            return;
        }
        raw.clone_into(&mut self.source);
        // A list that is no list offers nothing: arguments are then mended by syntax alone.
        let tools: Vec<Value> = serde_json::from_str(raw).unwrap_or_default();
        let named = tools.iter().filter_map(|tool| Some((name(tool)?, schema_keys::of(tool))));
        self.by_name = named.collect();
    }

    pub(super) fn get(&self, name: &str) -> Option<&Known> {
        self.by_name.get(name)
    }
}

fn name(tool: &Value) -> Option<String> {
    let holder = tool.get("function").filter(|function| function.is_object()).unwrap_or(tool);
    holder.get("name")?.as_str().map(str::to_owned)
}
