//! Writes JSON objects in which some members are JSON already and keep their spelling.

/// An object that is being written.
#[derive(Debug)]
pub(crate) struct Object {
    out: String,
}

impl Object {
    pub(crate) fn new() -> Self {
        Self { out: "{".to_owned() }
    }

    /// A member whose value is JSON already.
    pub(crate) fn raw(mut self, key: &str, json: &str) -> Self {
        if self.out.len() > 1 {
            self.out.push(',');
        }
        self.out.push_str(&quoted(key));
        self.out.push(':');
        // A line break can only stand between tokens of valid JSON; in a line it must not.
        self.out.extend(json.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
        self
    }

    pub(crate) fn string(self, key: &str, value: &str) -> Self {
        self.raw(key, &quoted(value))
    }

    pub(crate) fn number(self, key: &str, value: usize) -> Self {
        self.raw(key, &value.to_string())
    }

    pub(crate) fn boolean(self, key: &str, value: bool) -> Self {
        self.raw(key, if value { "true" } else { "false" })
    }

    /// A list of JSON texts.
    pub(crate) fn list(self, key: &str, items: impl IntoIterator<Item = String>) -> Self {
        let items: Vec<String> = items.into_iter().collect();
        self.raw(key, &format!("[{}]", items.join(",")))
    }

    pub(crate) fn finish(mut self) -> String {
        self.out.push('}');
        self.out
    }
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
