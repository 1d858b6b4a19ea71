//! Values that stand for a value: `<your key>`, `...`, `string`.

use serde_json::Value;

/// Words that name a type instead of giving a value.
const TYPES: [&str; 14] = [
    "string", "str", "integer", "int", "number", "float", "boolean", "bool", "array", "list",
    "object", "dict", "any", "null",
];

/// The first value that only stands for one.
pub(crate) fn find(arguments: &Value) -> Option<&str> {
    let mut open = vec![arguments];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) if is_placeholder(text) => return Some(text),
            Value::Array(items) => open.extend(items),
            Value::Object(members) => open.extend(members.values()),
            _ => {}
        }
    }
    None
}

fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    if matches!(text, "..." | "…" | "……" | "<>" | "TODO" | "xxx" | "XXX") {
        return true;
    }
    let inner = |open, close| text.strip_prefix(open)?.strip_suffix(close);
    if let Some(name) = inner('<', '>') {
        let is_name =
            |c: char| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '.' | '\'' | '/');
        return !name.starts_with('/') && name.chars().all(is_name) && !name.is_empty();
    }
    let lower = text.to_lowercase();
    TYPES.contains(&lower.as_str())
        || lower.starts_with("your_") && !lower.contains(' ')
        || lower.starts_with("your-") && !lower.contains(' ')
        || lower.starts_with('$')
            && lower.len() > 2
            && text.chars().skip(1).all(|c| c.is_ascii_uppercase() || c == '_')
        || matches!(lower.as_str(), "value" | "some value" | "your value")
        || ["你的", "您的"].iter().any(|own| text.starts_with(own)) && text.chars().count() < 8
        || matches!(text, "字符串" | "整数" | "数字" | "布尔值" | "数组" | "对象" | "值")
        || lower.starts_with("your ") && lower.ends_with(" here")
        || lower.ends_with("_here") && lower.starts_with("insert")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::find;

    #[test]
    fn only_a_whole_value_can_stand_for_one() {
        for text in ["<your key>", "...", "string", "YOUR_API_KEY", "<city>", "your name here"] {
            assert!(find(&json!({"a": [text]})).is_some(), "{text}");
        }
        for text in ["<html>hi</html>", "a...", "a string", "your turn", "", "</p>", "x < y > z"] {
            assert!(find(&json!({"a": text})).is_none(), "{text}");
        }
    }
}
