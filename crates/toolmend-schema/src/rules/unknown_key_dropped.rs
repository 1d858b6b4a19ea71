//! `unknown-key-dropped`
//!
//! ## What it does
//! Drops a member that the schema does not allow, if all that it requires is there.
//!
//! ## Why models do it
//! They add what other tools take: `description`, `explanation`, `reason`.
//!
//! ## Example
//! `{"path":"a","why":"b"}` → `{"path":"a"}`
//!
//! ## Trust
//! Guess: something that the model wrote is lost.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::site::{KeyChange, KeyEdit, Site};

pub(super) const RULE: Rule = Rule {
    id: "unknown-key-dropped",
    trust: Trust::Guess,
    what: "Drops a member that the schema does not allow, if all that it requires is there.",
    example: (r#"{"path":"a","why":"b"}"#, r#"{"path":"a"}"#),
    propose: Propose::Keys(propose),
    source: include_str!("unknown_key_dropped.rs"),
};

fn propose(site: &Site<'_>, loose: &[String]) -> Option<KeyEdit> {
    let members = site.value.as_object()?;
    let has_all = site.required().all(|name| members.contains_key(name));
    let stray = loose.iter().position(|key| site.is_stray(key)).filter(|_| has_all)?;
    Some(KeyEdit { change: KeyChange::Drop(stray), trust: Trust::Guess })
}
