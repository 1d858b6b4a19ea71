//! `empty-arguments`
//!
//! ## What it does
//! Takes blank arguments for an empty object, where the tool requires nothing.
//!
//! ## Why models do it
//! With nothing to say they write nothing, and some servers send an empty text for it.
//!
//! ## Example
//! Nothing at all → `{}`
//!
//! ## Trust
//! Likely: the schema accepts an empty object. For a tool that requires something, or that is not
//! known, blank arguments are refused.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "empty-arguments",
    trust: Trust::Likely,
    what: "Takes blank arguments for an empty object, where the tool requires nothing.",
    example: ("", "{}"),
    propose: Propose::Turn,
    source: include_str!("empty_arguments.rs"),
};
