//! Empty objects beside the arguments, which some servers put there.

/// The text with blanks for the empty objects before the arguments, and for those behind them where the
/// arguments are JSON without them; all else stays in its place.
pub(crate) fn blanked(text: &str) -> Option<String> {
    let start = before(text);
    let rest = text.get(start..)?;
    let end = rest.len() - behind(rest);
    if start == 0 && end == rest.len() {
        return None;
    }
    let blank = |bytes: usize| std::iter::repeat_n(' ', bytes);
    Some(blank(start).chain(rest.get(..end)?.chars()).chain(blank(rest.len() - end)).collect())
}

/// How many bytes the empty objects take that stand before another object.
fn before(text: &str) -> usize {
    let mut rest = text.trim_start();
    while let Some(next) = empty(rest).map(str::trim_start) {
        rest = next;
    }
    let is_before = rest.starts_with('{') && empty(text.trim_start()).is_some();
    if is_before { text.len() - rest.len() } else { 0 }
}

/// What follows an empty object.
fn empty(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.trim_start().strip_prefix('}')
}

/// How many bytes the empty objects take that stand behind what is JSON.
fn behind(text: &str) -> usize {
    let mut rest = text.trim_end();
    while let Some(next) = rest.strip_suffix('}').and_then(|rest| rest.trim_end().strip_suffix('{'))
    {
        rest = next.trim_end();
    }
    let is_whole = rest.len() < text.trim_end().len() && toolmend_json::is_valid(rest);
    if is_whole { text.len() - rest.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::blanked;

    #[test]
    fn only_empty_objects_beside_others_are_blanks() {
        for (text, seen) in [
            (r#"{}{"a":1}"#, Some(r#"  {"a":1}"#)),
            ("{}\n{ } {'a':1", Some("       {'a':1")),
            (r#"{"a":{}}{}{} "#, Some(r#"{"a":{}}     "#)),
            (r#"{}{"a":1}{}"#, Some(r#"  {"a":1}  "#)),
            ("{}", None),
            ("{}{}", None),
            ("{} and so on", None),
            (r#"{"a":1}"#, None),
            (r#"{"a":{}"#, None),
            (r#"{"a":{}}"#, None),
            (r#"{"a":"{}"#, None),
            ("", None),
        ] {
            assert_eq!(blanked(text).as_deref(), seen, "{text}");
        }
    }
}
