//! The copy of the workspace that is changed and built.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use syn::Item;

use crate::render::Rendered;
use crate::sites::{self, Mutant, Site, Walk};
use crate::{Error, Outcome};

/// What every mutant asks.
const RUNTIME: &str = include_str!("runtime.txt");

/// One file of the crate, as it is in the workspace.
#[derive(Debug)]
pub struct Source {
    /// From the root of the workspace.
    pub path: String,
    pub text: String,
    pub sites: Vec<Site>,
    pub mutants: Vec<Mutant>,
}

/// The folders of a run.
#[derive(Debug)]
pub struct Tree {
    pub root: PathBuf,
    pub copy: PathBuf,
    /// Its own, so that nobody runs a changed program by mistake.
    pub target: PathBuf,
}

impl Tree {
    /// Copies what git knows of the workspace around this folder, but for the sources of a crate,
    /// which are written with their mutants, and without the lints of that crate: they judge what
    /// people write.
    pub fn make(name: &str) -> Outcome<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().ok_or("no workspace around")?.to_path_buf();
        let target = env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
        let scratch = target.join("mutants");
        let tree = Self { root, copy: scratch.join("tree"), target: scratch.join("build") };
        let files = tree.files()?;
        remove_others(&tree.copy, &tree.copy, &files)?;
        let own = Path::new("crates").join(name);
        for file in files.iter().filter(|file| !is_rust_in(file, &own.join("src"))) {
            let mut bytes = fs::read(tree.root.join(file))?;
            if *file == own.join("Cargo.toml") {
                let text = String::from_utf8(bytes)?;
                bytes = text.replace("[lints]\nworkspace = true\n", "").into_bytes();
            }
            write(&tree.copy.join(file), &bytes)?;
        }
        Ok(tree)
    }

    fn files(&self) -> Outcome<BTreeSet<PathBuf>> {
        let arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
        let output = Command::new("git").args(arguments).current_dir(&self.root).output()?;
        let names = String::from_utf8(output.stdout)?;
        let files = names.split('\0').map(PathBuf::from);
        Ok(files.filter(|file| self.root.join(file).is_file()).collect())
    }

    /// The files of a crate with the mutants in them; those that are tests have none.
    pub fn sources(&self, name: &str) -> Outcome<Vec<Source>> {
        let mut paths = Vec::new();
        walk(&self.root.join("crates").join(name).join("src"), &mut paths)?;
        paths.retain(|path| is_rust_in(path, &self.root));
        paths.sort();
        let mut sources = Vec::new();
        let mut tests = BTreeSet::new();
        let mut last = 0;
        for path in paths {
            let text = fs::read_to_string(&path)?;
            let file = path.strip_prefix(&self.root)?.to_string_lossy().into_owned();
            tests.extend(test_modules(&path, &text)?);
            let Walk { sites, mutants, .. } = Walk::over(&file, &text, last)?;
            last += u32::try_from(mutants.len())?;
            sources.push(Source { path: file, text, sites, mutants });
        }
        for source in &mut sources {
            if tests.contains(&self.root.join(&source.path)) {
                source.sites.clear();
                source.mutants.clear();
            }
        }
        Ok(sources)
    }

    /// Writes the crate with all mutants that are not dropped.
    pub fn write<'s>(
        &self,
        sources: &'s [Source],
        dropped: &'s BTreeSet<u32>,
    ) -> Outcome<Vec<Rendered<'s>>> {
        let mut files = Vec::new();
        let last = sources.iter().flat_map(|source| &source.mutants).map(|one| one.number).max();
        for source in sources {
            let rendered = Rendered::new(&source.text, &source.sites, dropped);
            let mut text = rendered.text.clone();
            if source.path.ends_with("src/lib.rs") {
                text += &RUNTIME.replace("COUNT", &(last.unwrap_or_default() + 1).to_string());
            }
            write(&self.copy.join(&source.path), text.as_bytes())?;
            files.push(rendered);
        }
        Ok(files)
    }
}

/// Writes only what is new: cargo builds by the time of files.
fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    fs::write(path, bytes).map_err(|error| Error::from(format!("{}: {error}", path.display())))
}

fn is_rust_in(file: &Path, folder: &Path) -> bool {
    file.starts_with(folder) && file.extension().is_some_and(|end| end == "rs")
}

fn remove_others(root: &Path, folder: &Path, wanted: &BTreeSet<PathBuf>) -> Outcome<()> {
    let mut paths = Vec::new();
    if folder.is_dir() {
        walk(folder, &mut paths)?;
    }
    for path in paths {
        if !wanted.contains(path.strip_prefix(root)?) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn walk(folder: &Path, paths: &mut Vec<PathBuf>) -> Outcome<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(&path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// The files of the modules that are built for tests alone.
fn test_modules(path: &Path, text: &str) -> Outcome<Vec<PathBuf>> {
    let is_root = path.ends_with("src/lib.rs");
    let parent = path.parent().unwrap_or(path);
    let folder = if is_root { parent.to_path_buf() } else { path.with_extension("") };
    let items = syn::parse_file(text)?.items;
    let modules = items.into_iter().filter_map(|item| match item {
        Item::Mod(module) if module.content.is_none() => Some(module),
        _ => None,
    });
    let tests = modules.filter(|module| sites::is_left_alone(&module.attrs));
    Ok(tests.map(|module| folder.join(format!("{}.rs", module.ident))).collect())
}
