//! The schema in words: what would have been right at a place.

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use crate::fold;
use crate::graph::{Graph, unescaped};
use crate::kinds::Kinds;
use crate::node::NodeId;

/// How many of a list are named.
const NAMED_MAX: usize = 20;

/// How deep a shape is told.
const DEPTH_MAX: usize = 3;

/// What would be right at a place.
pub(crate) fn expected(graph: &Graph, path: &str, kind: &Kind) -> String {
    let ids = graph.at(path);
    let shape = of(graph, &ids, 0);
    match kind {
        Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => {
            let parent = path.rsplit_once('/').map_or("", |(parent, _)| parent);
            let names = names(graph, &graph.at(parent));
            if names.is_empty() { "nothing".to_owned() } else { format!("one of {names}") }
        }
        Kind::Minimum { limit } => format!("{shape}, at least {limit}"),
        Kind::Maximum { limit } => format!("{shape}, at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("{shape}, more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("{shape}, less than {limit}"),
        Kind::MinLength { limit } => format!("{shape} of at least {limit} characters"),
        Kind::MaxLength { limit } => format!("{shape} of at most {limit} characters"),
        Kind::MinItems { limit } => format!("{shape} with at least {limit} items"),
        Kind::MaxItems { limit } => format!("{shape} with at most {limit} items"),
        Kind::Pattern { pattern } => format!("{shape} that matches {pattern}"),
        Kind::Format { format } => format!("{shape} in the format {format}"),
        Kind::UniqueItems => format!("{shape} without repeated items"),
        Kind::MultipleOf { multiple_of } => format!("{shape}, a multiple of {multiple_of}"),
        _ => shape,
    }
}

/// What a place takes, in words.
pub(crate) fn words(graph: &Graph, path: &str) -> String {
    of(graph, &graph.at(path), 0)
}

/// What to do about a mismatch, where the schema tells.
pub(crate) fn advice(
    graph: &Graph,
    path: &str,
    value: Option<&Value>,
    kind: &Kind,
) -> Option<String> {
    let ids = graph.at(path);
    let choices = listed(graph, &ids);
    if !choices.is_empty() && value.is_some() {
        let listed = choices.iter().take(NAMED_MAX).copied().collect::<Vec<_>>().join(", ");
        let near = value
            .and_then(Value::as_str)
            .and_then(|text| fold::nearest(text, choices.iter().copied()));
        let near = near.map(|word| format!(" Did you mean `{word}`?")).unwrap_or_default();
        return Some(format!("Valid values: {listed}.{near}"));
    }
    match (kind, value) {
        (Kind::Required { .. }, _) => Some("Add it.".to_owned()),
        (Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. }, _) => {
            Some("Remove it, or use one of the names above.".to_owned())
        }
        (_, Some(Value::Null)) if is_required(graph, path) => Some("Give it a value.".to_owned()),
        (_, Some(Value::Null)) => Some("Leave it out if there is no value.".to_owned()),
        (_, Some(Value::String(_))) => {
            let kinds = ids.iter().fold(Kinds::NONE, |k, id| k.or(graph.all_kinds(*id)));
            let is_other = !ids.is_empty() && !kinds.has(Kinds::STRING);
            is_other.then(|| "Write the value itself, not a string.".to_owned())
        }
        _ => None,
    }
}

/// Whether the object around a place requires it.
fn is_required(graph: &Graph, path: &str) -> bool {
    let Some((parent, step)) = path.rsplit_once('/') else { return false };
    let name = unescaped(step);
    let whole = graph.at(parent).into_iter().flat_map(|id| &graph.node(id).whole);
    whole.into_iter().any(|id| graph.node(*id).required.contains(&name))
}

/// The listed words of a place.
fn listed<'g>(graph: &'g Graph, ids: &[NodeId]) -> Vec<&'g str> {
    let all = ids.iter().flat_map(|id| graph.reachable(*id));
    all.flat_map(|id| &graph.node(id).choices).filter_map(Value::as_str).collect()
}

fn names(graph: &Graph, ids: &[NodeId]) -> String {
    let all = ids.iter().flat_map(|id| graph.reachable(*id));
    let names = all.flat_map(|id| graph.node(id).names());
    names.take(NAMED_MAX).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A shape in words.
fn of(graph: &Graph, ids: &[NodeId], depth: usize) -> String {
    let all: Vec<NodeId> = ids.iter().flat_map(|id| graph.reachable(*id)).collect();
    let choices: Vec<String> = all
        .iter()
        .flat_map(|id| &graph.node(*id).choices)
        .take(NAMED_MAX)
        .map(Value::to_string)
        .collect();
    if !choices.is_empty() {
        return format!("one of {}", choices.join(", "));
    }
    let kinds = ids.iter().fold(Kinds::ANY, |kinds, id| kinds.and(graph.all_kinds(*id)));
    if kinds == Kinds::ANY {
        return "any value".to_owned();
    }
    let told = kinds.names().into_iter().map(|name| match name {
        "array" if depth < DEPTH_MAX => {
            let items = graph.item(&all, 0);
            match of(graph, &items, depth + 1) {
                any if items.is_empty() || any == "any value" => name.to_owned(),
                shape => format!("array of {shape}"),
            }
        }
        "object" if depth < DEPTH_MAX => object(graph, &all, depth),
        _ => name.to_owned(),
    });
    told.collect::<Vec<_>>().join(" or ")
}

fn object(graph: &Graph, all: &[NodeId], depth: usize) -> String {
    let required: Vec<&String> = all.iter().flat_map(|id| &graph.node(*id).required).collect();
    let named = all.iter().flat_map(|id| graph.node(*id).names()).take(NAMED_MAX);
    let members = named.map(|name| {
        let shape = of(graph, &graph.member(all, name), depth + 1);
        let mark = if required.contains(&name) { "" } else { "?" };
        format!("{name}{mark}: {shape}")
    });
    let members = members.collect::<Vec<_>>().join(", ");
    if members.is_empty() { "object".to_owned() } else { format!("object {{{members}}}") }
}

/// The name of a value's type.
pub(crate) fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
