//! Strings of a line, decoded.

use std::borrow::Cow;

/// Decodes a JSON string. Half a surrogate pair has no place in a Rust string: it stays an escape,
/// which means the same inside the JSON that the string holds, and is reported there.
pub(super) fn decode(raw: &str) -> Option<String> {
    serde_json::from_str(raw).ok().or_else(|| serde_json::from_str(&without_halves(raw)).ok())
}

fn without_halves(raw: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let length = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                out.push('\\');
                6
            }
            _ => escape.chars().take(2).map(char::len_utf8).sum(),
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(escape);
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The code unit of an escape such as `\u00e9` at the start of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn half_a_surrogate_pair_stays_an_escape() {
        for (raw, text) in [
            (r#""a\n\u00e9""#, "a\né"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""x\ud83dy""#, r"x\ud83dy"),
            (r#""\\\ude00\ud83d\ude00""#, "\\\\ude00😀"),
            (r#""\ud83d\n""#, "\\ud83d\n"),
        ] {
            assert_eq!(decode(raw).as_deref(), Some(text), "{raw}");
        }
        assert_eq!(decode("17"), None);
    }
}
