//! Any bytes as a stream of any API, in any pieces: no panic, pieces do not matter, and output is
//! bounded. That what was mended stays mended is for the laws, over streams that servers could send.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolmend_wire::{Api, Normalizer};

fuzz_target!(|bytes: &[u8]| {
    let dice = bytes.iter().fold(bytes.len(), |sum, &byte| sum.rotate_left(5) ^ usize::from(byte));
    for api in Api::ALL {
        let whole = normalize(api, [bytes].into_iter());
        assert_eq!(whole, normalize(api, bytes.chunks(1 + dice % 16)), "pieces matter");
        assert!(whole.len() <= 4096 + 64 * bytes.len(), "{} became {}", bytes.len(), whole.len());
    }
});

fn normalize<'p>(api: Api, pieces: impl Iterator<Item = &'p [u8]>) -> Vec<u8> {
    let mut normalizer = Normalizer::new(api);
    let mut out = Vec::new();
    for piece in pieces {
        normalizer.push(piece, &mut out);
    }
    normalizer.finish(&mut out);
    out
}
