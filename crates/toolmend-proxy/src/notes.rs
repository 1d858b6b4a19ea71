//! What a model is told of defaults that were filled in for it: with the result of the call, in the
//! next request. Best effort: what other replicas mended, and what is long past, is not known here.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};
use toolmend::Mended;
use toolmend_wire::{Api, Request};

use crate::exchange::{Observer, Told};

/// So many calls are remembered.
const CALLS_MAX: usize = 4096;
/// What such a note starts with.
const NOTE: &str = "Note: ";

/// Notes by the id of the call that they belong to.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    by_call: HashMap<String, Vec<String>>,
    /// The ids, oldest first.
    order: VecDeque<String>,
}

impl Notes {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An observer that takes notes, and tells the next one.
    pub(crate) fn observer(self: &Arc<Self>, next: Option<Observer>) -> Observer {
        let notes = Arc::clone(self);
        Arc::new(move |told: &Told<'_>| {
            notes.take(told.mended);
            if let Some(next) = &next {
                next(told);
            }
        })
    }

    fn take(&self, turn: &Mended) {
        for (number, call) in turn.calls.iter().enumerate() {
            let own = format!("call {number}: {NOTE}");
            let told = turn.report.notes.iter().filter_map(|note| note.strip_prefix(&own));
            let told: Vec<String> = told.map(|note| format!("{NOTE}{note}")).collect();
            if !told.is_empty() {
                self.lock().insert(&call.id, told);
            }
        }
    }

    /// The body with notes behind the results of calls that they belong to; `None` where there are
    /// none.
    pub(crate) fn tell(&self, api: Api, body: &[u8]) -> Option<Vec<u8>> {
        if self.lock().by_call.is_empty() {
            return None;
        }
        let mut request = Request::read(api, body)?;
        let mut is_changed = false;
        for (number, mut message) in request.messages().into_iter().enumerate() {
            if self.add(api, &mut message) {
                request.set_message(number, &message.to_string());
                is_changed = true;
            }
        }
        is_changed.then(|| request.body().as_bytes().to_vec())
    }

    fn add(&self, api: Api, message: &mut Value) -> bool {
        match api {
            Api::Chat => self.add_to(message, "tool_call_id", "content"),
            Api::Responses => self.add_to(message, "call_id", "output"),
            Api::Messages => {
                let blocks = message.get_mut("content").and_then(Value::as_array_mut);
                let blocks = blocks.into_iter().flatten();
                blocks.fold(false, |is, block| self.add_to(block, "tool_use_id", "content") | is)
            }
            // Its results do not say which call they belong to.
            Api::Ollama => false,
        }
    }

    fn add_to(&self, result: &mut Value, id: &str, content: &str) -> bool {
        let id = result.get(id).and_then(Value::as_str);
        let Some(notes) = id.and_then(|id| self.lock().by_call.get(id).cloned()) else {
            return false;
        };
        let notes = notes.join("\n");
        match result.get_mut(content) {
            Some(Value::String(text)) => *text = format!("{text}\n\n{notes}"),
            Some(Value::Array(parts)) => parts.push(json!({"type": "text", "text": notes})),
            _ => return false,
        }
        true
    }
}

impl Known {
    fn insert(&mut self, id: &str, notes: Vec<String>) {
        if self.by_call.insert(id.to_owned(), notes).is_none() {
            self.order.push_back(id.to_owned());
        }
        if self.order.len() > CALLS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_call.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolmend_wire::Api;

    use super::{CALLS_MAX, Notes};

    #[test]
    fn a_note_stands_behind_the_result_of_its_call() {
        let notes = Notes::default();
        notes.lock().insert("c1", vec!["Note: `offset` was not given.".to_owned()]);
        let chat = json!({"messages": [{"role": "tool", "tool_call_id": "c1", "content": "ok"},
            {"role": "tool", "tool_call_id": "c2", "content": "ok"}]});
        let up = notes.tell(Api::Chat, chat.to_string().as_bytes()).unwrap();
        let up = String::from_utf8(up).unwrap();
        assert_eq!(up.matches("ok\\n\\nNote: `offset` was not given.").count(), 1, "{up}");
        let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "ok"}]});
        let messages = json!({"messages": [{"role": "user", "content": [result]}]});
        let up = notes.tell(Api::Messages, messages.to_string().as_bytes()).unwrap();
        assert!(String::from_utf8(up).unwrap().contains("Note: `offset`"));
        let other =
            json!({"input": [{"type": "function_call_output", "call_id": "x", "output": "ok"}]});
        assert_eq!(notes.tell(Api::Responses, other.to_string().as_bytes()), None);
    }

    #[test]
    fn old_notes_are_forgotten() {
        let notes = Notes::default();
        for number in 0..=CALLS_MAX {
            notes.lock().insert(&number.to_string(), Vec::new());
        }
        let known = notes.lock();
        assert_eq!((known.by_call.len(), known.order.len()), (CALLS_MAX, CALLS_MAX));
        assert!(!known.by_call.contains_key("0"));
    }
}
