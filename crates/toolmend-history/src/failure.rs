//! Whether a result tells of a failure, where no mark of the API says so.

use serde_json::Value;

/// How results begin that tell of a failure, in small letters.
const STARTS: &[&str] = &[
    "error",
    "[error",
    "<error",
    "<tool_use_error",
    "tool error",
    "failed",
    "failure",
    "fatal",
    "exception",
    "traceback",
    "panic",
    "permission denied",
    "access denied",
    "denied",
    "blocked",
    "command failed",
    "command not found",
    "command timed out",
    "timed out",
    "timeout",
    "invalid",
    "unknown tool",
    "no such file",
];

/// Whether a text tells of a failure: by how it begins, or by the usual members of a JSON object.
pub(crate) fn reads_as_failure(text: &str) -> bool {
    let text = text.trim_start();
    let starts =
        |start: &&str| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    STARTS.iter().any(starts) || tells_in_json(text)
}

fn tells_in_json(text: &str) -> bool {
    if !text.starts_with('{') {
        return false;
    }
    let Ok(Value::Object(members)) = serde_json::from_str(text) else { return false };
    let is = |key: &str, wanted: bool| members.get(key).and_then(Value::as_bool) == Some(wanted);
    let has_error = match members.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(_) => true,
    };
    has_error
        || is("is_error", true)
        || is("isError", true)
        || is("success", false)
        || is("ok", false)
}

#[cfg(test)]
mod tests {
    use super::reads_as_failure;

    #[test]
    fn a_failure_is_told_by_its_start_or_by_a_member() {
        for (text, wanted) in [
            ("Error: no such table", true),
            ("  fatal: not a repository", true),
            ("No errors.", false),
            ("errand done", false),
            (r#"{"error":"gone"}"#, true),
            (r#"{"error":{"code":1}}"#, true),
            (r#"{"error":""}"#, false),
            (r#"{"error":null}"#, false),
            (r#"{"error":false}"#, false),
            (r#"{"is_error":true}"#, true),
            (r#"{"is_error":false}"#, false),
            (r#"{"isError":true}"#, true),
            (r#"{"success":false}"#, true),
            (r#"{"success":true}"#, false),
            (r#"{"ok":false}"#, true),
            (r#"{"ok":"false"}"#, false),
            (r#"{"ok":false"#, false),
            ("", false),
        ] {
            assert_eq!(reads_as_failure(text), wanted, "{text}");
        }
    }
}
