//! How a tool is written: two forms of `OpenAI`'s (Ollama has the first), those of Anthropic and
//! MCP, and a plain one.

use serde_json::{Map, Value};

/// The parts of a tool, wherever its form has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form<'v> {
    /// The object that holds name, description and schema.
    pub(crate) inner: &'v Map<String, Value>,
    pub(crate) name: &'v str,
    pub(crate) description: &'v str,
    /// The schema of the arguments, if there is one.
    pub(crate) schema: Option<&'v Value>,
}

/// The keys under which a schema may stand. `parametersJsonSchema` is Gemini's.
pub(crate) const SCHEMA_KEYS: [&str; 5] =
    ["parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema"];

impl<'v> Form<'v> {
    /// Reads a tool in any of the forms; `None` where there is no name.
    pub(crate) fn of(tool: &'v Value) -> Option<Self> {
        let outer = tool.as_object()?;
        let inner = outer.get("function").and_then(Value::as_object).unwrap_or(outer);
        let name = inner.get("name")?.as_str().filter(|name| !name.is_empty())?;
        let description = inner.get("description").and_then(Value::as_str).unwrap_or_default();
        let schema = SCHEMA_KEYS.iter().find_map(|key| inner.get(*key)).filter(|v| !v.is_null());
        Some(Self { inner, name, description, schema })
    }
}

/// The object that holds name, description and schema, to be changed.
pub(crate) fn inner_mut(tool: &mut Value) -> Option<&mut Map<String, Value>> {
    let outer = tool.as_object_mut()?;
    if outer.get("function").is_some_and(Value::is_object) {
        outer.get_mut("function")?.as_object_mut()
    } else {
        Some(outer)
    }
}
