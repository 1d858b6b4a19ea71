//! What is known of models: how they want to be asked, and what they stumble over.

use serde::{Deserialize, Serialize};

use super::When;

/// What differs for a model. What is not said is as for others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Profile {
    /// Which schemas are shown flat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flatten: Option<When>,
    /// Whether each past turn must carry its reasoning back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs_reasoning: Option<bool>,
    /// How the model is asked for the rest of a turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub continuation: Option<Continuation>,
}

/// How a model is asked for the rest of a turn that was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Continuation {
    /// It cannot be.
    None,
    /// The last message is the assistant's, and is gone on with.
    Prefill,
    /// The same, marked `prefix: true`.
    Prefix,
    /// The same, with `continue_final_message`.
    ContinueFinal,
}

/// The built-in profiles, by a part of the model's name; later rows go over earlier ones.
const BUILT_IN: &[(&str, Profile)] = &[
    (
        "deepseek",
        Profile { flatten: Some(When::Auto), needs_reasoning: Some(true), continuation: None },
    ),
    ("-1b", SMALL),
    ("-1.5b", SMALL),
    ("-3b", SMALL),
    ("-4b", SMALL),
    ("-7b", SMALL),
    ("-8b", SMALL),
    (":1b", SMALL),
    (":3b", SMALL),
    (":4b", SMALL),
    (":7b", SMALL),
    (":8b", SMALL),
];

/// Small models lose their way in deep schemas.
const SMALL: Profile =
    Profile { flatten: Some(When::Auto), needs_reasoning: None, continuation: None };

impl Profile {
    /// What is known of a model without any settings.
    #[must_use]
    pub fn built_in(model: &str) -> Self {
        let known = BUILT_IN.iter().filter(|(part, _)| find(model.as_bytes(), part).is_some());
        known.fold(Self::default(), |known, (_, more)| more.over(known))
    }

    /// This profile, and what it does not say from another one.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        Self {
            flatten: self.flatten.or(other.flatten),
            needs_reasoning: self.needs_reasoning.or(other.needs_reasoning),
            continuation: self.continuation.or(other.continuation),
        }
    }
}

/// Whether a name fits a pattern in which `*` stands for anything; case says nothing.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, after)) = pattern.split_once('*') else {
        return pattern.eq_ignore_ascii_case(name);
    };
    let (middle, last) = after.rsplit_once('*').unwrap_or(("", after));
    let Some(mut rest) = name.as_bytes().get(first.len()..) else { return false };
    if !starts(name.as_bytes(), first) {
        return false;
    }
    for part in middle.split('*') {
        match find(rest, part).and_then(|at| rest.get(at + part.len()..)) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    let end = rest.len().checked_sub(last.len()).and_then(|at| rest.get(at..));
    end.is_some_and(|end| starts(end, last))
}

/// Whether a text starts with this part.
fn starts(text: &[u8], part: &str) -> bool {
    text.get(..part.len()).is_some_and(|start| start.eq_ignore_ascii_case(part.as_bytes()))
}

/// Where this part stands first.
fn find(text: &[u8], part: &str) -> Option<usize> {
    let Some(first) = part.as_bytes().first() else { return Some(0) };
    let begins = |at: &usize| text.get(*at).is_some_and(|byte| byte.eq_ignore_ascii_case(first));
    let last = text.len().checked_sub(part.len())?;
    (0..=last).filter(begins).find(|&at| text.get(at..).is_some_and(|rest| starts(rest, part)))
}

#[cfg(test)]
mod tests {
    use super::{Profile, fits};

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, name, is_fit) in [
            ("gpt-4", "gpt-4", true),
            ("gpt-4", "gpt-4o", false),
            ("*deepseek*", "DeepSeek-V3", true),
            ("qwen*:7b", "qwen3:7b", true),
            ("qwen*:7b", "qwen3:70b", false),
            ("a*a", "a", false),
            ("a*a", "aBA", true),
            ("*b*c*", "abbc", true),
            ("*b*c*", "acb", false),
            ("a*b*c", "aXbYcZc", true),
            ("a*b*c", "ac", false),
            ("*é", "é", true),
            ("*", "", true),
        ] {
            assert_eq!(fits(pattern, name), is_fit, "{pattern} {name}");
        }
    }

    #[test]
    fn later_rows_go_over_earlier_ones() {
        let small = Profile::built_in("deepseek-r1:7b");
        assert_eq!(small.needs_reasoning, Some(true));
        assert_eq!(Profile::built_in("gpt-5"), Profile::default());
    }
}
