//! Texts that nobody wrote: marks, names, pieces of JSON and prose in any order, and examples with
//! damage.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::sample::{Index, select};
use toolmend_dialect::dialects;

/// Pieces that calls are made of, and some that only look so.
const SCRAPS: &[&str] = &[
    "get_weather",
    "get_time",
    "functions.get_weather:0",
    "default_api.get_time",
    "city",
    "days",
    "<city>",
    "</city>",
    "<get_weather>",
    "</get_weather>",
    "<parameter=city>",
    "<parameter name=\"city\">",
    "</parameter>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<think>",
    "</think>",
    "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Lima\"}}",
    "{\"name\": ",
    "\"arguments\": ",
    "{\"city\": \"Lima\"}",
    "{\"tz\": \"x\"}",
    "(city=\"Lima\")",
    "get_time(tz='x')",
    "[get_time(tz='x')]",
    "print(",
    "call:",
    "<|\"|>",
    "<escape>",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    "</",
    ">",
    "<|",
    "|>",
    "\"",
    "'",
    "\\",
    ",",
    ":",
    "=",
    ";",
    "```",
    "```json\n",
    "```tool_code\n",
    "`",
    "> ",
    "\n",
    "\n\n",
    " ",
    "Lima",
    "2",
    "I'll call it now:\n",
    "for example ",
    "é",
    "漢字",
    "🙂",
    "\u{a0}",
    "\u{feff}",
    "\r\n",
    "x = ",
    "x = print (",
    "[ARGS]",
    "[\"get_time(tz='x')\"]",
    "////////////////////////////////////////",
    "------------------------------------------------------------",
];

/// Any mark of any dialect, whole or a part of it.
fn marks() -> impl Strategy<Value = String> {
    let all: Vec<&str> = dialects().flat_map(|row| row.openers().chain(row.closers())).collect();
    (select(all), any::<Index>(), any::<bool>()).prop_map(|(mark, at, is_whole)| {
        let end = if is_whole { mark.len() } else { at.index(mark.len() + 1) };
        mark.get(..end).unwrap_or(mark).to_owned()
    })
}

/// An example with some stretches taken out, doubled or put elsewhere.
fn damaged() -> impl Strategy<Value = String> {
    let examples: Vec<&str> = dialects().map(|row| row.example).collect();
    let edits = vec((any::<Index>(), any::<Index>(), 0..3_u8), 0..4);
    (select(examples), edits).prop_map(|(example, edits)| {
        let mut text: Vec<char> = example.chars().collect();
        for (from, to, kind) in edits.iter().filter(|_| !example.is_empty()) {
            let (one, two) = (from.index(text.len() + 1), to.index(text.len() + 1));
            let (start, end) = (one.min(two), one.max(two).min(one.min(two) + 12));
            let piece: Vec<char> = text.get(start..end).unwrap_or_default().to_vec();
            match kind {
                0 => drop(text.drain(start..end)),
                1 => drop(text.splice(start..start, piece)),
                _ => {
                    text.drain(start..end);
                    let at = two.min(text.len());
                    text.splice(at..at, piece);
                }
            }
        }
        text.into_iter().collect()
    })
}

/// A text made of anything that a call is made of.
pub(crate) fn soup() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => select(SCRAPS).prop_map(str::to_owned),
        3 => marks(),
        2 => damaged(),
        1 => ".{0,6}",
        1 => Just("Then I look at the sky.\n".to_owned()),
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}
