//! Whether an object without marks is a record about a call: it tells what came of it.

use std::ops::Range;

use toolmend_schema::Tool;

use super::Judge;
use crate::arguments;
use crate::refusal::{No, Reason};

/// Members that tell what came of a call, when, or where it was seen, or how a list keeps it. A call has none of them.
const TOLD: [&str; 44] = [
    "status",
    "state",
    "outcome",
    "result",
    "results",
    "output",
    "response",
    "error",
    "success",
    "succeeded",
    "approved",
    "approval",
    "executed",
    "expected",
    "expect",
    "actual",
    "completed",
    "failed",
    "rejected",
    "cancelled",
    "by",
    "timestamp",
    "time",
    "date",
    "at",
    "created_at",
    "executed_at",
    "finished_at",
    "started_at",
    "completed_at",
    "duration",
    "duration_ms",
    "exit_code",
    "line",
    "lineno",
    "deprecated",
    "score",
    "verdict",
    "ok",
    "passed",
    "enabled",
    "count",
    "weight",
    "owner",
];

/// Values that tell of a call that is still to be made.
const TO_COME: [&str; 6] =
    ["null", "\"pending", "\"in_progress", "\"calling", "\"requested", "\"\""];

/// Members that a reply of a server has around its calls, and nothing that a model writes.
const REPLY: [&str; 6] =
    ["stop_reason", "stop_sequence", "usage", "finish_reason", "choices", "system_fingerprint"];

impl Judge<'_, '_> {
    /// Whether a call is part of a record.
    pub(super) fn recorded(&self, at: usize, span: &Range<usize>, tool: &Tool) -> Result<(), No> {
        let own = self.layout.slice(span.clone());
        let is_item = own.contains("function_call") || own.contains("tool_use");
        let told = |key: &str| TOLD.contains(&key) && arguments::property(tool, key).is_none();
        // An object that has nothing else only stands beside a call.
        let is_of_call =
            |object: usize| members(own).any(|(at, key, _)| at == object && !told(key));
        let tells = |(object, key, value): (usize, &str, &str)| {
            told(key) && !is_open(key, value) && is_of_call(object)
        };
        if !is_item && members(own).any(tells) {
            let message = "it is a record that tells what came of a call".to_owned();
            return Err((Reason::Quoted, message));
        }
        let region = self.regions.get(at);
        let whole = region.map_or("", |region| self.layout.slice(region.clone()));
        if members(whole).any(|(_, key, _)| REPLY.contains(&key)) {
            return Err((Reason::Quoted, "it is the reply of a server, written out".to_owned()));
        }
        Ok(())
    }
}

/// Whether a member says that nothing came of the call yet.
fn is_open(key: &str, value: &str) -> bool {
    TO_COME.iter().any(|text| value.starts_with(text))
        || key == "error" && value.starts_with("false")
}

/// The members of an object, or of the objects in a list: which object it is, the key, and the text from
/// the value on. Of what is neither there are none.
fn members(text: &str) -> impl Iterator<Item = (usize, &str, &str)> {
    let is_object = text.starts_with(['{', '[']);
    let own_depth = 1 + usize::from(text.starts_with('['));
    let (mut depth, mut object) = (0_usize, 0_usize);
    let mut quote: Option<(u8, usize)> = None;
    let mut is_escaped = false;
    let bytes = text.bytes().enumerate().filter(move |_| is_object);
    bytes.filter_map(move |(at, byte)| {
        if let Some((mark, start)) = quote {
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' => is_escaped = true,
                _ if byte == mark => {
                    quote = None;
                    let value = text.get(at + 1..)?.trim_start().strip_prefix(':')?;
                    return (depth == own_depth).then_some((
                        object,
                        text.get(start..at)?,
                        value.trim_start(),
                    ));
                }
                _ => {}
            }
            return None;
        }
        match byte {
            b'"' | b'\'' => quote = Some((byte, at + 1)),
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                object += usize::from(depth == own_depth);
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::members;

    #[test]
    fn members_are_those_of_the_object_itself() {
        let keys = |text| members(text).map(|(_, key, _)| key).collect::<Vec<_>>();
        assert_eq!(
            keys(r#"{"a": {"b": "c: \" d"}, 'e': ["f", {"g": 1}], "h" : 2}"#),
            ["a", "e", "h"]
        );
        assert_eq!(keys(r#"[{"a": {"b": 1}}, {"c": 1}]"#), ["a", "c"]);
        assert!(keys("f(a)").is_empty());
    }
}
