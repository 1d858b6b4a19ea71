//! Any turn, whole and fed in pieces of any size: nothing is lost, each call is one that its tool
//! accepts, and what a user said is not called. Whether pieces matter is for `scan_any_chunks`. That a mended turn stays mended holds for the cases; in damaged text, what is left when a call is
//! taken out can read as another one.
#![no_main]

#[path = "../../crates/toolmend/tests/support/check.rs"]
mod check;
#[path = "../../crates/toolmend/tests/support/tools.rs"]
mod tools;

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use check::Turn;
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use toolmend::{Echo, ToolSet};
use toolmend_json::Trust;

const TOOLS: &str = "\
get_weather(city: string, days: integer?)
find_route(to: string, stops: integer)
read_sensor(room: string)
save_note(text: string, page: integer?)
run_job(script: string)";

static OFFERED: LazyLock<ToolSet> =
    LazyLock::new(|| ToolSet::read(&tools::read(TOOLS).unwrap_or_default()));

fuzz_target!(|text: &str| {
    let dice = text.bytes().fold(text.len(), |sum, byte| sum.rotate_left(5) ^ usize::from(byte));
    let (content, reasoning) = match dice % 4 {
        0 => (String::new(), text.to_owned()),
        _ => (text.to_owned(), String::new()),
    };
    let turn = Turn {
        tools: OFFERED.clone(),
        echo: Echo::default(),
        trust: Trust::Likely,
        is_cut: (dice / 4).is_multiple_of(2),
        is_over: (dice / 4) % 4 == 1,
        declared: Vec::new(),
        content,
        reasoning,
    };
    let whole = turn.search(None);
    let pieces = turn.search(NonZeroUsize::new(1 + dice / 8 % 16));
    for found in [&whole, &pieces] {
        if let Err(finding) = turn.keeps_text(found).and_then(|()| turn.calls_fit(found)) {
            panic!("{finding}");
        }
    }
    let said = json!({"role": "user", "content": text});
    let echo = Turn { echo: Echo::of(&[said]), ..turn };
    assert!(echo.search(None).calls.is_empty());
});
