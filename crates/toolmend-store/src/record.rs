//! What is told of a turn. Without its texts it holds no value of an argument.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use crate::Redactor;
use crate::kind::{CallKind, TurnKind, distinct, step_above};

/// A name. Most are words of a table, and are not copied for every turn.
pub type Name = Cow<'static, str>;

/// The label of a turn that asking helped.
const HELPED: &str = "re-prompt";

/// The texts of a turn. They are put together by the thread that writes, so that no request waits for
/// it.
#[derive(Clone)]
pub struct Texts {
    make: Arc<dyn Fn() -> String + Send + Sync>,
    bytes_max: usize,
}

impl Texts {
    /// Takes what puts them together, as JSON: the line that `toolmend fix --jsonl` reads under `in`,
    /// what was delivered under `out`. Where they take more than `bytes_max`, messages are left out
    /// first, then all of them.
    pub fn new(bytes_max: usize, make: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Self { make: Arc::new(make), bytes_max }
    }

    /// What is written.
    pub(crate) fn body(&self, redactor: &Redactor) -> Option<String> {
        let whole = redactor.json((self.make)());
        if whole.len() <= self.bytes_max {
            return Some(whole);
        }
        let mut texts: Value = serde_json::from_str(&whole).ok()?;
        texts.get_mut("in")?.as_object_mut()?.shift_remove("messages")?;
        Some(texts.to_string()).filter(|rest| rest.len() <= self.bytes_max)
    }
}

impl From<Value> for Texts {
    fn from(value: Value) -> Self {
        Self::new(usize::MAX, move || value.to_string())
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Texts").finish_non_exhaustive()
    }
}

/// One turn on its way into the store.
#[derive(Clone, Debug, Default)]
pub struct TurnRecord {
    /// When it ended, in milliseconds since 1970.
    pub at_ms: i64,
    /// The model.
    pub model: Name,
    /// The API that the client speaks.
    pub api: Name,
    /// The finish reason of the server.
    pub finish: Option<Name>,
    /// Whether the reply broke off.
    pub is_broken: bool,
    /// How long the reply took, in milliseconds.
    pub took_ms: i64,
    /// How long the calls and texts of it were worked on, in microseconds.
    pub spent_us: i64,
    /// How often the model was asked again.
    pub asks: i64,
    /// How it came to be what was delivered: `local-salvage`, `re-prompt`, `gave-up`.
    pub label: Option<Name>,
    /// Its calls.
    pub calls: Vec<CallRecord>,
    /// Its texts, where they are kept.
    pub texts: Option<Texts>,
}

impl TurnRecord {
    /// The kind that it is counted as.
    pub(crate) fn kind(&self) -> TurnKind {
        TurnKind {
            model: self.model.clone(),
            api: self.api.clone(),
            is_broken: self.is_broken,
            asks: self.asks,
            is_helped: self.asks > 0 && self.label.as_deref() == Some(HELPED),
            spent_us_below: step_above(self.spent_us),
        }
    }

    /// The kind that one of its calls is counted as.
    pub(crate) fn call_kind(&self, call: &CallRecord, has_text: bool) -> CallKind {
        CallKind {
            model: self.model.clone(),
            api: self.api.clone(),
            tool: call.tool.clone(),
            outcome: call.fate.as_str().into(),
            reason: call.reason.clone(),
            dialect: call.dialect.clone(),
            has_text,
            rules: distinct(call.repairs.iter().map(|repair| repair.rule.clone())),
        }
    }

    /// Shows every name in it.
    pub(crate) fn each_name(&mut self, mut show: impl FnMut(&mut Name)) {
        let own = [&mut self.model, &mut self.api].into_iter();
        own.chain(&mut self.finish).chain(&mut self.label).for_each(&mut show);
        for call in &mut self.calls {
            let names = std::iter::once(&mut call.channel).chain(&mut call.tool);
            names.chain(&mut call.reason).chain(&mut call.dialect).for_each(&mut show);
            for RepairRecord { rule, path, trust } in &mut call.repairs {
                [rule, path, trust].into_iter().for_each(&mut show);
            }
        }
    }
}

/// One call of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    /// The tool, where it is one that was offered.
    pub tool: Option<Name>,
    /// What became of it.
    pub fate: Fate,
    /// Why, where it was not delivered.
    pub reason: Option<Name>,
    /// Where it stood: `tool_calls`, `content`, `reasoning`.
    pub channel: Name,
    /// The dialect that it was written in, where it stood in text.
    pub dialect: Option<Name>,
    /// Whether something of it may be missing.
    pub is_lossy: bool,
    /// What was done to it.
    pub repairs: Vec<RepairRecord>,
    /// What was wrong with its text.
    pub faults: Vec<FaultRecord>,
}

/// What became of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// It was right.
    Untouched,
    /// It was mended.
    Mended,
    /// It could not be mended.
    Refused,
    /// It was held back because it repeats itself.
    Suppressed,
    /// It is text that is written like a call and is none.
    Left,
}

impl Fate {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Untouched, Self::Mended, Self::Refused, Self::Suppressed, Self::Left];

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Untouched => "untouched",
            Self::Mended => "mended",
            Self::Refused => "refused",
            Self::Suppressed => "suppressed",
            Self::Left => "left",
        }
    }

    /// Reads the word for it.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fate| fate.as_str() == word)
    }
}

/// One change to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairRecord {
    /// The rule.
    pub rule: Name,
    /// Where: a JSON Pointer. Keys that no schema names are left out of it.
    pub path: Name,
    /// How sure it is.
    pub trust: Name,
}

/// One fault of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultRecord {
    /// What is wrong.
    pub code: Name,
    /// Where it starts, in bytes of the text that was read.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}
