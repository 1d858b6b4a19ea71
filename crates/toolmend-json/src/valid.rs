//! Is this JSON? Without a tree.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::de::IgnoredAny;

use crate::escape;

/// Whether the text is valid JSON. Builds no tree, and nesting has no limit.
#[must_use]
pub fn is_valid(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok() && has_whole_surrogates(text.as_bytes())
}

/// How escapes start of which some are halves of pairs.
static ESCAPES: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\\u"));

/// Skipping does not look at surrogates, so half a pair is found here.
fn has_whole_surrogates(bytes: &[u8]) -> bool {
    // Most texts have no such escape at all. In those that have many, looking for each takes longer.
    let Some(first) = ESCAPES.find(bytes) else { return true };
    !may_have_surrogates(bytes.get(first..).unwrap_or_default())
        || ESCAPES.find_iter(bytes).all(|at| {
            let may_be_half = matches!(bytes.get(at + 2), Some(b'd' | b'D'));
            !may_be_half || is_text_or_pair(bytes, at)
        })
}

/// How many bytes are looked at in one step, and two more that may stand behind the last.
const STEP: usize = 32;
const WIDTH: usize = STEP + 2;

/// Whether `\ud` stands anywhere.
fn may_have_surrogates(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<WIDTH>() else { return may_start_in(bytes) };
    let blocks = bytes.windows(WIDTH).step_by(STEP);
    blocks
        .filter_map(|block| block.first_chunk::<WIDTH>())
        .chain([last])
        .any(|block| may_start_in(block))
}

/// Looks at all bytes without a branch, which processors do at once for a block.
#[inline]
fn may_start_in(bytes: &[u8]) -> bool {
    let (second, third) = (bytes.get(1..).unwrap_or_default(), bytes.get(2..).unwrap_or_default());
    let threes = bytes.iter().zip(second).zip(third);
    let starts = threes.map(|((first, second), third)| {
        u8::from(*first == b'\\') & u8::from(*second == b'u') & u8::from(*third | 0x20 == b'd')
    });
    starts.fold(0, |any, start| any | start) == 1
}

/// Whether what looks like a surrogate escape at this place is not one, or one half of a pair. The
/// text is valid JSON, so a backslash stands only in strings.
fn is_text_or_pair(bytes: &[u8], at: usize) -> bool {
    let escape = bytes.get(at..).unwrap_or_default();
    is_escaped(bytes, at) || is_second(bytes, at) || escape::valid_width(escape).is_some()
}

/// Whether the backslash at this place is what the one before it stands for.
fn is_escaped(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    before.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

/// Whether the escape at this place is the second half of a pair. It is judged with the first, which
/// stands right before it.
fn is_second(bytes: &[u8], at: usize) -> bool {
    let is_low = matches!(bytes.get(at + 3), Some(b'c'..=b'f' | b'C'..=b'F'));
    let first = at.checked_sub(6).filter(|_| is_low);
    let is_first =
        |first: usize| bytes.get(first..).is_some_and(is_high) && !is_escaped(bytes, first);
    first.is_some_and(is_first)
}

fn is_high(escape: &[u8]) -> bool {
    matches!(escape, [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..])
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::is_valid;

    #[test]
    fn half_a_pair_is_told_behind_whatever_looks_like_the_other() {
        let parts = ["\\", "\\\\", "\\n", "u", "\\ud83d", "\\ude00", "ud83d", "\\u00e9", "x"];
        for one in parts {
            for two in parts {
                for three in parts {
                    let text = ["\"", one, two, three, "\""].concat();
                    let is_read = serde_json::from_str::<Value>(&text).is_ok();
                    assert_eq!(is_valid(&text), is_read, "{text}");
                }
            }
        }
    }
}
