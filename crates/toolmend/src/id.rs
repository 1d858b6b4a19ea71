//! Ids for calls that have none: the same turn gives the same ids, on every machine.

use std::collections::BTreeSet;

/// FNV-1a with 128 bits: fixed for good, which the hashes of the standard library are not.
const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// The ids of a turn: those that calls have, and those that are made.
#[derive(Debug)]
pub(crate) struct Ids {
    seed: String,
    taken: BTreeSet<String>,
}

impl Ids {
    pub(crate) fn new(seed: &str, given: impl IntoIterator<Item = String>) -> Self {
        Self { seed: seed.to_owned(), taken: given.into_iter().collect() }
    }

    /// A new one for the call at this place of the output.
    pub(crate) fn make(&mut self, ordinal: usize) -> String {
        let id = make(&self.seed, ordinal, |id| self.taken.contains(id));
        self.taken.insert(id.clone());
        id
    }

    /// The id that a text gave to its call, unless another call has it.
    pub(crate) fn claim(&mut self, id: Option<String>, ordinal: usize) -> String {
        match id {
            Some(id) if self.taken.insert(id.clone()) => id,
            _ => self.make(ordinal),
        }
    }
}

/// Makes an id from what names the turn and the place of the call in the output.
fn make(turn: &str, ordinal: usize, is_taken: impl Fn(&str) -> bool) -> String {
    let mut hash = fold(OFFSET, turn.as_bytes());
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
