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

/// The letters that these words begin with, and those of [`is_readers`].
const LETTERS: &[u8] = b"sinfbvytx";

/// Brackets in which the name of a value stands for it.
const BRACKETS: [(char, char); 5] =
    [('<', '>'), ('{', '}'), ('[', ']'), ('「', '」'), ('【', '】')];

/// What is longer gives a value.
const BYTES_MAX: usize = 512;

/// The first value that only stands for one. What the schema of its property lists is a value, whatever
/// it looks like: a column may well be of the type `string`.
pub(crate) fn find<'a, 's>(
    arguments: &'a Value,
    schema: impl Fn(&str) -> Option<&'s Value>,
) -> Option<&'a str> {
    let members = arguments.as_object()?.iter();
    members.filter_map(|(key, value)| placeholder(value).map(|found| (key, found))).find_map(
        |(key, found)| {
            let is_listed = schema(key).is_some_and(|schema| lists(schema, found));
            found.as_str().filter(|_| !is_listed)
        },
    )
}

/// The first placeholder in a value.
fn placeholder(value: &Value) -> Option<&Value> {
    let mut open = Vec::new();
    let mut next = Some(value);
    while let Some(value) = next.take().or_else(|| open.pop()) {
        match value {
            Value::String(text) if is_placeholder(text) => return Some(value),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    None
}

/// Whether a schema lists this value anywhere.
fn lists(schema: &Value, value: &Value) -> bool {
    let mut open = vec![schema];
    while let Some(part) = open.pop() {
        match part {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                let listed = members.get("enum").and_then(Value::as_array);
                if listed.is_some_and(|listed| listed.contains(value))
                    || members.get("const") == Some(value)
                {
                    return true;
                }
                open.extend(members.values());
            }
            _ => {}
        }
    }
    false
}

fn is_placeholder(text: &str) -> bool {
    if text.len() > BYTES_MAX {
        return false;
    }
    let text = text.trim();
    // Most values begin as no placeholder does.
    let first = text.bytes().next().map(|first| first.to_ascii_lowercase());
    if first.is_none_or(|first| first.is_ascii_alphanumeric() && !LETTERS.contains(&first)) {
        return false;
    }
    let is_word = |word: &&str| text.eq_ignore_ascii_case(word);
    let is_dots = text.chars().all(|c| matches!(c, '.' | '…')) && text.len() > 2;
    is_dots || WORDS.iter().any(is_word) || is_bracketed(text) || is_readers(text)
}

/// A name in brackets: `<city>`, `{{city}}`, `[your value]`.
fn is_bracketed(text: &str) -> bool {
    let first = text.chars().next();
    BRACKETS.iter().filter(|(open, _)| Some(*open) == first).any(|&(open, close)| {
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
    if !text.starts_with(['y', 'Y', 'i', 'I', '$', '你', '您']) {
        return false;
    }
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

    use super::{LETTERS, WORDS, find};

    #[test]
    fn what_the_schema_lists_is_a_value() {
        let schema = json!({"enum": ["string", "number"]});
        let find = |value: &str| {
            let arguments = json!({ "type": value });
            find(&arguments, |key| (key == "type").then_some(&schema)).map(str::to_owned)
        };
        assert_eq!(find("string"), None);
        assert_eq!(find("integer").as_deref(), Some("integer"));
    }

    #[test]
    fn words_begin_with_letters_that_are_looked_for() {
        let mut firsts = WORDS.iter().filter_map(|word| word.bytes().next());
        assert!(firsts.all(|first| !first.is_ascii() || LETTERS.contains(&first)));
    }

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
            assert!(find(&json!({"a": [text]}), |_| None).is_some(), "{text}");
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
            assert!(find(&json!({"a": text}), |_| None).is_none(), "{text}");
        }
    }
}
