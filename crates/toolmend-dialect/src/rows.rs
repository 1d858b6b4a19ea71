//! The table of dialects. Everything else is derived from it: the scanner's marks, the docs, the
//! list that the command prints, and the check that every dialect has its cases.

mod bare;
mod json;
mod python;
mod tags;

use crate::dialect::Dialect;

/// All dialects: marked ones first, then shapes without marks.
pub fn dialects() -> impl Iterator<Item = &'static Dialect> {
    [json::ROWS, tags::ROWS, python::ROWS, bare::ROWS].into_iter().flatten()
}
