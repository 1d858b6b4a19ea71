//! Any turn as it comes: text, thinking and a declared call in any pieces. Nothing is lost, what went
//! out early is what the whole turn says, and each call is one that its tool accepts.
#![no_main]

#[path = "../../crates/toolmend/tests/support/tools.rs"]
mod tools;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use toolmend::{Declared, Delta, Echo, Mended, Past, Request, Session, Settings, ToolSet, Turn, Written};

const TOOLS: &str = "\
get_weather(city: string, days: integer?)
find_route(to: string, stops: integer)
run_job(script: string)";

static OFFERED: LazyLock<ToolSet> =
    LazyLock::new(|| ToolSet::read(&tools::read(TOOLS).unwrap_or_default()));

fuzz_target!(|text: &str| {
    let dice = text.bytes().fold(text.len(), |sum, byte| sum.rotate_left(5) ^ usize::from(byte));
    let (content, arguments) = match text.split_once("\u{1}") {
        Some((content, arguments)) => (content, Some(arguments)),
        None if dice % 3 == 0 => ("", Some(text)),
        None => (text, None),
    };
    let (echo, settings) = (Echo::default(), Settings::default());
    let request = Request {
        tools: &OFFERED,
        may_call: true,
        echo: &echo,
        past: Past::Unknown,
        settings: &settings,
    };
    let finish = (dice % 2 == 0).then_some("length");
    let whole = request.mend(Turn {
        id: "f".to_owned(),
        content: content.to_owned(),
        calls: arguments.map(declared).into_iter().collect(),
        finish: finish.map(str::to_owned),
        ..Turn::default()
    });
    fits(&whole);
    let mut session = Session::new(&request, "f");
    let mut out = String::new();
    let size = 1 + dice / 8 % 16;
    for piece in pieces(content, size) {
        out.push_str(session.push(Delta::Content(piece)));
    }
    for piece in arguments.into_iter().flat_map(|arguments| pieces(arguments, size)) {
        session.push(Delta::Call { index: 0, id: None, name: Some("run_job"), arguments: piece });
    }
    let mended = session.finish(&request, finish);
    out.push_str(&mended.rest);
    fits(&mended);
    // Nothing goes out that does not stand in the text, and nothing stays behind but calls.
    let mut rest = content.chars();
    assert!(out.chars().all(|kept| rest.any(|c| c == kept)), "{out:?}");
    if mended.content.is_none() {
        assert_eq!(out, content);
    }
});

fn declared(arguments: &str) -> Declared {
    let arguments = match arguments {
        "" => Written::Missing,
        text => Written::Text(text.to_owned()),
    };
    Declared { id: None, name: Some("run_job".to_owned()), arguments }
}

fn fits(mended: &Mended) {
    for call in &mended.calls {
        let value: Value = serde_json::from_str(&call.arguments).expect("arguments are JSON");
        let (tool, _) = OFFERED.resolve(&call.name).expect("the tool was offered");
        assert!(tool.is_valid(&value), "{call:?}");
    }
}

fn pieces(text: &str, size: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = size.min(rest.len());
        while !rest.is_char_boundary(end) {
            end += 1;
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}
