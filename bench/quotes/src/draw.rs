//! Draws phrases of one half and language.

use damage::Rng;

use crate::phrases::{Language, Phrases};

/// The phrases, the language, and a source of numbers.
#[derive(Debug)]
pub(crate) struct Draw<'p> {
    pub phrases: &'p Phrases,
    pub language: Language,
    pub rng: Rng,
}

impl Draw<'_> {
    /// A phrase of a section.
    pub(crate) fn phrase(&mut self, section: &str) -> &'static str {
        self.rng.pick(self.phrases.section(section, self.language))
    }

    /// A phrase of any of the sections.
    pub(crate) fn phrase_of_any(&mut self, sections: &[&str]) -> &'static str {
        let section = self.rng.pick(sections);
        self.phrase(section)
    }

    /// A line break, or two.
    pub(crate) fn line_end(&mut self) -> &'static str {
        self.rng.pick(&["\n", "\n\n", "\n\n"])
    }
}
