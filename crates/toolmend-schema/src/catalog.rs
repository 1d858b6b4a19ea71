//! Every rule of repair, in the order in which they propose. The documents, the counters and the
//! settings are made from this list.
//!
//! Order decides only among readings that are equally few, equally trusted and the same: a tie
//! between different values refuses. Where two rules could answer one value differently, the later
//! one holds itself back and says so in its file.

use std::fmt;
use std::sync::LazyLock;

use toolmend_json::Trust;

use crate::kinds::Kinds;
use crate::rules;
use crate::site::{KeyEdit, Offer, Site};

/// One kind of repair.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Rule {
    /// The stable id that reports, counters and settings use.
    pub id: &'static str,
    /// The least that it costs: one repair can be less sure, never surer.
    pub trust: Trust,
    /// One sentence that tells what it does.
    pub what: &'static str,
    /// Arguments before and after.
    pub example: (&'static str, &'static str),
    pub(crate) propose: Propose,
    /// The rule's file: its head is the rule's document.
    #[doc(hidden)]
    pub source: &'static str,
}

/// Where a rule works.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Propose {
    /// On a value that its schema refuses: one of the types in `from`, where any of those in `to` is
    /// accepted.
    Value { from: Kinds, to: Kinds, propose: fn(&Site<'_>) -> Option<Offer> },
    /// On the names in an object that its schema refuses; those that no property has are given.
    Keys(ProposeKeys),
    /// Before validation: by hints, by the way in which a tool was shown, by how a body was read.
    Before,
    /// On the call around the arguments. Whoever reads the turn makes these repairs.
    Turn,
}

/// What a rule for names is asked with.
pub(crate) type ProposeKeys = fn(&Site<'_>, &[String]) -> Option<KeyEdit>;

/// A rule that works on values.
pub(crate) struct ValueRule {
    pub(crate) rule: &'static Rule,
    /// Where any of these types is accepted.
    pub(crate) to: Kinds,
    pub(crate) propose: fn(&Site<'_>) -> Option<Offer>,
}

/// The rules that a value can be changed by, by its type.
static BY_TYPE: LazyLock<[Vec<ValueRule>; Kinds::EACH.len()]> = LazyLock::new(|| {
    Kinds::EACH.map(|kind| {
        let rules = Rule::ALL.iter().filter_map(|rule| match rule.propose {
            Propose::Value { from, to, propose } if from.has(kind) => {
                Some(ValueRule { rule, to, propose })
            }
            _ => None,
        });
        rules.collect()
    })
});

/// The rules that the names of an object can be changed by.
static FOR_KEYS: LazyLock<Vec<(&Rule, ProposeKeys)>> = LazyLock::new(|| {
    let rules = Rule::ALL.iter().filter_map(|rule| match rule.propose {
        Propose::Keys(propose) => Some((*rule, propose)),
        _ => None,
    });
    rules.collect()
});

impl fmt::Debug for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rule")
            .field("id", &self.id)
            .field("trust", &self.trust)
            .finish_non_exhaustive()
    }
}

impl Rule {
    /// Every rule, in order.
    pub const ALL: &'static [&'static Self] = rules::ALL;

    /// A call has the name of a tool that is not spelt so.
    pub const TOOL_NAME: &'static Self = &rules::TOOL_NAME;
    /// Blank arguments are an empty object.
    pub const EMPTY_ARGUMENTS: &'static Self = &rules::EMPTY_ARGUMENTS;
    /// An empty object beside the arguments is gone.
    pub const EMPTY_OBJECT_DROPPED: &'static Self = &rules::EMPTY_OBJECT_DROPPED;
    /// A text was read as a list.
    pub const JSON_STRING_TO_ARRAY: &'static Self = &rules::JSON_STRING_TO_ARRAY;
    /// A text was read as an object.
    pub const JSON_STRING_TO_OBJECT: &'static Self = &rules::JSON_STRING_TO_OBJECT;
    /// A number became text.
    pub const NUMBER_TO_STRING: &'static Self = &rules::NUMBER_TO_STRING;
    /// An object became text.
    pub const OBJECT_TO_JSON_STRING: &'static Self = &rules::OBJECT_TO_JSON_STRING;
    /// The one item of a list took its place.
    pub const SINGLE_ITEM_UNWRAPPED: &'static Self = &rules::SINGLE_ITEM_UNWRAPPED;
    /// Tagged parameters are the arguments.
    pub const TAGGED_ARGUMENTS: &'static Self = &rules::TAGGED_ARGUMENTS;
    /// Arguments without names have those of the properties.
    pub const POSITIONAL_ARGUMENTS: &'static Self = &rules::POSITIONAL_ARGUMENTS;
    /// A number has lost its empty fraction.
    pub const INTEGRAL_FLOAT: &'static Self = &rules::INTEGRAL_FLOAT;

    /// The rule of this id.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::ALL.iter().copied().find(|rule| rule.id == id)
    }

    /// The rules that work on values of a type, in order.
    pub(crate) fn for_values(kind: Kinds) -> impl Iterator<Item = &'static ValueRule> {
        let own = Kinds::EACH.iter().zip(BY_TYPE.iter()).find(|(each, _)| **each == kind);
        own.into_iter().flat_map(|(_, rules)| rules)
    }

    /// The rules that work on names, in order.
    pub(crate) fn for_keys() -> &'static [(&'static Self, ProposeKeys)] {
        &FOR_KEYS
    }

    /// Whether the rule works on the call around the arguments: on its name, or on arguments that
    /// are not there.
    #[must_use]
    pub fn is_of_turn(&self) -> bool {
        matches!(self.propose, Propose::Turn)
    }

    /// The rule's document: headings, each with its text.
    pub fn sections(&self) -> impl Iterator<Item = (&'static str, String)> {
        let head = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        let mut lines =
            head.map(str::trim_start).skip_while(|line| !line.starts_with("## ")).peekable();
        std::iter::from_fn(move || {
            let heading = lines.next()?.strip_prefix("## ")?;
            let text = std::iter::from_fn(|| lines.next_if(|line| !line.starts_with("## ")));
            Some((heading, text.collect::<Vec<_>>().join("\n").trim().to_owned()))
        })
    }
}
