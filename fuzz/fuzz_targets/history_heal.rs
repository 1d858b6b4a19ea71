//! Any text as a history, and any bytes as a list of what happened, in all four shapes: nothing
//! panics, healing leaves nothing wrong and is done once, and what is right keeps its bytes.
#![no_main]

#[path = "../../crates/toolmend-history/tests/support/check.rs"]
mod check;
#[path = "../../crates/toolmend-history/tests/support/shapes.rs"]
mod shapes;

use libfuzzer_sys::fuzz_target;
use shapes::{Event, Made, write};
use toolmend_history::{Api, History, Options, Reasoning, Start};

const IDS: [&str; 6] = ["", "a", "b", "c", "m00000000", "m00010001"];
const NAMES: [&str; 2] = ["f", "g"];
const TEXTS: [&str; 4] = ["", " ", "yes", "é\n\""];
const ARGUMENTS: [&str; 8] =
    ["{}", "{\"p\": \"a \\\"b\\\"\"}", "", "{", "{'p': 1,}", "{\"p\": \"cut", "no json", "[1]"];

fuzz_target!(|bytes: &[u8]| {
    let dice = bytes.first().copied().unwrap_or_default();
    let options = Options {
        reasoning: if dice & 1 == 0 { Reasoning::Free } else { Reasoning::Demanded },
        start: if dice & 2 == 0 { Start::Here } else { Start::Elsewhere },
    };
    let events: Vec<Event> = bytes.chunks(3).take(24).map(event).collect();
    for api in Api::ALL {
        if let Ok(text) = std::str::from_utf8(bytes)
            && History::read(text, api).is_ok()
        {
            holds(text, api, options);
        }
        holds(&write(&events, api), api, options);
    }
});

fn holds(text: &str, api: Api, options: Options) {
    if let Err(finding) = check::heal_and_check(text, api, options) {
        panic!("{}: {finding}\n  {text}", api.as_str());
    }
}

fn pick(list: &[&str], byte: u8) -> String {
    list.get(usize::from(byte) % list.len()).copied().unwrap_or_default().to_owned()
}

/// Three bytes are one event.
fn event(bytes: &[u8]) -> Event {
    let byte = |at: usize| bytes.get(at).copied().unwrap_or_default();
    let call = |id: u8| Made {
        id: pick(&IDS, id),
        name: pick(&NAMES, id / 8),
        arguments: pick(&ARGUMENTS, id / 16),
    };
    let text = pick(&TEXTS, byte(0) / 8);
    match byte(0) % 8 {
        0 => Event::User(text),
        1 => Event::Turn { text, calls: Vec::new() },
        2 | 3 => Event::Turn { text, calls: vec![call(byte(1))] },
        4 => Event::Turn { text, calls: vec![call(byte(1)), call(byte(2))] },
        _ => Event::Result { id: pick(&IDS, byte(1)), name: pick(&NAMES, byte(2)), text },
    }
}
