//! What must hold for any text, whatever comes of reading it. Cases, laws and fuzz targets share it.

use std::str;

use toolmend_json::{
    Cut, Document, Fault, Node, Options, Outcome, Reader, Shape, Span, Trust, Want,
};

/// What a check found wrong.
pub(crate) type Finding = Result<(), String>;

/// Everything that a document says, in a form that can be compared.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    outcome: Outcome,
    text: String,
    json: Vec<String>,
    places: Vec<(Shape, Span)>,
    faults: Vec<Fault>,
    cut: Option<Cut>,
}

impl Seen {
    fn of(document: &Document<'_>) -> Self {
        Self {
            outcome: document.outcome(),
            text: document.text().to_owned(),
            json: document.values().map(|node| node.to_json()).collect(),
            places: document.values().flat_map(places).collect(),
            faults: document.faults().to_vec(),
            cut: document.cut().cloned(),
        }
    }
}

/// The shape and place of a value and of all that is in it.
fn places(root: Node<'_>) -> Vec<(Shape, Span)> {
    let mut found = Vec::new();
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        found.push((node.shape(), node.span()));
        waiting.extend(node.items());
        waiting.extend(node.members().flat_map(|(key, value)| [key, value]));
    }
    found
}

/// Reads bytes in one go.
pub(crate) fn read_whole<'t>(bytes: &'t [u8], options: &Options) -> Document<'t> {
    match str::from_utf8(bytes) {
        Ok(text) => toolmend_json::read(text, options),
        Err(_) => read_pieces([bytes], options),
    }
}

/// Reads bytes piece by piece.
pub(crate) fn read_pieces<'t>(
    pieces: impl IntoIterator<Item = &'t [u8]>,
    options: &Options,
) -> Document<'static> {
    let mut reader = Reader::new(options.clone());
    for piece in pieces {
        reader.push(piece);
    }
    reader.finish()
}

/// Two ways of reading one text say the same.
pub(crate) fn agree(one: &Document<'_>, other: &Document<'_>) -> Finding {
    let (one, other) = (Seen::of(one), Seen::of(other));
    if one == other { Ok(()) } else { Err(format!("{one:#?}\n  is not\n{other:#?}")) }
}

/// What must hold for any document.
pub(crate) fn holds(document: &Document<'_>, options: &Options) -> Finding {
    is_sound(document, options)?;
    is_settled(document, options)?;
    closes_by_trust(document, options)
}

/// Spans lie in the text and in order, bounds are kept, and no byte is lost.
fn is_sound(document: &Document<'_>, options: &Options) -> Finding {
    let text = document.text();
    let in_text = |span: Span| text.get(span.range()).is_some();
    for (shape, span) in document.values().flat_map(places) {
        if !in_text(span) {
            return Err(format!("{shape:?} at {span:?} is not in the text"));
        }
    }
    for fault in document.faults() {
        if !in_text(fault.span) {
            return Err(format!("{fault:?} is not in the text"));
        }
    }
    if !document.faults().is_sorted_by_key(|fault| fault.span.start) {
        return Err(format!("faults are not in source order: {:?}", document.faults()));
    }
    if document.faults().len() > 2 * text.len() + 2 {
        return Err(format!("{} faults in {} bytes", document.faults().len(), text.len()));
    }
    if let Some(cut) = document.cut() {
        let in_order = cut.open.is_sorted_by_key(|open| open.at);
        if !in_text(cut.token) || !in_order || cut.open.len() > options.limits.depth_max {
            return Err(format!("the cut is not in the text, or too deep: {cut:?}"));
        }
    }
    if (document.outcome() == Outcome::Cut) != document.cut().is_some() {
        return Err(format!("{:?} with {:?}", document.outcome(), document.cut()));
    }
    is_accounted_for(document)
}

/// Every byte belongs to a value, a fault, white space or the cut. A refusal keeps the whole text.
fn is_accounted_for(document: &Document<'_>) -> Finding {
    if matches!(document.outcome(), Outcome::Refused(_) | Outcome::Empty) {
        return Ok(());
    }
    let cut = document.cut().map(|cut| {
        let start = cut.open.first().map_or(cut.token.start, |open| open.at.min(cut.token.start));
        start as usize..document.text().len()
    });
    let roots = document.values().map(|node| node.span().range());
    let faults = document.faults().iter().map(|fault| fault.span.range());
    let mut covered: Vec<_> = roots.chain(faults).chain(cut).collect();
    covered.sort_by_key(|range| range.start);
    covered.push(document.text().len()..document.text().len());
    let mut at = 0;
    for range in covered {
        let gap = document.text().get(at..range.start.max(at)).unwrap_or("not on a character");
        if gap.bytes().any(|byte| !b" \t\r\n".contains(&byte)) {
            return Err(format!("nothing accounts for {gap:?} at {at} of {:?}", document.text()));
        }
        at = at.max(range.end);
    }
    Ok(())
}

/// What was mended needs no mending: each value reads back untouched, as the same bytes. A string
/// where another shape is wanted is let off: nobody takes it, and it may hold the wanted value.
fn is_settled(document: &Document<'_>, options: &Options) -> Finding {
    let is_free = options.expected.want() == Want::Any;
    for node in document.values().filter(|node| is_free || node.shape() != Shape::String) {
        let json = node.to_json();
        let again = toolmend_json::read(&json, options);
        if again.outcome() != Outcome::Untouched || again.to_json().as_deref() != Some(&*json) {
            return Err(format!("{json} came back as {:?}", Seen::of(&again)));
        }
    }
    Ok(())
}

/// Closing does nothing below the cut's own trust, and at any higher one the same.
fn closes_by_trust(document: &Document<'_>, options: &Options) -> Finding {
    let Some(needed) = document.cut().map(Cut::trust) else { return Ok(()) };
    let mut most = document.clone();
    most.close(Trust::Guess);
    for allowed in Trust::ALL {
        let mut closed = document.clone();
        let outcome = closed.close(allowed);
        if outcome != closed.outcome() {
            return Err(format!("close told {outcome:?}, the document {:?}", closed.outcome()));
        }
        agree(&closed, if allowed < needed { document } else { &most })?;
    }
    is_sound(&most, options)?;
    is_settled(&most, options)
}
