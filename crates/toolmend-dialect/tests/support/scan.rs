//! What must hold for any text that is scanned, whatever is found in it. Cases, laws and fuzz
//! targets share it.

use std::ops::Range;

use toolmend_dialect::{Arguments, Ending, Event, Offered, Scanner};
use toolmend_json::Fault;

/// What a scanner told, in a form that can be compared: stretches of text in a row are one.
#[derive(Debug, PartialEq)]
pub(crate) enum Seen {
    Text(String),
    Region { text: String, is_marked: bool, calls: Vec<Call> },
}

/// A call as it was found.
#[derive(Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) dialect: &'static str,
    name: String,
    id: Option<String>,
    arguments: Arguments,
    span: Range<usize>,
    ending: Ending,
    pub(crate) faults: Vec<(&'static str, Range<u32>)>,
}

/// Scans a text piece by piece.
pub(crate) fn scan<'t>(
    pieces: impl IntoIterator<Item = &'t str>,
    offered: &Offered,
) -> Result<Vec<Seen>, String> {
    let mut scanner = Scanner::new(offered);
    let mut seen = Vec::new();
    let mut fed = String::new();
    for piece in pieces {
        fed.push_str(piece);
        scanner.push(piece, &mut |event| take(event, &mut seen));
    }
    scanner.finish(&mut |event| take(event, &mut seen));
    is_complete(&fed, &seen)?;
    Ok(seen)
}

fn take(event: Event<'_>, seen: &mut Vec<Seen>) {
    match (event, seen.last_mut()) {
        (Event::Text(more), Some(Seen::Text(text))) => text.push_str(more),
        (Event::Text(text), _) => seen.push(Seen::Text(text.to_owned())),
        (Event::Region(text, region), _) => {
            let calls = region.calls.into_iter().map(|found| Call {
                dialect: found.dialect.id,
                name: found.name,
                id: found.id,
                arguments: found.arguments,
                span: found.span,
                ending: found.ending,
                faults: found.faults.iter().map(place).collect(),
            });
            let calls = calls.collect();
            let text = text.to_owned();
            seen.push(Seen::Region { text, is_marked: region.is_marked, calls });
        }
    }
}

fn place(fault: &Fault) -> (&'static str, Range<u32>) {
    (fault.code.id(), fault.span.start..fault.span.end)
}

/// Joined, what was told is the text; each call stands inside its region.
fn is_complete(text: &str, seen: &[Seen]) -> Result<(), String> {
    let mut joined = String::with_capacity(text.len());
    for event in seen {
        match event {
            Seen::Text(text) => joined.push_str(text),
            Seen::Region { text, calls, .. } => {
                if let Some(call) = calls.iter().find(|call| text.get(call.span.clone()).is_none())
                {
                    return Err(format!("{call:?} does not stand in {text:?}"));
                }
                joined.push_str(text);
            }
        }
    }
    if joined == text { Ok(()) } else { Err(format!("{text:?} came out as {joined:?}")) }
}

/// A text in pieces of so many characters each.
pub(crate) fn pieces(
    text: &str,
    sizes: impl IntoIterator<Item = usize>,
) -> impl Iterator<Item = &str> {
    let mut rest = text;
    sizes.into_iter().map_while(move |size| {
        let end = rest.char_indices().nth(size).map_or(rest.len(), |(at, _)| at);
        let (piece, after) = rest.split_at_checked(end)?;
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Two ways to feed one text tell the same.
pub(crate) fn agree(one: &[Seen], other: &[Seen]) -> Result<(), String> {
    if one == other { Ok(()) } else { Err(format!("{one:#?}\n  is not\n{other:#?}")) }
}
