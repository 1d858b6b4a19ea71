//! Tokens that are counted: those of further requests are added to those of the one that a client made.

use crate::draft::{Draft, Step};
use crate::json::Json;

/// Tokens that went up and came down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the reply.
    pub output: u64,
}

/// Where an API tells them.
struct Place {
    path: &'static [Step<'static>],
    input: &'static str,
    output: &'static str,
    total: Option<&'static str>,
}

/// A place that has none of these keys is not the API's.
const PLACES: [Place; 4] = [
    Place {
        path: &[Step::Key("usage")],
        input: "prompt_tokens",
        output: "completion_tokens",
        total: Some("total_tokens"),
    },
    Place {
        path: &[Step::Key("usage")],
        input: "input_tokens",
        output: "output_tokens",
        total: Some("total_tokens"),
    },
    Place {
        path: &[Step::Key("response"), Step::Key("usage")],
        input: "input_tokens",
        output: "output_tokens",
        total: Some("total_tokens"),
    },
    Place { path: &[], input: "prompt_eval_count", output: "eval_count", total: None },
];

impl Place {
    /// The place where this reply tells them.
    fn of_reply(draft: &Draft) -> Option<&'static Self> {
        let is_told = |place: &&Self| {
            [place.input, place.output].iter().any(|key| place.number(draft, key).is_some())
        };
        PLACES.iter().find(is_told)
    }

    fn path_to(&self, key: &'static str) -> Vec<Step<'static>> {
        self.path.iter().copied().chain([Step::Key(key)]).collect()
    }

    fn number(&self, draft: &Draft, key: &'static str) -> Option<u64> {
        draft.get(&self.path_to(key)).and_then(Json::number)
    }
}

impl Usage {
    /// What a reply tells.
    pub(crate) fn read(draft: &Draft) -> Self {
        let Some(place) = Place::of_reply(draft) else { return Self::default() };
        let told = |key| place.number(draft, key).unwrap_or_default();
        Self { input: told(place.input), output: told(place.output) }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input: self.input.saturating_add(other.input),
            output: self.output.saturating_add(other.output),
        }
    }

    pub(crate) fn is_nothing(self) -> bool {
        self == Self::default()
    }

    /// Adds these tokens to those that are told. Where none are told, nothing is.
    pub(crate) fn add_to(self, draft: &mut Draft) {
        if self.is_nothing() {
            return;
        }
        let Some(place) = Place::of_reply(draft) else { return };
        let total = place.total.map(|key| (key, self.input.saturating_add(self.output)));
        let sums = [(place.input, self.input), (place.output, self.output)];
        for (key, more) in sums.into_iter().chain(total) {
            if let Some(given) = place.number(draft, key) {
                draft.set(&place.path_to(key), &given.saturating_add(more).to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Usage;
    use crate::draft::Draft;

    #[test]
    fn tokens_of_two_requests_are_counted_together() {
        let (one, two) = (Usage { input: 1, output: 2 }, Usage { input: 10, output: u64::MAX });
        assert_eq!(one.plus(two), Usage { input: 11, output: u64::MAX });
    }

    #[test]
    fn tokens_are_added_where_they_are_told() {
        let more = Usage { input: 10, output: 5 };
        for (body, told, after) in [
            (
                r#"{"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"x":{}}}"#,
                Usage { input: 1, output: 2 },
                r#"{"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18,"x":{}}}"#,
            ),
            (
                r#"{"type":"message_delta","usage":{"output_tokens":2}}"#,
                Usage { input: 0, output: 2 },
                r#"{"type":"message_delta","usage":{"output_tokens":7}}"#,
            ),
            (
                r#"{"response":{"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}}}"#,
                Usage { input: 1, output: 2 },
                r#"{"response":{"usage":{"input_tokens":11,"output_tokens":7,"total_tokens":18}}}"#,
            ),
            (
                r#"{"done":true,"prompt_eval_count":1,"eval_count":2}"#,
                Usage { input: 1, output: 2 },
                r#"{"done":true,"prompt_eval_count":11,"eval_count":7}"#,
            ),
            (r#"{"usage":null}"#, Usage::default(), r#"{"usage":null}"#),
        ] {
            let mut draft = Draft::new(body);
            assert_eq!(Usage::read(&draft), told, "{body}");
            more.add_to(&mut draft);
            assert_eq!(draft.text(), after);
        }
    }
}
