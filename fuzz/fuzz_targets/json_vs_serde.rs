//! What `serde_json` accepts is untouched and the same value; nothing else is untouched.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use toolmend_json::{Options, Outcome};

/// Below the depth at which either reader gives up, they must agree.
const DEPTH_MAX: usize = 100;

fuzz_target!(|text: &str| {
    // `serde_json` reads an object with its own private key as a number.
    let is_private = text.contains("serde_json::private");
    if is_private || text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count() > DEPTH_MAX {
        return;
    }
    let parsed = serde_json::from_str::<Value>(text).ok();
    assert_eq!(toolmend_json::is_valid(text), parsed.is_some());
    let document = toolmend_json::read(text, &Options::default());
    assert_eq!(document.outcome() == Outcome::Untouched, parsed.is_some());
    if parsed.is_some() {
        assert_eq!(document.to_json().as_deref(), Some(text));
        assert_eq!(document.value().map(|node| node.to_value()), parsed);
    }
});
