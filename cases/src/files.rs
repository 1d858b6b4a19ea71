//! Which case files there are.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// The Markdown files under a folder, at any depth, sorted by path.
///
/// # Errors
/// Passes on what the file system says.
pub fn find(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
