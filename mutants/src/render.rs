//! A file with its mutants written into it, and whose fault an error in it is.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::sites::{Piece, Site};

/// What a stretch of the new text belongs to.
#[derive(Clone, Copy, Debug)]
enum Owner {
    Mutant(u32),
    Site(usize),
}

/// One file as it is built.
#[derive(Debug)]
pub struct Rendered<'s> {
    pub text: String,
    source: &'s str,
    sites: &'s [Site],
    dropped: &'s BTreeSet<u32>,
    owners: Vec<(Range<usize>, Owner)>,
}

impl<'s> Rendered<'s> {
    /// Writes all mutants of a file that are not dropped.
    pub fn new(source: &'s str, sites: &'s [Site], dropped: &'s BTreeSet<u32>) -> Self {
        let mut new = Self { text: String::new(), source, sites, dropped, owners: Vec::new() };
        new.stretch(0..source.len(), 0);
        new
    }

    /// Writes a stretch of source with the sites in it, from the site of this index on.
    fn stretch(&mut self, span: Range<usize>, first: usize) {
        let mut at = span.start;
        for (index, site) in self.sites.iter().enumerate().skip(first) {
            if site.span.start >= span.end && !site.span.is_empty() || site.span.start > span.end {
                break;
            }
            let is_alive = site.is_body || site.mutants().any(|one| !self.dropped.contains(&one));
            if site.span.start < at || site.span.end > span.end || !is_alive {
                continue;
            }
            self.copy(at..site.span.start);
            self.site(index, site);
            at = site.span.end;
        }
        self.copy(at..span.end);
    }

    fn site(&mut self, index: usize, site: &Site) {
        let start = self.text.len();
        for piece in &site.pieces {
            match piece {
                Piece::Text(text) => self.text.push_str(text),
                Piece::Mutant(number, _) if self.dropped.contains(number) => {}
                Piece::Mutant(number, text) => {
                    let start = self.text.len();
                    self.text.push_str(text);
                    self.owners.push((start..self.text.len(), Owner::Mutant(*number)));
                }
                Piece::Source(span) => self.stretch(span.clone(), index + 1),
            }
        }
        self.owners.push((start..self.text.len(), Owner::Site(index)));
    }

    fn copy(&mut self, span: Range<usize>) {
        self.text.push_str(self.source.get(span).unwrap_or_default());
    }

    /// The mutants that must go so that an error at this place may go: the one whose text it is,
    /// all of the site around it, or all of the function.
    pub fn to_blame(&self, place: &Range<usize>) -> Vec<u32> {
        let around = self
            .owners
            .iter()
            .filter(|(range, _)| range.start <= place.start && place.end <= range.end);
        match around.min_by_key(|(range, _)| range.len()) {
            Some((_, Owner::Mutant(number))) => vec![*number],
            Some((_, Owner::Site(index))) => self.of_site(*index),
            None => Vec::new(),
        }
    }

    fn of_site(&self, index: usize) -> Vec<u32> {
        let Some(site) = self.sites.get(index) else {
            return Vec::new();
        };
        if !site.is_body {
            return site.mutants().collect();
        }
        let is_inside =
            |one: &&Site| site.span.start <= one.span.start && one.span.end <= site.span.end;
        self.sites.iter().filter(is_inside).flat_map(Site::mutants).collect()
    }
}
