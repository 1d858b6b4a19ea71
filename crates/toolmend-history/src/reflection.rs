//! What a model reads instead of the result of a call that is one of a storm.

use crate::storm::{Attempt, Detector, Storm};

/// How much of the arguments is shown.
const ARGUMENTS_CHARS_MAX: usize = 200;

/// How much of a tool's name is shown.
const NAME_CHARS_MAX: usize = 64;

const START: &str = "You just called ";
const QUESTION: &str = "what are you trying to achieve?";

/// The result for a call that was not run. It never repeats what a tool said: that text is not ours
/// to put in front of a model again.
#[must_use]
pub fn reflection(attempt: &Attempt<'_>, storm: Storm) -> String {
    let name = shortened(attempt.name, NAME_CHARS_MAX);
    let arguments = shortened(&attempt.arguments.to_string(), ARGUMENTS_CHARS_MAX);
    let what = match storm.detector {
        Detector::Repeat => format!("{name} with {arguments} and got the same result"),
        Detector::Cycle => {
            format!("{name} with {arguments} in the same round of calls and got the same results")
        }
        Detector::Failing => format!("{name} and got the same error {} times", storm.count),
    };
    format!("{START}{what}: {QUESTION} If you are waiting on purpose, say so and go on.")
}

/// Whether a result is a reflection.
pub(crate) fn is_reflection(text: &str) -> bool {
    text.starts_with(START) && text.contains(QUESTION)
}

fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{is_reflection, reflection};
    use crate::storm::{Attempt, Detector, Storm};

    #[test]
    fn a_reflection_is_known_again() {
        let arguments = json!({});
        for detector in Detector::ALL {
            let storm = Storm { detector, count: 3, is_told: false };
            let attempt = Attempt { name: "f", arguments: &arguments };
            assert!(is_reflection(&reflection(&attempt, storm)));
        }
        assert!(!is_reflection("You just called the wrong number."));
        assert!(!is_reflection("Well, what are you trying to achieve?"));
    }
}
