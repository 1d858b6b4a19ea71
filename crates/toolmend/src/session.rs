//! A turn from its first piece to its end.

use toolmend_history::{Api, History};

use crate::assemble::{Assembly, Heard};
use crate::ear::Ear;
use crate::evidence::Echo;
use crate::gate::Gate;
use crate::mended::Mended;
use crate::settings::Settings;
use crate::tools::ToolSet;
use crate::turn::{Declared, Delta, Turn, Written};

/// A call may have an index that is not the next one, up to here.
const SPARSE_INDEX_MAX: usize = 256;

/// What a turn answers to.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The offered tools.
    pub tools: &'a ToolSet,
    /// Whether the request allows calls: it does not where its tool choice is `none`.
    pub may_call: bool,
    /// What users and tools said.
    pub echo: &'a Echo,
    /// The messages of the request: storms are told by them.
    pub past: Past<'a>,
    /// What is allowed.
    pub settings: &'a Settings,
}

/// What was said before a turn.
#[derive(Clone, Copy, Debug, Default)]
pub enum Past<'a> {
    /// Nobody knows.
    #[default]
    Unknown,
    /// These messages.
    Read(&'a History<'a>),
    /// These messages, as JSON in the form of this API. They are read once there is a call to judge by
    /// them.
    Written(&'a str, Api),
}

impl<'a> From<Option<&'a History<'a>>> for Past<'a> {
    fn from(history: Option<&'a History<'a>>) -> Self {
        history.map_or(Self::Unknown, Self::Read)
    }
}

impl Request<'_> {
    /// Whether a call is right as it is, seen alone.
    #[must_use]
    pub fn is_right(&self, call: &Declared) -> bool {
        let turn = Turn { calls: vec![call.clone()], ..Turn::default() };
        self.mend(turn).is_untouched()
    }

    /// Mends a whole turn.
    #[must_use]
    pub fn mend(&self, turn: Turn) -> Mended {
        let mut session = Session::new(self, &turn.id);
        session.push(Delta::Reasoning(&turn.reasoning));
        session.push(Delta::Content(&turn.content));
        turn.calls.into_iter().for_each(|call| session.declare(call));
        session.finish(self, turn.finish.as_deref())
    }
}

/// A turn that is still coming. Text goes out as soon as it cannot be part of a call; calls go out
/// at the end.
#[derive(Debug)]
pub struct Session {
    id: String,
    content: Ear,
    reasoning: Ear,
    gate: Gate,
    calls: Vec<Declared>,
}

impl Session {
    /// Starts a turn. Ids that are made follow from the one given.
    #[must_use]
    pub fn new(request: &Request<'_>, id: &str) -> Self {
        let ear = || if request.may_call { Ear::new(request.tools) } else { Ear::deaf() };
        Self {
            id: id.to_owned(),
            content: ear(),
            reasoning: ear(),
            gate: Gate::default(),
            calls: Vec::new(),
        }
    }

    /// The content so far, all of it.
    #[must_use]
    pub fn content(&self) -> &str {
        self.content.text()
    }

    /// Takes the next piece, and tells the content that can go out now. Reasoning goes out as it
    /// comes.
    pub fn push(&mut self, delta: Delta<'_>) -> &str {
        match delta {
            Delta::Reasoning(text) => {
                self.reasoning.push(text);
                ""
            }
            Delta::Content(text) => {
                self.content.push(text);
                let settled = self.content.settled();
                self.gate.release(self.content.text(), settled)
            }
            Delta::Call { index, id, name, arguments } => {
                self.push_call(index, id, name, arguments);
                ""
            }
        }
    }

    /// Takes a call that the server made out, whole.
    pub fn declare(&mut self, call: Declared) {
        self.calls.push(call);
    }

    fn push_call(&mut self, index: usize, id: Option<&str>, name: Option<&str>, arguments: &str) {
        if index > self.calls.len().max(SPARSE_INDEX_MAX) {
            return;
        }
        while self.calls.len() <= index {
            self.calls.push(Declared::default());
        }
        let Some(call) = self.calls.get_mut(index) else { return };
        call.id = call.id.take().or_else(|| id.map(str::to_owned));
        call.name = call.name.take().or_else(|| name.map(str::to_owned));
        match &mut call.arguments {
            Written::Text(text) => text.push_str(arguments),
            written => *written = Written::Text(arguments.to_owned()),
        }
    }

    /// Ends the turn, for the reason that the server says. The request is the one that it was
    /// started with.
    #[must_use]
    pub fn finish(self, request: &Request<'_>, reason: Option<&str>) -> Mended {
        let heard = Heard {
            calls: self.calls,
            content: self.content.finish(),
            reasoning: self.reasoning.finish(),
            released: self.gate.released(),
        };
        Assembly::new(*request, &self.id, reason).finish(heard)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Declared, Delta, Echo, Past, Request, SPARSE_INDEX_MAX, Session, Settings};
    use super::{ToolSet, Turn, Written};

    /// What comes of calls that are pushed in these pieces: index, id, name and arguments.
    fn calls(pieces: &[(usize, Option<&str>, Option<&str>, &str)]) -> Vec<Declared> {
        let request = Request {
            tools: &ToolSet::default(),
            may_call: true,
            echo: &Echo::default(),
            past: Past::Unknown,
            settings: &Settings::default(),
        };
        let mut session = Session::new(&request, "turn");
        for &(index, id, name, arguments) in pieces {
            assert_eq!(session.push(Delta::Call { index, id, name, arguments }), "");
        }
        session.calls
    }

    fn declared(id: &str, name: &str, arguments: &str) -> Declared {
        Declared {
            id: Some(id.to_owned()),
            name: Some(name.to_owned()),
            arguments: Written::Text(arguments.to_owned()),
        }
    }

    #[test]
    fn a_call_in_pieces_is_put_together_by_its_index() {
        let pieces = [
            (0, Some("a"), Some("f"), "{\"k\""),
            (1, Some("b"), Some("g"), "{}"),
            (0, Some("c"), Some("h"), ": 1}"),
        ];
        assert_eq!(calls(&pieces), [declared("a", "f", "{\"k\": 1}"), declared("b", "g", "{}")]);
    }

    #[test]
    fn an_index_may_be_skipped_and_a_wild_one_is_none() {
        let pieces = [
            (1, Some("b"), Some("g"), "{}"),
            (SPARSE_INDEX_MAX + 1, Some("c"), Some("h"), "{}"),
            (100 * SPARSE_INDEX_MAX, Some("c"), Some("h"), "{}"),
        ];
        assert_eq!(calls(&pieces), [Declared::default(), declared("b", "g", "{}")]);
        assert_eq!(calls(&[(SPARSE_INDEX_MAX, None, None, "")]).len(), SPARSE_INDEX_MAX + 1);
        let many: Vec<_> = (0..SPARSE_INDEX_MAX + 3).map(|at| (at, None, None, "")).collect();
        assert_eq!(calls(&many).len(), many.len());
    }

    #[test]
    fn a_call_is_right_that_leaves_as_it_came() {
        let schema = json!({"type": "object", "properties": {"k": {"type": "integer"}}});
        let request = Request {
            tools: &ToolSet::read(&[json!({"name": "f", "parameters": schema})]),
            may_call: true,
            echo: &Echo::default(),
            past: Past::Unknown,
            settings: &Settings::default(),
        };
        assert!(request.is_right(&declared("a", "f", "{\"k\": 1}")));
        assert!(!request.is_right(&declared("a", "f", "{\"k\": \"1\"}")));
        assert!(request.mend(Turn::default()).is_untouched());
    }
}
