//! Whether an object without marks is a record about a call: it tells what came of it.

use std::ops::Range;

use memchr::memchr2;
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
        let is_item = || own.contains("function_call") || own.contains("tool_use");
        let told = |key: &str| TOLD.contains(&key) && arguments::property(tool, key).is_none();
        // An object that has nothing else only stands beside a call.
        let is_of_call =
            |object: usize| members(own).any(|(at, key, _)| at == object && !told(key));
        let tells = |(object, key, value): (usize, &str, &str)| {
            told(key) && !is_open(key, value) && is_of_call(object)
        };
        if members(own).any(tells) && !is_item() {
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
fn members(text: &str) -> Members<'_> {
    let is_object = text.starts_with(['{', '[']);
    let own_depth = 1 + usize::from(text.starts_with('['));
    Members { text: if is_object { text } else { "" }, at: 0, own_depth, depth: 0, object: 0 }
}

struct Members<'t> {
    text: &'t str,
    at: usize,
    own_depth: usize,
    depth: usize,
    object: usize,
}

impl<'t> Iterator for Members<'t> {
    type Item = (usize, &'t str, &'t str);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            self.at += 1;
            match byte {
                b'"' | b'\'' => {
                    let start = self.at;
                    let end = start + string_len(self.text.as_bytes().get(start..)?, byte)?;
                    self.at = end + 1;
                    let rest = self.text.get(self.at..).unwrap_or_default().trim_start();
                    if self.depth == self.own_depth
                        && let Some(value) = rest.strip_prefix(':')
                    {
                        let key = self.text.get(start..end).unwrap_or_default();
                        return Some((self.object, key, value.trim_start()));
                    }
                }
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => {
                    self.object += usize::from(self.depth == self.own_depth);
                    self.depth = self.depth.saturating_sub(1);
                }
                _ => {}
            }
        }
        None
    }
}

/// How long the string is that starts here, without the quote that closes it.
fn string_len(bytes: &[u8], quote: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(quote, b'\\', bytes.get(at..)?)?;
        if bytes.get(at) == Some(&quote) {
            return Some(at);
        }
        at += 2;
    }
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
