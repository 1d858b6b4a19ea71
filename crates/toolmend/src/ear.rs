//! Listens to one channel of a turn as it comes.

use std::ops::Range;

use toolmend_dialect::{Event, Region, Scanner};

use crate::tools::ToolSet;

/// A channel that was heard to its end: its text, and the regions in it that may hold calls.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) text: String,
    pub(crate) regions: Vec<(Range<usize>, Region)>,
}

/// A channel that is still coming. Without tools there is nothing to listen for.
#[derive(Debug)]
pub(crate) struct Ear {
    scanner: Option<Scanner>,
    heard: Heard,
    /// How much of the text the scanner has told.
    told: usize,
}

impl Ear {
    pub(crate) fn new(tools: &ToolSet) -> Self {
        let scanner = (!tools.is_empty()).then(|| Scanner::new(tools.offered()));
        Self { scanner, heard: Heard::default(), told: 0 }
    }

    /// One that listens for nothing.
    pub(crate) fn deaf() -> Self {
        Self { scanner: None, heard: Heard::default(), told: 0 }
    }

    /// Listens to a text that has come whole.
    pub(crate) fn hear(tools: &ToolSet, text: &str) -> Heard {
        let mut heard = Heard { text: text.to_owned(), regions: Vec::new() };
        if !tools.is_empty() && !text.is_empty() {
            let mut told = 0;
            Scanner::new(tools.offered())
                .finish_with(text, &mut |event| take(event, &mut heard.regions, &mut told));
        }
        heard
    }

    pub(crate) fn push(&mut self, piece: &str) {
        self.heard.text.push_str(piece);
        let (regions, told) = (&mut self.heard.regions, &mut self.told);
        match &mut self.scanner {
            Some(scanner) => scanner.push(piece, &mut |event| take(event, regions, told)),
            None => *told += piece.len(),
        }
    }

    pub(crate) fn finish(mut self) -> Heard {
        let (regions, told) = (&mut self.heard.regions, &mut self.told);
        if let Some(scanner) = self.scanner.take() {
            scanner.finish(&mut |event| take(event, regions, told));
        }
        self.heard
    }

    pub(crate) fn text(&self) -> &str {
        &self.heard.text
    }

    /// How much of the text is known not to be the start of a region: up to the first call, or as
    /// far as the scanner has come.
    pub(crate) fn settled(&self) -> usize {
        let call = self.heard.regions.iter().find(|(_, region)| !region.calls.is_empty());
        call.map_or(self.told, |(range, _)| range.start)
    }
}

fn take(event: Event<'_>, regions: &mut Vec<(Range<usize>, Region)>, told: &mut usize) {
    match event {
        Event::Text(text) => *told += text.len(),
        Event::Region(region) => {
            let start = *told;
            *told += region.text.len();
            regions.push((start..*told, region));
        }
    }
}
