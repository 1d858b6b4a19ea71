//! The phrases around calls, in two halves.

use std::collections::{BTreeMap, BTreeSet};

/// A half of the phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// The one to look at.
    Seen,
    /// The one that is only counted.
    Held,
}

impl Half {
    const fn text(self) -> &'static str {
        match self {
            Self::Seen => include_str!("../phrases/seen.txt"),
            Self::Held => include_str!("../phrases/held.txt"),
        }
    }
}

/// A language of the phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    English,
    /// Chinese.
    Chinese,
}

impl Language {
    pub(crate) const ALL: [Self; 2] = [Self::English, Self::Chinese];

    /// Its code.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
        }
    }
}

/// The phrases of a half, by section and language.
#[derive(Debug)]
pub(crate) struct Phrases {
    sections: BTreeMap<&'static str, Vec<&'static str>>,
}

impl Phrases {
    pub(crate) fn of(half: Half) -> Self {
        let mut sections: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let mut section = "";
        // A phrase that came to mind twice is held: nobody needs to know which ones those are.
        let held: BTreeSet<&str> = match half {
            Half::Seen => Half::Held.text().lines().filter(|line| !line.starts_with('[')).collect(),
            Half::Held => BTreeSet::new(),
        };
        for line in half.text().lines() {
            if line.is_empty() || line.starts_with('#') || held.contains(line) {
                continue;
            }
            // A placeholder may stand in brackets as well; it has no language.
            match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                Some(name) if is_section(name) => section = name,
                _ => sections.entry(section).or_default().push(line),
            }
        }
        Self { sections }
    }

    /// The phrases of a section; none where there is no such section.
    pub(crate) fn section(&self, name: &str, language: Language) -> &[&'static str] {
        let key = format!("{name}.{}", language.as_str());
        self.sections.get(key.as_str()).map(Vec::as_slice).unwrap_or_default()
    }
}

fn is_section(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((_, "en" | "zh")))
}

#[cfg(test)]
mod tests {
    use super::{BTreeSet, Half, Phrases};

    #[test]
    fn the_halves_have_the_same_sections_and_enough_in_each() {
        let (seen, held) = (Phrases::of(Half::Seen), Phrases::of(Half::Held));
        assert!(seen.sections.keys().eq(held.sections.keys()));
        for phrases in [&seen, &held] {
            assert!(phrases.sections.values().all(|section| section.len() >= 12));
        }
    }

    #[test]
    fn no_phrase_stands_twice() {
        let mut all = BTreeSet::new();
        for phrases in [Phrases::of(Half::Seen), Phrases::of(Half::Held)] {
            for (name, section) in &phrases.sections {
                let repeated = section.iter().filter(|phrase| !all.insert(**phrase)).count();
                assert_eq!(repeated, 0, "in {name}");
            }
        }
    }

    #[test]
    fn slots_stand_where_the_call_is_inside_a_sentence() {
        for phrases in [Phrases::of(Half::Seen), Phrases::of(Half::Held)] {
            for (name, section) in &phrases.sections {
                let has_slots = ["inline.", "possible.", "reasoning."];
                let wanted = usize::from(has_slots.iter().any(|has| name.starts_with(has)));
                let is_right = |phrase: &&str| phrase.matches("{}").count() == wanted;
                assert!(section.iter().all(is_right), "in {name}");
            }
        }
    }
}
