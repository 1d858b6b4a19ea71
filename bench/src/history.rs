//! Checking histories of a thousand messages, beside parsing them into values.

use std::hint::black_box;

use serde_json::{Value, json};
use toolmend_history::{Api, History, Options, check, heal};

use crate::arguments::Arguments;
use crate::report::{Report, Table, section, table};
use crate::timing::{Effort, fair_times, ratio, shown_size};

const MESSAGES: usize = 1_000;

/// What results and arguments hold, and how often it is repeated.
const BODIES: &[(&str, &str, usize)] = &[
    ("a line", "some words that a tool said. ", 2),
    ("a page of prose", "some words that a tool said. ", 100),
    ("a short file", "fn main() {\n\tprintln!(\"hello {}\", \"x\");\n}\n", 10),
    ("a long file", "fn main() {\n\tprintln!(\"hello {}\", \"x\");\n}\n", 100),
];

/// Measures all of it.
pub fn run(arguments: &Arguments, report: &mut Report) {
    let effort = if arguments.quick { Effort::QUICK } else { Effort::FULL };
    section("Histories of 1,000 messages, healthy: times of parsing into a value");
    let head = ["API", "each holds", "size", "read", "read and check", "read and heal"];
    let mut rows = Table::new(head.map(str::to_owned));
    let mut worst: f64 = 0.0;
    for api in Api::ALL {
        for &(name, line, count) in BODIES {
            let text = history(api, &line.repeat(count));
            let read = || History::read(black_box(&text), api).ok();
            let times = fair_times(
                &[
                    &|| drop(black_box(serde_json::from_str::<Value>(&text))),
                    &|| drop(black_box(read())),
                    &|| drop(black_box(read().map(|it| check(&it, Options::default())))),
                    &|| drop(black_box(read().map(|it| heal(&it, Options::default()).edits))),
                ],
                effort,
            );
            let [floor, read, checked, healed] = times.as_slice() else { continue };
            worst = worst.max(ratio(*checked, *floor));
            let cells = [read, checked, healed].map(|time| format!("{:.2}", ratio(*time, *floor)));
            let start = [api.as_str(), name].map(str::to_owned);
            rows.row(start.into_iter().chain([shown_size(text.len())]).chain(cells));
        }
    }
    table(&rows);
    report.target(
        "checking a history costs at most 1.5 × parsing it",
        worst <= 1.5,
        &format!("{worst:.2} ×"),
    );
}

/// Turns with one call each, and the results.
fn history(api: Api, body: &str) -> String {
    let turns = (0..MESSAGES / 2).flat_map(|turn| exchange(api, turn, body));
    Value::Array(turns.collect()).to_string()
}

fn exchange(api: Api, turn: usize, body: &str) -> [Value; 2] {
    let id = format!("call_{turn:06}");
    let input = json!({"path": format!("src/file_{turn}.rs"), "content": body});
    let text = input.to_string();
    match api {
        Api::Chat => [
            json!({"role": "assistant", "content": "I write it.", "tool_calls": [{"id": id,
                "type": "function", "function": {"name": "write_file", "arguments": text}}]}),
            json!({"role": "tool", "tool_call_id": id, "content": body}),
        ],
        Api::Anthropic => [
            json!({"role": "assistant", "content": [{"type": "text", "text": "I write it."},
                {"type": "tool_use", "id": id, "name": "write_file", "input": input}]}),
            json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": body}]}),
        ],
        Api::Responses => [
            json!({"type": "function_call", "call_id": id, "name": "write_file",
                "arguments": text}),
            json!({"type": "function_call_output", "call_id": id, "output": body}),
        ],
        Api::Ollama => [
            json!({"role": "assistant", "content": "I write it.", "tool_calls": [
                {"function": {"name": "write_file", "arguments": input}}]}),
            json!({"role": "tool", "tool_name": "write_file", "content": body}),
        ],
    }
}
