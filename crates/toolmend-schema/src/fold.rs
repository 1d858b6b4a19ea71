//! Names that differ only in case and separators, and how far two names are apart.

/// A name without case and separators: `filePath`, `file_path` and `File-Path` are one.
pub(crate) fn fold(name: &str) -> String {
    folded(name).collect()
}

fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// The same for names of ASCII letters.
fn plain(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
}

/// Whether two names are one but for case and separators.
pub(crate) fn is_same(left: &str, right: &str) -> bool {
    // Mostly it is the case alone.
    if left.eq_ignore_ascii_case(right) {
        return folded(left).next().is_some();
    }
    if left.is_ascii() && right.is_ascii() {
        return plain(left).eq(plain(right)) && plain(left).next().is_some();
    }
    folded(left).eq(folded(right)) && folded(left).next().is_some()
}

/// How many characters must be changed, added, dropped or swapped with a neighbour to make one name
/// of the other.
pub(crate) fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    let mut previous: Option<char> = None;
    for (row, character) in left.chars().enumerate() {
        let mut line = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let at = |line: &[usize], index: usize| line.get(index).copied().unwrap_or(usize::MAX);
            let change = at(&last, column).saturating_add(usize::from(*other != character));
            let mut best = change
                .min(at(&last, column + 1).saturating_add(1))
                .min(at(&line, column).saturating_add(1));
            let swapped = column.checked_sub(1).and_then(|before| right.get(before));
            if swapped == Some(&character) && previous == Some(*other) {
                best = best.min(at(&before_last, column - 1).saturating_add(1));
            }
            line.push(best);
        }
        before_last = std::mem::replace(&mut last, line);
        previous = Some(character);
    }
    last.last().copied().unwrap_or_default()
}

/// The one word that is near: within a quarter of the longer one, and nearer than all others.
pub(crate) fn nearest<'w>(word: &str, words: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let word = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    let mut is_tie = false;
    for candidate in words {
        let steps = distance(&word, &candidate.to_lowercase());
        let length = word.chars().count().max(candidate.chars().count());
        if steps * 4 > length {
            continue;
        }
        match best {
            Some((least, _)) if steps > least => {}
            Some((least, other)) if steps == least => is_tie |= other != candidate,
            _ => (best, is_tie) = (Some((steps, candidate)), false),
        }
    }
    best.filter(|_| !is_tie).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::{distance, is_same, nearest};

    #[test]
    fn case_and_separators_do_not_count() {
        assert!(is_same("filePath", "file_path") && is_same("FILE-PATH", "filepath"));
        assert!(!is_same("path", "paths") && !is_same("_", "-"));
        // Letters of other alphabets have a case, too.
        assert!(is_same("Ölstand-1", "öl_stand1") && is_same("ÉTAT", "état"));
        assert!(!is_same("größe", "breite") && !is_same("—", "…"));
        assert!(!is_same("größe", "gre") && !is_same("gre", "größe"));
    }

    #[test]
    fn a_swap_is_one_step() {
        assert_eq!(distance("wirte", "write"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!((distance("writes", "write"), distance("awrite", "write")), (1, 1));
        assert_eq!((distance("wit", "write"), distance("write", "wit")), (2, 2));
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn only_one_near_word_is_taken() {
        assert_eq!(nearest("writ", ["read", "write"].into_iter()), Some("write"));
        assert_eq!(nearest("reed", ["read", "reek"].into_iter()), None);
        assert_eq!(nearest("zzz", ["read"].into_iter()), None);
        // One step in four letters is near, one in three is not.
        assert_eq!(nearest("raed", ["read"].into_iter()), Some("read"));
        assert_eq!(nearest("rad", ["red"].into_iter()), None);
    }

    #[test]
    fn words_that_are_as_near_as_each_other_leave_none() {
        for (words, taken) in [
            (["colon", "colour", "cobra"], None),
            // A nearer word decides between them, wherever it stands.
            (["colon", "colour", "color"], Some("color")),
            (["color", "colon", "colour"], Some("color")),
            // A word that is listed twice is one word, and decides nothing.
            (["colon", "colon", "cobra"], Some("colon")),
            (["colon", "colour", "colon"], None),
        ] {
            assert_eq!(nearest("color", words.into_iter()), taken, "{words:?}");
        }
    }
}
