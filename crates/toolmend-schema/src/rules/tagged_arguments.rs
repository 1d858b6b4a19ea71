//! `tagged-arguments`
//!
//! ## What it does
//! Reads arguments that are written as tagged parameters and not as JSON.
//!
//! ## Why models do it
//! Their own format has tags; a server that knows the tag of the call and not those inside passes the
//! body on as it stands.
//!
//! ## Example
//! `<parameter=path>a.rs</parameter>` → `{"path":"a.rs"}`
//!
//! ## Trust
//! Likely: there is nothing but parameters, every value ends, and the tool has each of the names.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "tagged-arguments",
    trust: Trust::Likely,
    what: "Reads arguments that are written as tagged parameters and not as JSON.",
    example: ("<parameter=path>a.rs</parameter>", r#"{"path":"a.rs"}"#),
    propose: Propose::Turn,
    source: include_str!("tagged_arguments.rs"),
};
