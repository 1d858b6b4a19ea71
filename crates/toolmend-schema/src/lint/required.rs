//! Names that are required and that no property has.

use serde_json::Value;

use super::Finding;
use crate::fold::nearest;
use crate::walk::{self, At};

/// Keywords that bring in properties from elsewhere.
const ELSEWHERE: [&str; 5] = ["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf"];

pub(super) fn check(schema: &str, schemas: &[At<'_>], findings: &mut Vec<Finding>) {
    for at in schemas {
        let has = |key: &str| at.schema.get(key).is_some();
        // A branch may require what stands outside of it.
        if at.is_branch || ELSEWHERE.iter().any(|key| has(key)) || has("patternProperties") {
            continue;
        }
        let properties = at.schema.get("properties").and_then(Value::as_object);
        let names: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| &**name).collect();
        let is_closed = at.schema.get("additionalProperties") == Some(&Value::Bool(false));
        for name in walk::required(at.schema).iter().filter(|name| !names.contains(&name.as_str()))
        {
            let near = nearest(name, names.iter().copied());
            findings.push(Finding {
                code: "required-unknown",
                is_error: is_closed,
                path: format!("{schema}{}/required", at.pointer),
                message: match is_closed {
                    true => format!("`{name}` is required, and no member of that name is allowed"),
                    false => format!("`{name}` is required, and there is no such property"),
                },
                help: match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("describe `{name}` among the properties, or do not require it"),
                },
            });
        }
    }
}
