//! `single-item-unwrapped`
//!
//! ## What it does
//! Takes the one item out of a list where the schema wants the item and no list.
//!
//! ## Why models do it
//! Other tools take several; and some models write the arguments of a call as a list of one.
//!
//! ## Example
//! `{"path":["a.rs"]}` → `{"path":"a.rs"}`
//!
//! ## Trust
//! Likely: there is one item, and it must be right as it is, or in another spelling.

use serde_json::Value;
use toolmend_json::Trust;

use crate::catalog::{Propose, Rule};
use crate::kinds::Kinds;
use crate::site::{Change, Offer, Site};

pub(crate) const RULE: Rule = Rule {
    id: "single-item-unwrapped",
    trust: Trust::Likely,
    what: "Takes the one item out of a list where the schema wants the item.",
    example: (r#"{"path":["a.rs"]}"#, r#"{"path":"a.rs"}"#),
    propose: Propose::Value { from: Kinds::ARRAY, to: Kinds::ANY, propose },
    source: include_str!("single_item_unwrapped.rs"),
};

fn propose(site: &Site<'_>) -> Option<Offer> {
    let Value::Array(items) = site.value else { return None };
    let [item] = items.as_slice() else { return None };
    if site.wants(Kinds::ARRAY) || item.is_null() || item.is_array() {
        return None;
    }
    let change = Change::Become(item.clone());
    Some(Offer { change, trust: Trust::Likely, inside: Trust::Exact, is_rival: false })
}
