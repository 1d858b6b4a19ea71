//! `relational-default`
//!
//! ## What it does
//! Fills in the default that the hints have for a member that another one needs, and tells the model.
//!
//! ## Why models do it
//! They give `limit` and think that `offset` starts at the beginning.
//!
//! ## Example
//! `{"limit":30}` → `{"limit":30,"offset":0}`
//!
//! ## Trust
//! Exact: the host wrote the value down for this case.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "relational-default",
    trust: Trust::Exact,
    what: "Fills in, from hints, a member that another one needs.",
    example: (r#"{"limit":30}"#, r#"{"limit":30,"offset":0}"#),
    propose: Propose::Before,
    source: include_str!("relational_default.rs"),
};
