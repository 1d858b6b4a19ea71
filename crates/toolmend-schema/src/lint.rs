//! What is wrong with tools before any model has seen them: mistakes of the host's.

mod hints;
mod required;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::flatten::Flatten;
use crate::fold::fold;
use crate::form::Form;
use crate::shown::Shown;
use crate::tool::{Tool, ToolError};
use crate::walk;

/// One thing that a host should know about a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// The stable id of its kind.
    pub code: &'static str,
    /// Something does not work as it is written; otherwise it works, and may surprise.
    pub is_error: bool,
    /// Where in the tool, as a JSON Pointer.
    pub path: String,
    /// What it is, in one sentence.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// A tool with all that was found about it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Linted {
    /// The tool, and how it is shown; the reason where it is none.
    pub tool: Result<(Tool, Shown), ToolError>,
    /// Where hints stand, as JSON Pointers into the tool. None of them reaches the model.
    pub hinted: Vec<String>,
    /// What was found.
    pub findings: Vec<Finding>,
}

/// Looks through tools as a request would offer them.
#[must_use]
pub fn lint(tools: &[Value], flatten: Flatten) -> Vec<Linted> {
    let mut linted: Vec<Linted> = tools.iter().map(|tool| lint_one(tool, flatten)).collect();
    lint_names(&mut linted);
    linted
}

fn lint_one(value: &Value, flatten: Flatten) -> Linted {
    let tool = match Tool::read(value) {
        Ok(tool) => tool,
        Err(error) => {
            let findings = vec![no_tool(&error)];
            return Linted { tool: Err(error), hinted: Vec::new(), findings };
        }
    };
    let mut findings = Vec::new();
    let (inner, schema) = places(value);
    if let Some(problem) = tool.problem() {
        findings.push(Finding {
            code: "does-not-compile",
            is_error: true,
            path: schema.clone(),
            message: format!("the schema does not compile: {problem}"),
            help: "correct the schema; until then every call of the tool is let through".to_owned(),
        });
    }
    let mut hinted = Vec::new();
    let schemas = Form::of(value).and_then(|form| form.schema).map(walk::each).unwrap_or_default();
    hints::check(value, &inner, &schema, &tool, &schemas, &mut hinted, &mut findings);
    required::check(&schema, &schemas, &mut findings);
    let shown = tool.shown(flatten);
    findings.extend(size(&tool, &shown, flatten, &schema));
    Linted { tool: Ok((tool, shown)), hinted, findings }
}

fn no_tool(error: &ToolError) -> Finding {
    let (code, help) = match error {
        ToolError::NoName => ("no-name", "give it a `name`, beside its schema"),
        ToolError::NoSchema => ("no-schema", "make `parameters` a JSON Schema, an object"),
    };
    let (path, help) = (String::new(), help.to_owned());
    Finding { code, is_error: true, path, message: error.to_string(), help }
}

/// Where the object with the name stands in a tool, and where its schema does.
fn places(tool: &Value) -> (String, String) {
    let is_wrapped = tool.get("function").is_some_and(Value::is_object);
    let inner = if is_wrapped { "/function" } else { "" };
    let holder = tool.pointer(inner).unwrap_or(tool);
    let key = crate::form::SCHEMA_KEYS.iter().find(|key| holder.get(**key).is_some());
    (inner.to_owned(), format!("{inner}/{}", key.unwrap_or(&"parameters")))
}

/// What the size of a tool means for the model that has to fill it in.
fn size(tool: &Tool, shown: &Shown, flatten: Flatten, schema: &str) -> Option<Finding> {
    let size = shown.size();
    if let Some(obstacle) = shown.obstacle {
        return Some(Finding {
            code: "not-flat",
            is_error: false,
            path: schema.to_owned(),
            message: format!("{size}, and no flat names: {obstacle}"),
            help: "nothing is lost; models that lose their way in deep objects will here too"
                .to_owned(),
        });
    }
    let is_large = tool.shown(Flatten::default()).is_flat;
    (is_large && !shown.is_flat && flatten == Flatten::Off).then(|| Finding {
        code: "large",
        is_error: false,
        path: schema.to_owned(),
        message: format!("{size}: small models lose their way in it"),
        help: "show it with flat names, or split the tool".to_owned(),
    })
}

/// Tools whose names a model, or a repair of names, cannot tell apart.
fn lint_names(linted: &mut [Linted]) {
    let mut by_name: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for (index, row) in linted.iter().enumerate() {
        if let Ok((tool, _)) = &row.tool {
            let name = tool.name().to_owned();
            by_name.entry(fold(&name)).or_default().push((index, name));
        }
    }
    for same in by_name.into_values().filter(|same| same.len() > 1) {
        for (index, name) in &same {
            let others = same.iter().filter(|(other, _)| other != index);
            let twin = others.clone().any(|(_, other)| other == name);
            let others: Vec<String> = others.map(|(_, other)| format!("`{other}`")).collect();
            let finding = if twin { same_name(name) } else { alike(&others.join(", ")) };
            if let Some(row) = linted.get_mut(*index) {
                row.findings.push(finding);
            }
        }
    }
}

fn same_name(name: &str) -> Finding {
    Finding {
        code: "same-name",
        is_error: true,
        path: String::new(),
        message: format!("another tool is called `{name}` too"),
        help: "a call cannot say which of them it means: rename one".to_owned(),
    }
}

fn alike(others: &str) -> Finding {
    Finding {
        code: "names-collide",
        is_error: false,
        path: String::new(),
        message: format!("but for case and separators it is called as {others}"),
        help: "a name in any third spelling is refused: rename one to have it mended".to_owned(),
    }
}
