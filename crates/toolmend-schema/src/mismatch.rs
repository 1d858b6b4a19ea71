//! What the schema refuses, told without any value.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use crate::graph::{Graph, join};
use crate::md_links;
use crate::shape;
use crate::tool::Inner;

/// At most this many are listed.
const MISMATCHES_MAX: usize = 32;

/// One place that the schema, or a hint, refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Mismatch {
    /// Where, as a JSON Pointer. A member that is missing is named where it should stand.
    pub path: String,
    /// The keyword of the schema that refuses it, or `x-toolmend`.
    pub keyword: String,
    /// What would be right, in words and from the schema alone.
    pub expected: String,
    /// The type of what stands there, or `nothing`.
    pub got: &'static str,
    /// What to do about it, where there is more to say.
    pub advice: Option<String>,
}

/// What the schema and the hints refuse.
pub(crate) fn find(tool: &Inner, graph: &Graph, arguments: &Value) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for error in graph.validator.iter_errors(arguments) {
        add(graph, arguments, &error, &mut found);
    }
    if let Value::Object(members) = arguments {
        for relation in tool.hints.relations.iter().filter(|r| r.is_broken(members)) {
            let missing = relation.fields.iter().filter(|field| !members.contains_key(*field));
            found.extend(missing.map(|field| Mismatch {
                path: join("", &[field]),
                keyword: "x-toolmend".to_owned(),
                expected: "to be given together with the others".to_owned(),
                got: "nothing",
                advice: None,
            }));
        }
    }
    for link in md_links::all(&tool.path_spots, arguments) {
        found.push(Mismatch {
            path: link.at,
            keyword: "x-toolmend".to_owned(),
            expected: "a path".to_owned(),
            got: "string",
            advice: Some("Write the path itself, without a Markdown link around it.".to_owned()),
        });
    }
    found.dedup();
    found.truncate(MISMATCHES_MAX);
    found
}

fn add(graph: &Graph, arguments: &Value, error: &ValidationError<'_>, found: &mut Vec<Mismatch>) {
    if found.len() >= MISMATCHES_MAX {
        return;
    }
    let path = error.instance_path().as_str();
    let keyword = error.kind().keyword();
    match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            // A branch whose faults are all further inside is the one that was meant.
            let is_inside = |e: &ValidationError<'_>| e.instance_path().as_str().len() > path.len();
            let mut meant = context.iter().filter(|errors| errors.iter().all(is_inside));
            match (meant.next(), meant.next()) {
                (Some(errors), None) if !errors.is_empty() => {
                    for error in errors {
                        add(graph, arguments, error, found);
                    }
                }
                _ => found.push(mismatch(graph, arguments, path.to_owned(), keyword, error)),
            }
        }
        Kind::Required { property } => {
            let path = join(path, &[property.as_str().unwrap_or_default()]);
            found.push(mismatch(graph, arguments, path, keyword, error));
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            for name in unexpected {
                let path = join(path, &[name]);
                found.push(mismatch(graph, arguments, path, keyword, error));
            }
        }
        _ => found.push(mismatch(graph, arguments, path.to_owned(), keyword, error)),
    }
}

fn mismatch(
    graph: &Graph,
    arguments: &Value,
    path: String,
    keyword: &str,
    error: &ValidationError<'_>,
) -> Mismatch {
    let value = arguments.pointer(&path);
    let expected = shape::expected(graph, &path, error.kind());
    let advice = shape::advice(graph, &path, value, error.kind());
    let got = value.map_or("nothing", shape::kind_name);
    Mismatch { path, keyword: keyword.to_owned(), expected, got, advice }
}
