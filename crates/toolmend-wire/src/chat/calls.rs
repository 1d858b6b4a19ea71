//! To which call a piece belongs, where servers number them in their own ways.

use super::{CallPlace, Choice};
use crate::json::Json;
use crate::protocol::Told;
use crate::turn::{CallState, Delta, Turns};

/// What a piece of a call says.
pub(super) struct Piece {
    pub(super) index: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    arguments: Arguments,
    is_function: bool,
}

enum Arguments {
    Absent,
    Text(String),
    /// Text with half a surrogate pair.
    Opaque,
    /// A value that is no string.
    Value(String),
}

impl Piece {
    /// Reads an entry of `tool_calls`.
    pub(super) fn read(entry: Json<'_>) -> Self {
        let kind = entry.word("type");
        Self {
            index: entry.get("index").and_then(Json::number),
            id: entry.word("id"),
            is_function: kind.is_none_or(|kind| kind == "function"),
            ..Self::read_function(entry.given("function"))
        }
    }

    /// Reads a name and arguments.
    pub(super) fn read_function(function: Option<Json<'_>>) -> Self {
        let arguments = function.and_then(|function| function.get("arguments"));
        let arguments = match arguments {
            None => Arguments::Absent,
            Some(value) if value.is_string() => {
                value.text().map_or(Arguments::Opaque, Arguments::Text)
            }
            Some(value) if value.is_null() => Arguments::Value(String::new()),
            Some(value) => Arguments::Value(value.raw().to_owned()),
        };
        let name = function.and_then(|function| function.word("name"));
        Self { index: None, id: None, name, arguments, is_function: true }
    }

    fn text(&self) -> &str {
        match &self.arguments {
            Arguments::Text(text) | Arguments::Value(text) => text,
            Arguments::Absent | Arguments::Opaque => "",
        }
    }

    /// The call that this belongs to, if it belongs to one that came.
    fn find(&self, choice: &Choice, calls: &[CallState]) -> Option<usize> {
        let last_where =
            |is_it: &dyn Fn(usize) -> bool| (0..calls.len()).rev().find(|at| is_it(*at));
        let has_index = |at: usize| choice.calls.get(at).is_some_and(|c| c.index == self.index);
        let has_id = |at: usize| calls.get(at).is_some_and(|call| call.id == self.id);
        let at = match (self.index, &self.id) {
            (Some(_), _) => last_where(&has_index)?,
            (None, Some(_)) => last_where(&has_id).or_else(|| {
                let is_waiting = |at: usize| calls.get(at).is_some_and(|call| call.id.is_none());
                self.name
                    .is_none()
                    .then(|| calls.len().checked_sub(1))
                    .flatten()
                    .filter(|at| is_waiting(*at))
            })?,
            (None, None) => calls.len().checked_sub(1)?,
        };
        calls.get(at).filter(|call| self.continues(call)).map(|_| at)
    }

    /// Whether this goes on with a call that stands at the same place.
    fn continues(&self, call: &CallState) -> bool {
        if let (Some(id), Some(own)) = (&self.id, &call.id) {
            return id == own;
        }
        match &self.name {
            Some(name) if *name == call.name => {
                // The name again: the same call if it is not whole yet.
                !is_whole(&call.arguments) || self.index.is_some() && self.text().is_empty()
            }
            // A name in pieces comes before the arguments.
            Some(_) => call.name.is_empty() || call.arguments.is_empty() && self.index.is_some(),
            None => true,
        }
    }
}

fn is_whole(arguments: &str) -> bool {
    arguments.trim_start().starts_with('{') && toolmend_json::is_valid(arguments)
}

/// Adds a piece to its call, or begins one; the call's number in the turn.
pub(super) fn add<T>(
    piece: &Piece,
    choice: &mut Choice,
    turn: usize,
    turns: &mut Turns,
    told: &mut Told<T>,
) -> usize {
    let state = turns.open(turn);
    let at = piece.find(choice, &state.calls).unwrap_or_else(|| {
        let at = state.calls.len();
        let is_shared =
            piece.index.is_some() && choice.calls.iter().any(|call| call.index == piece.index);
        choice.calls.push(CallPlace { index: piece.index, is_shared, ..CallPlace::default() });
        state.calls.push(CallState::default());
        told.delta(turn, Delta::CallStart(at));
        at
    });
    if let Some(call) = state.calls.get_mut(at) {
        extend(call, piece);
        if !piece.text().is_empty() {
            told.delta(turn, Delta::CallArguments(at, piece.text().to_owned()));
        }
    }
    at
}

fn extend(call: &mut CallState, piece: &Piece) {
    if call.id.is_none() {
        call.id.clone_from(&piece.id);
    }
    if let Some(name) = &piece.name {
        join_name(call, name);
    }
    call.is_opaque |= matches!(piece.arguments, Arguments::Opaque) || !piece.is_function;
    call.arguments.push_str(piece.text());
}

/// Adds what a piece says of the name. Some servers send the name in pieces, some send it again with
/// each piece, and some send again all that came of it: what begins with what came is that.
fn join_name(call: &mut CallState, name: &str) {
    // Pieces of a name come before the arguments; what comes later is the name again.
    let is_again = !call.name.is_empty() && !call.arguments.is_empty();
    match name.starts_with(&call.name) {
        _ if is_again => {}
        true => name.clone_into(&mut call.name),
        false => call.name.push_str(name),
    }
}
