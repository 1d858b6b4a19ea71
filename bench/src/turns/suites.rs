//! Where the turns come from: the project's own cases, calls that are quoted and calls that are
//! meant, and corpora.

#[path = "../../../crates/toolmend/tests/support/tools.rs"]
mod tools;

use std::error::Error;
use std::fs;
use std::path::Path;

use cases::{Block, Case};
use quotes::{Half, Turn};
use serde_json::{Map, Value, json};
use toolmend_dialect::dialects;

use super::task::Task;
use crate::arguments::Arguments;
use crate::install::bench;

/// What is asked about a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Which calls stand in the text.
    Text,
    /// What the arguments of declared calls should be.
    Arguments,
}

/// Turns of one source.
pub(super) struct Suite {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// Whether the tools say what their arguments are.
    pub(super) has_schemas: bool,
    pub(super) tasks: Vec<Task>,
}

/// With `--quick` one of so many generated turns is judged.
const QUICK_STEP: usize = 10;

/// All suites.
pub(super) fn all(arguments: &Arguments) -> Result<Vec<Suite>, Box<dyn Error>> {
    let root = bench().join("..").join("cases");
    let step = if arguments.quick { QUICK_STEP } else { 1 };
    let made = |turns: fn(Half, u64) -> Vec<Turn>| -> Result<Vec<Task>, String> {
        let halves = [Half::Seen, Half::Held].into_iter();
        let turns = halves.flat_map(|half| {
            let turns = turns(half, arguments.seed).into_iter().step_by(step);
            turns.enumerate().map(move |(at, turn)| (half, at, turn))
        });
        turns.map(|(half, at, turn)| quotes_task(half, at, &turn)).collect()
    };
    let json = Suite {
        has_schemas: false,
        ..declared("own cases of JSON", read(&root.join("json"), json_case)?)
    };
    let quoted = made(|half, seed| quotes::quoted(half, seed).collect())?;
    let genuine = made(|half, seed| quotes::genuine(half, seed).collect())?;
    let mut suites = vec![
        text("own cases of turns", read(&root.join("turn"), turn_case)?),
        text("injection suite: calls that are only quoted", quoted),
        text("injection suite: calls that are meant", genuine),
        declared("own cases of schemas", read(&root.join("schema"), schema_case)?),
        json,
    ];
    for path in &arguments.corpus {
        suites.extend(corpus(path)?);
    }
    suites.retain(|suite| !suite.tasks.is_empty());
    Ok(suites)
}

fn text(name: &str, tasks: Vec<Task>) -> Suite {
    Suite { name: name.to_owned(), kind: Kind::Text, has_schemas: true, tasks }
}

fn declared(name: &str, tasks: Vec<Task>) -> Suite {
    Suite { name: name.to_owned(), kind: Kind::Arguments, has_schemas: true, tasks }
}

/// Reads the cases of a folder; those that ask for something else are left out.
fn read(
    folder: &Path,
    make: fn(&Case, &str) -> Result<Option<Task>, String>,
) -> Result<Vec<Task>, Box<dyn Error>> {
    let mut tasks = Vec::new();
    for path in cases::find(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
        let case = Case::parse(&fs::read_to_string(&path)?)?;
        tasks.extend(make(&case, &name).map_err(|error| format!("{name}: {error}"))?);
    }
    Ok(tasks)
}

fn text_of(case: &Case, name: &str) -> Result<String, String> {
    let Some(block) = case.block(name) else { return Ok(String::new()) };
    match block.option("escapes") {
        Some(_) => {
            String::from_utf8(cases::unescape(block.text())?).map_err(|error| error.to_string())
        }
        None => Ok(block.text().to_owned()),
    }
}

/// A turn with calls in its text. Cases that need other settings are left out, and so are those with
/// declared calls: they say only what is found beside them.
fn turn_case(case: &Case, name: &str) -> Result<Option<Task>, String> {
    let option = |word: &str| case.block("content").and_then(|block| block.option(word));
    if case.block("declared").is_some() || option("trust").is_some() {
        return Ok(None);
    }
    let meant: Option<Vec<Value>> = case.text("calls").lines().map(call).collect();
    let messages: Value = match case.text("messages") {
        "" => json!([]),
        text => serde_json::from_str(text).map_err(|error| error.to_string())?,
    };
    let folder = name.split('/').next().unwrap_or_default();
    let line = json!({
        "id": name, "class": folder, "tools": tools::read(case.text("tools"))?, "messages": messages,
        "content": text_of(case, "content")?, "reasoning": text_of(case, "reasoning")?,
        "expected": meant.ok_or("a call is a name and its arguments")?,
        "finish_reason": option("cut").map(|_| "length").or(option("over").map(|_| "stop")),
    });
    let mut task = Task::read(&line.to_string())?;
    if let Some(dialect) = dialects().find(|dialect| dialect.id == folder) {
        task.dialects = [dialect.id].into();
    }
    Ok(Some(task))
}

/// `name {"a":1}`.
fn call(line: &str) -> Option<Value> {
    let (name, arguments) = line.split_once(' ')?;
    let arguments: Value = serde_json::from_str(arguments).ok()?;
    Some(json!({ "name": name, "arguments": arguments }))
}

/// A turn that quotes a call, or means one.
fn quotes_task(half: Half, at: usize, turn: &Turn) -> Result<Task, String> {
    let meant = turn.wanted.iter();
    let meant: Vec<Value> =
        meant.map(|call| json!({ "name": call.name, "arguments": call.arguments })).collect();
    let line = json!({
        "id": at, "class": turn.what, "tools": quotes::tools(), "messages": turn.messages,
        "content": turn.content, "reasoning": turn.reasoning, "expected": meant,
    });
    let mut task = Task::read(&line.to_string())?;
    if turn.is_mixed {
        task.dialects.insert(turn.dialect);
    } else {
        task.dialects = [turn.dialect].into();
    }
    task.is_shown = half == Half::Seen;
    Ok(task)
}

/// Whether the default settings are enough for what comes of this case.
fn is_default(case: &Case) -> bool {
    let outcome = case.text("outcome");
    let has_value = ["untouched", "mended exact", "mended likely"].contains(&outcome);
    let options = case.block("input").into_iter().flat_map(Block::options);
    has_value && options.into_iter().all(|option| matches!(option, "escapes" | "want"))
}

/// Arguments that their schema refuses, or not.
fn schema_case(case: &Case, name: &str) -> Result<Option<Task>, String> {
    let others = ["positional", "shown", "tool", "hints"];
    if !is_default(case) || others.iter().any(|other| case.block(other).is_some()) {
        return Ok(None);
    }
    let read = |text: &str| serde_json::from_str(text).map_err(|error| error.to_string());
    let schema: Value = read(case.text("schema"))?;
    let input = text_of(case, "input")?;
    let meant: Value = match case.text("arguments") {
        "" => read(&input)?,
        text => read(text)?,
    };
    // Tools of an API take objects only.
    match meant.is_object() {
        true => arguments_task(case, name, &schema, &input, &meant),
        false => Ok(None),
    }
}

/// Arguments that are no JSON, or not quite.
fn json_case(case: &Case, name: &str) -> Result<Option<Task>, String> {
    let meant: Option<Value> = serde_json::from_str(case.text("value")).ok();
    let Some(meant) = meant.filter(|value| value.is_object() && is_default(case)) else {
        return Ok(None);
    };
    let keys = case.text("keys").lines().map(|key| (key.to_owned(), json!({})));
    let properties: Map<String, Value> = keys.collect();
    let schema = json!({ "type": "object", "properties": properties });
    // No API carries bytes that are no text.
    let Ok(input) = text_of(case, "input") else { return Ok(None) };
    arguments_task(case, name, &schema, &input, &meant)
}

fn arguments_task(
    case: &Case,
    name: &str,
    schema: &Value,
    input: &str,
    meant: &Value,
) -> Result<Option<Task>, String> {
    let folder = name.split('/').next().unwrap_or_default();
    let tool = case.block("schema").and_then(|block| block.option("name")).unwrap_or("call_it");
    let line = json!({
        "id": name, "class": folder, "tools": [{ "name": tool, "parameters": schema }],
        "tool_calls": [{ "name": tool, "arguments": input }], "finish_reason": "tool_calls",
        "expected": [{ "name": tool, "arguments": meant }],
    });
    Ok(Some(Task::read(&line.to_string())?))
}

/// The lines of a corpus, parted by where their calls stand.
fn corpus(path: &Path) -> Result<Vec<Suite>, Box<dyn Error>> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let (mut in_text, mut made) = (Vec::new(), Vec::new());
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        match Task::read(line) {
            Ok(task) if task.declared.is_empty() => in_text.push(task),
            Ok(task) => made.push(task),
            Err(reason) => eprintln!("{}:{number}: {reason}", path.display()),
        }
    }
    Ok(vec![
        self::text(&format!("corpus {name}, calls in text"), in_text),
        declared(&format!("corpus {name}, declared calls"), made),
    ])
}
