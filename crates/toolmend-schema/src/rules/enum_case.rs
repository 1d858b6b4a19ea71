//! `enum-case`
//!
//! ## What it does
//! Takes the listed word that is the same but for case, separators and space around it.
//!
//! ## Why models do it
//! They write words as their sentence has them.
//!
//! ## Example
//! `{"status":"ACTIVE"}` → `{"status":"active"}`
//!
//! ## Trust
//! Likely: exactly one of the listed words is the same.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::fold::is_same;
use crate::kinds::Kinds;
use crate::site::{Offer, Site};

pub(super) const RULE: Rule = Rule {
    id: "enum-case",
    trust: Trust::Likely,
    what: "Takes the listed word that is the same but for case and separators.",
    example: (r#"{"status":"ACTIVE"}"#, r#"{"status":"active"}"#),
    propose: Propose::Value { from: Kinds::STRING, to: Kinds::STRING, propose },
    source: include_str!("enum_case.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let text = site.text()?;
    let words = site.choices().filter_map(|choice| choice.as_str());
    let mut same = words.filter(|word| is_same(word, text));
    let word = same.next()?;
    (word != text && same.all(|other| other == word)).then(|| Offer::exact(word))
}
