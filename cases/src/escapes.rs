//! Invisible characters, written so that a reader of the case file sees them.

/// The bytes of a text in which `\t`, `\r`, `\n`, `\\`, `\xNN` and `\u{…}` stand for what they name.
///
/// # Errors
/// Names the first escape that is none of these.
pub fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.extend_from_slice(before.as_bytes());
        rest = read_escape(after, &mut out).ok_or_else(|| {
            let shown: String = after.chars().take(8).collect();
            format!("not an escape that cases know: \\{shown}")
        })?;
    }
    out.extend_from_slice(rest.as_bytes());
    Ok(out)
}

/// Reads what follows a backslash and returns the rest.
fn read_escape<'t>(after: &'t str, out: &mut Vec<u8>) -> Option<&'t str> {
    let mut chars = after.chars();
    match chars.next()? {
        't' => out.push(b'\t'),
        'r' => out.push(b'\r'),
        'n' => out.push(b'\n'),
        '\\' => out.push(b'\\'),
        'x' => {
            let (digits, rest) = chars.as_str().split_at_checked(2)?;
            out.push(u8::from_str_radix(digits, 16).ok()?);
            return Some(rest);
        }
        'u' => {
            let (digits, rest) = chars.as_str().strip_prefix('{')?.split_once('}')?;
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(rest);
        }
        _ => return None,
    }
    Some(chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn each_escape_is_its_byte() {
        let bytes = unescape(r"a\t\r\n\\\xff\u{feff}é").unwrap();
        assert_eq!(bytes, b"a\t\r\n\\\xff\xef\xbb\xbf\xc3\xa9");
    }

    #[test]
    fn unknown_escapes_are_told() {
        for text in [r"\q", r"\x1", r"\xzz", r"\u{110000}", r"\u0041", r"\"] {
            assert!(unescape(text).is_err(), "{text}");
        }
    }
}
