//! `object-to-json-string`
//!
//! ## What it does
//! Writes an object, or a list of objects, as JSON where only a string is right and the string may well
//! be JSON: the content of a file, the body of a request, what is called data, or what its description
//! says is JSON.
//!
//! ## Why models do it
//! The content of a JSON file is an object to them: they forget that the tool wants its text.
//!
//! ## Example
//! `{"content":{"name":"x"}}` → `{"content":"{\"name\":\"x\"}"}`
//!
//! ## Trust
//! Likely. Anywhere else JSON would be a wrong value: a shell would run it, a file of that name would be
//! made. So would the schema of the text, where the model repeats it, and an object around one value,
//! which may be the text. A list of texts could also mean lines or words, so it is left alone; so is
//! what is empty.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use super::number_to_string::wants_only_text;
use super::single_member_unwrapped::wrapped;
use crate::catalog::{Propose, Rule};
use crate::fold::{fold, is_same};
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(crate) const RULE: Rule = Rule {
    id: "object-to-json-string",
    trust: Trust::Likely,
    what: "Writes an object as JSON text where only a string is right, and JSON is one.",
    example: (r#"{"content":{"name":"x"}}"#, r#"{"content":"{\"name\":\"x\"}"}"#),
    propose: Propose::Value { from: Kinds::OBJECT.or(Kinds::ARRAY), to: Kinds::STRING, propose },
    source: include_str!("object_to_json_string.rs"),
};

/// How the names of texts end that may be JSON, or anything else.
const CONTENTS: [&str; 26] = [
    "content",
    "contents",
    "body",
    "args",
    "config",
    "configuration",
    "settings",
    "options",
    "properties",
    "props",
    "attributes",
    "headers",
    "schema",
    "document",
    "object",
    "record",
    "state",
    "context",
    "spec",
    "definition",
    "event",
    "input",
    "output",
    "request",
    "response",
    "value",
];

/// How the names of texts end that are data.
const DATA: [&str; 8] =
    ["json", "payload", "data", "metadata", "variables", "arguments", "parameters", "params"];

/// Whole names of texts that are files.
const FILES: [&str; 3] = ["filetext", "filecontent", "filecontents"];

/// What descriptions say of texts that are JSON.
const SAYS_JSON: [&str; 11] = [
    "json string",
    "json text",
    "json object",
    "json document",
    "json payload",
    "json body",
    "json-encoded",
    "json encoded",
    "as json",
    "in json",
    "valid json",
];

/// A description that speaks of one of these is not of the text itself.
const SAYS_OTHER: [&str; 6] = ["path", "url", "uri", "command", "name of", "query"];

/// What schemas say of a text.
const KEYWORDS: [&str; 12] = [
    "type",
    "description",
    "title",
    "enum",
    "const",
    "default",
    "format",
    "pattern",
    "minlength",
    "maxlength",
    "example",
    "examples",
];

/// What a text is, as far as its name and its description tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// JSON would be a wrong value.
    Plain,
    /// It may be anything, JSON as well.
    Content,
    /// It is likely JSON.
    Data,
}

impl Text {
    pub(super) fn of(site: &Site<'_>) -> Self {
        let whole = fold(site.name);
        let last = last_word(site.name);
        if site.is_path() {
            Self::Plain
        } else if DATA.contains(&last.as_str()) || site.descriptions().any(says_json) {
            Self::Data
        } else if CONTENTS.contains(&last.as_str())
            || FILES.contains(&whole.as_str())
            || site.name.to_ascii_lowercase().ends_with(".json")
        {
            Self::Content
        } else {
            Self::Plain
        }
    }
}

fn propose(site: &Site<'_>) -> Option<Offer> {
    // Where another reading takes values of this type, this one is a wrong value of that type.
    if !wants_only_text(site) || site.wide.has(Kinds::of(site.value)) {
        return None;
    }
    let text = Text::of(site);
    let is_document = match site.value {
        _ if text == Text::Plain => false,
        Value::Object(members) => is_document(members, text, site.name),
        Value::Array(items) => items.len() > 1 && items.iter().all(Value::is_object),
        _ => false,
    };
    is_document.then(|| Offer::exact(site.value.to_string()))
}

/// Whether an object is the text that was meant, and not something around it.
fn is_document(members: &Map<String, Value>, text: Text, name: &str) -> bool {
    let is_wrapped = match text {
        Text::Data => members.len() == 1 && members.keys().all(|key| is_same(key, name)),
        _ => wrapped(members, name).is_some(),
    };
    !members.is_empty() && !is_wrapped && !is_echo(members)
}

/// Whether an object is the schema of the text, or a piece of text as messages have it.
fn is_echo(members: &Map<String, Value>) -> bool {
    let kind = members.get("type").and_then(Value::as_str);
    let is_keyword = |key: &String| KEYWORDS.contains(&fold(key).as_str());
    match kind {
        Some("string") => members.keys().all(is_keyword),
        Some("text") => members.get("text").is_some_and(Value::is_string),
        _ => false,
    }
}

fn says_json(description: &str) -> bool {
    let text = description.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    (says(&SAYS_JSON) || text.contains("stringified")) && !says(&SAYS_OTHER)
}

/// The last word of a name, however its words are told apart.
fn last_word(name: &str) -> String {
    let name = name.trim_end_matches(|c: char| !c.is_alphanumeric());
    let start = name.char_indices().rev().scan(false, |is_upper_behind, (at, c)| {
        if *is_upper_behind || !c.is_alphanumeric() {
            return None;
        }
        // A word in capitals has no word inside: `JSON`.
        *is_upper_behind = c.is_uppercase() && name.chars().any(char::is_lowercase);
        Some(at)
    });
    let start = start.last().unwrap_or_default();
    name.get(start..).unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{last_word, says_json};

    #[test]
    fn a_name_ends_in_a_word() {
        for (name, word) in [
            ("content", "content"),
            ("fileContent", "content"),
            ("request_body", "body"),
            ("JSON", "json"),
            ("json-data", "data"),
            ("Data", "data"),
            ("content_", "content"),
            ("contentType", "type"),
            ("", ""),
            ("__", ""),
        ] {
            assert_eq!(last_word(name), word, "{name}");
        }
    }

    #[test]
    fn a_description_says_what_a_text_is() {
        assert!(says_json("The event, as JSON."));
        assert!(says_json("Stringified options"));
        assert!(!says_json("Path of a JSON document"));
        assert!(!says_json("What to say"));
    }
}
