//! Runs each file under `cases/schema`: the repair itself, repaired twice, and what the model is told.

use std::process::ExitCode;

use cases::Case;
use cases::harness::{Finding, Harness, Seen};
use serde_json::{Value, json};
use toolmend_schema::{Flatten, Repair, Repaired, Shown, Tool, Trust};

fn main() -> ExitCode {
    let harness = Harness {
        folder: "cases/schema",
        inputs: &["schema", "tool", "input", "past", "positional"],
        outputs: &[
            "outcome",
            "arguments",
            "repairs",
            "mismatches",
            "notes",
            "advice",
            "shown",
            "flat",
        ],
        optional: &["advice", "shown"],
        see,
        holds: |_| Ok(()),
        also: &[],
    };
    harness.main()
}

fn see(case: &Case) -> Result<Seen, String> {
    let tool = tool(case)?;
    let mut seen = Seen::new();
    let flatten = match case.block("past").or(case.block("input")).and_then(|b| b.option("flatten"))
    {
        Some("always") => Flatten::Always,
        Some("auto") => Flatten::default(),
        _ => Flatten::Off,
    };
    let shown = tool.shown(flatten);
    if flatten != Flatten::Off {
        seen.push(("shown", show(&shown)));
    }
    if let Some(past) = case.block("past") {
        let arguments: Value = read(past.text())?;
        let flat = shown.flatten(arguments.clone());
        if shown.nest(flat.clone()).arguments != arguments {
            return Err("flat arguments do not come back".to_owned());
        }
        seen.push(("flat", flat.to_string()));
    }
    if let Some(input) = case.block("input") {
        let trust = match input.option("trust") {
            None => Trust::Likely,
            Some(name) => {
                Trust::ALL.into_iter().find(|t| t.as_str() == name).ok_or("no such trust")?
            }
        };
        let mut arguments: Value = read(input.text())?;
        let mut named = Vec::new();
        if let Some(positional) = case.block("positional") {
            let values = serde_json::from_str(positional.text()).map_err(|e| e.to_string())?;
            let given = arguments.as_object().cloned().unwrap_or_default();
            (arguments, named) = tool.name_positional(values, given).ok_or("too many arguments")?;
        }
        repair(&tool, &shown, &arguments, trust, &named, &mut seen)?;
    }
    Ok(seen)
}

fn tool(case: &Case) -> Result<Tool, String> {
    let tool = match (case.block("tool"), case.block("schema")) {
        (Some(tool), None) => read(tool.text())?,
        (None, Some(schema)) => {
            let name = schema.option("name").unwrap_or("f");
            json!({"name": name, "parameters": read(schema.text())?})
        }
        _ => return Err("a case has either a tool or a schema".to_owned()),
    };
    let tool = Tool::read(&tool).map_err(|error| error.to_string())?;
    match tool.problem() {
        Some(problem) => Err(problem.to_owned()),
        None => Ok(tool),
    }
}

fn read(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("{error}: {text}"))
}

fn show(shown: &Shown) -> String {
    let state = match (shown.is_flat, shown.obstacle) {
        (true, _) => "flat".to_owned(),
        (false, Some(obstacle)) => format!("as it is: {obstacle}"),
        (false, None) => "as it is".to_owned(),
    };
    let tool = serde_json::to_string_pretty(&shown.tool).unwrap_or_default();
    format!("{} leaves, depth {}, {state}\n{tool}", shown.leaves, shown.depth)
}

fn repair(
    tool: &Tool,
    shown: &Shown,
    input: &Value,
    trust: Trust,
    named: &[Repair],
    seen: &mut Seen,
) -> Finding {
    let nested = shown.nest(input.clone());
    let repaired = tool.repair(nested.arguments.clone(), trust);
    check(tool, &nested.arguments, &repaired, trust)?;
    let lines = |items: Vec<String>| items.join("\n");
    let repairs = named.iter().chain(&nested.repairs).chain(&repaired.repairs);
    let worst = repairs.clone().map(|repair| repair.trust).max();
    let outcome = match (repaired.is_valid() && nested.conflicts.is_empty(), worst) {
        (false, _) => "refused".to_owned(),
        (true, None) => "untouched".to_owned(),
        (true, Some(trust)) => format!("mended {}", trust.as_str()),
    };
    let conflicts = nested.conflicts.iter().map(|name| format!("conflict {name}"));
    let mismatches = conflicts.chain(repaired.mismatches.iter().map(ToString::to_string));
    let arguments =
        if outcome.starts_with("mended") { repaired.arguments.to_string() } else { String::new() };
    seen.push(("arguments", arguments));
    seen.push(("repairs", lines(repairs.map(ToString::to_string).collect())));
    seen.push(("mismatches", lines(mismatches.collect())));
    seen.push(("notes", lines(repaired.notes.clone())));
    if !repaired.is_valid() {
        seen.push(("advice", tool.advise(&repaired.mismatches)));
    }
    seen.push(("outcome", outcome));
    Ok(())
}

/// What holds for every repair.
fn check(tool: &Tool, input: &Value, repaired: &Repaired, trust: Trust) -> Finding {
    let Repaired { arguments, repairs, mismatches, .. } = repaired;
    let text = |value: &Value| value.to_string();
    if tool.is_valid(input) && (arguments != input || !repairs.is_empty()) {
        return Err("what was right was touched".to_owned());
    }
    if repaired.is_valid() != tool.is_valid(arguments) {
        return Err("the outcome is not what the schema says".to_owned());
    }
    if repairs.is_empty() && text(arguments) != text(input) {
        return Err("a change has no name".to_owned());
    }
    if !mismatches.is_empty() && !repairs.is_empty() {
        return Err("half a repair".to_owned());
    }
    if repairs.iter().any(|repair| repair.trust > trust) {
        return Err("a repair goes further than it may".to_owned());
    }
    let again = tool.repair(arguments.clone(), trust);
    if repaired.is_valid() && (again.arguments != *arguments || !again.repairs.is_empty()) {
        return Err(format!("a second repair changes it: {}", again.arguments));
    }
    let advice = tool.advise(mismatches);
    if advice.len() > 4096 {
        return Err("the text for the model is too long".to_owned());
    }
    Ok(())
}
