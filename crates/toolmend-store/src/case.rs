//! A case from a capture: a file that the tests run. Everything that is not needed goes, and what is
//! left must still be treated as it was.

mod mask;

use serde_json::{Map, Value, json};

use crate::CallDetail;
use mask::mask;

/// Whether a case shows the values of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Letters and digits of values are replaced.
    Masked,
    /// They stand as they came.
    Real,
}

/// A case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseFile {
    /// A name for it.
    pub file_name: String,
    /// What stands in it.
    pub text: String,
}

/// What mends a line of `toolmend fix --jsonl`; `None` where it is none.
pub type MendLine<'m> = dyn Fn(&str) -> Option<String> + 'm;

/// Makes a case of the turn that a call stood in, for `cases/line`.
///
/// # Errors
///
/// Says why there is none: texts were not kept, or masking changes what is done to the turn.
pub fn case(detail: &CallDetail, values: Values, mend: &MendLine<'_>) -> Result<CaseFile, String> {
    let texts = detail
        .texts
        .as_ref()
        .ok_or("the texts of this call were not kept: set store.keep to \"failures\" or \"all\"")?;
    let line = texts.get("in").and_then(Value::as_object).ok_or("the capture has no turn")?;
    let mut line = line.clone();
    line.insert("id".to_owned(), json!("capture"));
    let mended = |line: &Map<String, Value>| -> Option<Value> {
        serde_json::from_str(&mend(&Value::Object(line.clone()).to_string())?).ok()
    };
    let whole = mended(&line).ok_or("the capture cannot be mended again")?;
    let wanted = treatment(&whole);
    let is_same =
        |line: &Map<String, Value>| mended(line).is_some_and(|out| treatment(&out) == wanted);
    for drop in [without_messages, without_model, with_few_tools, without_descriptions] {
        let less = drop(&line, &whole);
        if is_same(&less) {
            line = less;
        }
    }
    if values == Values::Masked {
        let masked = mask(&line, &whole);
        if !is_same(&masked) {
            let message = "with its values masked the turn would be treated differently";
            return Err(message.to_owned());
        }
        line = masked;
    }
    let out = mended(&line).ok_or("the case cannot be mended")?;
    Ok(CaseFile { file_name: file_name(detail), text: markdown(detail, values, &line, &out) })
}

/// What is done to a turn, without any text of it.
fn treatment(out: &Value) -> Value {
    let pick = |list: &str, fields: &[&str]| -> Value {
        let items = out.pointer(list).and_then(Value::as_array).into_iter().flatten();
        items
            .map(|item| fields.iter().map(|field| item.get(field).cloned()).collect::<Vec<_>>())
            .map(|fields| json!(fields))
            .collect()
    };
    json!([
        pick("/tool_calls", &["name", "outcome", "lossy"]),
        pick("/refused", &["channel", "reason"]),
        pick("/report/repairs", &["rule", "path", "trust", "call"]),
        pick("/report/faults", &["code"]),
        out.pointer("/ask/kind"),
        out.get("finish_reason"),
    ])
}

fn without_messages(line: &Map<String, Value>, _: &Value) -> Map<String, Value> {
    without(line, "messages")
}

fn without_model(line: &Map<String, Value>, _: &Value) -> Map<String, Value> {
    without(line, "model")
}

fn without(line: &Map<String, Value>, name: &str) -> Map<String, Value> {
    let kept = line.iter().filter(|(own, _)| own.as_str() != name);
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Only the tools that something in the turn names.
fn with_few_tools(line: &Map<String, Value>, out: &Value) -> Map<String, Value> {
    let named: Vec<&str> = ["/tool_calls", "/refused"]
        .iter()
        .filter_map(|list| out.pointer(list)?.as_array())
        .flatten()
        .filter_map(|call| call.get("name")?.as_str())
        .collect();
    let mut line = line.clone();
    if let Some(Value::Array(tools)) = line.get_mut("tools") {
        tools.retain(|tool| {
            let inner = tool.get("function").unwrap_or(tool);
            inner.get("name").and_then(Value::as_str).is_some_and(|name| named.contains(&name))
        });
    }
    line
}

/// Tools without their explanations: those are long, and the host's.
fn without_descriptions(line: &Map<String, Value>, _: &Value) -> Map<String, Value> {
    let mut line = line.clone();
    let mut open: Vec<&mut Value> = line.get_mut("tools").into_iter().collect();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(members) => {
                // A property may have that name; its schema is no text.
                if members.get("description").is_some_and(Value::is_string) {
                    members.shift_remove("description");
                }
                open.extend(members.values_mut());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    line
}

fn markdown(detail: &CallDetail, values: Values, line: &Map<String, Value>, out: &Value) -> String {
    let call = &detail.call;
    let what = call.reason.as_deref().or(call.rules.first().map(String::as_str));
    let what = what.or(call.dialect.as_deref()).unwrap_or(&call.outcome);
    let tool = call.tool.as_deref().unwrap_or("An unknown tool");
    let told = match values {
        Values::Masked => "Its values are masked.",
        Values::Real => "Its values are as they came.",
    };
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap_or_default();
    let (line, out) = (pretty(&Value::Object(line.clone())), pretty(out));
    let fence = fence(&[&line, &out]);
    format!(
        "# {tool}: {what}\n\nCaptured from {} over the {} API: the call was {}. {told}\n\n\
         {fence}line\n{line}\n{fence}\n{fence}out\n{out}\n{fence}\n",
        call.model, call.api, call.outcome
    )
}

/// A fence that no text between two of them ends.
fn fence(texts: &[&str]) -> String {
    let runs = texts.iter().flat_map(|text| text.split(|c| c != '`')).map(str::len);
    "`".repeat(runs.max().unwrap_or(0).max(2) + 1)
}

fn file_name(detail: &CallDetail) -> String {
    let call = &detail.call;
    let what = call.reason.as_deref().or(call.rules.first().map(String::as_str));
    let parts = [call.tool.as_deref(), what.or(Some(call.outcome.as_str()))];
    let name = parts.into_iter().flatten().collect::<Vec<_>>().join("_");
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    format!("{}_{}.md", name.chars().map(plain).collect::<String>(), call.id)
}
