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
    let before = bytes.get(..at).unwrap_or_default();
    let backslashes = before.iter().rev().take_while(|&&byte| byte == b'\\').count();
    let escape = bytes.get(at..).unwrap_or_default();
    let is_low = matches!(escape.get(3), Some(b'c'..=b'f' | b'C'..=b'F'));
    // The second half is judged with the first, which stands right before it.
    let first = before.len().checked_sub(6).and_then(|first| before.get(first..));
    let is_second = is_low && first.is_some_and(|first| is_high(first) && backslashes == 0);
    backslashes % 2 == 1 || is_second || escape::valid_width(escape).is_some()
}

fn is_high(escape: &[u8]) -> bool {
    matches!(escape, [b'\\', b'u', b'd' | b'D', b'8' | b'9' | b'a' | b'b' | b'A' | b'B', ..])
}
