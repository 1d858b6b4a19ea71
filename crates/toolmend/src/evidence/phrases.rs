//! The lists of phrases, read once from the file beside this one.

use std::collections::BTreeMap;
use std::sync::LazyLock;

static PHRASES: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> =
    LazyLock::new(|| read(include_str!("phrases.txt")));

fn read(text: &'static str) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut lists: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut list = "";
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) => list = name,
            None => {
                let phrases = line.split('|').map(str::trim).filter(|phrase| !phrase.is_empty());
                lists.entry(list).or_default().extend(phrases);
            }
        }
    }
    lists
}

/// The phrases of a list.
pub(super) fn phrases(list: &str) -> impl Iterator<Item = &'static str> {
    PHRASES.get(list).into_iter().flatten().copied()
}

/// Whether one of the phrases of a list stands in a text.
pub(super) fn has_any(text: &str, list: &str) -> bool {
    phrases(list).any(|phrase| has(text, phrase))
}

/// Whether a phrase stands in a text as words of its own. Chinese has no spaces to go by.
fn has(text: &str, phrase: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let needs_edges = phrase.is_ascii() || phrase.contains('’');
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let mut after = text.get(at + phrase.len()..).unwrap_or_default().chars();
        let (next, over) = (after.next(), after.next());
        // `example.com` is no example.
        let goes_on = next.is_some_and(is_letter)
            || next == Some('.') && over.is_some_and(|c| c.is_ascii_alphanumeric());
        !needs_edges || !before.is_some_and(is_letter) && !goes_on
    })
}

#[cfg(test)]
mod tests {
    use super::{PHRASES, has};

    const LISTS: [&str; 22] = [
        "announcing",
        "doing",
        "presenting",
        "examples",
        "refusals",
        "possibilities",
        "quotations",
        "negation",
        "running",
        "showing",
        "pointing",
        "example-after",
        "refusal-after",
        "danger",
        "others",
        "backward",
        "advising",
        "nouns",
        "being",
        "directive",
        "own",
        "effect",
    ];

    #[test]
    fn every_list_is_there_and_in_lower_case() {
        for list in LISTS {
            let phrases = PHRASES.get(list).unwrap_or_else(|| panic!("{list}"));
            assert!(phrases.iter().all(|phrase| phrase.to_lowercase() == **phrase), "{list}");
        }
    }

    #[test]
    fn a_phrase_is_found_as_words_of_its_own() {
        assert!(has("an example:", "example") && has("请勿执行", "请勿"));
        assert!(!has("sample_rate", "sample") && !has("counterexamples", "example"));
        assert!(!has("example.com", "example") && has("an example.", "example"));
    }
}
