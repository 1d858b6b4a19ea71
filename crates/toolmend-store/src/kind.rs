//! Kinds: what calls, or turns, that are counted together have in common. All that filters ask for but
//! the time is in a kind, so that a question looks at some hundred kinds and not at every call.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use serde_json::{Value, json};

use crate::engine::{Cell, Engine, Row};
use crate::record::{Name, cut};
use crate::{Redactor, StoreError};

/// So many kinds are remembered; hosts have some hundred.
const REMEMBERED_MAX: usize = 10_000;
/// The time that a turn was worked on is told apart in so many steps between a power of two and the
/// next.
const STEPS: i64 = 4;

/// A kind of calls or of turns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Call(CallKind),
    Turn(TurnKind),
}

/// What calls have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct CallKind {
    pub(crate) model: Name,
    pub(crate) api: Name,
    pub(crate) tool: Option<Name>,
    pub(crate) outcome: Name,
    pub(crate) reason: Option<Name>,
    pub(crate) dialect: Option<Name>,
    pub(crate) has_text: bool,
    /// The rules that repaired it, each once, in the order of the alphabet.
    pub(crate) rules: Vec<Name>,
    /// Where it stood. Calls that an older version wrote say it in their rows.
    pub(crate) channel: Option<Name>,
}

/// What turns have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct TurnKind {
    pub(crate) model: Name,
    pub(crate) api: Name,
    pub(crate) is_broken: bool,
    pub(crate) asks: i64,
    pub(crate) is_helped: bool,
    /// They were worked on for less than this.
    pub(crate) spent_us_below: i64,
    /// The finish reason, and how it came to be what was delivered. Turns that an older version wrote say
    /// both in their rows.
    pub(crate) finish: Option<Name>,
    pub(crate) label: Option<Name>,
}

impl Kind {
    /// The text that a kind is known by.
    fn word(&self) -> String {
        let word = match self {
            Self::Call(call) => json!([
                "call",
                call.model,
                call.api,
                call.tool,
                call.outcome,
                call.reason,
                call.dialect,
                call.has_text,
                call.rules,
                call.channel
            ]),
            Self::Turn(turn) => json!([
                "turn",
                turn.model,
                turn.api,
                turn.is_broken,
                turn.asks,
                turn.is_helped,
                turn.spent_us_below,
                turn.finish,
                turn.label
            ]),
        };
        word.to_string()
    }

    /// Shows every name in it.
    fn each_name(&mut self, show: impl FnMut(&mut Name)) {
        match self {
            Self::Call(CallKind {
                model,
                api,
                tool,
                outcome,
                reason,
                dialect,
                rules,
                channel,
                ..
            }) => {
                let names = [model, api, outcome].into_iter().chain(tool).chain(reason);
                names.chain(dialect).chain(channel).chain(rules).for_each(show);
            }
            Self::Turn(TurnKind { model, api, finish, label, .. }) => {
                [model, api].into_iter().chain(finish).chain(label).for_each(show);
            }
        }
    }

    /// Reads the text that a kind is known by.
    pub(crate) fn read(word: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(word).ok()?;
        let optional = |at: usize| {
            value.get(at).and_then(Value::as_str).map(|text| Name::from(text.to_owned()))
        };
        let text = |at: usize| optional(at).unwrap_or_default();
        let is = |at: usize| value.get(at).and_then(Value::as_bool).unwrap_or_default();
        let number = |at: usize| value.get(at).and_then(Value::as_i64).unwrap_or_default();
        let (model, api) = (text(1), text(2));
        match text(0).as_ref() {
            "call" => {
                let rules = value.get(8).and_then(Value::as_array).into_iter().flatten();
                Some(Self::Call(CallKind {
                    model,
                    api,
                    tool: optional(3),
                    outcome: text(4),
                    reason: optional(5),
                    dialect: optional(6),
                    has_text: is(7),
                    rules: rules
                        .filter_map(Value::as_str)
                        .map(|rule| rule.to_owned().into())
                        .collect(),
                    channel: optional(9),
                }))
            }
            "turn" => Some(Self::Turn(TurnKind {
                model,
                api,
                is_broken: is(3),
                asks: number(4),
                is_helped: is(5),
                spent_us_below: number(6),
                finish: optional(7),
                label: optional(8),
            })),
            _ => None,
        }
    }
}

/// Rules, each once, in the order of the alphabet.
pub(crate) fn distinct(rules: impl Iterator<Item = Name>) -> Vec<Name> {
    let mut rules: Vec<Name> = rules.collect();
    rules.sort_unstable();
    rules.dedup();
    rules
}

/// The step above a time.
pub(crate) fn step_above(spent_us: i64) -> i64 {
    let spent = spent_us.max(0);
    let octave = i64::from(64 - spent.leading_zeros()).saturating_sub(1).max(2);
    let width = (1_i64 << octave.min(60)) / STEPS;
    (spent / width + 1) * width
}

/// What a kind is told by, as bytes, so that no name has to be copied to look one up.
#[derive(Debug, Default)]
pub(crate) struct Key(Vec<u8>);

impl Key {
    /// Begins anew.
    pub(crate) fn start(&mut self, what: &str) {
        self.0.clear();
        self.text(what);
    }

    pub(crate) fn number(&mut self, number: i64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.0.extend_from_slice(&text.len().to_le_bytes());
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn optional(&mut self, text: Option<&str>) {
        self.0.push(u8::from(text.is_some()));
        self.text(text.unwrap_or_default());
    }
}

/// The ids of kinds, as far as they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    ids: HashMap<Vec<u8>, i64, RandomState>,
}

impl Kinds {
    /// The id of a kind; it gets one where it has none, with its names cut and blanked. Inside of a
    /// transaction only behind its numbers, which hold other writers off: two that name the same kinds in
    /// another order would wait for each other.
    pub(crate) fn id(
        &mut self,
        engine: &mut dyn Engine,
        redactor: &Redactor,
        key: &Key,
        kind: impl FnOnce() -> Kind,
    ) -> Result<i64, StoreError> {
        if let Some(id) = self.ids.get(&key.0) {
            return Ok(*id);
        }
        let mut kind = kind();
        kind.each_name(|name| {
            cut(name);
            redactor.name(name);
        });
        let id = id(engine, &kind)?;
        if self.ids.len() >= REMEMBERED_MAX {
            self.ids.clear();
        }
        self.ids.insert(key.0.clone(), id);
        Ok(id)
    }
}

/// The id of a kind; it gets one where it has none.
pub(crate) fn id(engine: &mut dyn Engine, kind: &Kind) -> Result<i64, StoreError> {
    let word = kind.word();
    let word = [Cell::from(word.as_str())];
    let find = "SELECT id FROM toolmend_kinds WHERE word = $1";
    let mut found = engine.rows(find, &word)?.into_iter().next();
    if found.is_none() {
        engine.run(
            "INSERT INTO toolmend_kinds (word) VALUES ($1) ON CONFLICT (word) DO NOTHING",
            &word,
        )?;
        found = engine.rows(find, &word)?.into_iter().next();
    }
    Ok(found.map_or(0, |mut row| row.int()))
}

/// All kinds, by their ids.
pub(crate) fn all(engine: &mut dyn Engine) -> Result<BTreeMap<i64, Kind>, StoreError> {
    let rows = engine.rows("SELECT id, word FROM toolmend_kinds", &[])?;
    let read = |mut row: Row| Some((row.int(), Kind::read(&row.text())?));
    Ok(rows.into_iter().filter_map(read).collect())
}

#[cfg(test)]
mod tests {
    use super::{CallKind, Kind, TurnKind, step_above};

    #[test]
    fn a_kind_is_what_its_word_says() {
        let call = Kind::Call(CallKind {
            model: "a \"model\"".into(),
            tool: Some("bash".into()),
            has_text: true,
            rules: vec!["key-renamed".into()],
            channel: Some("content".into()),
            ..CallKind::default()
        });
        let (finish, label) = (Some("stop".into()), Some("re-prompt".into()));
        let turn = TurnKind { asks: 2, spent_us_below: 48, finish, label, ..TurnKind::default() };
        let turn = Kind::Turn(turn);
        for kind in [call, turn] {
            assert_eq!(Kind::read(&kind.word()), Some(kind));
        }
    }

    #[test]
    fn a_step_is_above_its_time_by_a_quarter_at_most() {
        assert_eq!([0, 3, 4, 7, 8, 50, 98].map(step_above), [1, 4, 5, 8, 10, 56, 112]);
        for time in [0, 1, 1000, 123_456, i64::MAX / 8] {
            let above = step_above(time);
            assert!(above > time && above <= (time + time / 4).max(time + 1), "{time} {above}");
        }
    }
}
