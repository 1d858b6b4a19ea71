//! `toolmend check`: what a model will see of a list of tools, and what is wrong with it; or with a
//! transcript.

mod page;

use std::path::Path;

use serde_json::Value;
use toolmend_schema::{Finding, Flatten, Linted, lint};

use crate::args::{CheckArgs, FlattenArg};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::fix;
use crate::json_out::{Object, quoted};
use crate::transcript::{self, Job};

pub(crate) fn run(args: &CheckArgs, console: &mut Console) -> Result<Exit, Failure> {
    let tools = args.tools.as_deref().map(|file| read_tools(file, console)).transpose()?;
    if let Some(file) = &args.transcript {
        let (tools, fix) = (tools.as_deref(), args.fix.as_deref());
        return transcript::run(Job { file, tools, fix, is_json: args.json }, console);
    }
    let tools = tools.unwrap_or_default();
    let linted = lint(&tools, args.flatten.into());
    if args.json {
        linted.iter().try_for_each(|row| console.put_line(&line(row)))?;
    } else {
        console.put_styled(&page::of(&linted))?;
    }
    let has_errors = linted.iter().flat_map(|row| &row.findings).any(|finding| finding.is_error);
    Ok(if has_errors { Exit::Refused } else { Exit::Done })
}

/// The tools of the file: a list, an object that has one, or a single tool.
fn read_tools(file: &Path, console: &mut Console) -> Result<Vec<Value>, Failure> {
    let name = fix::name_of(file);
    let bytes = fix::read_input(file, console)?;
    let value: Value = serde_json::from_slice(&bytes)
        .map_err(|error| Failure::Usage(format!("{name}: this is no JSON: {error}")))?;
    let tools = match value.get("tools") {
        Some(tools) => tools.clone(),
        None if value.is_object() => Value::Array(vec![value]),
        None => value,
    };
    match tools {
        Value::Array(tools) if !tools.is_empty() => Ok(tools),
        _ => Err(Failure::Usage(format!("{name}: this is no list of tools"))),
    }
}

fn line(row: &Linted) -> String {
    let findings = row.findings.iter().map(finding);
    let out = Object::new();
    let out = match &row.tool {
        Err(_) => out.raw("name", "null"),
        Ok((tool, shown)) => {
            let out = out
                .string("name", tool.name())
                .number("leaves", shown.leaves)
                .number("depth", shown.depth)
                .boolean("flat", shown.is_flat)
                .raw("obstacle", &shown.obstacle.map_or("null".to_owned(), quoted))
                .string("effect", tool.effect().as_str())
                .list("hints", row.hinted.iter().map(|path| quoted(path)));
            let contract = tool.hints().contract_hint.as_deref();
            out.raw("contract_hint", &contract.map_or("null".to_owned(), quoted))
                .raw("shown", &shown.tool.to_string())
        }
    };
    out.list("findings", findings).finish()
}

fn finding(finding: &Finding) -> String {
    Object::new()
        .string("code", finding.code)
        .string("level", level(finding))
        .string("path", &finding.path)
        .string("message", &finding.message)
        .string("help", &finding.help)
        .finish()
}

fn level(finding: &Finding) -> &'static str {
    if finding.is_error { "error" } else { "warning" }
}

impl From<FlattenArg> for Flatten {
    fn from(flatten: FlattenArg) -> Self {
        match flatten {
            FlattenArg::Auto => Self::default(),
            FlattenArg::Always => Self::Always,
            FlattenArg::Off => Self::Off,
        }
    }
}
