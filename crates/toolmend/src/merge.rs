//! Whether two calls are the same: key order and spacing do not make two of one.

use serde_json::Value;

/// A call in a form in which equal calls are equal.
pub(crate) fn canonical(name: &str, arguments: &Value) -> String {
    let mut sorted = arguments.clone();
    sorted.sort_all_objects();
    format!("{name} {sorted}")
}
