//! Ids for calls that came without one. The same stream gives the same ids.

const LETTERS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LENGTH: usize = 24;

/// An id of 24 characters behind a prefix, from what makes the call unlike all others.
pub(crate) fn make(prefix: &str, seed: &str, turn: usize, ordinal: usize) -> String {
    let mut state = hash(&[seed.as_bytes(), &turn.to_le_bytes(), &ordinal.to_le_bytes()]);
    let letters = (0..LENGTH).map(|_| {
        state = next(state);
        let at = usize::try_from((state >> 33) % 62).unwrap_or_default();
        char::from(LETTERS.get(at).copied().unwrap_or(b'0'))
    });
    prefix.chars().chain(letters).collect()
}

/// FNV-1a: short, and the same on every machine. Nothing depends on its being hard to guess.
fn hash(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, &byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// One step of splitmix64.
fn next(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::make;

    #[test]
    fn the_same_place_gives_the_same_id_and_others_do_not() {
        let id = make("call_", "chatcmpl-1", 0, 0);
        assert_eq!(id.len(), "call_".len() + 24);
        assert_eq!(id, make("call_", "chatcmpl-1", 0, 0));
        assert_ne!(id, make("call_", "chatcmpl-1", 0, 1));
        assert_ne!(id, make("call_", "chatcmpl-1", 1, 0));
        assert_ne!(id, make("call_", "chatcmpl-2", 0, 0));
    }
}
