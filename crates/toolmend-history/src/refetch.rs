//! Turns that are fetched again because their stream broke off.

use crate::chain::Chain;
use crate::storm::Attempt;
use crate::{History, Message, Signature, ToolResult};

/// A turn that was fetched again.
#[derive(Clone, Copy, Debug)]
pub struct Refetched<'t> {
    /// What it says.
    pub text: &'t str,
    /// Whether it makes calls. They are always sent.
    pub has_calls: bool,
}

/// What a client does not have yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsent<'t> {
    /// This text, which goes on where the client's ends; it may be empty.
    Rest(&'t str),
    /// No text: the turn says it in other words, and it is its calls that matter.
    CallsOnly,
    /// The whole text, which is another answer, behind something that sets it apart.
    Apart {
        /// What comes before it, so that a blank line does.
        separator: &'static str,
        /// The answer.
        text: &'t str,
    },
}

/// What to send of a turn that was fetched again to a client that has `sent`.
#[must_use]
pub fn unsent<'t>(sent: &str, turn: Refetched<'t>) -> Unsent<'t> {
    match turn.text.strip_prefix(sent) {
        Some(rest) => Unsent::Rest(rest),
        None if turn.has_calls => Unsent::CallsOnly,
        None => Unsent::Apart { separator: separator(sent), text: turn.text },
    }
}

fn separator(sent: &str) -> &'static str {
    match (sent.ends_with("\n\n"), sent.ends_with('\n')) {
        (true, _) => "",
        (false, true) => "\n",
        (false, false) => "\n\n",
    }
}

/// For each call of a turn that was fetched again: the result that it already has, because the turn
/// before the break made it too. Such a call must not run again. Each result serves one call.
#[must_use]
pub fn results_at_hand<'h, 't>(
    history: &'h History<'t>,
    attempts: &[Attempt<'_>],
) -> Vec<Option<&'h ToolResult<'t>>> {
    let mut answered = answered(history);
    let mut take = |attempt: &Attempt<'_>| {
        let signature = Signature::of(attempt.name, attempt.arguments);
        let at = answered.iter().position(|(own, _)| *own == signature)?;
        Some(answered.remove(at).1)
    };
    attempts.iter().map(&mut take).collect()
}

/// The calls of the turn at the end that have results.
fn answered<'h, 't>(history: &'h History<'t>) -> Vec<(Signature, &'h ToolResult<'t>)> {
    let chain = Chain::of(history);
    let Some(turn) = chain.turns.last() else { return Vec::new() };
    let behind = history.messages().get(turn.messages.end..).unwrap_or_default();
    if !behind.iter().all(Message::has_only_results) {
        return Vec::new();
    }
    let calls = chain.calls_of(turn).filter_map(|(number, call)| {
        let signature = Signature::of(call.of.name(), &call.of.arguments().to_value());
        Some((signature, chain.answer(number)?.of))
    });
    calls.collect()
}
