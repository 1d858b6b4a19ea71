//! What a person reads when something is refused: what it is, where, and what to do.

use toolmend_json::{Cut, Document, FaultCode, Lines, Place, Refusal, Trust};

/// More open containers than this are counted, not listed.
const OPEN_LISTED_MAX: usize = 6;

/// Texts in an old encoding have a few bytes that are not UTF-8; what has more is no text.
const BINARY_REPLACED_MAX: usize = 64;

/// One sentence, without its full stop: what to do about it.
pub(crate) fn help(refusal: &Refusal, document: &Document<'_>) -> String {
    match refusal {
        _ if is_binary(document) => {
            "check that this is the right file: it does not look like text in UTF-8".into()
        }
        Refusal::Empty => "check what wrote this text: an empty text is not an empty object".into(),
        Refusal::Unreadable(code) => unreadable_help(*code).into(),
        Refusal::Cut(needed) => cut_help(*needed, document),
        Refusal::Untrusted(needed, _) => format!(
            "look at the place, and pass `--trust {}` if the reading is right",
            needed.as_str()
        ),
        Refusal::Shape(_) => {
            "give the text that was meant, or change `--want` or the schema's type".into()
        }
    }
}

/// Whether this is hardly a text: it holds zero bytes, or much of it is not UTF-8.
fn is_binary(document: &Document<'_>) -> bool {
    let faults = document.faults().iter();
    let replaced = faults.filter(|fault| fault.code == FaultCode::InvalidUtf8).count();
    replaced > BINARY_REPLACED_MAX || document.text().contains('\0')
}

fn unreadable_help(code: FaultCode) -> &'static str {
    match code {
        FaultCode::Expression => "write the result itself, or ask the model for it",
        FaultCode::Placeholder => "put the real value there, or ask the model for it",
        FaultCode::MissingValue => "give the key a value, or take the key out",
        FaultCode::MissingKey => "give the value a key, or take it out",
        FaultCode::StrayText => "take the text out, or put it into quotes and after a key",
        FaultCode::NoValue => "check that this is the right text: it may be prose only",
        FaultCode::TooDeep => "flatten the value: nesting this deep is usually a model in a loop",
        FaultCode::TooLarge => "split the text, or cut out the part that holds the value",
        _ => "correct the place by hand, or ask the model again",
    }
}

fn cut_help(needed: Trust, document: &Document<'_>) -> String {
    let Some(cut) = document.cut() else { return "ask the model for the rest".to_owned() };
    let why = match cut.place {
        Place::String | Place::Escape => "the string may have had more text",
        Place::Number => "the number may have had more digits",
        Place::Literal => "the word may have gone on",
        Place::Key | Place::AfterKey | Place::AfterColon => "the last value never came",
        Place::AfterOpener => "what was to stand there never came",
        Place::AfterComma => "another member was to follow",
        _ if cut.open.iter().any(|open| open.is_array) => "the list may have had more items",
        _ if needed == Trust::Guess => "more members may have followed",
        _ => "more members may have been meant",
    };
    format!("ask the model for the rest; or pass `--close` to keep what is there ({why})")
}

/// What the unfinished token is called.
pub(crate) fn token(place: Place) -> &'static str {
    match place {
        Place::String | Place::Escape => "string",
        Place::Number => "number",
        Place::Literal => "word",
        Place::Key => "key",
        _ => "value",
    }
}

/// The open containers with their places: `{ 1:1, [ 2:10`.
pub(crate) fn open_places(cut: &Cut, lines: &Lines<'_>) -> String {
    let skipped = cut.open.len().saturating_sub(OPEN_LISTED_MAX);
    let shown = cut.open.iter().skip(skipped).map(|open| {
        let sign = if open.is_array { '[' } else { '{' };
        format!("{sign} at {}", lines.position(open.at as usize))
    });
    let shown: Vec<String> = shown.collect();
    match skipped {
        0 => shown.join(", "),
        _ => format!("{skipped} further out, {}", shown.join(", ")),
    }
}

/// `1 fault`, `2 faults`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
