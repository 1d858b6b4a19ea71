//! Ids for calls that have none: the same line gives the same ids, on every machine.

/// FNV-1a with 128 bits: fixed for good, which the hashes of the standard library are not.
const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// Makes an id from what names the line and the place of the call in the output.
pub(super) fn make(line: &str, ordinal: usize, is_taken: impl Fn(&str) -> bool) -> String {
    let mut hash = fold(OFFSET, line.as_bytes());
    hash = fold(hash, &[0]);
    hash = fold(hash, ordinal.to_string().as_bytes());
    // The last bytes of a text reach all digits only after a few more rounds.
    hash = fold(hash, &[0; 8]);
    loop {
        let id = format!("call_{:024x}", hash >> 32);
        if !is_taken(&id) {
            return id;
        }
        hash = fold(hash, &[1]);
    }
}

fn fold(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::make;

    #[test]
    fn ids_are_stable_different_and_of_one_length() {
        let first = make("\"a\"", 0, |_| false);
        assert_eq!(first, "call_852c054699a43d47047daf61");
        assert_eq!(first.len(), "call_".len() + 24);
        assert_ne!(first, make("\"a\"", 1, |_| false));
        assert_ne!(first, make("\"b\"", 0, |_| false));
        assert_ne!(first, make("\"a\"", 0, |id| id == first));
    }
}
