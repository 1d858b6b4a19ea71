//! `enum-nearest`
//!
//! ## What it does
//! Takes the listed word that is nearest to a misspelt one.
//!
//! ## Why models do it
//! Small and quantised models misspell.
//!
//! ## Example
//! `{"mode":"writ"}` → `{"mode":"write"}`
//!
//! ## Trust
//! Guess: within a quarter of the word, and nearer than all others; still, another word stood there.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::fold::nearest;
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "enum-nearest",
    trust: Trust::Guess,
    what: "Takes the listed word that is nearest to a misspelt one.",
    example: (r#"{"mode":"writ"}"#, r#"{"mode":"write"}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::STRING, propose },
    source: include_str!("enum_nearest.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let text = site.text()?;
    let words = site.choices().filter_map(|choice| choice.as_str());
    nearest(text, words).filter(|word| *word != text).map(Offer::exact)
}
