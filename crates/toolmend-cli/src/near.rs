//! The word that was meant, where a misspelt one is close to it.

/// From here on two words are taken for the same one, misspelt.
const LIKENESS_MIN: f64 = 0.8;

/// The word that is most like this one, if it is like it at all.
pub(crate) fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let alike = words.into_iter().map(|known| (strsim::jaro_winkler(word, known), known));
    let nearest = alike.max_by(|(left, _), (right, _)| left.total_cmp(right));
    nearest.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).map(|(_, known)| known)
}
