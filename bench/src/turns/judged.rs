//! What a reply is worth.

use serde_json::Value;

use super::score::{Score, Verdict, judge};
use super::{Reply, Task};

/// What a reply is worth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    calls: usize,
    right: usize,
    /// Calls of tools that were not meant, or not so often.
    false_calls: usize,
    /// Whether something was right as it came and left otherwise; `None` where nobody can tell.
    pub(super) is_harmed: Option<bool>,
}

/// Counts over turns.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) score: Score,
    /// Turns that left as they should: with the calls that were meant and no others, and unharmed.
    pub(super) left_right: usize,
    pub(super) false_calls: usize,
    /// Turns that were right as they came, and those of them that left otherwise.
    pub(super) came_right: usize,
    pub(super) harmed: usize,
}

impl Judged {
    pub(super) fn of(task: &Task, reply: &Reply) -> Self {
        let (verdict, right) = judge(&task.item, &reply.calls);
        let false_calls = match verdict {
            Verdict::Unscored => 0,
            _ => strangers(task, &reply.calls),
        };
        Self {
            verdict,
            calls: reply.calls.len(),
            right,
            false_calls,
            is_harmed: harmed(task, reply, verdict),
        }
    }

    /// Whether all about the turn is as it should be.
    fn is_right(self) -> bool {
        matches!(self.verdict, Verdict::Exact | Verdict::Quiet) && self.is_harmed != Some(true)
    }
}

impl Tally {
    pub(super) fn add(&mut self, judged: Judged) {
        self.score.add(judged.verdict, judged.calls, judged.right);
        self.left_right += usize::from(judged.is_right());
        self.false_calls += judged.false_calls;
        if let Some(is_harmed) = judged.is_harmed {
            self.came_right += 1;
            self.harmed += usize::from(is_harmed);
        }
    }
}

/// Calls of tools that were not meant, or not so often. A declared call that is passed on under the
/// name that it came with is none: nobody made it up.
fn strangers(task: &Task, calls: &[Value]) -> usize {
    let meant = task.meant().iter().filter_map(|call| call.get("name")?.as_str());
    let came = task.declared.iter().map(|(name, _)| name.as_str());
    let mut free: Vec<&str> = meant.chain(came).collect();
    let name =
        |call: &Value| call.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
    let is_stranger = |call: &&Value| match free.iter().position(|free| *free == name(call)) {
        Some(at) => {
            free.swap_remove(at);
            false
        }
        None => true,
    };
    calls.iter().filter(is_stranger).count()
}

/// A declared call that was right must come out as it was, and an answer without a call must keep its
/// text.
fn harmed(task: &Task, reply: &Reply, verdict: Verdict) -> Option<bool> {
    if !task.declared.is_empty() {
        let came = judge(&task.item, &task.as_it_came()).0;
        return (came == Verdict::Exact).then_some(verdict != Verdict::Exact);
    }
    let has_none = matches!(verdict, Verdict::Quiet | Verdict::Invented) && task.meant().is_empty();
    let text = reply.text.as_deref().filter(|_| has_none)?;
    Some(text.trim() != task.content.trim())
}

#[cfg(test)]
mod tests {
    use super::{Judged, Reply, Tally, Task};
    use serde_json::json;

    #[test]
    fn a_quiet_answer_that_lost_text_is_not_right() {
        let line = json!({"id": 1, "content": "See {\"a\": 1}.", "expected": []});
        let task = Task::read(&line.to_string()).unwrap();
        let mut tally = Tally::default();
        for text in ["See {\"a\": 1}.", "See ."] {
            let reply = Reply { calls: Vec::new(), text: Some(text.to_owned()) };
            tally.add(Judged::of(&task, &reply));
        }
        assert_eq!((tally.left_right, tally.came_right, tally.harmed), (1, 2, 1));
    }

    #[test]
    fn a_second_call_of_one_that_was_meant_is_a_stranger() {
        let line = json!({"id": 1, "content": "x", "expected": [{"name": "f", "arguments": {}}]});
        let task = Task::read(&line.to_string()).unwrap();
        let call = json!({"name": "f", "arguments": {}});
        let reply = Reply { calls: vec![call.clone(), call], text: None };
        assert_eq!(Judged::of(&task, &reply).false_calls, 1);
    }

    #[test]
    fn text_that_was_taken_out_of_a_plain_answer_is_harm() {
        let line = json!({"id": 1, "content": "See {\"a\": 1}.", "expected": []});
        let task = Task::read(&line.to_string()).unwrap();
        let left = |text: &str| Reply { calls: Vec::new(), text: Some(text.to_owned()) };
        assert_eq!(Judged::of(&task, &left("See {\"a\": 1}.\n")).is_harmed, Some(false));
        assert_eq!(Judged::of(&task, &left("See .")).is_harmed, Some(true));
        assert_eq!(Judged::of(&task, &Reply::default()).is_harmed, None);
    }

    #[test]
    fn a_right_call_that_is_lost_is_harm() {
        let call = json!({"name": "f", "arguments": "{\"a\":1}"});
        let expected = json!([{"name": "f", "arguments": {"a": 1}}]);
        let line = json!({"id": 1, "tool_calls": [call], "expected": expected});
        let task = Task::read(&line.to_string()).unwrap();
        assert_eq!(Judged::of(&task, &Reply::default()).is_harmed, Some(true));
        let kept = Reply { calls: task.as_it_came(), text: None };
        assert_eq!(Judged::of(&task, &kept).is_harmed, Some(false));
    }
}
