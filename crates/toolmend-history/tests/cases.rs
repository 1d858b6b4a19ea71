//! Runs each file under `cases/history`. A history is checked, healed, and healed again; what is
//! told in a few words is run in all four shapes.
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

use std::process::ExitCode;

use cases::harness::{Finding, Harness, Seen};
use cases::{Block, Case};
use serde_json::Value;
use toolmend_history::{
    Api, History, Options, Reasoning, Refetched, Signature, Start, Unsent, unsent,
};

fn main() -> ExitCode {
    let harness = Harness {
        folder: "cases/history",
        inputs: &["history", "past", "tools", "calls", "signatures", "sent", "turn"],
        outputs: &[
            "findings",
            "edits",
            "healed",
            "verdicts",
            "reflections",
            "results",
            "status",
            "same",
            "unsent",
        ],
        optional: &["reflections", "results", "status"],
        see,
        holds: |_| Ok(()),
        also: &[],
    };
    harness.main()
}

fn see(case: &Case) -> Result<Seen, String> {
    let mut seen = Seen::new();
    if let Some(block) = case.block("history") {
        see_history(block, &mut seen)?;
    }
    if case.block("past").is_some() || case.block("calls").is_some() {
        seen.extend(exchange::see(case)?);
    }
    if let Some(block) = case.block("signatures") {
        seen.push(("same", see_signatures(block)?));
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
        seen.push(("unsent", told));
    }
    match seen.is_empty() {
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
    seen.push(("findings", findings.collect::<Vec<_>>().join("\n")));
    seen.push(("edits", edits.collect::<Vec<_>>().join("\n")));
    if !healed.edits.is_empty() {
        seen.push(("healed", healed.text.into_owned()));
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
