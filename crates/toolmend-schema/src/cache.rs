//! Compiled tools by their content: an agent sends the same list with every request.

use std::collections::HashMap;
use std::sync::Mutex;

use serde_json::Value;

use crate::{Tool, ToolError};

/// A bounded store of compiled tools. Tools that were not asked for lately go first.
#[derive(Debug)]
pub struct Cache {
    tools_max: usize,
    tools: Mutex<Tools>,
}

#[derive(Debug, Default)]
struct Tools {
    by_content: HashMap<String, (Tool, u64)>,
    clock: u64,
}

impl Cache {
    /// A store for this many tools.
    #[must_use]
    pub fn new(tools_max: usize) -> Self {
        Self { tools_max: tools_max.max(1), tools: Mutex::default() }
    }

    /// The tool, compiled now or before.
    ///
    /// # Errors
    /// The value is no tool at all.
    pub fn read(&self, tool: &Value) -> Result<Tool, ToolError> {
        let content = tool.to_string();
        if let Some(known) = self.lock().get(&content) {
            return Ok(known);
        }
        let tool = Tool::read(tool)?;
        self.lock().insert(content, tool.clone(), self.tools_max);
        Ok(tool)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Tools> {
        // A panic elsewhere leaves a whole map behind: each change is one call.
        self.tools.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new(1024)
    }
}

impl Tools {
    fn get(&mut self, content: &str) -> Option<Tool> {
        self.clock += 1;
        let (tool, used) = self.by_content.get_mut(content)?;
        *used = self.clock;
        Some(tool.clone())
    }

    fn insert(&mut self, content: String, tool: Tool, tools_max: usize) {
        if self.by_content.len() >= tools_max {
            // An eighth goes at once, so that a store that is too small does not sort for each tool.
            let mut used: Vec<u64> = self.by_content.values().map(|(_, used)| *used).collect();
            used.sort_unstable();
            let oldest = used.get(tools_max / 8).copied().unwrap_or_default();
            self.by_content.retain(|_, (_, used)| *used > oldest);
        }
        self.by_content.insert(content, (tool, self.clock));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Cache;

    fn tool(n: u32) -> serde_json::Value {
        json!({"name": format!("t{n}"), "parameters": {"type": "object"}})
    }

    #[test]
    fn a_tool_is_compiled_once() {
        let cache = Cache::default();
        let first = cache.read(&tool(1)).unwrap();
        let (again, other) = (cache.read(&tool(1)).unwrap(), cache.read(&tool(2)).unwrap());
        assert!(std::ptr::eq(first.source(), again.source()));
        assert!(!std::ptr::eq(first.source(), other.source()));
    }

    #[test]
    fn what_was_not_asked_for_lately_goes_first() {
        let cache = Cache::new(16);
        for n in (0..16).chain([0, 16]) {
            cache.read(&tool(n)).unwrap();
        }
        let held = cache.tools.lock().unwrap();
        let is_held = |n: u32| held.by_content.contains_key(&tool(n).to_string());
        let gone: Vec<u32> = (0..=16).filter(|n| !is_held(*n)).collect();
        assert_eq!(gone, [1, 2, 3]);
    }

    #[test]
    fn the_store_stays_bounded_and_keeps_what_is_used() {
        let cache = Cache::new(8);
        for n in 0..100 {
            cache.read(&tool(n)).unwrap();
            cache.read(&tool(0)).unwrap();
        }
        let held = cache.tools.lock().unwrap();
        assert!(held.by_content.len() <= 8);
        assert!(held.by_content.keys().any(|content| content.contains("\"t0\"")));
    }
}
