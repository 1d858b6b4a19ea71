//! Any bytes as a stream of any API, in any pieces: no panic, pieces do not matter, what was mended stays mended, and
//! output is bounded.
#![no_main]

#[path = "../../crates/toolmend-wire/tests/support/check.rs"]
mod check;

use libfuzzer_sys::fuzz_target;
use toolmend_wire::Api;

fuzz_target!(|bytes: &[u8]| {
    let dice = bytes.iter().fold(bytes.len(), |sum, &byte| sum.rotate_left(5) ^ usize::from(byte));
    for api in Api::ALL {
        if let Err(finding) = check::holds(api, bytes, bytes.chunks(1 + dice % 16)) {
            panic!("{finding}");
        }
    }
});
