//! Blanks the values of arguments, wherever they stand in a turn: word by word, so that quotes,
//! brackets and everything else that may be broken stays as it came.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Words that shape calls and messages, and say nothing; they stand in the text of calls that cannot be read.
const SHAPE: &[&str] = &[
    "action",
    "args",
    "arguments",
    "assistant",
    "call",
    "calls",
    "content",
    "developer",
    "end",
    "false",
    "function",
    "functions",
    "id",
    "input",
    "invoke",
    "json",
    "key",
    "name",
    "null",
    "output",
    "parameter",
    "parameters",
    "python",
    "reasoning",
    "result",
    "role",
    "start",
    "system",
    "text",
    "thinking",
    "tool",
    "true",
    "type",
    "use",
    "user",
    "value",
    "False",
    "None",
    "True",
    "TOOL",
    "CALLS",
    "ARGS",
    "TOOLCALL",
    "DSML",
];

/// Members of messages that say what they are, and nothing else.
const LABELS: &[&str] = &["role", "type", "id", "tool_call_id", "tool_use_id", "call_id", "status"];

/// Shorter words hide nothing, and blanking them may change what the text means.
const WORD_MIN: usize = 2;

/// The line with the values of its calls, and all that its messages say, blanked in all of its texts.
/// Words that tools are made of stay: they stand in the case anyway, and a call is not the same call
/// without the names of its arguments and the words that a schema allows.
pub(super) fn mask(line: &Map<String, Value>, out: &Value) -> Map<String, Value> {
    let known = known(line.get("tools"));
    let mut secret = words_in(values(out));
    secret.extend(words_in(line.get("messages").into_iter().collect()));
    secret.retain(|word| !known.contains(word));
    let mut masked = line.clone();
    for name in ["reasoning", "content", "tool_calls", "messages"] {
        if let Some(value) = masked.get_mut(name) {
            mask_value(value, &secret);
        }
    }
    masked
}

/// The words that tools are made of.
fn known(tools: Option<&Value>) -> BTreeSet<String> {
    let mut known: BTreeSet<String> = SHAPE.iter().map(|word| (*word).to_owned()).collect();
    let mut open: Vec<&Value> = tools.into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                for (name, value) in members {
                    known.extend(words(name).map(str::to_owned));
                    if name != "description" || !value.is_string() {
                        open.push(value);
                    }
                }
            }
            Value::String(text) => known.extend(words(text).map(str::to_owned)),
            _ => {}
        }
    }
    known
}

/// The values of all calls, delivered or not.
fn values(out: &Value) -> Vec<&Value> {
    let list = |name: &str| out.get(name).and_then(Value::as_array).into_iter().flatten();
    let delivered = list("tool_calls").filter_map(|call| call.get("arguments"));
    let refused = list("refused").filter_map(|refused| refused.get("raw"));
    delivered.chain(refused).collect()
}

/// The words in values.
fn words_in(mut open: Vec<&Value>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                // Keys that no schema names are values as well; those that one names are known.
                members.keys().for_each(|key| found.extend(words(key).map(str::to_owned)));
                let is_said = |(key, _): &(&String, &Value)| !LABELS.contains(&key.as_str());
                open.extend(members.iter().filter(is_said).map(|(_, value)| value));
            }
            Value::String(text) => found.extend(words(text).map(str::to_owned)),
            Value::Number(number) => {
                let spelt = number.to_string();
                found.extend(words(&spelt).map(str::to_owned));
            }
            Value::Null | Value::Bool(_) => {}
        }
    }
    found
}

fn mask_value(value: &mut Value, secret: &BTreeSet<String>) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => *text = mask_text(text, secret),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                let is_secret = |key: &String| words(key).any(|word| secret.contains(word));
                if members.keys().any(is_secret) {
                    let old = std::mem::take(members);
                    members.extend(
                        old.into_iter().map(|(key, value)| (mask_text(&key, secret), value)),
                    );
                }
                let said = members.iter_mut().filter(|(key, _)| !LABELS.contains(&key.as_str()));
                open.extend(said.map(|(_, value)| value));
            }
            Value::Number(number) if secret.contains(&number.to_string()) => {
                let masked = mask_word(&number.to_string());
                *value = serde_json::from_str(&masked).unwrap_or(Value::Null);
            }
            Value::Number(_) | Value::Null | Value::Bool(_) => {}
        }
    }
}

fn mask_text(text: &str, secret: &BTreeSet<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    for word in words(text) {
        let at = word.as_ptr() as usize - rest.as_ptr() as usize;
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        match secret.contains(word) {
            true => out.push_str(&mask_word(word)),
            false => out.push_str(word),
        }
        rest = after.get(word.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

fn mask_word(word: &str) -> String {
    let blank = |c: char| match c {
        _ if c.is_numeric() => '1',
        _ if c.is_uppercase() => 'X',
        _ => 'x',
    };
    word.chars().map(blank).collect()
}

/// Runs of letters and digits; what stands behind a backslash belongs to it and not to a word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut starts = Vec::new();
    let mut open = None;
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        let is_letter = c.is_alphanumeric() && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        match (open, is_letter) {
            (None, true) => open = Some(at),
            (Some(start), false) => {
                starts.push(start..at);
                open = None;
            }
            _ => {}
        }
    }
    starts.extend(open.map(|start| start..text.len()));
    let words = starts.into_iter().filter_map(move |range| text.get(range));
    words.filter(|word| word.chars().count() >= WORD_MIN)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::mask;

    #[test]
    fn values_are_blanked_wherever_they_stand_and_the_rest_stays() {
        let line = json!({
            "tools": [{"name": "find_route", "parameters": {"properties": {
                "to": {"type": "string"}, "mode": {"enum": ["walk"]}}}}],
            "content": "I go to Graz\\nnow: {'to': 'Graz', mode: walk, 'n': 4711,}",
            "tool_calls": [{"id": "a", "name": "find_route", "arguments": "{\"to\":\"Linz 9\"}"}],
        });
        let out = json!({"tool_calls": [{"arguments": {"to": "Graz", "mode": "walk", "n": 4711}},
            {"arguments": {"to": "Linz 9"}}]});
        let masked = mask(line.as_object().unwrap(), &out);
        assert_eq!(masked["content"], "I go to Xxxx\\nnow: {'to': 'Xxxx', mode: walk, 'n': 1111,}");
        assert_eq!(masked["tool_calls"][0]["arguments"], "{\"to\":\"Xxxx 9\"}");
        assert_eq!(masked["tools"], line["tools"]);
    }
}
