//! A rival in a process of its own, and what it makes of turns.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use toolmend_dialect::dialects;

use super::item::calls_of;
use super::suites::{Kind, Suite};
use super::task::Task;
use super::{Column, Judged, Reply, Way};
use crate::dialects::tools;
use crate::driver::{Answer, Driver, Start};
use crate::turns::score::Verdict;

/// How long a rival may think about one turn.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it may crash or hang on a suite before it is not asked any more.
const FAILURES_MAX: usize = 20;

/// What a rival looks for in a text.
pub(super) enum Reads {
    /// One format that it is told: our name of a dialect, and its own.
    Told(Vec<(&'static str, &'static str)>),
    /// Whatever it finds.
    Finds,
}

/// What a rival is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Turns,
    /// The bare arguments of each call.
    Arguments,
}

/// A rival that answers.
pub(super) struct Contender {
    name: &'static str,
    version: &'static str,
    kinds: &'static [Kind],
    driver: Driver,
    /// What it is given.
    pub(super) given: Given,
    pub(super) can_stream: bool,
    /// Whether it drops or changes what no schema names.
    pub(super) needs_schemas: bool,
    /// The dialects that it reads, with its own names for them where it must be told.
    formats: BTreeMap<&'static str, Option<&'static str>>,
    must_be_told: bool,
}

impl Contender {
    pub(super) fn new(
        name: &'static str,
        version: &'static str,
        kinds: &'static [Kind],
        start: Start,
    ) -> Self {
        Self {
            name,
            version,
            kinds,
            driver: Driver::new(start),
            given: Given::Turns,
            can_stream: false,
            needs_schemas: false,
            formats: BTreeMap::new(),
            must_be_told: false,
        }
    }

    /// Whether it is asked about these turns.
    pub(super) fn takes(&self, suite: &Suite) -> bool {
        self.kinds.contains(&suite.kind) && (suite.has_schemas || !self.needs_schemas)
    }

    /// Notes which dialects it reads. One that is told none reads those whose plain example it gets
    /// right.
    pub(super) fn learn(&mut self, reads: Reads) {
        match reads {
            Reads::Told(formats) => {
                self.must_be_told = true;
                self.formats = formats.into_iter().map(|(ours, its)| (ours, Some(its))).collect();
            }
            Reads::Finds if self.kinds.contains(&Kind::Text) => {
                for dialect in dialects() {
                    let Ok(task) = example(dialect.example) else { continue };
                    let reply = self.reply(&task, None, Way::Whole).unwrap_or_default();
                    if Judged::of(&task, &reply).verdict == Verdict::Exact {
                        self.formats.insert(dialect.id, None);
                    }
                }
            }
            Reads::Finds => {}
        }
    }

    /// Its replies to the turns of a suite, whole and streamed where it can.
    pub(super) fn columns(&mut self, suite: &Suite) -> Vec<Column<'static>> {
        let is_streamed = self.can_stream && suite.kind == Kind::Text;
        let ways = if is_streamed { &Way::ALL[..] } else { &Way::ALL[..1] };
        let columns = ways.iter().map(|&way| {
            let replies = self.replies(suite, way);
            Column { contender: self.name, version: self.version, way, replies }
        });
        columns.collect()
    }

    fn replies(&mut self, suite: &Suite, way: Way) -> Vec<Option<Reply>> {
        let mut failures = 0;
        let mut replies = Vec::with_capacity(suite.tasks.len());
        for task in &suite.tasks {
            if failures >= FAILURES_MAX {
                replies.push(None);
                continue;
            }
            replies.push(match self.format(suite.kind, task) {
                None => None,
                Some(format) => {
                    let reply = self.reply(task, format, way);
                    failures += usize::from(reply.is_none());
                    Some(reply.unwrap_or_default())
                }
            });
        }
        if failures > 0 {
            eprintln!("{} crashed or hung on {failures} turns of {}", self.name, suite.name);
        }
        replies
    }

    /// What it is told about a turn; `None` where it is not asked.
    #[expect(clippy::option_option, reason = "not asked, and asked without a format")]
    fn format(&self, kind: Kind, task: &Task) -> Option<Option<&'static str>> {
        if kind == Kind::Arguments {
            return Some(None);
        }
        if task.content.is_empty() {
            return None;
        }
        match task.dialect() {
            Some(dialect) => self.formats.get(dialect).copied(),
            // Nothing looks like a call, so there is nothing to tell.
            None => (task.dialects.is_empty() && !self.must_be_told).then_some(None),
        }
    }

    /// What it makes of a turn; `None` where it crashed or hung.
    fn reply(&mut self, task: &Task, format: Option<&str>, way: Way) -> Option<Reply> {
        if self.given == Given::Arguments {
            return self.mended(task);
        }
        let declared = task.declared.iter();
        let declared =
            declared.map(|(name, arguments)| json!({ "name": name, "arguments": arguments }));
        let ask = json!({
            "tools": task.tools, "content": task.content, "declared": declared.collect::<Vec<_>>(),
            "format": format, "chunk": if way == Way::Streamed { 4 } else { 0 },
        });
        let out = self.driver.exchange(&ask, PATIENCE).ok()?;
        let text: Option<Value> = serde_json::from_str(&out).ok();
        let text = text.and_then(|out| out.get("text")?.as_str().map(str::to_owned));
        let calls = calls_of(&out).into_iter().map(parsed).collect();
        Some(Reply { calls, text })
    }

    /// The declared calls, each with its arguments mended as JSON.
    fn mended(&mut self, task: &Task) -> Option<Reply> {
        let mut calls = Vec::new();
        for (name, arguments) in &task.declared {
            match self.driver.ask(arguments, Duration::ZERO, PATIENCE) {
                Answer::Mended(out, _) => {
                    let value: Value = serde_json::from_str(&out).unwrap_or_default();
                    // What is no object cannot be taken for arguments.
                    if value.is_object() {
                        calls.push(json!({ "name": name, "arguments": value }));
                    }
                }
                Answer::Refused => {}
                Answer::Crashed | Answer::Hung => return None,
            }
        }
        Some(Reply { calls, text: None })
    }
}

/// A call whose arguments may be JSON in a string.
fn parsed(mut call: Value) -> Value {
    if let Some(Value::String(text)) = call.get("arguments") {
        let arguments: Value = serde_json::from_str(text).unwrap_or_default();
        if let Some(call) = call.as_object_mut() {
            call.insert("arguments".to_owned(), arguments);
        }
    }
    call
}

/// The example of a dialect as a turn.
fn example(text: &str) -> Result<Task, String> {
    let meant = match text.contains("brave_search") {
        true => json!({ "name": "brave_search", "arguments": { "query": "weather in Lima" } }),
        false => json!({ "name": "get_weather", "arguments": { "city": "Lima", "days": 2 } }),
    };
    let line = json!({ "id": 0, "tools": tools::openai(), "content": text, "expected": [meant] });
    Task::read(&line.to_string())
}
