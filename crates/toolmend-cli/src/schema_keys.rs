//! What a schema, or a tool that holds one, tells the reader before it reads.

use serde_json::Value;

pub(crate) use toolmend_schema::Outline as Known;

/// Reads what a schema says about names and shape.
pub(crate) fn of(schema: &Value) -> Known {
    Known::of(schema)
}
