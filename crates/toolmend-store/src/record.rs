//! What is told of a turn. Without its texts it holds no value of an argument.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::kind::{CallKind, Key, TurnKind, distinct, step_above};

/// A name. Most are words of a table, and are not copied for every turn.
pub type Name = Cow<'static, str>;

/// The label of a turn that asking helped.
const HELPED: &str = "re-prompt";

/// Names and paths are kept up to this length, in characters. The word of a kind is made of a few
/// names, and PostgreSQL's indexes take some 2,700 bytes.
const NAME_MAX: usize = 120;

/// The texts of a turn.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// JSON: the line that `toolmend fix --jsonl` reads under `in`, what was delivered under `out`; `null`
    /// there where that is what came.
    pub own: String,
    /// The tools and messages of the line, where they are not in it.
    pub request: Option<Request>,
}

/// What a turn was asked with.
#[derive(Clone, Debug)]
pub struct Request {
    /// A list as JSON. Turns that share one in memory share it in the store.
    pub tools: Arc<str>,
    /// A list as JSON. Turns whose lists begin alike share the start in the store.
    pub messages: Option<Arc<str>>,
}

impl Texts {
    /// What of it takes no more than so many bytes: messages are left out first, then all of it.
    #[must_use]
    pub fn within(mut self, bytes_max: usize) -> Option<Self> {
        if self.len() > bytes_max
            && let Some(request) = &mut self.request
        {
            request.messages = None;
        }
        (self.len() <= bytes_max).then_some(self)
    }

    /// How many bytes it is.
    fn len(&self) -> usize {
        self.held() + self.request.as_ref().map_or(0, |request| request.tools.len())
    }

    /// How many bytes it holds. Tools are shared by many turns.
    pub(crate) fn held(&self) -> usize {
        let messages = self.request.as_ref().and_then(|request| request.messages.as_ref());
        self.own.len() + messages.map_or(0, |messages| messages.len())
    }

    /// All of them as one value: what is a turn's own, its model and time, and the parts of its request,
    /// the tools first.
    pub(crate) fn whole(own: &str, (model, at_ms): (&str, i64), parts: &[String]) -> Option<Value> {
        let mut whole: Value = serde_json::from_str(own).ok()?;
        let Some(line) = whole.get_mut("in").and_then(Value::as_object_mut) else {
            return Some(whole);
        };
        let mut parts = parts.iter().map(|part| serde_json::from_str::<Value>(part));
        let mut at = 0;
        let mut add = |name: &str, value: Value| {
            if !line.contains_key(name) {
                line.shift_insert(at, name.to_owned(), value);
            }
            at += 1;
        };
        add("id", format!("{model}-{at_ms}").into());
        add("model", model.into());
        if let Some(Ok(tools)) = parts.next() {
            add("tools", tools);
        }
        // A list with a hole would be another list.
        let parts: Vec<Value> = parts.collect::<Result<_, _>>().unwrap_or_default();
        let messages = parts.into_iter().reduce(|mut before, part| {
            if let (Value::Array(before), Value::Array(part)) = (&mut before, part) {
                before.extend(part);
            }
            before
        });
        if let Some(messages) = messages {
            add("messages", messages);
        }
        let came = whole.get("out").is_some_and(Value::is_null).then(|| as_it_came(&whole));
        if let (Some(came), Some(out)) = (came, whole.get_mut("out")) {
            *out = came;
        }
        Some(whole)
    }
}

/// What was delivered of a turn in which nothing was changed.
fn as_it_came(texts: &Value) -> Value {
    let line = texts.get("in");
    let own = |name: &str| line.and_then(|line| line.get(name));
    let calls = own("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let call = |(at, call): (usize, &Value)| {
        let own = |name: &str| call.get(name).and_then(Value::as_str).unwrap_or_default();
        json!({"id": own("id"), "name": own("name"), "arguments": own("arguments"),
            "outcome": Fate::Untouched.as_str(), "lossy": false, "channel": "tool_calls",
            "index": at})
    };
    json!({"content": own("content").and_then(Value::as_str).unwrap_or_default(),
        "tool_calls": calls.iter().enumerate().map(call).collect::<Vec<_>>(),
        "kept": 0, "refused": [], "notes": []})
}

impl From<Value> for Texts {
    fn from(value: Value) -> Self {
        Self { own: value.to_string(), request: None }
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
            is_helped: self.is_helped(),
            spent_us_below: step_above(self.spent_us),
            finish: self.finish.clone(),
            label: self.label.clone(),
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
            channel: Some(call.channel.clone()),
        }
    }

    /// Whether asking helped it.
    fn is_helped(&self) -> bool {
        self.asks > 0 && self.label.as_deref() == Some(HELPED)
    }

    /// Writes what its kind is told by.
    pub(crate) fn write_key(&self, key: &mut Key) {
        key.start("turn");
        key.text(&self.model);
        key.text(&self.api);
        key.number(i64::from(self.is_broken));
        key.number(self.asks);
        key.number(i64::from(self.is_helped()));
        key.number(step_above(self.spent_us));
        key.optional(self.finish.as_deref());
        key.optional(self.label.as_deref());
    }

    /// Writes what the kind of one of its calls is told by.
    pub(crate) fn write_call_key(&self, call: &CallRecord, has_text: bool, key: &mut Key) {
        key.start("call");
        key.text(&self.model);
        key.text(&self.api);
        key.optional(call.tool.as_deref());
        key.text(call.fate.as_str());
        key.optional(call.reason.as_deref());
        key.optional(call.dialect.as_deref());
        key.text(&call.channel);
        key.number(i64::from(has_text));
        for repair in &call.repairs {
            key.text(&repair.rule);
        }
    }

    /// Shows the names that are in its rows and not in its kinds.
    pub(crate) fn each_own_name(&mut self, mut show: impl FnMut(&mut Name)) {
        let repairs = self.calls.iter_mut().flat_map(|call| &mut call.repairs);
        for RepairRecord { rule, path, trust } in repairs {
            [rule, path, trust].into_iter().for_each(&mut show);
        }
    }
}

/// Cuts a name that is too long.
pub(crate) fn cut(name: &mut Name) {
    if name.len() > NAME_MAX
        && let Some((at, _)) = name.char_indices().nth(NAME_MAX)
    {
        name.to_mut().truncate(at);
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::Texts;

    #[test]
    fn what_was_delivered_as_it_came_is_shown_in_full() {
        let own = r#"{"in":{"id":"t","reasoning":null,"content":"Hm.","tool_calls":[
            {"id":"a","name":"go","arguments":"{}"},{"id":null,"name":"stop","arguments":""}]},
            "out":null}"#;
        let call = |id: &str, name: &str, arguments: &str, index: usize| {
            json!({"id": id, "name": name, "arguments": arguments, "outcome": "untouched",
                "lossy": false, "channel": "tool_calls", "index": index})
        };
        let out = json!({"content": "Hm.", "kept": 0, "refused": [], "notes": [],
            "tool_calls": [call("a", "go", "{}", 0), call("", "stop", "", 1)]});
        assert_eq!(Texts::whole(own, ("m", 7), &[]).unwrap()["out"], out);
    }

    #[test]
    fn a_list_of_messages_has_no_hole() {
        let shown = |parts: &[&str]| {
            let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            Texts::whole(r#"{"in":{"id":"m-7","content":"Hm."}}"#, ("m", 7), &parts)
        };
        let line = |tools: Value, messages: Value| {
            let mut line = json!({"id": "m-7", "model": "m", "tools": tools,
                "messages": messages, "content": "Hm."});
            line.as_object_mut().unwrap().retain(|_, value| !value.is_null());
            // Members have an order, which comparing does not look at.
            Some(json!({"in": line}).to_string())
        };
        let shown = |parts: &[&str]| shown(parts).map(|whole| whole.to_string());
        assert_eq!(shown(&["[0]", "[1]", "[2]"]), line(json!([0]), json!([1, 2])));
        for parts in [["[0]", "[1]", "[2"], ["[0]", "[1", "[2]"]] {
            assert_eq!(shown(&parts), line(json!([0]), Value::Null), "{parts:?}");
        }
        assert_eq!(shown(&["", "[1]"]), line(Value::Null, json!([1])), "no tools");
        assert_eq!(shown(&["[0]", "[]"]), line(json!([0]), json!([])));
    }
}
