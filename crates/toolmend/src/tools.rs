//! The tools of a request.

use serde_json::Value;
use toolmend_dialect::Offered;
use toolmend_schema::Tool;

use crate::name::{Match, Names};

/// The tools that a request offers.
#[derive(Clone, Debug, Default)]
pub struct ToolSet {
    tools: Vec<Tool>,
    names: Names,
    offered: Offered,
}

impl ToolSet {
    /// Reads tools in the form of any of the APIs. What is no tool is passed over.
    #[must_use]
    pub fn read(tools: &[Value]) -> Self {
        Self::of(tools.iter().filter_map(|tool| Tool::read(tool).ok()).collect())
    }

    /// Takes tools that were read before.
    #[must_use]
    pub fn of(tools: Vec<Tool>) -> Self {
        let names = Names::new(tools.iter().map(Tool::name));
        let offered = Offered::new(
            tools.iter().map(|tool| (tool.name().to_owned(), tool.properties().to_vec())),
        );
        Self { tools, names, offered }
    }

    /// Adds other names for tools.
    #[must_use]
    pub fn with_synonyms(mut self, synonyms: impl IntoIterator<Item = (String, String)>) -> Self {
        self.names = self.names.with_synonyms(synonyms);
        self
    }

    /// Whether no tools are offered.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tools, in the order in which they are offered.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.tools.iter()
    }

    /// The one tool that a name means.
    #[must_use]
    pub fn resolve(&self, name: &str) -> Option<(&Tool, Match)> {
        let (at, how) = self.names.resolve(name)?;
        Some((self.tools.get(at)?, how))
    }

    /// The names that are nearest to one that means no tool.
    #[must_use]
    pub fn closest(&self, name: &str) -> Vec<&str> {
        self.names.closest(name)
    }

    pub(crate) fn offered(&self) -> &Offered {
        &self.offered
    }
}
