//! What no compiler checks. Each rule is a function that lists what strays.

mod catalogues;
mod graph;
mod sources;

use std::path::Path;

use crate::{Failure, generate};

/// Lists all that strays; an error if there is anything.
pub(crate) fn run(root: &Path) -> Result<(), Failure> {
    let mut strays = Vec::new();
    strays.extend(graph::check(root)?);
    strays.extend(sources::check(root)?);
    strays.extend(catalogues::check(root)?);
    strays.extend(generate::check(root).err());
    match strays.len() {
        0 => Ok(()),
        count => Err(format!("{}\ntidy: {count} found", strays.join("\n"))),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tree_is_tidy() {
        super::run(crate::root()).unwrap_or_else(|failure| panic!("{failure}"));
    }
}
