//! Values that stand for a value: `<your key>`, `{city}`, `...`, `string`.

use serde_json::Value;

/// Words that name a type, or a value as such, instead of giving one.
const WORDS: [&str; 19] = [
    "string",
    "str",
    "integer",
    "int",
    "number",
    "float",
    "boolean",
    "bool",
    "value",
    "some value",
    "your value",
    "todo",
    "xxx",
    "字符串",
    "整数",
    "数字",
    "布尔值",
    "数组",
    "值",
];

/// Brackets in which the name of a value stands for it.
const BRACKETS: [(char, char); 5] =
    [('<', '>'), ('{', '}'), ('[', ']'), ('「', '」'), ('【', '】')];

/// What is longer gives a value.
const BYTES_MAX: usize = 512;

/// The first value that only stands for one.
pub(crate) fn find(arguments: &Value) -> Option<&str> {
    let mut open = Vec::new();
    let mut next = Some(arguments);
    while let Some(value) = next.take().or_else(|| open.pop()) {
        match value {
            Value::String(text) if is_placeholder(text) => return Some(text),
            Value::Array(items) => open.extend(items),
            // Most arguments hold nothing deeper, and need no list of what is to be looked at.
            Value::Object(members) if !members.values().any(|v| v.is_array() || v.is_object()) => {
                let texts = members.values().rev().filter_map(Value::as_str);
                if let Some(text) = texts.into_iter().find(|text| is_placeholder(text)) {
                    return Some(text);
                }
            }
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    None
}

fn is_placeholder(text: &str) -> bool {
    if text.len() > BYTES_MAX {
        return false;
    }
    let text = text.trim();
    let is_word = |word: &&str| text.eq_ignore_ascii_case(word);
    let is_dots =
        !text.is_empty() && text.chars().all(|c| matches!(c, '.' | '…')) && text.len() > 2;
    is_dots || WORDS.iter().any(is_word) || is_bracketed(text) || is_readers(text)
}

/// A name in brackets: `<city>`, `{{city}}`, `[your value]`.
fn is_bracketed(text: &str) -> bool {
    BRACKETS.iter().any(|&(open, close)| {
        let inner = text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
        inner.is_some_and(|inner| is_name(inner.trim_matches([open, close])))
    })
}

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '\'' | '/');
    name.starts_with(char::is_alphabetic) && name.chars().all(is_part)
}

/// What speaks of the reader's own value: `YOUR_API_KEY`, `your name here`, `$CITY`.
fn is_readers(text: &str) -> bool {
    let starts =
        |start: &str| text.get(..start.len()).is_some_and(|text| text.eq_ignore_ascii_case(start));
    let ends = |end: &str| {
        let start = text.len().checked_sub(end.len());
        start.and_then(|at| text.get(at..)).is_some_and(|text| text.eq_ignore_ascii_case(end))
    };
    let is_variable =
        |name: &str| name.len() > 1 && name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    (starts("your_") || starts("your-")) && !text.contains(' ')
        || starts("your ") && ends(" here")
        || starts("insert") && ends("here")
        || text.strip_prefix('$').is_some_and(is_variable)
        || text.starts_with(['你', '您']) && text.contains('的') && text.chars().count() < 8
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::find;

    #[test]
    fn only_a_whole_value_can_stand_for_one() {
        for text in [
            "<your key>",
            "...",
            "……",
            "string",
            "YOUR_API_KEY",
            "<city>",
            "your name here",
            "{city}",
            "{{城市}}",
            "[your value]",
            "$CITY",
            "你的城市",
            "<insert value here>",
        ] {
            assert!(find(&json!({"a": [text]})).is_some(), "{text}");
        }
        for text in [
            "<html>hi</html>",
            "a...",
            "a string",
            "your turn",
            "",
            "</p>",
            "x < y > z",
            "[1, 2]",
            "{\"a\": 1}",
            "$5",
            "..",
            "你好",
        ] {
            assert!(find(&json!({"a": text})).is_none(), "{text}");
        }
    }
}
