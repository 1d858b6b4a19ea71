//! A further request to the model.

use serde_json::{Map, Value, json};

use crate::mended::{Mended, Refused};

/// What a model is told that stops in the middle of its work.
const PROCEED: &str = "Please continue the tool calls and give the final reply.";
/// What stands for the result of a call that was right and waits for the others.
const HELD: &str = "Not run yet: another call of the same turn has to be corrected first.";

/// A further request to the model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ask {
    /// What it is for.
    pub kind: Kind,
    /// What is appended to the messages of the request.
    pub messages: Vec<Message>,
    /// What the reply goes on with: it is joined with what came, and read as one.
    pub prefix: Option<Prefix>,
    /// The tool that must be called, where it is only one.
    pub tool: Option<String>,
}

/// What an ask is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The rest of a call that was cut.
    Continue,
    /// A call that the tool accepts.
    Correct,
    /// What the model is trying to achieve with the same call again and again.
    Reflect,
    /// The same turn once more, without streaming.
    Refetch,
    /// The rest of a turn that could not be fetched again.
    Proceed,
}

impl Kind {
    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Continue => "continue",
            Self::Correct => "correct",
            Self::Reflect => "reflect",
            Self::Refetch => "refetch",
            Self::Proceed => "proceed",
        }
    }
}

/// A message of an ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// What the model said: its text, and the calls that it made.
    Assistant {
        /// The text.
        content: String,
        /// Id, name and arguments of each call.
        calls: Vec<(String, String, String)>,
    },
    /// What a call came to.
    Result {
        /// The id of the call.
        call: String,
        /// The text.
        text: String,
    },
    /// What a user would say.
    User(String),
}

/// What a turn goes on from.
#[derive(Clone, Debug, PartialEq)]
pub enum Prefix {
    /// The text of the turn as it came.
    Text,
    /// A call that the server made out: name, and its arguments so far.
    Call {
        /// The name.
        name: String,
        /// The arguments so far.
        arguments: String,
    },
}

impl Ask {
    fn plain(kind: Kind) -> Self {
        Self { kind, messages: Vec::new(), prefix: None, tool: None }
    }

    /// For the rest of a call.
    pub(super) fn go_on(cut: &Refused) -> Self {
        // What is whole was put there by the server: nothing goes on from it.
        let arguments = if is_object(&cut.raw) { String::new() } else { cut.raw.clone() };
        let prefix = match cut.origin.is_text() {
            true => Prefix::Text,
            false => Prefix::Call { name: cut.name.clone().unwrap_or_default(), arguments },
        };
        Self { prefix: Some(prefix), ..Self::plain(Kind::Continue) }
    }

    pub(super) fn refetch() -> Self {
        Self::plain(Kind::Refetch)
    }

    pub(super) fn proceed() -> Self {
        let messages = vec![Message::User(PROCEED.to_owned())];
        Self { messages, ..Self::plain(Kind::Proceed) }
    }

    /// For calls that the tools accept: each wrong one gets a result that says what is wrong.
    pub(super) fn correct(turn: &Mended, wrong: &[&Refused]) -> Self {
        let mut calls = Vec::new();
        let mut results = Vec::new();
        for call in &turn.calls {
            calls.push((call.id.clone(), call.name.clone(), call.arguments.clone()));
            results.push(Message::Result { call: call.id.clone(), text: HELD.to_owned() });
        }
        let mut unreadable = Vec::new();
        for (at, refused) in wrong.iter().enumerate() {
            let id = refused.id.clone().unwrap_or_else(|| format!("call_refused_{at}"));
            let name = refused.name.clone().unwrap_or_default();
            // A server that cannot read a past call refuses the whole request.
            if is_object(&refused.raw) && !name.is_empty() {
                calls.push((id.clone(), name, refused.raw.clone()));
                results.push(Message::Result { call: id, text: refused.advice.clone() });
            } else {
                unreadable.push(refused.advice.clone());
            }
        }
        let mut messages = Vec::new();
        if !calls.is_empty() {
            messages.push(Message::Assistant { content: String::new(), calls });
        }
        messages.extend(results);
        if !unreadable.is_empty() {
            messages.push(Message::User(unreadable.join("\n\n")));
        }
        let mut names = wrong.iter().filter_map(|refused| refused.tool.as_deref());
        let first = names.next();
        let tool = first.filter(|first| names.all(|name| name == *first)).map(str::to_owned);
        Self { messages, tool, ..Self::plain(Kind::Correct) }
    }

    /// For a reason to go on: each call that is held back gets a result that asks for one.
    pub(super) fn reflect(turn: &Mended) -> Self {
        let held = turn.suppressed.iter();
        let calls = held.clone().map(|held| {
            (held.call.id.clone(), held.call.name.clone(), held.call.arguments.clone())
        });
        let calls = calls.collect();
        let mut messages = vec![Message::Assistant { content: String::new(), calls }];
        messages.extend(held.map(|held| Message::Result {
            call: held.call.id.clone(),
            text: held.reflection.clone(),
        }));
        Self { messages, ..Self::plain(Kind::Reflect) }
    }
}

impl Ask {
    /// The ask as JSON: its messages are written as `OpenAI`'s chat has them.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let mut out = Map::new();
        out.insert("kind".to_owned(), self.kind.as_str().into());
        out.insert("messages".to_owned(), self.messages.iter().map(Message::to_value).collect());
        match &self.prefix {
            Some(Prefix::Text) => drop(out.insert("prefix".to_owned(), json!({"of": "text"}))),
            Some(Prefix::Call { name, arguments }) => {
                let prefix = json!({"of": "call", "name": name, "arguments": arguments});
                out.insert("prefix".to_owned(), prefix);
            }
            None => {}
        }
        if let Some(tool) = &self.tool {
            out.insert("tool".to_owned(), tool.as_str().into());
        }
        Value::Object(out)
    }
}

impl Message {
    /// The message as `OpenAI`'s chat has it.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Assistant { content, calls } => {
                let calls = calls.iter().map(|(id, name, arguments)| {
                    let function = json!({"name": name, "arguments": arguments});
                    json!({"id": id, "type": "function", "function": function})
                });
                let calls: Value = calls.collect();
                json!({"role": "assistant", "content": content, "tool_calls": calls})
            }
            Self::Result { call, text } => {
                json!({"role": "tool", "tool_call_id": call, "content": text})
            }
            Self::User(text) => json!({"role": "user", "content": text}),
        }
    }
}

fn is_object(text: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(text).is_ok()
}
