//! Makes turns in which tool calls are quoted, and turns in which they are meant.
//!
//! Both are written in every dialect, in English and Chinese. The phrases around the calls come in
//! two halves: one to look at while the rules change, and one that is only ever counted. The same
//! half and seed give the same turns for good.
//!
//! ```
//! use quotes::{Half, quoted};
//!
//! let turn = quoted(Half::Seen, 7).find(|turn| turn.what == "warning" && turn.is_mixed).unwrap();
//! assert_eq!((turn.wanted.len(), turn.forbidden.len()), (1, 1));
//! ```

mod call;
mod draw;
mod genuine;
mod phrases;
mod quoted;
mod wrap;

use serde_json::Value;

pub use call::{Call, tools};
pub use genuine::genuine;
pub use phrases::{Half, Language};
pub use quoted::quoted;

/// A reply of a model, what came before it, and which calls it means.
#[derive(Clone, Debug)]
pub struct Turn {
    /// How the calls are written: the id of a row in one of the two tables.
    pub what: &'static str,
    /// Whether a call that is meant stands beside the quoted one.
    pub is_mixed: bool,
    /// The language of the phrases.
    pub language: Language,
    /// The dialect of the quoted call, or of the genuine one where none is quoted.
    pub dialect: &'static str,
    /// The messages of the request.
    pub messages: Vec<Value>,
    /// What the model answers.
    pub content: String,
    /// What it thinks before that.
    pub reasoning: String,
    /// The calls that it means.
    pub wanted: Vec<Call>,
    /// The calls that it only quotes.
    pub forbidden: Vec<Call>,
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::{Half, Language, Turn, genuine, quoted};

    fn dialects() -> BTreeSet<&'static str> {
        toolmend_dialect::dialects().map(|dialect| dialect.id).collect()
    }

    #[test]
    fn there_are_enough_turns_of_every_dialect_and_language() {
        for half in [Half::Seen, Half::Held] {
            let (quoted, genuine): (Vec<Turn>, Vec<Turn>) =
                (quoted(half, 1).collect(), genuine(half, 1).collect());
            assert!(quoted.len() >= 4_000, "{}", quoted.len());
            assert!(genuine.len() >= 1_000, "{}", genuine.len());
            for turns in [&quoted, &genuine] {
                let seen: BTreeSet<_> = turns.iter().map(|turn| turn.dialect).collect();
                assert_eq!(seen, dialects());
                let english =
                    turns.iter().filter(|turn| turn.language == Language::English).count();
                assert!(english * 3 > turns.len() && english * 3 < turns.len() * 2);
            }
        }
    }

    #[test]
    fn every_category_is_written_in_both_languages() {
        let mut counts = BTreeMap::new();
        for turn in quoted(Half::Seen, 1) {
            *counts.entry((turn.what, turn.language.as_str())).or_insert(0) += 1;
        }
        assert!(counts.len() >= 36, "{counts:?}");
        assert!(counts.values().all(|&count| count >= 7), "{counts:?}");
    }

    #[test]
    fn quoted_turns_forbid_one_call_and_want_at_most_another() {
        for turn in quoted(Half::Seen, 2) {
            assert_eq!(turn.forbidden.len(), 1);
            assert_eq!(turn.wanted.len(), usize::from(turn.is_mixed));
            assert!(!turn.wanted.contains(&turn.forbidden[0]));
        }
    }

    #[test]
    fn genuine_turns_forbid_nothing() {
        for turn in genuine(Half::Seen, 2) {
            assert!(turn.forbidden.is_empty());
            assert_eq!(turn.wanted.len(), if turn.what == "two" { 2 } else { 1 });
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_turns() {
        let texts = |seed| quoted(Half::Seen, seed).map(|turn| turn.content).collect::<Vec<_>>();
        assert_eq!(texts(5), texts(5));
        assert_ne!(texts(5), texts(6));
    }

    #[test]
    fn no_slot_is_left_open() {
        for turn in quoted(Half::Seen, 3).chain(genuine(Half::Seen, 3)) {
            assert!(!turn.content.contains("{}"), "{}", turn.content);
            assert!(!turn.content.is_empty() || !turn.reasoning.is_empty());
        }
    }
}
