//! Runs each file under `cases/history`. A history is checked, healed, and healed again; what is
//! told in a few words is run in all four shapes. `UPDATE=1` rewrites the expectations in place;
//! `UPDATE=healed,edits` only those, and the others must still hold.
//!
//! | block | holds |
//! |---|---|
//! | `history api=…` | the list of messages, byte for byte; `reasoning` where it is wanted back, `elsewhere` where the server keeps the start |
//! | `findings`, `edits` | `code place` and `rule place`, one per line; none if all is right |
//! | `healed` | the list afterwards; no block if nothing changed |
//! | `past` | what happened, in a few words (`support/exchange.rs`) |
//! | `tools` | `name read-only`, `name exempt`, `name metadata KEY`, `read-only name {json}` |
//! | `calls` | the calls at hand, `name {json}` per line; `proxy`, `repeat=3/6`, `cycle=off` |
//! | `verdicts` | `pass`, or `storm DETECTOR COUNT`, per call |
//! | `reflections`, `results`, `status` | texts for storms, results at hand, counts; compared where they stand |
//! | `signatures`, `same` | calls, and which of them are the first one |
//! | `sent`, `turn`, `unsent` | what a client has, the turn fetched again, what to send |

#[path = "support/check.rs"]
mod check;
#[path = "support/exchange.rs"]
mod exchange;
#[path = "support/shapes.rs"]
mod shapes;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, fs};

use cases::{Block, Case};
use libtest_mimic::{Arguments, Trial};
use serde_json::Value;
use toolmend_history::{
    Api, History, Options, Reasoning, Refetched, Signature, Start, Unsent, unsent,
};

/// Where the cases are.
const ROOT: &str = "../..";

/// Blocks that say what goes in.
const INPUTS: [&str; 7] = ["history", "past", "tools", "calls", "signatures", "sent", "turn"];

/// Blocks that say what must come out.
const OUTPUTS: [&str; 9] = [
    "findings",
    "edits",
    "healed",
    "verdicts",
    "reflections",
    "results",
    "status",
    "same",
    "unsent",
];

/// Blocks that are only compared where a case has them.
const OPTIONAL: [&str; 3] = ["reflections", "results", "status"];

type Finding = Result<(), String>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(ROOT);
    let update = env::var("UPDATE").unwrap_or_default();
    let trials = match cases::find(&root.join("cases/history")) {
        Ok(paths) => paths.into_iter().map(|path| trial(root, path, update.clone())).collect(),
        Err(error) => vec![Trial::test("cases/history", move || Err(error.into()))],
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
        let is_updated = |name: &str| update == "1" || update.split(',').any(|own| own == name);
        for name in OUTPUTS.into_iter().filter(|name| is_updated(name)) {
            if !(OPTIONAL.contains(&name) && case.block(name).is_none()) {
                case.set(name, seen.text(name));
            }
        }
        fs::write(path, case.to_markdown()).map_err(|error| error.to_string())?;
    }
    // What was not rewritten was written by hand, and must be what came out.
    for name in OUTPUTS {
        let (expected, found) = (case.text(name), seen.text(name));
        let is_optional = OPTIONAL.contains(&name) && case.block(name).is_none();
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
    let mut seen = Seen::default();
    if let Some(block) = case.block("history") {
        see_history(block, &mut seen)?;
    }
    if case.block("past").is_some() || case.block("calls").is_some() {
        seen.0.extend(exchange::see(case)?);
    }
    if let Some(block) = case.block("signatures") {
        seen.0.push(("same", see_signatures(block)?));
    }
    if let Some(turn) = case.block("turn") {
        let has_calls = turn.option("calls").is_some();
        let unsent = unsent(case.text("sent"), Refetched { text: turn.text(), has_calls });
        let told = match unsent {
            Unsent::Rest(text) => format!("rest {}", Value::from(text)),
            Unsent::CallsOnly => "calls only".to_owned(),
            Unsent::Apart { separator, text } => {
                format!("apart {} {}", Value::from(separator), Value::from(text))
            }
        };
        seen.0.push(("unsent", told));
    }
    match seen.0.is_empty() {
        true => Err("there is nothing to run".to_owned()),
        false => Ok(seen),
    }
}

fn see_history(block: &Block, seen: &mut Seen) -> Finding {
    let api =
        block.option("api").and_then(|name| Api::ALL.into_iter().find(|a| a.as_str() == name));
    let api = api.ok_or("a history says which api it is of")?;
    let options = Options {
        reasoning: match block.option("reasoning") {
            Some(_) => Reasoning::Demanded,
            None => Reasoning::Free,
        },
        start: match block.option("elsewhere") {
            Some(_) => Start::Elsewhere,
            None => Start::Here,
        },
    };
    let healed = check::heal_and_check(block.text(), api, options)?;
    let history = History::read(block.text(), api).map_err(|error| error.to_string())?;
    let findings = toolmend_history::check(&history, options);
    let findings = findings.iter().map(|found| format!("{} {}", found.code.id(), found.place));
    let edits = healed.edits.iter().map(|edit| format!("{} {}", edit.rule.id(), edit.place));
    seen.0.push(("findings", findings.collect::<Vec<_>>().join("\n")));
    seen.0.push(("edits", edits.collect::<Vec<_>>().join("\n")));
    if !healed.edits.is_empty() {
        seen.0.push(("healed", healed.text.into_owned()));
    }
    Ok(())
}

fn see_signatures(block: &Block) -> Result<String, String> {
    let mut signatures = Vec::new();
    for line in block.text().lines() {
        let (name, arguments) = exchange::read_call(line)?;
        let left_out = block.option("without");
        signatures.push(Signature::without(&name, &arguments, |key| Some(key) == left_out));
    }
    let first = signatures.first().ok_or("no signatures")?;
    let told = signatures.iter().map(|own| {
        let word = if own == first { "same" } else { "other" };
        format!("{word} {} {}", own.name(), own.arguments())
    });
    Ok(told.collect::<Vec<_>>().join("\n"))
}
