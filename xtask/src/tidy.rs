//! What no compiler checks. Each rule is a function that lists what strays.

mod catalogues;
mod dependencies;
mod graph;
mod sources;
mod told;

use std::path::Path;

use serde_json::Value;

use crate::{Failure, generate, process};

/// Lists all that strays; an error if there is anything.
pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    let mut strays = Vec::new();
    let metadata = metadata(root)?;
    strays.extend(graph::check(&metadata));
    strays.extend(dependencies::check(root, &metadata)?);
    strays.extend(sources::check(root)?);
    strays.extend(catalogues::check(root)?);
    strays.extend(told::check(root)?);
    strays.extend(generate::check(root).err());
    match strays.len() {
        0 => Ok(()),
        count => Err(format!("{}\ntidy: {count} found", strays.join("\n"))),
    }
}

/// What cargo knows about the crates of the workspace.
fn metadata(root: &Path) -> Result<Value, Failure> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let out = process::run(&mut process::command(root, "cargo", &arguments))?;
    serde_json::from_str(&out).map_err(|error| error.to_string())
}

/// The items of a list inside of it.
fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tree_is_tidy() {
        super::run(&crate::root()).unwrap_or_else(|failure| panic!("{failure}"));
    }
}
