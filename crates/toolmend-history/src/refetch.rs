//! Turns that are fetched again because their stream broke off.

use crate::chain::Chain;
use crate::storm::Attempt;
use crate::{History, Message, Signature, ToolResult};

/// How often a turn is fetched again before the model is asked to go on instead.
pub const ATTEMPTS_MAX: usize = 3;

/// What the model is asked when fetching again did not help.
pub const CONTINUE_PROMPT: &str = "Please continue the tool calls and give the final reply.";

/// What to do about a turn that is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refetch {
    /// Ask for the same turn again, without streaming.
    Again,
    /// Ask the model to go on, with this text.
    Prompt(&'static str),
    /// Leave it.
    GiveUp,
}

impl Refetch {
    /// The next step after so many.
    #[must_use]
    pub const fn after(steps: usize) -> Self {
        match steps {
            0..ATTEMPTS_MAX => Self::Again,
            ATTEMPTS_MAX => Self::Prompt(CONTINUE_PROMPT),
            _ => Self::GiveUp,
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::{ATTEMPTS_MAX, CONTINUE_PROMPT, Refetch};

    #[test]
    fn a_turn_is_fetched_three_times_then_asked_for_then_left() {
        let steps: Vec<Refetch> = (0..5).map(Refetch::after).collect();
        let prompt = Refetch::Prompt(CONTINUE_PROMPT);
        assert_eq!(ATTEMPTS_MAX, 3);
        assert_eq!(
            steps,
            [Refetch::Again, Refetch::Again, Refetch::Again, prompt, Refetch::GiveUp]
        );
    }
}
