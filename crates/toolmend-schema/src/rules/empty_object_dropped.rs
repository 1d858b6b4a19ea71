//! `empty-object-dropped`
//!
//! ## What it does
//! Drops empty objects that stand beside the arguments in the text of one call.
//!
//! ## Why models do it
//! Servers do: some begin the text of a streamed call with an empty object, or end it with one, and
//! join the pieces.
//!
//! ## Example
//! `{}{"command":"ls"}` → `{"command":"ls"}`
//!
//! ## Trust
//! Likely: objects in a row are calls in a row, but one without arguments beside one that has some was
//! meant by nobody. Alone, an empty object is what was written.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "empty-object-dropped",
    trust: Trust::Likely,
    what: "Drops empty objects that stand beside the arguments in the text of one call.",
    example: (r#"{}{"command":"ls"}"#, r#"{"command":"ls"}"#),
    propose: Propose::Turn,
    source: include_str!("empty_object_dropped.rs"),
};
