//! The word that was meant, where a misspelt one is close to it.

use crate::exit::Failure;

/// From here on two words are taken for the same one, misspelt.
const LIKENESS_MIN: f64 = 0.8;

/// What to say of an id that nothing of this kind has; the nearest one is often the one that was meant, and
/// a command lists them.
pub(crate) fn unknown<'w>(
    (kind, command): (&str, &str),
    id: &str,
    known: impl IntoIterator<Item = &'w str>,
) -> Failure {
    Failure::Usage(match nearest(id, known) {
        Some(near) => format!("there is no {kind} {id:?}; did you mean `{near}`?"),
        None => format!("there is no {kind} {id:?}; `toolmend {command}` lists them"),
    })
}

/// The word that is most like this one, if it is like it at all.
fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let alike = words.into_iter().map(|known| (strsim::jaro_winkler(word, known), known));
    let nearest = alike.max_by(|(left, _), (right, _)| left.total_cmp(right));
    nearest.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).map(|(_, known)| known)
}
