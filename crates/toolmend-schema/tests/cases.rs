//! Runs each file under `cases/schema`: the repair itself, repaired twice, and what the model is told.
//! `UPDATE=1` rewrites the expectations in place; `UPDATE=repairs,advice` only those, and the others
//! must still hold.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use cases::Case;
use libtest_mimic::{Arguments, Trial};
use serde_json::{Value, json};
use toolmend_schema::{Flatten, Repair, Repaired, Shown, Tool, Trust};

/// Where this crate's cases are.
const ROOT: &str = "../..";

/// Blocks that say what goes in.
const INPUTS: [&str; 5] = ["schema", "tool", "input", "past", "positional"];

/// Blocks that say what must come out.
const OUTPUTS: [&str; 8] =
    ["outcome", "arguments", "repairs", "mismatches", "notes", "advice", "shown", "flat"];

type Finding = Result<(), String>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(ROOT);
    let update = env::var("UPDATE").unwrap_or_default();
    let trials = match cases::find(&root.join("cases/schema")) {
        Ok(paths) => paths.into_iter().map(|path| trial(root, path, update.clone())).collect(),
        Err(error) => vec![Trial::test("cases/schema", move || Err(error.into()))],
    };
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(root: &Path, path: PathBuf, update: String) -> Trial {
    let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    Trial::test(name, move || run(&path, &update).map_err(Into::into))
}

fn run(path: &Path, update: &str) -> Finding {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut case = Case::parse(&text)?;
    let known = |name: &str| INPUTS.contains(&name) || OUTPUTS.contains(&name);
    if let Some(block) = case.blocks().find(|block| !known(block.name())) {
        return Err(format!("no harness knows the block `{}`", block.name()));
    }
    let seen = see(&case)?;
    if !update.is_empty() {
        for name in
            OUTPUTS.iter().filter(|name| update == "1" || update.split(',').any(|u| u == **name))
        {
            case.set(name, seen.text(name));
        }
        fs::write(path, case.to_markdown()).map_err(|error| error.to_string())?;
    }
    for name in OUTPUTS {
        let (expected, found) = (case.text(name), seen.text(name));
        // These two are only compared where a case shows them.
        let is_optional = matches!(name, "advice" | "shown") && case.block(name).is_none();
        if expected != found && !is_optional {
            return Err(format!("{name}\nexpected:\n{expected}\nfound:\n{found}"));
        }
    }
    Ok(())
}

/// What came out, by block.
#[derive(Default)]
struct Seen(Vec<(&'static str, String)>);

impl Seen {
    fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(own, _)| *own == name).map_or("", |(_, text)| text)
    }
}

fn see(case: &Case) -> Result<Seen, String> {
    let tool = tool(case)?;
    let mut seen = Seen::default();
    let flatten = match case.block("past").or(case.block("input")).and_then(|b| b.option("flatten"))
    {
        Some("always") => Flatten::Always,
        Some("auto") => Flatten::default(),
        _ => Flatten::Off,
    };
    let shown = tool.shown(flatten);
    if flatten != Flatten::Off {
        seen.0.push(("shown", show(&shown)));
    }
    if let Some(past) = case.block("past") {
        let arguments: Value = read(past.text())?;
        let flat = shown.flatten(arguments.clone());
        if shown.nest(flat.clone()).arguments != arguments {
            return Err("flat arguments do not come back".to_owned());
        }
        seen.0.push(("flat", flat.to_string()));
    }
    if let Some(input) = case.block("input") {
        let trust = match input.option("trust") {
            None => Trust::Likely,
            Some(name) => {
                Trust::ALL.into_iter().find(|t| t.as_str() == name).ok_or("no such trust")?
            }
        };
        if input.text().trim().is_empty() {
            fill(&tool, trust, &mut seen);
            return Ok(seen);
        }
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

/// What blank arguments come to.
fn fill(tool: &Tool, trust: Trust, seen: &mut Seen) {
    match tool.fill_empty(trust) {
        Some((arguments, repair)) => {
            seen.0.push(("outcome", format!("mended {}", repair.trust.as_str())));
            seen.0.push(("arguments", arguments.to_string()));
            seen.0.push(("repairs", repair.to_string()));
        }
        None => seen.0.push(("outcome", "refused".to_owned())),
    }
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
    seen.0.push(("arguments", arguments));
    seen.0.push(("repairs", lines(repairs.map(ToString::to_string).collect())));
    seen.0.push(("mismatches", lines(mismatches.collect())));
    seen.0.push(("notes", lines(repaired.notes.clone())));
    if !repaired.is_valid() {
        seen.0.push(("advice", tool.advise(&repaired.mismatches)));
    }
    seen.0.push(("outcome", outcome));
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
