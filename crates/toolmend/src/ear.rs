//! Listens to one channel of a turn as it comes.

use std::borrow::Cow;
use std::ops::Range;

use toolmend_dialect::{Event, Region, Scan};

use crate::tools::ToolSet;

/// A channel that was heard to its end: its text, and the regions in it that may hold calls.
#[derive(Debug, Default)]
pub(crate) struct Heard<'t> {
    pub(crate) text: Cow<'t, str>,
    pub(crate) regions: Vec<(Range<usize>, Region)>,
}

/// A channel that is still coming. Without tools there is nothing to listen for.
#[derive(Debug)]
pub(crate) struct Ear {
    scan: Option<Scan>,
    text: String,
    regions: Vec<(Range<usize>, Region)>,
    /// How much of the text the scan has told.
    told: usize,
}

impl Ear {
    pub(crate) fn new(tools: &ToolSet) -> Self {
        let scan = (!tools.is_empty()).then(|| Scan::new(tools.offered()));
        Self { scan, ..Self::deaf() }
    }

    /// One that listens for nothing.
    pub(crate) fn deaf() -> Self {
        Self { scan: None, text: String::new(), regions: Vec::new(), told: 0 }
    }

    /// Listens to a text that has come whole.
    pub(crate) fn hear<'t>(tools: &ToolSet, text: &'t str) -> Heard<'t> {
        let mut regions = Vec::new();
        if !tools.is_empty() {
            let mut told = 0;
            let out = &mut |event: Event<'_>| take(event, &mut regions, &mut told);
            Scan::all(tools.offered(), text, out);
        }
        Heard { text: Cow::Borrowed(text), regions }
    }

    pub(crate) fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        let (regions, told) = (&mut self.regions, &mut self.told);
        match &mut self.scan {
            Some(scan) => scan.go_on(&self.text, &mut |event| take(event, regions, told)),
            None => *told += piece.len(),
        }
    }

    pub(crate) fn finish(mut self) -> Heard<'static> {
        let (regions, told) = (&mut self.regions, &mut self.told);
        if let Some(scan) = self.scan.take() {
            scan.finish(&self.text, &mut |event| take(event, regions, told));
        }
        Heard { text: Cow::Owned(self.text), regions: self.regions }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// How much of the text is known not to be the start of a region: up to the first call, or as
    /// far as the scan has come.
    pub(crate) fn settled(&self) -> usize {
        let call = self.regions.iter().find(|(_, region)| !region.calls.is_empty());
        call.map_or(self.told, |(range, _)| range.start)
    }
}

fn take(event: Event<'_>, regions: &mut Vec<(Range<usize>, Region)>, told: &mut usize) {
    match event {
        Event::Text(text) => *told += text.len(),
        Event::Region(text, region) => {
            let start = *told;
            *told += text.len();
            // Most texts have no more than one.
            match regions.is_empty() {
                true => *regions = vec![(start..*told, region)],
                false => regions.push((start..*told, region)),
            }
        }
    }
}
