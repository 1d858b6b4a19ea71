//! The arguments of calls in a history: whether they are as the API wants them, and what is written
//! where they are not.

use std::borrow::Cow;

use serde_json::{Value, json};
use toolmend_json::{Expected, Limits, Options, Outcome, Shape, Trust, Want, read};

use crate::{Api, Code, Quoted, Rule};

/// What a tool was given, as it stands in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Arguments<'t> {
    /// The text of a string: JSON, if all is well.
    Text(Quoted<'t>),
    /// A JSON object in its place.
    Object(&'t str),
    /// Another JSON value in its place.
    Other(&'t str),
    /// Text of a tool that takes any text.
    Free(Cow<'t, str>),
    /// Nothing, or null.
    Absent,
}

/// The key under which text stays in the history that cannot be read. An empty object would claim
/// that the model called without arguments, and a call that was dropped would leave its result alone.
pub(crate) const UNREADABLE: &str = "unreadable_arguments";

impl Arguments<'_> {
    /// The value; text that is broken is mended, and what cannot be read is its own text.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Absent => json!({}),
            Self::Text(text) => value_of(&text.decode()),
            Self::Object(text) | Self::Other(text) => value_of(text),
            Self::Free(text) => Value::from(text.as_ref()),
        }
    }

    /// What is wrong with them for this API.
    pub(crate) fn fault(&self, api: Api) -> Option<Code> {
        match (self, api.writes_arguments_as_text()) {
            (Self::Free(_), _) | (Self::Object(_), false) => None,
            // Some servers write no arguments as an empty string; all of them take it back.
            (Self::Text(text), true) if text.is_empty() || text.holds_json() => None,
            (Self::Text(_), true) => Some(Code::ArgumentsBroken),
            (Self::Absent, false) if api == Api::Ollama => None,
            _ => Some(Code::ArgumentsForm),
        }
    }

    /// The JSON to write in their place, and by which rule.
    pub(crate) fn mended(&self, api: Api) -> (Rule, String) {
        let is_text = api.writes_arguments_as_text();
        let (rule, object) = match self {
            Self::Absent => (Rule::ArgumentsRewritten, "{}".to_owned()),
            Self::Text(text) => object_of(&text.decode()),
            Self::Free(text) => object_of(text),
            Self::Object(text) | Self::Other(text) => object_of(text),
        };
        (rule, if is_text { Value::from(object).to_string() } else { object })
    }
}

fn value_of(text: &str) -> Value {
    let mut document = read(text, &options());
    document.close(Trust::Guess);
    match document.outcome() {
        Outcome::Empty => json!({}),
        _ => document.value().map_or_else(|| Value::from(text), |node| node.to_value()),
    }
}

/// The text as a JSON object. The call is past, so nothing runs on a guess here.
fn object_of(text: &str) -> (Rule, String) {
    let mut document = read(text, &options());
    document.close(Trust::Guess);
    let is_object = document.value().is_some_and(|node| node.shape() == Shape::Object);
    match (document.outcome(), document.to_json().filter(|_| is_object)) {
        (Outcome::Empty, _) => (Rule::ArgumentsRewritten, "{}".to_owned()),
        (Outcome::Untouched, Some(json)) => (Rule::ArgumentsRewritten, json.into_owned()),
        (_, Some(json)) => (Rule::ArgumentsMended, json.into_owned()),
        (_, None) => (Rule::ArgumentsKept, json!({ UNREADABLE: text }).to_string()),
    }
}

/// Arguments that nest deeper stay as text: inside of a message, parsers with the usual limit of 128
/// would not read them.
const DEPTH_MAX: usize = 96;

fn options() -> Options {
    let limits = Limits::default().with_depth_max(DEPTH_MAX);
    Options { expected: Expected::root(Want::Object), limits }
}

#[cfg(test)]
mod tests {
    use super::{DEPTH_MAX, Rule, object_of, value_of};

    #[test]
    fn arguments_that_nest_too_deep_stay_as_text() {
        let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        let text = nested(DEPTH_MAX);
        assert_eq!(object_of(&text), (Rule::ArgumentsRewritten, text));
        assert_eq!(object_of(&nested(DEPTH_MAX + 1)).0, Rule::ArgumentsKept);
    }

    #[test]
    fn blank_arguments_are_none() {
        assert_eq!(value_of(" "), serde_json::json!({}));
        assert_eq!(object_of(" "), (Rule::ArgumentsRewritten, "{}".to_owned()));
    }
}
