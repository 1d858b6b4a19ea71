//! Any bytes, cut into any pieces: joined, the frames are the stream, and pieces do not matter.
#![no_main]

#[path = "../../crates/toolmend-wire/tests/support/check.rs"]
mod check;

use libfuzzer_sys::fuzz_target;
use toolmend_wire::Api;

fuzz_target!(|bytes: &[u8]| {
    let dice = bytes.iter().fold(bytes.len(), |sum, &byte| sum.rotate_left(5) ^ usize::from(byte));
    for api in [Api::Chat, Api::Ollama] {
        if let Err(finding) = check::keeps_bytes(api, bytes, 1 + dice % 16) {
            panic!("{finding}");
        }
    }
});
