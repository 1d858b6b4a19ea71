//! Every dependency that a crate of the workspace names has its reason in `docs/dependencies.md`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::list;
use crate::Failure;

const DOCUMENT: &str = "docs/dependencies.md";

/// Lists dependencies without a row.
pub(super) fn check(root: &Path, metadata: &Value) -> Result<Vec<String>, Failure> {
    let text = crate::read(&root.join(DOCUMENT))?;
    let edges = list(metadata, "packages").flat_map(|package| list(package, "dependencies"));
    let others = edges.filter(|edge| edge.get("path").is_none());
    let names: BTreeSet<&str> = others.filter_map(|edge| edge.get("name")?.as_str()).collect();
    let missing = names.into_iter().filter(|name| !has_row(&text, name));
    Ok(missing.map(|name| format!("{DOCUMENT}: no row for {name}")).collect())
}

/// Whether the first cell of a row names the crate.
fn has_row(text: &str, name: &str) -> bool {
    let cells = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    cells.flat_map(|cell| cell.split(", ")).any(|named| named.trim_matches('`') == name)
}

#[cfg(test)]
mod tests {
    use super::has_row;

    #[test]
    fn a_crate_is_found_in_the_first_cell_only() {
        let text = "| crate | why |\n|---|---|\n| `a`, `b-c` | through `d` |\n";
        let found = ["a", "b-c", "b", "d"].map(|name| has_row(text, name));
        assert_eq!(found, [true, true, false, false]);
    }
}
