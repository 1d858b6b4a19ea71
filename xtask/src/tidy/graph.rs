//! Which crate may use which. Arrows point one way.

use serde_json::Value;

use super::list;

/// Each crate of the workspace, and which of our own it may use. A new row, or a new name in one,
/// is a decision: it belongs in `docs/decisions`.
const MAY_USE: &[(&str, &[&str])] = &[
    ("toolmend-json", &[]),
    ("toolmend-schema", &["toolmend-json"]),
    ("toolmend-dialect", &["toolmend-json"]),
    ("toolmend-history", &["toolmend-json"]),
    ("toolmend", &["toolmend-dialect", "toolmend-history", "toolmend-json", "toolmend-schema"]),
    ("toolmend-wire", &["toolmend-json"]),
    ("toolmend-store", &["toolmend"]),
    ("toolmend-proxy", &["toolmend", "toolmend-store", "toolmend-wire"]),
    (
        "toolmend-cli",
        &[
            "toolmend",
            "toolmend-dialect",
            "toolmend-json",
            "toolmend-proxy",
            "toolmend-schema",
            "toolmend-store",
        ],
    ),
    ("cases", &[]),
    ("damage", &[]),
    ("quotes", &["damage", "toolmend-dialect"]),
    (
        "xtask",
        &[
            "cases",
            "toolmend",
            "toolmend-dialect",
            "toolmend-history",
            "toolmend-json",
            "toolmend-schema",
            "toolmend-wire",
        ],
    ),
];

/// What any crate's tests may use beside that.
const TESTS_MAY_USE: &[&str] = &["cases", "damage", "quotes"];

/// Lists crates and edges that the table does not have.
pub(super) fn check(metadata: &Value) -> Vec<String> {
    let crates: Vec<Crate> = list(metadata, "packages").filter_map(Crate::read).collect();
    let mut strays = Vec::new();
    for krate in &crates {
        match MAY_USE.iter().find(|(name, _)| *name == krate.name) {
            Some((_, allowed)) => strays.extend(krate.strays(allowed)),
            None => strays.push(format!("crate {} has no row in tidy/graph.rs", krate.name)),
        }
    }
    for (name, _) in MAY_USE.iter().filter(|(name, _)| crates.iter().all(|k| k.name != *name)) {
        strays.push(format!("tidy/graph.rs has a row for {name}, which is not there"));
    }
    strays
}

/// A crate and those of our own that it uses.
struct Crate {
    name: String,
    uses: Vec<Edge>,
}

struct Edge {
    to: String,
    is_for_tests: bool,
}

impl Crate {
    fn read(package: &Value) -> Option<Self> {
        let ours = list(package, "dependencies").filter(|edge| edge.get("path").is_some());
        let uses = ours.filter_map(|edge| {
            let to = edge.get("name")?.as_str()?.to_owned();
            let is_for_tests = edge.get("kind").and_then(Value::as_str) == Some("dev");
            Some(Edge { to, is_for_tests })
        });
        Some(Self { name: package.get("name")?.as_str()?.to_owned(), uses: uses.collect() })
    }

    fn strays(&self, allowed: &[&str]) -> impl Iterator<Item = String> {
        let is_allowed = |edge: &&Edge| {
            let to = edge.to.as_str();
            allowed.contains(&to) || edge.is_for_tests && TESTS_MAY_USE.contains(&to)
        };
        self.uses
            .iter()
            .filter(move |edge| !is_allowed(edge))
            .map(|edge| format!("crate {} must not use {}", self.name, edge.to))
    }
}
