//! Calls, and how each dialect writes them.

use serde_json::{Value, json};
use toolmend_dialect::Dialect;

/// A tool and what it is called with.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The tool.
    pub name: &'static str,
    /// The arguments.
    pub arguments: Value,
}

/// A call as text.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub call: Call,
    pub text: String,
    pub dialect: &'static Dialect,
}

/// Something to call a tool for. Every tool takes a text and, if it likes, a count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    name: &'static str,
    text_key: &'static str,
    text: &'static str,
    count_key: &'static str,
}

const fn subject(
    name: &'static str,
    text_key: &'static str,
    text: &'static str,
    count_key: &'static str,
) -> Subject {
    Subject { name, text_key, text, count_key }
}

/// What quoted calls are about.
pub(crate) const QUOTED: &[Subject] = &[
    subject("get_weather", "city", "Lima", "days"),
    subject("run_command", "command", "rm -rf build", "timeout"),
    subject("send_email", "recipient", "ops@example.com", "priority"),
    subject("delete_file", "path", "/srv/data/old.db", "retries"),
    subject("search_docs", "query", "refund policy", "limit"),
];

/// What genuine calls are about: tools that only look.
pub(crate) const GENUINE: &[Subject] = &[
    subject("get_tides", "city", "Quito", "days"),
    subject("read_file", "path", "notes/plan.md", "lines"),
    subject("list_orders", "customer", "C-1042", "limit"),
    subject("get_forecast", "city", "Oslo", "days"),
];

/// The one tool that the dialect of built-in tools can call.
const SEARCH: &str = "brave_search";

/// The offered tools, the same in every turn.
#[must_use]
pub fn tools() -> Vec<Value> {
    let subjects = QUOTED.iter().chain(GENUINE);
    let mut tools: Vec<Value> = subjects
        .map(|subject| tool(subject.name, subject.text_key, Some(subject.count_key)))
        .collect();
    tools.push(tool(SEARCH, "query", None));
    tools
}

fn tool(name: &str, text_key: &str, count_key: Option<&str>) -> Value {
    let mut properties = json!({ text_key: { "type": "string" } });
    if let (Some(key), Some(members)) = (count_key, properties.as_object_mut()) {
        members.insert(key.to_owned(), json!({ "type": "integer" }));
    }
    json!({
        "type": "function",
        "function": {
            "name": name,
            "description": "",
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": [text_key],
            },
        },
    })
}

impl Subject {
    /// The call in this dialect.
    pub(crate) fn written(&self, dialect: &'static Dialect) -> Written {
        self.written_with(dialect, self.text)
    }

    /// The call in this dialect, with another text for its value.
    pub(crate) fn written_with(&self, dialect: &'static Dialect, value: &str) -> Written {
        let (call, text) = if dialect.example.contains("get_weather") {
            let (text_key, count_key) = (self.text_key, self.count_key);
            let arguments = json!({ text_key: value, count_key: 2 });
            let text = dialect
                .example
                .replace("get_weather", self.name)
                .replace("city", text_key)
                .replace("days", count_key)
                .replace("Lima", value);
            (Call { name: self.name, arguments }, text)
        } else {
            let text = dialect.example.replace("weather in Lima", value);
            (Call { name: SEARCH, arguments: json!({ "query": value }) }, text)
        };
        Written { call, text, dialect }
    }
}

impl Written {
    /// Whether special marks set the call apart, so that it may follow a sentence on its line.
    pub(crate) fn is_set_apart(&self) -> bool {
        let text = self.text.trim_start();
        let mut openers = self.dialect.openers();
        !text.starts_with("```")
            && !text.starts_with(char::is_alphanumeric)
            && openers.any(|mark| text.contains(mark))
    }

    /// Whether it is a fence that could hold anything.
    pub(crate) fn is_plain_fence(&self) -> bool {
        self.text.starts_with("```json")
    }

    /// The text without the fence around it.
    pub(crate) fn unfenced(&self) -> Option<&str> {
        let body = self.text.strip_prefix("```json\n")?;
        body.strip_suffix("\n```")
    }
}

#[cfg(test)]
mod tests {
    use super::{GENUINE, QUOTED};

    #[test]
    fn every_dialect_writes_the_name_and_the_value() {
        for dialect in toolmend_dialect::dialects() {
            for subject in QUOTED.iter().chain(GENUINE) {
                let written = subject.written(dialect);
                assert!(written.text.contains(subject.text), "{}", written.text);
                assert!(written.text.contains(written.call.name), "{}", written.text);
            }
        }
    }
}
