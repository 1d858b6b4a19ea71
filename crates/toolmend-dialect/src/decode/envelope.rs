//! Envelopes: the members that make an object a call, under the names that models use.

use serde_json::{Map, Value};
use toolmend_json::{Fault, Node, Shape, Trust};

use super::json;
use crate::found::{Arguments, Found};
use crate::offered::{Offered, Tool};

pub(super) const NAME_KEYS: [&str; 8] = [
    "name",
    "tool",
    "tool_name",
    "function",
    "function_name",
    "toolName",
    "action",
    "recipient_name",
];
/// Keys that are as often those of an argument: a name stands under them only if it is a tool's.
const OTHER_NAME_KEYS: [&str; 7] =
    ["func", "method", "command", "operation", "api", "api_name", "selected_tool"];
pub(super) const ARGUMENT_KEYS: [&str; 16] = [
    "arguments",
    "parameters",
    "args",
    "input",
    "params",
    "tool_args",
    "tool_input",
    "action_input",
    "kwargs",
    "function_args",
    "tool_arguments",
    "tool_parameters",
    "tool_params",
    "function_arguments",
    "function_parameters",
    "action_parameters",
];
pub(super) const ID_KEYS: [&str; 3] = ["id", "tool_call_id", "call_id"];
/// How servers begin the ids of calls.
const CALL_IDS: [&str; 4] = ["call_", "call-", "toolu_", "chatcmpl-tool-"];
/// Members of an envelope that are arguments only of a tool that has them.
const META_KEYS: [&str; 4] = ["type", "index", "role", "status"];
/// Members that hold a call or a list of calls.
pub(super) const WRAPPERS: [&str; 15] = [
    "tool_calls",
    "toolCalls",
    "tool_call",
    "function_call",
    "function_calls",
    "function",
    "content",
    "tool_uses",
    "calls",
    "action",
    "actions",
    "functions",
    "tools",
    "command",
    "functionCall",
];
/// Members that tell why; an envelope may begin with one.
const THOUGHT_KEYS: [&str; 6] =
    ["thought", "thoughts", "reasoning", "reason", "explanation", "thinking"];
/// Members that tell what came of a call.
const RESULT_KEYS: [&str; 7] =
    ["result", "results", "output", "error", "tool_output", "tool_result", "return"];
/// The same where they stand behind the arguments. Before them they tell why, or speak to the reader.
const REPLY_KEYS: [&str; 2] = ["observation", "response"];
/// Members that tell when a call was made, how long it took or how it ended, without separators. A model
/// that makes a call says none of that.
const MADE_KEYS: [&str; 11] = [
    "executedat",
    "executedby",
    "completedat",
    "finishedat",
    "approvedby",
    "executiontime",
    "executiontimems",
    "durationms",
    "elapsedms",
    "latencyms",
    "exitcode",
];
/// Such a member has a short name.
const MADE_BYTES_MAX: usize = 128;

/// Whether the name of a tool stands under this key.
pub(crate) fn is_name_key(key: &str) -> bool {
    NAME_KEYS.contains(&key)
}

/// Keys with which an object that is a call can begin.
pub(crate) fn may_begin_call(key: &str) -> bool {
    let known = [
        &NAME_KEYS[..],
        &OTHER_NAME_KEYS,
        &ARGUMENT_KEYS,
        &ID_KEYS,
        &META_KEYS,
        &WRAPPERS,
        &THOUGHT_KEYS,
    ];
    known.iter().any(|keys| keys.contains(&key))
}

/// The members of an object that make it a call: of those under names that mean the same, the one
/// whose name comes first in its list, and its place there.
#[derive(Default)]
pub(super) struct Parts<'d> {
    /// The name and the id, where they are text.
    name: Option<(usize, Node<'d>)>,
    second_name: Option<(usize, Node<'d>)>,
    id: Option<(usize, Node<'d>)>,
    kind: Option<Node<'d>>,
    arguments: Option<(usize, Node<'d>)>,
    wrapper: Option<(usize, Node<'d>)>,
    /// What is a name only if a tool has it.
    other: Option<(usize, Node<'d>)>,
    /// Whether anything stands under a name of names.
    has_name: bool,
    has_description: bool,
    told: Told,
}

/// Whether a member tells what came of the call.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Told {
    #[default]
    Nothing,
    Result,
    /// Behind what wraps the call.
    OuterResult,
}

impl<'d> Parts<'d> {
    pub(super) fn of(node: Node<'d>) -> Self {
        let mut parts = Self::default();
        for (key, value) in node.members() {
            let Some(key) = key.as_str() else { continue };
            // Most names stand under a key that means nothing else.
            if key == "name" {
                parts.has_name = true;
                if is_text(value) {
                    parts.add_name(0, value);
                }
                continue;
            }
            let rank = |keys: &[&str]| keys.iter().position(|known| *known == key);
            if let Some(rank) = rank(&ARGUMENT_KEYS) {
                prefer(&mut parts.arguments, rank, value);
                continue;
            }
            if let Some(rank) = rank(&ID_KEYS) {
                if is_text(value) {
                    prefer(&mut parts.id, rank, value);
                }
                continue;
            }
            match key.as_ref() {
                "type" => parts.kind = Some(value).filter(|value| is_text(*value)),
                "description" => parts.has_description = true,
                key => parts.add_result(key, value),
            }
            // The name of a call and what wraps one share a key.
            if let Some(rank) = rank(&NAME_KEYS) {
                parts.has_name = true;
                if is_text(value) {
                    parts.add_name(rank, value);
                }
            }
            if let Some(rank) = rank(&WRAPPERS) {
                prefer(&mut parts.wrapper, rank, value);
            }
            if let Some(rank) = rank(&OTHER_NAME_KEYS).filter(|_| is_text(value)) {
                prefer(&mut parts.other, rank, value);
            }
        }
        parts
    }

    fn add_result(&mut self, key: &str, value: Node<'d>) {
        let is_of = |keys: &[&str]| keys.iter().any(|known| known.eq_ignore_ascii_case(key));
        let is_reply = self.arguments.is_some() && is_of(&REPLY_KEYS);
        let is_result = is_of(&RESULT_KEYS) || tells_of_making(key);
        if (is_result || is_reply) && !is_blank(value) {
            // What wraps a list may say something to the reader as well.
            let is_one = |(_, inner): (usize, Node<'_>)| inner.shape() == Shape::Object;
            match is_result && self.wrapper.is_some_and(is_one) {
                true => self.told = Told::OuterResult,
                false if self.told == Told::Nothing => self.told = Told::Result,
                false => {}
            }
        }
    }

    /// Whether an object is the record of a call that was made.
    pub(super) fn is_record(&self) -> bool {
        match self.arguments {
            Some(_) => self.told != Told::Nothing && self.has_name,
            None => self.told == Told::OuterResult,
        }
    }

    fn add_name(&mut self, rank: usize, value: Node<'d>) {
        let first = self.name;
        prefer(&mut self.name, rank, value);
        match first {
            Some((first, older)) if rank < first => self.second_name = Some((first, older)),
            Some(_) => prefer(&mut self.second_name, rank, value),
            None => {}
        }
    }

    /// Whether an object has a name and arguments and little else.
    pub(super) fn is_envelope(&self) -> bool {
        self.has_name && self.arguments.is_some()
    }

    /// What a wrapper holds, if the object is one.
    pub(super) fn wrapped(&self) -> Option<Node<'d>> {
        let (rank, inner) = self.wrapper.filter(|_| self.arguments.is_none())?;
        // Plain answers have actions, too: one that is a call says with what.
        let is_weak = WRAPPERS.get(rank) == Some(&"action");
        if is_weak && !Parts::of(inner).is_envelope() {
            return None;
        }
        matches!(inner.shape(), Shape::Object | Shape::Array).then_some(inner)
    }

    /// One call: a name, and arguments under one of their names or beside it.
    pub(super) fn envelope(
        &self,
        node: Node<'_>,
        trust: Trust,
        offered: &Offered,
    ) -> Option<Found> {
        if self.has_description && has_schema(node) {
            return None;
        }
        let of = |key: &'static str, name: Node<'_>| {
            let name = trimmed(name);
            let tool = offered.find(&name);
            (key, name, tool)
        };
        let under = |keys: &[&'static str], named: Option<(usize, Node<'_>)>| {
            named.and_then(|(rank, name)| Some(of(keys.get(rank)?, name)))
        };
        let is_known = |(.., tool): &(&str, String, Option<&Tool>)| tool.is_some();
        // `{"tool": "add_user", "name": "ann"}`: one of them may be an argument.
        let second = || under(&NAME_KEYS, self.second_name).filter(is_known);
        let named = match under(&NAME_KEYS, self.name) {
            Some(first) if !is_known(&first) => second().or(Some(first)),
            first => first,
        };
        let kind = || self.kind.map(|kind| of("type", kind)).filter(is_known);
        let other = || under(&OTHER_NAME_KEYS, self.other).filter(is_known);
        let (key, name, tool) = named.or_else(kind).or_else(other)?;
        let held = self.arguments.filter(|(rank, value)| {
            let key = ARGUMENT_KEYS.get(*rank).copied().unwrap_or_default();
            !tool.is_some_and(|tool| tool.has_key(key)) || holds_arguments(*value, &name, offered)
        });
        // What tells its own result is the record of a call that was made.
        if self.told != Told::Nothing && held.is_some() {
            return None;
        }
        let (arguments, faults) = match held {
            Some((_, arguments)) => inner(arguments, trust),
            None => (beside(node, key, &name, trust, offered)?, Vec::new()),
        };
        let is_argument = |(rank, id): (usize, Node<'_>)| {
            let key = ID_KEYS.get(rank).copied().unwrap_or_default();
            held.is_none() && is_own(key, id, &name, offered)
        };
        let id = self.id.filter(|id| !is_argument(*id)).map(|(_, id)| trimmed(id));
        Some(Found { id, faults, ..Found::new(name, arguments) })
    }
}

/// Whether a member of this name is told of a call that was made.
fn tells_of_making(key: &str) -> bool {
    if key.len() > MADE_BYTES_MAX {
        return false;
    }
    let folded: String =
        key.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    MADE_KEYS.contains(&folded.as_str())
}

/// Keeps what comes first in its list.
fn prefer<'d>(best: &mut Option<(usize, Node<'d>)>, rank: usize, value: Node<'d>) {
    if best.is_none_or(|(best, _)| rank < best) {
        *best = Some((rank, value));
    }
}

/// Whether a value is text, and not only white space.
fn is_text(node: Node<'_>) -> bool {
    node.as_str().is_some_and(|text| !text.chars().all(char::is_whitespace))
}

/// Whether a value says nothing: `null`, `false`, or what is empty.
fn is_blank(node: Node<'_>) -> bool {
    match node.shape() {
        Shape::Null => true,
        Shape::String => !is_text(node),
        Shape::Array => node.items().next().is_none(),
        Shape::Object => node.members().next().is_none(),
        Shape::Boolean => node.as_bool() == Some(false),
        Shape::Number => false,
    }
}

/// The text of a value without the white space around it.
fn trimmed(node: Node<'_>) -> String {
    node.as_str().map(|text| text.trim().to_owned()).unwrap_or_default()
}

/// Whether what stands in the place of arguments is their schema: an object that has one describes a tool.
fn has_schema(node: Node<'_>) -> bool {
    let mut schemas = ["parameters", "input_schema"].into_iter().filter_map(|key| node.get(key));
    schemas.any(|schema| schema.get("properties").is_some())
}

/// The arguments under their own key: an object, or an object written as a string, and what was
/// wrong in the string.
fn inner(node: Node<'_>, trust: Trust) -> (Arguments, Vec<Fault>) {
    let arguments = match node.shape() {
        Shape::Object => Arguments::Object(node.to_value(), trust),
        Shape::Null => Arguments::None,
        Shape::String => {
            let text = node.as_str().unwrap_or_default();
            if text.trim().is_empty() {
                return (Arguments::None, Vec::new());
            }
            let mut document = json::read_object(&text);
            // The string is over: only braces are missing.
            document.close(Trust::Likely);
            match (document.value(), json::trust(&document)) {
                (Some(value), Some(inner)) if value.shape() == Shape::Object => {
                    let faults = document.faults().iter().map(|fault| json::at_node(fault, node));
                    let arguments = Arguments::Object(value.to_value(), trust.max(inner));
                    return (arguments, faults.collect());
                }
                _ => Arguments::Text(text.into_owned()),
            }
        }
        _ => Arguments::Text(node.source().to_owned()),
    };
    (arguments, Vec::new())
}

/// Whether what stands under a key for arguments, which is also the name of a parameter, is all of them.
fn holds_arguments(node: Node<'_>, name: &str, offered: &Offered) -> bool {
    match node.shape() {
        Shape::Object | Shape::Null => true,
        Shape::String => {
            let text = node.as_str().unwrap_or_default();
            if !text.trim_start().starts_with('{') {
                return text.trim().is_empty();
            }
            let document = json::read_object(&text);
            let is_parameter =
                |key: Node<'_>| key.as_str().is_some_and(|key| offered.has_key(name, &key));
            document.value().is_some_and(|value| value.members().any(|(key, _)| is_parameter(key)))
        }
        _ => false,
    }
}

/// The arguments that stand beside the name. Where none of them is one of the tool's and one describes
/// things, the object only tells of the tool: `{"name": "f", "description": "…"}`.
fn beside(
    node: Node<'_>,
    name_key: &str,
    name: &str,
    trust: Trust,
    offered: &Offered,
) -> Option<Arguments> {
    let mut out = Map::new();
    let mut strange = Map::new();
    for (key, value) in node.members() {
        let key = key.as_str().unwrap_or_default();
        if key == name_key {
            continue;
        }
        if !is_of_envelope(&key) || is_own(&key, value, name, offered) {
            out.insert(key.into_owned(), value.to_value());
        } else if is_strange(&key, value) {
            strange.insert(key.into_owned(), value.to_value());
        }
    }
    // Alone, `"role": "admin"` says that this is a record of something, and no envelope.
    if out.is_empty() {
        out = strange;
    }
    if out.is_empty() {
        return Some(Arguments::None);
    }
    let is_told = offered.is_described(name, out.keys().map(String::as_str));
    (!is_told).then(|| Arguments::Beside(Value::Object(out), trust.max(Trust::Likely)))
}

/// Whether envelopes have a member of this name.
fn is_of_envelope(key: &str) -> bool {
    ID_KEYS.contains(&key) || META_KEYS.contains(&key) || THOUGHT_KEYS.contains(&key)
}

/// Whether a member that envelopes have as well is an argument: the tool has it, and its value is not what
/// an envelope says there.
fn is_own(key: &str, value: Node<'_>, name: &str, offered: &Offered) -> bool {
    let is_envelopes = match key {
        "type" => !is_strange(key, value),
        key if ID_KEYS.contains(&key) => {
            value.as_str().is_some_and(|id| CALL_IDS.iter().any(|start| id.starts_with(start)))
        }
        _ => false,
    };
    !is_envelopes && offered.has_key(name, key)
}

/// Whether a member of an envelope has a value that no envelope has there.
fn is_strange(key: &str, value: Node<'_>) -> bool {
    let text = value.as_str().unwrap_or_default();
    match key {
        "type" => !["function", "tool", "call", "action"].iter().any(|word| text.contains(word)),
        "role" => text != "assistant",
        "status" => !["completed", "in_progress", "incomplete", "pending"].contains(&text.as_ref()),
        _ => false,
    }
}
