//! Runs each file under `cases/turn`: whole, in pieces of any size, at every split, cut at every
//! character (at spread places where the text is long), and mended twice.

#[path = "support/check.rs"]
mod check;
#[path = "support/expect.rs"]
mod expect;
#[path = "../../toolmend-dialect/tests/support/scan.rs"]
mod scan;
#[path = "support/stream.rs"]
mod stream;
#[path = "support/tools.rs"]
mod tools;

use std::iter::repeat;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use cases::Case;
use cases::harness::Harness;
use check::{Finding, Turn};
use serde_json::Value;
use toolmend::{Findings, Meant, Reason, Tool};
use toolmend_dialect::Offered;

/// Longer texts are split and cut at this many places, evenly spread, instead of at every byte.
const PLACES_MAX: usize = 256;
const EVERY_BYTE_MAX: usize = 2048;

/// Reasons that depend on what stands around a call: a text that was cut before that may be a call.
const BY_SURROUNDINGS: [Reason; 10] = [
    Reason::Example,
    Reason::Warned,
    Reason::Possible,
    Reason::Quoted,
    Reason::Fenced,
    Reason::Inline,
    Reason::Echo,
    Reason::InReasoning,
    Reason::NotAlone,
    Reason::BesideCalls,
];

fn main() -> ExitCode {
    let harness = Harness {
        folder: "cases/turn",
        inputs: &["tools", "messages", "declared", "reasoning", "content"],
        outputs: &["calls", "left", "refused", "dialect", "ids"],
        optional: &["dialect", "ids"],
        see: |case| {
            let turn = expect::turn(case)?;
            Ok(expect::seen(&turn, &turn.search(None)))
        },
        holds,
        also: &[],
    };
    harness.main()
}

fn holds(case: &Case) -> Finding {
    let turn = expect::turn(case)?;
    let findings = turn.search(None);
    turn.holds(&findings)?;
    scans_alike(case, &turn)?;
    searches_alike(&turn, &findings)?;
    streams_alike(&turn, &findings)?;
    survives_cuts(&turn, &findings)
}

/// Character by character and at every two-way split the scanner tells the same.
fn scans_alike(case: &Case, turn: &Turn) -> Finding {
    let tools = tools::read(case.text("tools"))?;
    let tools = tools.iter().filter_map(|tool| Tool::read(tool).ok());
    let offered =
        Offered::new(tools.map(|tool| (tool.name().to_owned(), tool.properties().to_vec())));
    for text in [turn.content.as_str(), &turn.reasoning] {
        let whole = scan::scan([text], &offered)?;
        let single = scan::pieces(text, repeat(1));
        scan::agree(&whole, &scan::scan(single, &offered)?)
            .map_err(|finding| format!("character by character: {finding}"))?;
        for at in places(text) {
            let (head, tail) = text.split_at_checked(at).unwrap_or_default();
            scan::agree(&whole, &scan::scan([head, tail], &offered)?)
                .map_err(|finding| format!("split at {at}: {finding}"))?;
        }
    }
    Ok(())
}

/// Pieces of any size give the same findings.
fn searches_alike(turn: &Turn, whole: &Findings) -> Finding {
    let longest =
        if turn.content.len() < turn.reasoning.len() { &turn.reasoning } else { &turn.content };
    for size in places(longest).filter_map(NonZeroUsize::new) {
        check::agree(whole, &turn.search(Some(size)))
            .map_err(|finding| format!("in pieces of {size}: {finding}"))?;
    }
    Ok(())
}

/// What a session lets out bit by bit is what the whole turn comes to.
fn streams_alike(turn: &Turn, whole: &Findings) -> Finding {
    let wanted = whole.content.as_deref().unwrap_or(&turn.content);
    for size in places(&turn.content).filter(|&size| size > 0) {
        let (out, mended) = stream::streamed(turn, size);
        let is_blank = out.is_empty() && wanted.trim().is_empty();
        if out != wanted && !is_blank {
            return Err(format!("streamed in pieces of {size}: {out:?}\n  is not\n{wanted:?}"));
        }
        let found = mended.calls.iter().filter(|call| call.origin.is_text()).count();
        if found != whole.calls.len() {
            return Err(format!("streamed in pieces of {size}: {found} calls were found"));
        }
    }
    Ok(())
}

/// Cut anywhere, nothing panics, nothing is lost, and no call is made of half a one. Where nothing
/// says that the turn was cut, a text that ends on a bracket may as well have lost its closers.
fn survives_cuts(turn: &Turn, whole: &Findings) -> Finding {
    for at in places(&turn.content) {
        for is_cut in [false, true] {
            let mut cut = turn.clone();
            cut.content.truncate(at);
            cut.is_cut = is_cut;
            cut.is_over = false;
            // The thinking was over before the content began.
            let findings = cut.search(None);
            cut.holds(&findings).map_err(|finding| format!("cut at {at}: {finding}"))?;
            let text = &cut.content;
            if !is_cut && text.trim_end().ends_with(['>', '}', ']', ')']) {
                continue;
            }
            if let Some(call) = findings.calls.iter().find(|call| !is_of(call, whole, is_cut)) {
                let word = if is_cut { "told" } else { "untold" };
                return Err(format!("cut at {at}, {word}: {text:?}\n  gives {call:?}"));
            }
        }
    }
    Ok(())
}

/// Whether the whole turn has this call too. Where nothing says that the turn was cut, members that
/// the tool does not need may be missing; no value may be half of what it is.
fn is_of(call: &Meant, whole: &Findings, is_cut: bool) -> bool {
    let is_refused_later = whole.refused.iter().any(|refused| {
        refused.name.ends_with(&call.name) && BY_SURROUNDINGS.contains(&refused.reason)
    });
    let is_there = whole.calls.iter().any(|other| {
        other.name == call.name
            && match is_cut {
                true => other.arguments == call.arguments,
                false => is_part(&call.arguments, &other.arguments),
            }
    });
    is_there || is_refused_later
}

fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(key, value)| whole.get(key) == Some(value))
        }
        _ => part == whole,
    }
}

/// The places at which a text is split and cut, all on characters.
fn places(text: &str) -> impl Iterator<Item = usize> {
    let length = text.len();
    let step = if length > EVERY_BYTE_MAX { length.div_ceil(PLACES_MAX) } else { 1 };
    (0..=length).step_by(step).filter(|&at| text.is_char_boundary(at))
}
