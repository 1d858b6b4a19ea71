//! One turn as everybody is given it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolmend::ToolSet;
use toolmend_dialect::{Event, Offered, Scanner};

use super::item::Item;

/// A turn, and what was meant by it.
pub(super) struct Task {
    pub(super) item: Item,
    /// The tools, as the `OpenAI` API has them.
    pub(super) tools: Vec<Value>,
    pub(super) messages: Vec<Value>,
    pub(super) reasoning: String,
    pub(super) content: String,
    /// Names and arguments, as the server spelt them.
    pub(super) declared: Vec<(String, String)>,
    pub(super) finish: Option<String>,
    /// The dialects that the answer is written in, as far as anyone can tell.
    pub(super) dialects: BTreeSet<&'static str>,
    /// Whether it may be looked at.
    pub(super) is_shown: bool,
}

impl Task {
    /// A line of a corpus.
    ///
    /// # Errors
    /// Says what the line lacks.
    pub(super) fn read(line: &str) -> Result<Self, String> {
        let item = Item::read(line)?;
        let list = |name: &str| item.line.get(name).and_then(Value::as_array).cloned();
        let text = |name: &str| item.line.get(name).and_then(Value::as_str).unwrap_or_default();
        let tools: Vec<Value> = list("tools").unwrap_or_default().iter().map(openai).collect();
        let declared = list("tool_calls").unwrap_or_default().iter().map(declared).collect();
        let mut task = Self {
            tools,
            messages: list("messages").unwrap_or_default(),
            reasoning: text("reasoning").to_owned(),
            content: text("content").to_owned(),
            declared,
            finish: item.line.get("finish_reason").and_then(Value::as_str).map(str::to_owned),
            dialects: BTreeSet::new(),
            is_shown: true,
            item,
        };
        task.dialects = task.written_in();
        Ok(task)
    }

    /// The calls that were meant; with every value that is accepted where there are several.
    pub(super) fn meant(&self) -> &[Value] {
        let Item { accept, expected, .. } = &self.item;
        accept.as_deref().or(expected.as_deref()).unwrap_or_default()
    }

    /// The only dialect of the answer.
    pub(super) fn dialect(&self) -> Option<&'static str> {
        let mut dialects = self.dialects.iter();
        dialects.next().copied().filter(|_| dialects.next().is_none())
    }

    /// The declared calls as they came, where their arguments are JSON.
    pub(super) fn as_it_came(&self) -> Vec<Value> {
        let calls = self.declared.iter().filter_map(|(name, arguments)| {
            let arguments: Value = serde_json::from_str(arguments).ok()?;
            arguments.is_object().then(|| json!({ "name": name, "arguments": arguments }))
        });
        calls.collect()
    }

    fn written_in(&self) -> BTreeSet<&'static str> {
        let tools = ToolSet::read(&self.tools);
        let offered = tools.iter().map(|tool| (tool.name().to_owned(), tool.properties().to_vec()));
        let offered = Offered::new(offered);
        let mut scanner = Scanner::new(&offered);
        let mut dialects = BTreeSet::new();
        let mut take = |event: Event<'_>| {
            if let Event::Region(_, region) = event {
                dialects.extend(region.calls.iter().map(|call| call.dialect.id));
            }
        };
        scanner.push(&self.content, &mut take);
        scanner.finish(&mut take);
        dialects
    }
}

/// A tool as the `OpenAI` API has it, out of any of the usual forms.
fn openai(tool: &Value) -> Value {
    let function = tool.get("function").unwrap_or(tool);
    let schema = ["parameters", "input_schema", "inputSchema"];
    let parameters = schema.iter().find_map(|name| function.get(*name)).cloned();
    json!({
        "type": "function",
        "function": {
            "name": function.get("name"),
            "description": function.get("description").and_then(Value::as_str).unwrap_or_default(),
            "parameters": parameters.unwrap_or_else(|| json!({ "type": "object", "properties": {} })),
        },
    })
}

fn declared(call: &Value) -> (String, String) {
    let call = call.get("function").unwrap_or(call);
    let name = call.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let arguments = match call.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    };
    (name, arguments)
}
