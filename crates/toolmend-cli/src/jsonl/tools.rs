//! The tools that a line offers, by name.

use std::collections::BTreeMap;

use serde_json::Value;
use toolmend::{Match, Tool, ToolSet};

use crate::schema_keys::{self, Known};

/// What is known about the tools of the current line. Recorded turns mostly offer the same tools
/// line after line, so the last list is kept.
#[derive(Debug, Default)]
pub(super) struct Tools {
    source: String,
    set: ToolSet,
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
        self.set = ToolSet::read(&tools);
        let named = tools.iter().filter_map(|tool| Some((name(tool)?, schema_keys::of(tool))));
        self.by_name = named.collect();
    }

    pub(super) fn set(&self) -> &ToolSet {
        &self.set
    }

    /// The one tool that a name means.
    pub(super) fn resolve(&self, name: &str) -> Option<(&Tool, Match)> {
        self.set.resolve(name)
    }

    pub(super) fn known(&self, name: &str) -> Option<&Known> {
        self.by_name.get(name)
    }
}

fn name(tool: &Value) -> Option<String> {
    let holder = tool.get("function").filter(|function| function.is_object()).unwrap_or(tool);
    holder.get("name")?.as_str().map(str::to_owned)
}
