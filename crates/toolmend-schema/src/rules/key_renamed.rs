//! `key-renamed`
//!
//! ## What it does
//! Gives a member the name that the schema has for it: the same but for case and separators, or one
//! of its aliases.
//!
//! ## Why models do it
//! Each vendor's tools spell names in another way, and models mix them up.
//!
//! ## Example
//! `{"filePath":"a"}` → `{"file_path":"a"}`
//!
//! ## Trust
//! Likely: the target is required and missing, or the name may not stand there at all, or it is the name
//! of an optional property but for case and separators, and the value is one for it; and exactly one
//! member fits exactly one target. Aliases come from hints, and from a short list of names that agents'
//! tools use for one thing. Arguments that are right are not looked at: where the schema lets any name
//! stand, a name in another spelling alone is no fault.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use super::reading::read_number;
use super::string_to_boolean::read_boolean;
use crate::catalog::{Propose, Rule};
use crate::fold::{fold, is_same};
use crate::md_links::member;
use crate::site::{KeyChange, KeyEdit, Site};

pub(super) const RULE: Rule = Rule {
    id: "key-renamed",
    trust: Trust::Likely,
    what: "Gives a member the name that the schema has for it.",
    example: (r#"{"filePath":"a"}"#, r#"{"file_path":"a"}"#),
    propose: Propose::Keys(propose),
    source: include_str!("key_renamed.rs"),
};

/// Names for one thing in the tools of common agents. An alias only counts for a target that is
/// required and missing.
const SYNONYMS: [&[&str]; 9] = [
    &["path", "filepath", "filename", "file", "pathname", "targetfile", "absolutepath"],
    &["command", "cmd"],
    &["oldstring", "oldstr", "oldtext"],
    &["newstring", "newstr", "newtext"],
    &["content", "contents", "filecontent", "filecontents"],
    &["query", "q", "searchquery", "searchterm"],
    &["directory", "dir", "folder", "dirpath", "directorypath"],
    &["url", "uri"],
    &["pattern", "regex"],
];

fn propose(site: &Site<'_>, loose: &[String]) -> Option<KeyEdit> {
    let members = site.value.as_object().filter(|_| !loose.is_empty())?;
    let (from, to) = pair(site, loose, &absent(members, site.required())).or_else(|| {
        let fits = |source: &str, target: &str| {
            let is_meant = || site.is_stray(source) || takes(site, target, members.get(source));
            is_same(source, target) && is_meant()
        };
        find_pair(loose, &absent(members, site.properties()), fits)
    })?;
    let change = KeyChange::Rename(from, to.to_owned());
    Some(KeyEdit { change, trust: Trust::Likely })
}

/// Whether a value is right for a property, as it is or as the text of a number or a boolean.
fn takes(site: &Site<'_>, target: &str, value: Option<&Value>) -> bool {
    let ids = site.graph.member(site.nodes, target);
    let fits = |value: &Value| ids.iter().all(|id| site.graph.accepts(*id, value));
    let text = value.and_then(Value::as_str).unwrap_or_default();
    let number = || read_number(text).map(|(number, _)| Value::Number(number));
    value.is_some_and(fits)
        || number().is_some_and(|value| fits(&value))
        || read_boolean(text).is_some_and(|value| fits(&Value::Bool(value)))
}

/// The names that no member has.
fn absent<'s>(members: &Map<String, Value>, names: impl Iterator<Item = &'s str>) -> Vec<&'s str> {
    names.filter(|name| member(members, name).is_none()).collect()
}

/// A loose name, by its number, and the missing one that it means: by spelling, by the hints' aliases,
/// by custom.
fn pair<'a>(site: &Site<'_>, loose: &[String], missing: &[&'a str]) -> Option<(usize, &'a str)> {
    find_pair(loose, missing, is_same)
        .or_else(|| {
            find_pair(loose, missing, |source, target| {
                aliases(site, target).iter().any(|alias| is_same(alias, source))
            })
        })
        .or_else(|| find_pair(loose, missing, are_synonyms))
}

/// The first pair that fits, if neither of the two fits another.
fn find_pair<'a>(
    sources: &[String],
    targets: &[&'a str],
    fits: impl Fn(&str, &str) -> bool,
) -> Option<(usize, &'a str)> {
    targets.iter().find_map(|target| {
        let mut fitting = sources.iter().enumerate().filter(|(_, source)| fits(source, target));
        let (number, source) = fitting.next()?;
        let is_only = fitting.next().is_none()
            && targets.iter().all(|other| other == target || !fits(source, other));
        is_only.then_some((number, *target))
    })
}

fn aliases(site: &Site<'_>, target: &str) -> Vec<String> {
    let ids = site.graph.member(site.nodes, target);
    let own = ids.iter().flat_map(|id| site.graph.node(*id).aliases.clone());
    own.chain(site.tool.hints.aliases_of(target).map(str::to_owned)).collect()
}

/// Whether two names are for one thing.
pub(super) fn are_synonyms(source: &str, target: &str) -> bool {
    let (source, target) = (fold(source), fold(target));
    SYNONYMS.iter().any(|row| row.contains(&source.as_str()) && row.contains(&target.as_str()))
}
