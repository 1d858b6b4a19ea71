//! Hints that say nothing to anyone: unknown keys, and values of the wrong kind.

use serde_json::{Map, Value};
use toolmend_json::Trust;

use super::Finding;
use crate::fold::nearest;
use crate::graph::join;
use crate::hints::{CONTRACT_KEY, KEYS};
use crate::tool::Tool;
use crate::walk::At;

/// What a hint holds.
#[derive(Clone, Copy)]
enum Kind {
    Flag,
    Text,
    Word(&'static [&'static str]),
    List,
    Table,
}

/// Hints about a tool as a whole.
const OF_TOOLS: &[(&str, Kind)] = &[
    ("mutating", Kind::Flag),
    ("storm_exempt", Kind::Flag),
    ("truncation", Kind::Word(&["continue", "close", "refuse"])),
    ("trust", Kind::Word(&[Trust::Exact.as_str(), Trust::Likely.as_str(), Trust::Guess.as_str()])),
    (CONTRACT_KEY, Kind::Text),
    ("relational", Kind::List),
    ("aliases", Kind::Table),
];

/// Hints about one property.
const OF_PROPERTIES: &[(&str, Kind)] = &[("semantic", Kind::Text), ("aliases", Kind::List)];

/// The spellings of a relation's parts.
const OF_RELATIONS: &[(&str, Kind)] = &[
    ("requires", Kind::List),
    ("fields", Kind::List),
    ("defaults", Kind::Table),
    ("default", Kind::Table),
];

/// Checks the hints of a tool, and lists where they stand.
pub(super) fn check(
    value: &Value,
    inner: &str,
    schema: &str,
    tool: &Tool,
    schemas: &[At<'_>],
    hinted: &mut Vec<String>,
    findings: &mut Vec<Finding>,
) {
    let beside = At {
        pointer: String::new(),
        schema: value.pointer(inner).unwrap_or(value),
        is_branch: false,
    };
    let own = std::iter::once((inner, &beside, OF_TOOLS));
    let within = schemas.iter().map(|at| {
        let known = if at.pointer.is_empty() { OF_TOOLS } else { OF_PROPERTIES };
        (schema, at, known)
    });
    let mut lint = Lint { tool, findings };
    for (start, at, known) in own.chain(within) {
        let place = format!("{start}{}", at.pointer);
        hinted.extend(at.schema.get(CONTRACT_KEY).map(|_| join(&place, &[CONTRACT_KEY])));
        for key in KEYS {
            let Some(hints) = at.schema.get(key) else { continue };
            let path = join(&place, &[key]);
            match hints {
                Value::Object(hints) => lint.members(&path, hints, known),
                // The one key that holds a word.
                Value::String(_) if key == "x-dirge-kind" => {}
                _ => lint.wrong(path.clone(), "hints stand in an object"),
            }
            hinted.push(path);
        }
    }
}

struct Lint<'l> {
    tool: &'l Tool,
    findings: &'l mut Vec<Finding>,
}

impl Lint<'_> {
    fn members(&mut self, path: &str, hints: &Map<String, Value>, known: &[(&str, Kind)]) {
        for (key, value) in hints {
            let path = join(path, &[key]);
            match known.iter().find(|(name, _)| name == key) {
                None => self.unknown(path, key, known),
                Some((_, kind)) => {
                    if let Some(wanted) = wanted(*kind, value) {
                        self.wrong(path, &wanted);
                    } else if key == "relational" {
                        self.relations(&path, value);
                    } else if let (Kind::Table, Value::Object(table)) = (*kind, value) {
                        self.properties(&path, table.keys());
                    }
                }
            }
        }
    }

    fn relations(&mut self, path: &str, relations: &Value) {
        for (index, relation) in relations.as_array().into_iter().flatten().enumerate() {
            let path = join(path, &[&index.to_string()]);
            let Some(members) = relation.as_object() else {
                self.wrong(path, "a relation is an object with `requires` and `defaults`");
                continue;
            };
            let has = |keys: [&str; 2]| keys.iter().any(|key| members.contains_key(*key));
            if !has(["requires", "fields"]) || !has(["defaults", "default"]) {
                self.wrong(path.clone(), "a relation has `requires` and `defaults`");
            }
            self.members(&path, members, OF_RELATIONS);
            let fields =
                ["requires", "fields"].iter().filter_map(|key| members.get(*key)?.as_array());
            let fields = fields.flatten().filter_map(Value::as_str).map(str::to_owned);
            self.properties(&path, fields.collect::<Vec<_>>().iter());
        }
    }

    /// Names that must be properties of the tool.
    fn properties<'n>(&mut self, path: &str, names: impl Iterator<Item = &'n String>) {
        let known = self.tool.properties();
        for name in names.filter(|name| !known.is_empty() && !known.contains(name)) {
            let near = nearest(name, known.iter().map(String::as_str));
            self.findings.push(Finding {
                code: "unknown-property",
                is_error: true,
                path: path.to_owned(),
                message: format!("the hint is about `{name}`, and there is no such property"),
                help: match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "name a property of the tool, or drop the hint".to_owned(),
                },
            });
        }
    }

    fn unknown(&mut self, path: String, key: &str, known: &[(&str, Kind)]) {
        let is_in = |table: &[(&str, Kind)]| table.iter().any(|(name, _)| *name == key);
        let near = nearest(key, known.iter().map(|(name, _)| *name));
        let help = if is_in(OF_TOOLS) {
            format!("`{key}` belongs to the tool: beside its name, or at the root of its schema")
        } else if is_in(OF_PROPERTIES) {
            format!("`{key}` belongs to a property")
        } else if let Some(near) = near {
            format!("did you mean `{near}`?")
        } else {
            let names: Vec<String> = known.iter().map(|(name, _)| format!("`{name}`")).collect();
            format!("known here: {}", names.join(", "))
        };
        let message = format!("there is no hint `{key}` here, so it does nothing");
        self.findings.push(Finding { code: "unknown-hint", is_error: true, path, message, help });
    }

    fn wrong(&mut self, path: String, wanted: &str) {
        self.findings.push(Finding {
            code: "bad-hint",
            is_error: true,
            path,
            message: "the hint cannot be read, so it does nothing".to_owned(),
            help: wanted.to_owned(),
        });
    }
}

/// What a hint should hold, where it does not.
fn wanted(kind: Kind, value: &Value) -> Option<String> {
    let (is_right, wanted) = match kind {
        Kind::Flag => (value.is_boolean(), "it is `true` or `false`".to_owned()),
        Kind::Text => (value.is_string(), "it is a text".to_owned()),
        Kind::Word(words) => {
            let is_word = value.as_str().is_some_and(|word| words.contains(&word));
            (is_word, format!("it is one of {}", words.join(", ")))
        }
        Kind::List => (value.is_array(), "it is a list".to_owned()),
        Kind::Table => {
            (value.is_object(), "it is an object with a member for each name".to_owned())
        }
    };
    (!is_right).then_some(wanted)
}
