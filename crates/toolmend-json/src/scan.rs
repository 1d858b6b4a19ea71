//! Finds the ends of strings and numbers, eight bytes at a time where it can.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = ONES << 7;

/// The place of the first byte from `from` on that is the quote, a backslash or a control
/// character; the length if there is none.
pub(crate) fn find_special(bytes: &[u8], from: usize, quote: u8) -> usize {
    find(bytes, from, |word| special_bits(word, quote), |byte| is_special(byte, quote))
}

/// The same, and a double quote is special too.
pub(crate) fn find_special_or_double(bytes: &[u8], from: usize, quote: u8) -> usize {
    let bits = |word| special_bits(word, quote) | bits_of(word, b'"');
    find(bytes, from, bits, |byte| is_special(byte, quote) || byte == b'"')
}

/// The place of the first byte from `from` on that is the quote, a backslash or a bracket; the
/// length if there is none. It may as well be a vertical bar.
pub(crate) fn find_bracket(bytes: &[u8], from: usize, quote: u8) -> usize {
    let bits = |word: u64| {
        // `[`, `\` and `]` are `{`, `|` and `}` without this bit.
        let low = word | (ONES * 0x20);
        bits_of(word, quote) | bits_of(low, b'{') | bits_of(low, b'|') | bits_of(low, b'}')
    };
    find(bytes, from, bits, |byte| byte == quote || matches!(byte | 0x20, b'{'..=b'}'))
}

/// How many bytes of a long string are passed over in one step.
const BLOCK: usize = 64;

/// The place of the first byte from `from` on that is wanted; `bits` is the same for eight bytes.
fn find(
    bytes: &[u8],
    from: usize,
    bits: impl Fn(u64) -> u64,
    is_wanted: impl Fn(u8) -> bool,
) -> usize {
    let mut from = from;
    let mut rest = bytes.get(from..).unwrap_or_default();
    // Most strings are words.
    if let Some((word, after)) = rest.split_first_chunk() {
        let hits = bits(u64::from_le_bytes(*word)) & HIGHS;
        if hits != 0 {
            return from + (hits.trailing_zeros() / 8) as usize;
        }
        (from, rest) = (from + word.len(), after);
    }
    let (first, more) = rest.split_at_checked(BLOCK).unwrap_or((rest, &[]));
    let place = find_by_words(first, &bits, &is_wanted);
    if place < first.len() || more.is_empty() {
        return (from + place).min(bytes.len());
    }
    // What is longer than a block most often goes on for many.
    let blocks = more.as_chunks::<BLOCK>().0.iter();
    let plain = BLOCK * blocks.take_while(|block| !has_wanted(block, &is_wanted)).count();
    let more = more.get(plain..).unwrap_or_default();
    from + BLOCK + plain + find_by_words(more, &bits, &is_wanted)
}

/// The place of the first byte that is wanted; the length if there is none.
fn find_by_words(bytes: &[u8], bits: impl Fn(u64) -> u64, is_wanted: impl Fn(u8) -> bool) -> usize {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let hits = bits(u64::from_le_bytes(*word)) & HIGHS;
        if hits != 0 {
            return index * 8 + (hits.trailing_zeros() / 8) as usize;
        }
    }
    let found = tail.iter().position(|&byte| is_wanted(byte));
    found.map_or(bytes.len(), |offset| words.len() * 8 + offset)
}

/// Looks at all bytes of a block without a branch, which processors do at once.
fn has_wanted(block: &[u8; BLOCK], is_wanted: impl Fn(u8) -> bool) -> bool {
    block.iter().fold(0, |any, &byte| any | u8::from(is_wanted(byte))) != 0
}

fn is_special(byte: u8, quote: u8) -> bool {
    byte == quote || byte == b'\\' || byte < 0x20
}

/// Sets the high bit of each byte that is special. Bits above the lowest hit may be wrong, which
/// is why only the lowest is used; other bits mean nothing.
fn special_bits(word: u64, quote: u8) -> u64 {
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    bits_of(word, quote) | bits_of(word, b'\\') | control
}

/// The same for one byte.
fn bits_of(word: u64, byte: u8) -> u64 {
    let equal = word ^ (ONES * u64::from(byte));
    equal.wrapping_sub(ONES) & !equal
}

/// The end of the number that starts here, by JSON's own grammar; `None` if there is none. It says
/// nothing about what follows.
pub(crate) fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digits_end = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let whole = start + usize::from(bytes.get(start) == Some(&b'-'));
    let mut at = match bytes.get(whole) {
        Some(b'0') => whole + 1,
        Some(b'1'..=b'9') => digits_end(whole + 1),
        _ => return None,
    };
    if bytes.get(at) == Some(&b'.') {
        let end = digits_end(at + 1);
        if end == at + 1 {
            return None;
        }
        at = end;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let digits = at + 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let end = digits_end(digits);
        if end == digits {
            return None;
        }
        at = end;
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::{find_bracket, find_special, find_special_or_double, number_end};

    #[test]
    fn special_bytes_are_found_at_every_offset() {
        for special in [b'"', b'\\', 0, 0x1f] {
            for at in 0..40 {
                let mut bytes = vec![b'\x7f'; 40];
                bytes[at] = special;
                assert_eq!(find_special(&bytes, 0, b'"'), at);
                assert_eq!(find_special_or_double(&bytes, 0, b'\''), at);
            }
        }
        assert_eq!(find_special("é\u{80}ÿ x".as_bytes(), 0, b'"'), 8);
    }

    #[test]
    fn brackets_are_found_at_every_offset() {
        for bracket in *b"{}[]\\'" {
            for at in 0..40 {
                let mut bytes = vec![b'z'; 40];
                bytes[at] = bracket;
                assert_eq!(find_bracket(&bytes, 0, b'\''), at);
            }
        }
        assert_eq!(find_bracket("é\u{80}ÿ xZ;=".as_bytes(), 0, b'\''), 11);
    }

    #[test]
    fn numbers_end_where_the_grammar_ends_them() {
        for (text, end) in [
            ("0", Some(1)),
            ("-12.5e+3,", Some(8)),
            ("01", Some(1)),
            ("1.", None),
            ("1e", None),
            ("-", None),
            (".5", None),
            ("+1", None),
        ] {
            assert_eq!(number_end(text.as_bytes(), 0), end, "{text}");
        }
    }
}
