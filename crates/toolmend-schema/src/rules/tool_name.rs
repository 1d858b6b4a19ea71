//! `tool-name`
//!
//! ## What it does
//! Gives a call the name of the one tool that its name means.
//!
//! ## Why models do it
//! They know the tool from elsewhere, under a namespace or in another spelling; small ones misspell.
//!
//! ## Example
//! `functions.ReadFile` → `read_file`
//!
//! ## Trust
//! Exact where only case, separators, a namespace or leaked markup differ, or where the settings have
//! the name; likely where it is a few letters away. Always only if exactly one tool fits.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "tool-name",
    trust: Trust::Exact,
    what: "Gives a call the name of the one tool that its name means.",
    example: ("functions.ReadFile", "read_file"),
    propose: Propose::Turn,
    source: include_str!("tool_name.rs"),
};
