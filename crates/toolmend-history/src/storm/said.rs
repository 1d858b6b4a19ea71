//! Whether two results say the same. Hosts put things into them that differ each time and tell nothing:
//! how long it took, the number of the run.

/// What a result carries that says nothing about the tool: the last words of its label.
const PASSING: [&[&str]; 14] = [
    &["wall", "time"],
    &["execution", "time"],
    &["run", "time"],
    &["response", "time"],
    &["time", "taken"],
    &["elapsed"],
    &["duration"],
    &["took"],
    &["latency"],
    &["chunk", "id"],
    &["request", "id"],
    &["trace", "id"],
    &["span", "id"],
    &["run", "id"],
];

/// A value that passes is no longer than this.
const PASSING_CHARS_MAX: usize = 48;

/// Whether two results say the same, as they stand in the history.
pub(super) fn is_same(one: &str, two: &str) -> bool {
    if one == two {
        return true;
    }
    let (mut ones, mut twos) = (fields(one), fields(two));
    loop {
        match (ones.next(), twos.next()) {
            (None, None) => return true,
            (Some(one), Some(two)) if one == two || is_passing(one) && is_passing(two) => {}
            _ => return false,
        }
    }
}

/// Lines and members: results are text with line ends, escaped or not, or JSON.
fn fields(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', ',', '{', '}']).flat_map(|field| field.split("\\n"))
}

fn is_passing(field: &str) -> bool {
    let Some((label, value)) = field.split_once([':', '=']) else { return false };
    if value.len() > PASSING_CHARS_MAX {
        return false;
    }
    let words: Vec<String> = label
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    PASSING.iter().any(|last| {
        let own = words.len().checked_sub(last.len()).and_then(|start| words.get(start..));
        own.is_some_and(|own| own.iter().zip(*last).all(|(own, last)| own == last))
    })
}

#[cfg(test)]
mod tests {
    use super::{PASSING_CHARS_MAX, is_same};

    #[test]
    fn what_passes_tells_nothing() {
        for (one, two, wanted) in [
            (
                r"Chunk ID: 7db61c\nWall time: 0.01 seconds\nOutput:\nround\n",
                r"Chunk ID: 2e4345\nWall time: 0.22 seconds\nOutput:\nround\n",
                true,
            ),
            (
                r#"{"output":"a","duration":0.1,"trace_id":"x1"}"#,
                r#"{"output":"a","duration":3,"trace_id":"y2"}"#,
                true,
            ),
            ("Wall time: 1\nOutput: a", "Wall time: 1\nOutput: b", false),
            (r#"{"id":1}"#, r#"{"id":2}"#, false),
            ("time: 12:01", "time: 12:02", false),
            ("took: 1", "took: 1\nmore", false),
            // Only one of the two is of that kind.
            ("took: 1\nx", "total: 5\nx", false),
            ("total: 5\nx", "took: 1\nx", false),
        ] {
            assert_eq!(is_same(one, two), wanted, "{one} {two}");
        }
        for (length, wanted) in [(PASSING_CHARS_MAX, true), (PASSING_CHARS_MAX + 1, false)] {
            let took = |letter: &str| format!("took:{}", letter.repeat(length));
            assert_eq!(is_same(&took("a"), &took("b")), wanted, "{length}");
        }
    }
}
