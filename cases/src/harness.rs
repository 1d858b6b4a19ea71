//! Runs the cases of one folder: one test for each file, named by its path.
//!
//! `UPDATE=1` rewrites what must come out, in place; `UPDATE=faults,open` only those blocks, and the
//! others must still hold.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use libtest_mimic::{Arguments, Trial};

use crate::{Case, find};

/// The root of the repository, as the tests of a crate see it.
const ROOT: &str = "../..";

/// What a check found wrong.
pub type Finding = Result<(), String>;

/// What came out, by block. A block that is not there is empty.
pub type Seen = Vec<(&'static str, String)>;

/// A test and its name.
pub type Test = (&'static str, fn() -> Finding);

/// A kind of case.
#[derive(Clone, Copy, Debug)]
pub struct Harness {
    /// The folder, under the root of the repository.
    pub folder: &'static str,
    /// The blocks that say what goes in.
    pub inputs: &'static [&'static str],
    /// The blocks that say what must come out, in the order in which new ones are written.
    pub outputs: &'static [&'static str],
    /// Those of them that are compared and rewritten only where a case has them.
    pub optional: &'static [&'static str],
    /// Runs a case.
    pub see: fn(&Case) -> Result<Seen, String>,
    /// What must hold of a case besides; it is asked once all that came out is what was wanted.
    pub holds: fn(&Case) -> Finding,
    /// Tests of more than one case.
    pub also: &'static [Test],
}

impl Harness {
    /// What the `main` of a test does.
    #[must_use]
    pub fn main(self) -> ExitCode {
        let arguments = Arguments::from_args();
        let trials = match find(&under_root(self.folder)) {
            Ok(paths) => {
                let cases = paths.into_iter().map(|path| self.trial(path));
                let also = self
                    .also
                    .iter()
                    .map(|(name, run)| Trial::test(*name, move || run().map_err(Into::into)));
                cases.chain(also).collect()
            }
            Err(error) => vec![Trial::test(self.folder, move || Err(error.into()))],
        };
        libtest_mimic::run(&arguments, trials).exit_code()
    }

    fn trial(self, path: PathBuf) -> Trial {
        let name = path.strip_prefix(ROOT).unwrap_or(&path).display().to_string();
        Trial::test(name, move || self.check(&path).map_err(Into::into))
    }

    /// Runs the case in a file, and first rewrites what `UPDATE` says.
    ///
    /// # Errors
    /// Says what is not as it must be.
    pub fn check(&self, path: &Path) -> Finding {
        let mut case = Case::read(path)?;
        self.is_of_this_kind(&case)?;
        let seen = (self.see)(&case)?;
        let names = env::var("UPDATE").unwrap_or_default();
        if !names.is_empty() {
            self.update(&mut case, &seen, &names);
            fs::write(path, case.to_markdown()).map_err(|error| error.to_string())?;
        }
        // What was not rewritten was written by hand, and must be what came out.
        self.compare(&case, &seen)?;
        (self.holds)(&case)
    }

    fn is_of_this_kind(&self, case: &Case) -> Finding {
        let is_known = |name| self.inputs.contains(&name) || self.outputs.contains(&name);
        if let Some(block) = case.blocks().find(|block| !is_known(block.name())) {
            return Err(format!("cases of this kind have no block `{}`", block.name()));
        }
        if case.prose().is_empty() {
            return Err("a case says in a sentence or two why it is there".to_owned());
        }
        Ok(())
    }

    /// Writes what came out into the blocks that `names` lists; `1` stands for all.
    fn update(&self, case: &mut Case, seen: &Seen, names: &str) {
        let is_named = |name: &str| names == "1" || names.split(',').any(|own| own == name);
        let wanted: Vec<_> = self.wanted(case).filter(|name| is_named(name)).collect();
        for name in wanted {
            case.set(name, text(seen, name));
        }
    }

    /// Compares each block with what came out.
    fn compare(&self, case: &Case, seen: &Seen) -> Finding {
        let strays = self.wanted(case).filter_map(|name| {
            let (wanted, got) = (case.text(name), text(seen, name));
            (wanted != got).then(|| format!("{name}\n  wanted:\n{wanted}\n  got:\n{got}"))
        });
        let strays = strays.collect::<Vec<_>>().join("\n");
        if strays.is_empty() { Ok(()) } else { Err(strays) }
    }

    /// The blocks of what must come out that this case is asked for.
    fn wanted(&self, case: &Case) -> impl Iterator<Item = &'static str> {
        let is_wanted = |name| !self.optional.contains(&name) || case.block(name).is_some();
        self.outputs.iter().copied().filter(move |name| is_wanted(name))
    }
}

/// A path of the repository, for the tests of a crate.
#[must_use]
pub fn under_root(path: &str) -> PathBuf {
    Path::new(ROOT).join(path)
}

fn text<'s>(seen: &'s Seen, name: &str) -> &'s str {
    seen.iter().find(|(own, _)| *own == name).map_or("", |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::Harness;
    use crate::Case;

    const HARNESS: Harness = Harness {
        folder: "cases/none",
        inputs: &["input"],
        outputs: &["out", "length", "first"],
        optional: &["first"],
        see: |case| {
            let input = case.text("input");
            let first = input.chars().take(1).collect();
            Ok(vec![("first", first), ("out", input.to_uppercase())])
        },
        holds: |_| Ok(()),
        also: &[],
    };

    fn updated(text: &str, names: &str) -> (Case, Result<(), String>) {
        let mut case = Case::parse(text).unwrap();
        let seen = (HARNESS.see)(&case).unwrap();
        HARNESS.update(&mut case, &seen, names);
        let found = HARNESS.compare(&case, &seen);
        (case, found)
    }

    #[test]
    fn only_what_is_named_is_rewritten() {
        let text = "# T\n\nWhy.\n\n```input\nab\n```\n```out\nx\n```\n```length\n2\n```\n";
        let (case, found) = updated(text, "out,first");
        assert_eq!((case.text("out"), case.block("first").is_none()), ("AB", true));
        assert_eq!(found.unwrap_err(), "length\n  wanted:\n2\n  got:\n");
        let (case, found) = updated(text, "1");
        assert_eq!((case.block("length").is_none(), found), (true, Ok(())));
    }

    #[test]
    fn what_is_optional_is_compared_where_it_stands() {
        let text = "# T\n\nWhy.\n\n```input\nab\n```\n```out\nAB\n```\n```first\nb\n```\n";
        assert_eq!(updated(text, "").1.unwrap_err(), "first\n  wanted:\nb\n  got:\na");
        assert_eq!(updated(text, "1").0.text("first"), "a");
    }

    #[test]
    fn unknown_blocks_and_cases_without_a_reason_are_told() {
        for (text, told) in [
            ("# T\n\nWhy.\n\n```other\n```\n", "cases of this kind have no block `other`"),
            ("# T\n\n```input\n```\n", "a case says in a sentence or two why it is there"),
        ] {
            let case = Case::parse(text).unwrap();
            assert_eq!(HARNESS.is_of_this_kind(&case).unwrap_err(), told);
        }
    }
}
