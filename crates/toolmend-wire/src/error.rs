//! Errors, in the words of each API.

use crate::api::Api;
use crate::json::{Json, quote};

/// Whose fault an error is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The server's.
    Server,
    /// The request's.
    Request,
    /// The key that a client shows, or does not.
    Key,
}

impl Blame {
    /// What an error is called, in the APIs of `OpenAI` and in that of Anthropic.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Server => ("upstream_error", "api_error"),
            Self::Request => ("invalid_request_error", "invalid_request_error"),
            Self::Key => ("authentication_error", "authentication_error"),
        }
    }
}

/// The body of an error reply that tells of the server.
#[must_use]
pub(crate) fn body(api: Api, message: &str) -> String {
    error_body(api, Blame::Server, message)
}

/// The body of an error reply of an API.
#[must_use]
pub fn error_body(api: Api, blame: Blame, message: &str) -> String {
    let (message, (kind, of_messages)) = (quote(message), blame.words());
    match api {
        Api::Chat | Api::Responses => format!(
            r#"{{"error":{{"message":{message},"type":"{kind}","param":null,"code":"{kind}"}}}}"#
        ),
        Api::Messages => {
            format!(r#"{{"type":"error","error":{{"type":"{of_messages}","message":{message}}}}}"#)
        }
        Api::Ollama => format!(r#"{{"error":{message}}}"#),
    }
}

/// The message of an error: the value is a text, or an object that has one.
pub(crate) fn message(error: Json<'_>) -> String {
    let nested = || error.word("message").or_else(|| error.get("error").and_then(Json::text));
    error.text().or_else(nested).unwrap_or_else(|| error.raw().to_owned())
}

/// The message of an upstream's error body, whatever the API: for finding out what went wrong, and
/// for text of the model that some servers put there. `None` where the body tells of no error.
#[must_use]
pub fn error_message(body: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let json = Json::read_object(text)?;
    let error = json.given("error").or_else(|| json.given("detail"));
    let nested = error.filter(|error| !error.is_falsy()).map(message);
    nested.or_else(|| json.word("message"))
}

/// What stands around a generation in the errors of servers that could not read it.
const REJECTED: [(&str, Option<&str>); 2] =
    [("error parsing tool call: raw='", Some("', err=")), ("Failed to parse input at pos ", None)];

/// What the model wrote, where an error says that the server could not read it: Ollama and llama.cpp
/// quote it.
#[must_use]
pub fn rejected_text(message: &str) -> Option<&str> {
    REJECTED.iter().find_map(|(before, after)| {
        let (_, rest) = message.split_once(before)?;
        let text = match after {
            Some(after) => rest.rsplit_once(after).map_or(rest, |(text, _)| text),
            None => rest.split_once(": ")?.1,
        };
        (!text.trim().is_empty()).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::{Blame, error_body, error_message, rejected_text};
    use crate::api::Api;

    #[test]
    fn what_is_written_is_read() {
        for api in Api::ALL {
            let body = error_body(api, Blame::Request, "no \"route\"");
            assert_eq!(error_message(body.as_bytes()).as_deref(), Some("no \"route\""), "{body}");
        }
    }

    #[test]
    fn what_a_server_could_not_read_is_quoted() {
        for (message, text) in [
            (
                "error parsing tool call: raw='{\"a\":1}]', err=invalid character",
                Some("{\"a\":1}]"),
            ),
            ("error parsing tool call: raw='ls 'x', err=y', err=z", Some("ls 'x', err=y")),
            ("Failed to parse input at pos 12: <f>a: b</f>", Some("<f>a: b</f>")),
            ("Failed to parse input at pos 12: ", None),
            ("no such model", None),
        ] {
            assert_eq!(rejected_text(message), text, "{message}");
        }
    }

    #[test]
    fn other_forms_are_read_and_answers_are_none() {
        for (body, message) in [
            (r#"{"error":{"code":500,"message":"m"}}"#, Some("m")),
            (r#"{"detail":"m"}"#, Some("m")),
            (r#"{"object":"error","message":"m"}"#, Some("m")),
            (r#"{"error":null,"choices":[]}"#, None),
            ("oops", None),
        ] {
            assert_eq!(error_message(body.as_bytes()).as_deref(), message, "{body}");
        }
    }
}
