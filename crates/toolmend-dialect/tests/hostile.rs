//! Texts that were made to break scanners. Each must end and come out as it went in: time grows
//! with the text, or this file does not finish.

#[path = "support/scan.rs"]
mod scan;

use std::iter::repeat;

use toolmend_dialect::{Offered, dialects};

const BYTES: usize = 1 << 18;

const SCRAPS: &[&str] = &[
    "<",
    "</",
    "[",
    "{",
    "(",
    "\"",
    "`",
    "```",
    "```\n",
    "\n",
    ">",
    ">>>",
    "{\"name\":",
    "{\"name\": \"get_weather\", \"arguments\": {",
    "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"a\"}}",
    "\n{\"name\": \"get_weather\"",
    "get_weather(",
    "get_weather\n",
    "\nget_weather(",
    "\n[get_weather(city='",
    "<get_weather>",
    "<get_weather><city>",
    "<tool_call>{",
    "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"a\"}}</tool_call>",
    "<parameter=city>a</parameter>",
    "<arg_key>city</arg_key><arg_value>",
    "get_weather <arg_key>",
    "get_weather <arg_key>\n",
    "<｜DSML｜",
    "Action: get_weather\n",
    "\nAction Input: {",
    "call:get_weather{",
    "<|tool_call_begin|>functions.get_weather:0",
    "<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{",
    "court\n",
    "[TOOL_CALLS] [{\\\"name\\\": \\\"get_\\)}] [/TOOL_CALLS]\", \"a\": 4}}]",
    "<think>",
    "é<",
];

fn offered() -> Offered {
    Offered::new([("get_weather", ["city", "days"])])
}

#[test]
fn a_long_run_of_anything_ends() {
    let offered = offered();
    for scrap in SCRAPS {
        let text = scrap.repeat(BYTES / scrap.len());
        assert!(scan::scan([text.as_str()], &offered).is_ok(), "{scrap:?}");
    }
}

#[test]
fn an_opener_and_a_long_text_that_never_closes_it_end() {
    let offered = offered();
    for row in dialects() {
        let Some((head, _)) = row.example.split_once("Lima") else { continue };
        let text = format!("{head}{}", "a <b> {c} \"d\" ".repeat(BYTES / 14));
        assert!(scan::scan([text.as_str()], &offered).is_ok(), "{}", row.id);
    }
}

#[test]
fn small_pieces_tell_the_same() {
    let offered = offered();
    for scrap in SCRAPS {
        let text = scrap.repeat(BYTES / 4 / scrap.len());
        let whole = scan::scan([text.as_str()], &offered).unwrap();
        let pieces = scan::pieces(&text, repeat(4));
        let pieces = scan::scan(pieces, &offered).unwrap();
        assert!(scan::agree(&whole, &pieces).is_ok(), "{scrap:?}");
    }
}

#[test]
fn what_may_open_yet_is_not_looked_at_again_and_again() {
    let offered = offered();
    for head in ["<", "\n", "</", "<|", "{", "[", "[{\"name\"", "get_weather", "x =", "call:"] {
        let text = format!("{head}{}", " ".repeat(BYTES));
        assert!(scan::scan(scan::pieces(&text, repeat(4)), &offered).is_ok(), "{head:?}");
    }
}

/// Far more than a stack holds.
const LEVELS: usize = 100_000;

#[test]
fn elements_inside_elements_take_no_stack() {
    let offered = offered();
    let call = "]<]minimax[>[<tool_call>]<]minimax[>[<invoke name=\"get_weather\">";
    let unclosed = format!("{call}{}", "]<]minimax[>[<a>".repeat(LEVELS));
    assert!(scan::scan([unclosed.as_str()], &offered).is_ok());
    let mut nested = call.to_owned();
    nested.extend((0..LEVELS).map(|level| format!("]<]minimax[>[<a{level}>")));
    nested.extend((0..LEVELS).rev().map(|level| format!("]<]minimax[>[</a{level}>")));
    nested.push_str("]<]minimax[>[</invoke>]<]minimax[>[</tool_call>");
    assert!(scan::scan([nested.as_str()], &offered).is_ok());
}

#[test]
fn keys_without_openers_take_no_stack() {
    let pairs = "k</arg_key><arg_value>v</arg_value>".repeat(LEVELS);
    let text = format!("<tool_call>get_weather<arg_key>{pairs}</tool_call>");
    assert!(scan::scan([text.as_str()], &offered()).is_ok());
}

/// A call of so many arguments is one, and with one more it is text.
#[test]
fn a_call_has_no_more_arguments_than_this() {
    const FIELDS_MAX: usize = 256;
    let forms = [
        ("<function=get_weather>", "<parameter=kN>v</parameter>", "</function>"),
        ("[get_weather(", "kN=\"v\",", ")]"),
    ];
    for (head, field, tail) in forms {
        let calls = [FIELDS_MAX, FIELDS_MAX + 1].map(|count| {
            let fields = (0..count).map(|number| field.replace('N', &number.to_string()));
            let text = [head, &fields.collect::<String>(), tail].concat();
            let events = scan::scan([text.as_str()], &offered()).unwrap();
            let count = |event: &scan::Seen| match event {
                scan::Seen::Region { calls, .. } => calls.len(),
                scan::Seen::Text(_) => 0,
            };
            events.iter().map(count).sum::<usize>()
        });
        assert_eq!(calls, [1, 0], "{head}");
    }
}
