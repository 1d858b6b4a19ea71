//! `md-link-unwrapped`
//!
//! ## What it does
//! Takes the path out of an automatic Markdown link, in fields that hold paths.
//!
//! ## Why models do it
//! Text that went through a chat page has its file names turned into links.
//!
//! ## Example
//! `{"path":"[a.md](http://a.md)"}` → `{"path":"a.md"}`
//!
//! ## Trust
//! Exact where the link is the same text; likely where its last part is. Any other link stays.

use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "md-link-unwrapped",
    trust: Trust::Exact,
    what: "Takes the path out of a link that Markdown made of it.",
    example: (r#"{"path":"[a.md](http://a.md)"}"#, r#"{"path":"a.md"}"#),
    propose: Propose::Before,
    source: include_str!("md_link_unwrapped.rs"),
};
