//! Lists and objects that stand in quotes, with quotes inside that nobody escaped:
//! `{"todos": "[{"content": "a"}]"}`.

use serde_json::Value;
use toolmend_json::Trust;
use toolmend_schema::{Repair, Rule, Tool};

use crate::arguments::property;

/// The arguments without the quotes around what the tool takes as a list or an object, if they are JSON
/// then; and a repair for each.
pub(crate) fn read(text: &str, tool: &Tool) -> Option<(String, Vec<Repair>)> {
    let mut text = text.trim().to_owned();
    let mut repairs = Vec::new();
    for key in tool.properties() {
        let Some(rule) = property(tool, key).and_then(rule) else { continue };
        let Some((open, end)) = quotes(&text, key) else { continue };
        text.remove(end);
        text.remove(open);
        let path = format!("/{}", key.replace('~', "~0").replace('/', "~1"));
        repairs.push(Repair::new(rule, path, Trust::Likely));
    }
    (!repairs.is_empty() && toolmend_json::is_valid(&text)).then_some((text, repairs))
}

/// The rule that reads the texts of a property, where it takes a list or an object and no text.
fn rule(schema: &Value) -> Option<&'static Rule> {
    match schema.get("type")?.as_str()? {
        "array" => Some(Rule::JSON_STRING_TO_ARRAY),
        "object" => Some(Rule::JSON_STRING_TO_OBJECT),
        _ => None,
    }
}

/// Where the quotes stand around the JSON of a member.
fn quotes(text: &str, key: &str) -> Option<(usize, usize)> {
    let name = Value::from(key).to_string();
    let behind_name = text.find(&name)? + name.len();
    let value = text.get(behind_name..)?.trim_start().strip_prefix(':')?.trim_start();
    let inner = value.strip_prefix('"')?;
    if !inner.starts_with(['[', '{']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(inner).into_iter::<Value>();
    values.next()?.ok()?;
    let behind = inner.get(values.byte_offset()..)?;
    let rest = behind.trim_start();
    let after = rest.strip_prefix('"')?.trim_start();
    let start = text.len() - value.len();
    after.starts_with([',', '}']).then_some((start, text.len() - rest.len()))
}
